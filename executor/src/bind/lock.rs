//! The lock that udev and other tools respect: BSD's, on the node of the whole disk, for as long as the run takes.

use crate::probe::{DeviceNumber, Sysfs};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// udev holds a shared lock while it probes, which is soon over.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(20);

/// A lock on a whole disk. It ends with this value.
#[derive(Debug)]
pub(super) struct DiskLock {
    disk: DeviceNumber,
    /// Open for reading: closing it tells nobody that the disk was changed.
    _file: File,
}

impl DiskLock {
    /// Locks the disk that a block device is, or is a partition of; `None` if that is locked already.
    pub(super) fn take(path: &Path, number: DeviceNumber, held: &[Self]) -> io::Result<Option<Self>> {
        let (disk, node) = whole_disk(path, number);
        if held.iter().any(|lock| lock.disk == disk) {
            return Ok(None);
        }
        let file = File::open(node)?;
        lock(&file, PATIENCE)?;
        Ok(Some(Self { disk, _file: file }))
    }
}

/// The number and the node of the disk; the device itself where the kernel does not tell.
fn whole_disk(path: &Path, number: DeviceNumber) -> (DeviceNumber, PathBuf) {
    let itself = (number, path.to_path_buf());
    let Some(node) = Sysfs::new("/sys").node(number) else { return itself };
    let disk = node.parent().unwrap_or(number);
    let Some(name) = node.disk_device_name() else { return itself };
    let path = Path::new("/dev").join(name);
    // Only the node that leads to this very disk is the one that others lock.
    let leads = fs::metadata(&path).is_ok_and(|metadata| DeviceNumber::of(metadata.rdev()) == disk);
    if leads { (disk, path) } else { itself }
}

fn lock(file: &File, patience: Duration) -> io::Result<()> {
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if begin.elapsed() >= patience => {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another program holds the lock"));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_others_hold_is_waited_for_and_then_given_up() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let holder = File::open(file.path()).unwrap();
        holder.lock_shared().unwrap();
        let other = File::open(file.path()).unwrap();
        assert_eq!(lock(&other, Duration::from_millis(50)).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(60));
                drop(holder);
            });
            lock(&other, PATIENCE).unwrap();
        });
    }
}
