//! How large image files may become, and making them so: created or grown before the first write, and put back if there is
//! none.

use super::BindError;
use super::open::{self, Opened};
use crate::probe::Identity;
use btrfs_planner::plan::Device as Slot;
use nix::sys::resource::{Resource, getrlimit};
use nix::unistd::{Whence, lseek};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// What bounds the size of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileLimit {
    /// The filesystem that it is on holds no larger ones. In bytes.
    Filesystem(u64),
    /// This process may write no larger ones. In bytes.
    Process(u64),
}

impl fmt::Display for FileLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filesystem(bytes) => write!(f, "files on its filesystem have at most {bytes} bytes"),
            Self::Process(bytes) => write!(f, "this process may write files of at most {bytes} bytes"),
        }
    }
}

impl FileLimit {
    /// What to do about it.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Self::Filesystem(_) => {
                "choose a smaller size (-b), or a filesystem that holds files that large, such as XFS or btrfs"
            }
            Self::Process(_) => "allow larger files: ulimit -f unlimited",
        }
    }
}

/// Whether an open file may become so large, without changing it.
pub(super) fn check(path: &Path, file: &File, size: u64) -> Result<(), BindError> {
    let limits = [limit_of_process().map(FileLimit::Process), limit_of_filesystem(file).map(FileLimit::Filesystem)];
    let exceeded = limits.into_iter().flatten().find(|limit| {
        let (FileLimit::Process(bytes) | FileLimit::Filesystem(bytes)) = limit;
        *bytes < size
    });
    exceeded.map_or(Ok(()), |limit| Err(BindError::TooLarge { path: path.to_path_buf(), size, limit }))
}

/// The same for a file that is not there yet. Where its filesystem makes no files without a name, only creating it will
/// tell.
pub(super) fn check_new(path: &Path, folder: &Path, size: u64) -> Result<(), BindError> {
    let nameless = OpenOptions::new().read(true).write(true).custom_flags(nix::libc::O_TMPFILE).open(folder);
    nameless.map_or(Ok(()), |file| check(path, &file, size))
}

fn limit_of_process() -> Option<u64> {
    let (soft, _) = getrlimit(Resource::RLIMIT_FSIZE).ok()?;
    (soft != nix::libc::RLIM_INFINITY).then_some(soft)
}

/// The largest offset that the kernel lets a file have: the filesystem's limit, for this very file.
fn limit_of_filesystem(file: &File) -> Option<u64> {
    let reaches = |offset: i64| lseek(file, offset, Whence::SeekSet).is_ok();
    if !reaches(0) {
        return None;
    }
    let (mut most, mut beyond) = (0_i64, i64::MAX);
    if reaches(beyond) {
        most = beyond;
    }
    while let Some(middle) = most.checked_add(beyond.saturating_sub(most) / 2).filter(|middle| *middle > most) {
        if reaches(middle) { most = middle } else { beyond = middle }
    }
    let _ = reaches(0);
    most.try_into().ok()
}

/// A file that was made or grown before writing.
#[derive(Clone, Debug)]
pub(super) struct Grown {
    path: PathBuf,
    identity: Identity,
    /// The length that it had; none if it was not there.
    before: Option<u64>,
}

/// Makes an image file as large as its device is planned to be. A block device stays as it is.
pub(super) fn grow(slot: &Slot, opened: &Opened) -> (Option<Grown>, Result<(), BindError>) {
    let Opened { path, identity, file, created, .. } = opened;
    if !matches!(identity, Identity::File(..)) {
        return (None, Ok(()));
    }
    let size = open::extent(slot);
    let failed = |source| BindError::Grow { path: path.clone(), size, source };
    let length = match file.metadata() {
        Ok(metadata) => metadata.len(),
        Err(error) => return (None, Err(failed(error))),
    };
    let grown = Grown { path: path.clone(), identity: *identity, before: (!created).then_some(length) };
    let done =
        check(path, file, size).and_then(|()| if length < size { file.set_len(size).map_err(failed) } else { Ok(()) });
    (Some(grown), done)
}

impl Grown {
    /// Whether it was not there before.
    pub(super) fn is_created(&self) -> bool {
        self.before.is_none()
    }

    /// Makes it what it was before, and says whether it is. Nothing is done to another file that has its name by now.
    pub(super) fn undo(&self) -> bool {
        if Identity::of_path(&self.path) != Some(self.identity) {
            return false;
        }
        let undone = match self.before {
            None => std::fs::remove_file(&self.path),
            Some(length) => OpenOptions::new().write(true).open(&self.path).and_then(|file| file.set_len(length)),
        };
        // The run has failed already; what cannot be undone is a longer sparse file.
        undone.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without changing the file, the limit is the one that the kernel has when it does.
    #[test]
    fn the_limit_of_a_filesystem_is_what_a_file_can_be_set_to() {
        let file = tempfile::tempfile().unwrap();
        let most = limit_of_filesystem(&file).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 0);
        if most < 1 << 62 {
            file.set_len(most).unwrap();
            assert!(file.set_len(most + 1).is_err());
        }
        check(Path::new("x"), &file, most).unwrap();
        let error = check(Path::new("x"), &file, 1 << 63).unwrap_err().to_string();
        assert!(error.contains(&most.to_string()), "{error}");
    }
}
