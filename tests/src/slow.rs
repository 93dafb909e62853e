//! Loop devices whose discards take a known time, on the file system in `zoned-guest/slowfs.py`.

use crate::loops::{LoopDevice, scratch};
use crate::programs::tool;
use crate::suite::{Outcome, fail};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// The devices; all gone when it goes out of scope.
#[derive(Debug)]
pub struct SlowDevices {
    // Devices go before the file system that they stand on.
    devices: Vec<LoopDevice>,
    file_system: FileSystem,
    folder: TempDir,
}

/// A discard that the file system was asked for: as soon as it had it, not when it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discard {
    /// Counting devices from 0.
    pub device: usize,
    /// First byte.
    pub start: u64,
    /// Number of bytes.
    pub length: u64,
}

impl SlowDevices {
    /// `count` devices of `mib` MiB; `options` go to the file system.
    pub fn new(count: usize, mib: u64, options: &[&str]) -> Outcome<Self> {
        Self::with_content(count, mib, options, |_| Ok(()))
    }

    /// The same, where `prepare` does something to each backing file before a device stands on it.
    pub fn with_content(count: usize, mib: u64, options: &[&str], prepare: impl Fn(&Path) -> Outcome) -> Outcome<Self> {
        let folder = scratch()?;
        let file_system = FileSystem::mount(folder.path(), count, mib, options)?;
        let mut devices = Vec::new();
        for number in 0..count {
            prepare(&folder.path().join(format!("f{number}")))?;
            devices.push(LoopDevice::attach(&file_system.folder.join(format!("f{number}")), &[])?);
        }
        Ok(Self { devices, file_system, folder })
    }

    /// Files without devices on them.
    pub fn files_only(count: usize, mib: u64, options: &[&str]) -> Outcome<Self> {
        let folder = scratch()?;
        let file_system = FileSystem::mount(folder.path(), count, mib, options)?;
        Ok(Self { devices: Vec::new(), file_system, folder })
    }

    /// The devices, in order.
    #[must_use]
    pub fn devices(&self) -> &[LoopDevice] {
        &self.devices
    }

    /// Their nodes, for command lines.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        self.devices.iter().map(|device| device.path().display().to_string()).collect()
    }

    /// The file that a device stands on, on the slow file system.
    #[must_use]
    pub fn file(&self, device: usize) -> PathBuf {
        self.file_system.folder.join(format!("f{device}"))
    }

    /// What a device's bytes are stored in, behind the slow file system.
    #[must_use]
    pub fn stored_in(&self, device: usize) -> PathBuf {
        self.folder.path().join(format!("f{device}"))
    }

    /// The discards so far, as they ended.
    pub fn discards(&self) -> Outcome<Vec<Discard>> {
        let log = std::fs::read_to_string(self.folder.path().join("log"))?;
        log.lines().filter_map(|line| parse(line).transpose()).collect()
    }
}

/// `SECONDS discard fNUMBER START+LENGTH`; other requests stand there too.
fn parse(line: &str) -> Outcome<Option<Discard>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        [_, "discard", device, range] => {
            let (Some(device), Some((start, length))) = (device.strip_prefix('f'), range.split_once('+')) else {
                return fail(format!("the file system logged: {line}"));
            };
            Ok(Some(Discard { device: device.parse()?, start: start.parse()?, length: length.parse()? }))
        }
        _ => Ok(None),
    }
}

#[derive(Debug)]
struct FileSystem {
    folder: PathBuf,
    server: Child,
}

impl FileSystem {
    fn mount(folder: &Path, count: usize, mib: u64, options: &[&str]) -> Outcome<Self> {
        let mounted = folder.join("mounted");
        std::fs::create_dir(&mounted)?;
        let mut server = Command::new("python3");
        server.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("zoned-guest/slowfs.py")).arg(&mounted);
        server.args([count.to_string(), mib.to_string()]).args(options);
        server.arg(format!("dir={}", folder.display())).arg(format!("log={}", folder.join("log").display()));
        let mut server = server.stdin(Stdio::null()).spawn()?;
        for _ in 0..1000 {
            if mounted.join("f0").is_file() {
                return Ok(Self { folder: mounted, server });
            }
            if let Some(status) = server.try_wait()? {
                return fail(format!("slowfs.py ended with {status}"));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = server.kill();
        fail("slowfs.py did not come up")
    }
}

impl Drop for FileSystem {
    fn drop(&mut self) {
        // A loop device lets go of its file a moment after it was detached.
        for _ in 0..100 {
            if tool("umount", [&self.folder]).is_ok() {
                // It ends by itself once it is no longer mounted.
                let _ = self.server.wait();
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        eprintln!("{} cannot be unmounted", self.folder.display());
        let _ = tool("umount", ["--lazy".as_ref(), self.folder.as_os_str()]);
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_discards_are_read_from_the_log() {
        let discard = parse("12.5000 discard f1 4096+65536").unwrap();
        assert_eq!(discard, Some(Discard { device: 1, start: 4096, length: 65536 }));
        assert_eq!(parse("12.5000 write f1 0+4096").unwrap(), None);
        assert!(parse("12.5000 discard 1 4096").is_err());
    }
}
