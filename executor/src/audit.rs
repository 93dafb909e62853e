//! Block devices and image files as the disks that an audit reads. Nothing is opened for writing.

use crate::ioctl;
use crate::probe::{Identity, InUse, ProbeError, Usage, UsageUnknown, twins, zones_of};
use btrfs_planner::audit::{Disks, ReadFailed, Zone};
use btrfs_planner::request::{PlacedRun, ZoneState};
use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Why the disks of an audit cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DisksError {
    /// One cannot be opened or asked.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// Two paths are one device.
    #[error("'{}' and '{}' are the same device, or parts of one", first.display(), second.display())]
    Twice {
        /// A path.
        first: PathBuf,
        /// Another path.
        second: PathBuf,
    },
    /// The system does not say what is in use.
    #[error(transparent)]
    Usage(#[from] UsageUnknown),
}

impl DisksError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Probe(error) => error.hint(),
            Self::Twice { .. } => Some("name every device once".to_string()),
            Self::Usage(_) => Some("mount /proc".to_string()),
        }
    }
}

/// Devices and image files, open for reading.
#[derive(Debug)]
pub struct FileDisks(Vec<Disk>);

#[derive(Debug)]
struct Disk {
    path: PathBuf,
    file: File,
    size: u64,
    /// Runs of like zones, and the size of a zone.
    zones: Option<(Vec<PlacedRun>, u64)>,
    in_use: Option<InUse>,
}

impl FileDisks {
    /// Opens all of them.
    pub fn open(paths: &[PathBuf]) -> Result<Self, DisksError> {
        let usage = Usage::read()?;
        let identities: Vec<Option<Identity>> = paths.iter().map(|path| Identity::of_path(path)).collect();
        // A disk and its partition are no two disks, but neither is harmed by reading; a device twice is a mistake.
        if let Some((first, second)) = twins(paths, &identities, &usage) {
            return Err(DisksError::Twice { first, second });
        }
        let disks: Result<Vec<Disk>, ProbeError> = paths.iter().map(|path| Disk::open(path, &usage)).collect();
        Ok(Self(disks?))
    }

    /// The paths of those that somebody uses, and how: what is read of them may be half written.
    pub fn in_use(&self) -> impl Iterator<Item = (&Path, &InUse)> {
        self.0.iter().filter_map(|disk| Some((disk.path.as_path(), disk.in_use.as_ref()?)))
    }
}

impl Disk {
    fn open(path: &Path, usage: &Usage) -> Result<Self, ProbeError> {
        let failed = |source: io::Error| ProbeError::Open { path: path.to_path_buf(), source };
        let ask = |what| move |source| ProbeError::Ask { path: path.to_path_buf(), what, source };
        // Opening a pipe for reading would wait for its writer.
        let file = OpenOptions::new().read(true).custom_flags(nix::libc::O_NONBLOCK).open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        let identity = Identity::of(&metadata).ok_or_else(|| ProbeError::OtherKind(path.to_path_buf()))?;
        let (size, zones) = match identity {
            Identity::File(..) => (metadata.len(), None),
            Identity::Block(number) => {
                // A mounted filesystem writes past this cache; only what the device holds counts.
                let _ = posix_fadvise(&file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED);
                let size = ioctl::size(&file).map_err(ask("size"))?;
                (size, zones_of(&file, size, number).map_err(ask("zones"))?)
            }
        };
        let zones = zones.map(|zones| (zones.placed().map_while(Result::ok).collect(), zones.size));
        Ok(Self { path: path.to_path_buf(), file, size, zones, in_use: usage.of(identity) })
    }
}

impl Disks for FileDisks {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn size(&self, disk: usize) -> u64 {
        self.0.get(disk).map_or(0, |disk| disk.size)
    }

    fn read(&self, disk: usize, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        let disk = self.0.get(disk).ok_or(ReadFailed)?;
        disk.file.read_exact_at(buffer, offset).map_err(|_| ReadFailed)
    }

    fn zone(&self, disk: usize, offset: u64) -> Option<Zone> {
        let (runs, size) = self.0.get(disk)?.zones.as_ref()?;
        let behind = runs.partition_point(|run| run.start <= offset);
        let run = runs.get(behind.checked_sub(1)?).filter(|run| offset < run.end)?;
        Some(Zone {
            start: offset - (offset - run.start).checked_rem(*size)?,
            length: *size,
            capacity: run.run.capacity.unwrap_or(*size),
            sequential: run.run.state != ZoneState::Conventional,
            usable: run.run.state.usable(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_to_their_end_and_no_further() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        std::fs::write(&path, [7; 100]).unwrap();
        let disks = FileDisks::open(std::slice::from_ref(&path)).unwrap();
        assert_eq!((disks.count(), disks.size(0), disks.size(1)), (1, 100, 0));
        let mut buffer = [0; 10];
        disks.read(0, 90, &mut buffer).unwrap();
        assert_eq!(buffer, [7; 10]);
        assert_eq!(disks.read(0, 91, &mut buffer), Err(ReadFailed));
        assert_eq!(disks.read(1, 0, &mut buffer), Err(ReadFailed));
        assert_eq!(disks.zone(0, 0), None);
        assert_eq!(disks.in_use().count(), 0);
    }

    #[test]
    fn what_is_no_disk_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_path_buf();
        assert!(matches!(
            FileDisks::open(std::slice::from_ref(&path)),
            Err(DisksError::Probe(ProbeError::OtherKind(_)))
        ));
        assert!(matches!(FileDisks::open(&[path.join("x")]), Err(DisksError::Probe(ProbeError::Open { .. }))));
        let image = path.join("image");
        std::fs::write(&image, [7; 100]).unwrap();
        assert!(matches!(FileDisks::open(&[image.clone(), image]), Err(DisksError::Twice { .. })));
    }
}
