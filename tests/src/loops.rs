//! Loop devices on sparse files, gone when they go out of scope.

use crate::programs::tool;
use crate::suite::Outcome;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder for backing files: in memory where there is such a file system, so that a flush costs nothing.
pub fn scratch() -> Outcome<TempDir> {
    let memory = Path::new("/dev/shm");
    let builder = TempDir::with_prefix;
    Ok(if memory.is_dir() { TempDir::with_prefix_in("btrfs-plan-", memory)? } else { builder("btrfs-plan-")? })
}

/// A new sparse file.
pub fn sparse_file(path: &Path, size: u64) -> Outcome {
    File::create_new(path)?.set_len(size)?;
    Ok(())
}

/// A loop device on a file.
#[derive(Debug)]
pub struct LoopDevice {
    path: PathBuf,
    backing: PathBuf,
}

impl LoopDevice {
    /// Attaches a free loop device to `backing`; `options` go to losetup.
    pub fn attach(backing: &Path, options: &[&str]) -> Outcome<Self> {
        let mut command = vec!["--find".as_ref(), "--show".as_ref()];
        command.extend(options.iter().map(std::ffi::OsStr::new));
        command.push(backing.as_os_str());
        let path = tool("losetup", command)?.text().trim_end().into();
        let device = Self { path, backing: backing.to_owned() };
        device.forget_partitions();
        Ok(device)
    }

    /// Partitions stay with a loop device when its file goes: they are those of an earlier one.
    fn forget_partitions(&self) {
        let name = self.name();
        let entries = std::fs::read_dir(Path::new("/sys/block").join(&name)).into_iter().flatten().flatten();
        if entries.filter_map(|entry| entry.file_name().into_string().ok()).any(|entry| entry.starts_with(&name)) {
            let _ = tool("partx", ["--delete".as_ref(), self.path.as_os_str()]);
        }
    }

    /// The device node.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The file behind it.
    #[must_use]
    pub fn backing(&self) -> &Path {
        &self.backing
    }

    /// The name that the kernel's messages use.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Makes the kernel forget the filesystem that it may have found here.
    pub fn forget(&self) {
        // It complains about a device that it does not know, and about one in use. Neither matters here.
        let _ = tool("btrfs", ["device".as_ref(), "scan".as_ref(), "--forget".as_ref(), self.path.as_os_str()]);
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        self.forget();
        self.forget_partitions();
        if let Err(error) = tool("losetup", ["--detach".as_ref(), self.path.as_os_str()]) {
            eprintln!("{}", error.message().unwrap_or_default());
        }
    }
}

/// Loop devices on sparse files of their own.
#[derive(Debug)]
pub struct LoopSet {
    // Devices go before the files they stand on.
    devices: Vec<LoopDevice>,
    folder: TempDir,
}

impl LoopSet {
    /// A device for each size.
    pub fn new(sizes: &[u64]) -> Outcome<Self> {
        let folder = scratch()?;
        let mut devices = Vec::new();
        for (number, size) in (1..).zip(sizes) {
            let file = folder.path().join(format!("device{number}"));
            sparse_file(&file, *size)?;
            devices.push(LoopDevice::attach(&file, &[])?);
        }
        Ok(Self { devices, folder })
    }

    /// The devices, in order.
    #[must_use]
    pub fn devices(&self) -> &[LoopDevice] {
        &self.devices
    }

    /// Their nodes, for command lines.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        self.devices.iter().map(|device| device.path.display().to_string()).collect()
    }

    /// The names that messages use.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.devices.iter().map(LoopDevice::name).collect()
    }

    /// The folder of the backing files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Whether a line of a log is about one of `names`, or about no loop device at all. Tests run side by side: a line that
/// names others is about theirs.
#[must_use]
pub fn concerns(line: &str, names: &[String]) -> bool {
    let is_loop = |word: &&str| word.strip_prefix("loop").is_some_and(|number| number.parse::<u32>().is_ok());
    let mut named = line.split(|character: char| !character.is_ascii_alphanumeric()).filter(is_loop).peekable();
    named.peek().is_none() || named.any(|word| names.iter().any(|name| name == word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_about_other_devices_are_told_apart() {
        let ours = ["loop3".to_owned()];
        assert!(concerns("BTRFS warning (device loop3): odd", &ours));
        assert!(concerns("BTRFS: devid 1 /dev/loop3 (7:3) scanned by btrfs-exec", &ours));
        assert!(concerns("WARNING: CPU: 0 PID: 1 at fs/btrfs/x.c", &ours));
        assert!(!concerns("BTRFS warning (device loop30): odd", &ours));
        assert!(!concerns("BTRFS info (device loop4): fine", &ours));
    }
}
