//! Mounted filesystems, unmounted when they go out of scope.

use crate::programs::tool;
use crate::suite::Outcome;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// A filesystem mounted on a folder of its own.
#[derive(Debug)]
pub struct Mount {
    folder: TempDir,
    mounted: bool,
}

impl Mount {
    /// Mounts the btrfs on `device`.
    pub fn new(device: &Path, options: &str) -> Outcome<Self> {
        Self::of_type("btrfs", device, options)
    }

    /// Mounts a filesystem of another type.
    pub fn of_type(kind: &str, device: &Path, options: &str) -> Outcome<Self> {
        let folder = TempDir::with_prefix("btrfs-plan-mount-")?;
        let arguments = ["-t", kind, "-o", options].map(std::ffi::OsStr::new);
        tool("mount", arguments.into_iter().chain([device.as_os_str(), folder.path().as_os_str()]))?;
        Ok(Self { folder, mounted: true })
    }

    /// Where it is mounted.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Unmounts it and says whether that worked.
    pub fn unmount(mut self) -> Outcome {
        self.mounted = false;
        unmount(self.folder.path())
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if self.mounted
            && let Err(error) = unmount(self.folder.path())
        {
            eprintln!("{}", error.message().unwrap_or_default());
        }
    }
}

/// A program that another thread starts has all open files until it runs: a file just closed here may still be open there
/// for a moment, and the mount busy.
fn unmount(folder: &Path) -> Outcome {
    for _ in 0..100 {
        if tool("umount", [folder]).is_ok() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    tool("umount", [folder])?;
    Ok(())
}
