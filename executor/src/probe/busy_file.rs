//! Files that the kernel itself keeps from being written: swap, and programs that run. Swap is listed by name only, and a
//! file may have other names, or be seen elsewhere.

use super::in_use::{Identity, InUse};
use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// What the kernel uses an open file as. One that is open for reading only is opened for writing for this, where that is
/// allowed; where it is not, nothing is found. Nothing is changed.
pub(crate) fn kernel_use(path: &Path, identity: Identity, file: &File) -> Option<InUse> {
    if !matches!(identity, Identity::File(..)) {
        return None;
    }
    // Space behind the last place that any file can have is never given; but before it looks at that, the kernel refuses
    // to touch swap.
    let answer = |file: &File| fallocate(file, FallocateFlags::FALLOC_FL_KEEP_SIZE, i64::MAX, 1);
    let answer = match answer(file) {
        Err(Errno::EBADF) => {
            let file = match OpenOptions::new().write(true).custom_flags(nix::libc::O_NONBLOCK).open(path) {
                Err(error) if is_program(&error) => return Some(InUse::Program),
                result => result.ok()?,
            };
            if Identity::of(&file.metadata().ok()?) != Some(identity) {
                return None;
            }
            answer(&file)
        }
        answer => answer,
    };
    (answer == Err(Errno::ETXTBSY)).then_some(InUse::Swap)
}

/// Whether a file cannot be opened for writing because it is a program that runs.
pub(crate) fn is_program(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::ExecutableFileBusy
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::process::{Command, Stdio};

    #[test]
    fn a_program_that_runs_is_in_use_and_any_other_file_is_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        let bytes = std::fs::read("/bin/cat").unwrap();
        File::create(&path).unwrap().write_all(&bytes).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let before = std::fs::metadata(&path).unwrap();
        let identity = Identity::of(&before).unwrap();
        let open = [File::open(&path).unwrap(), File::options().read(true).write(true).open(&path).unwrap()];
        for file in &open {
            assert_eq!(kernel_use(&path, identity, file), None);
        }
        let after = std::fs::metadata(&path).unwrap();
        let told = |metadata: &std::fs::Metadata| (metadata.len(), metadata.blocks(), metadata.ctime_nsec());
        assert_eq!(told(&after), told(&before));
        let [file, writable] = open;
        drop(writable);
        let mut program = Command::new(&path).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        assert_eq!(kernel_use(&path, identity, &file), Some(InUse::Program));
        drop(program.stdin.take());
        program.wait().unwrap();
    }
}
