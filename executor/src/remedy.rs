//! What helps against an error of the operating system, whatever was tried.

use nix::libc::{EFBIG, EMFILE};
use nix::unistd::geteuid;
use std::io::{Error, ErrorKind};

/// What to do about it, if that can be said of the error alone.
pub(crate) fn remedy(error: &Error) -> Option<&'static str> {
    match error.kind() {
        ErrorKind::PermissionDenied => Some(permission(geteuid().is_root())),
        ErrorKind::StorageFull => {
            Some("its filesystem is full, or the pool behind the device: make room (df shows where)")
        }
        ErrorKind::QuotaExceeded => Some("a quota is used up: make room, or have it raised"),
        ErrorKind::ReadOnlyFilesystem => {
            Some("its filesystem is mounted read-only: mount -o remount,rw, or use another one")
        }
        _ => match error.raw_os_error() {
            Some(EMFILE) => Some("allow more open files: ulimit -n 20000"),
            Some(EFBIG) => Some("allow larger files (ulimit -f unlimited), or use a filesystem that holds them"),
            _ => None,
        },
    }
}

const fn permission(root: bool) -> &'static str {
    if root {
        "root may usually do that. Is it immutable (lsattr shows an i), on a network filesystem that trusts no root, or is this a \
         container without a right to it (CAP_SYS_ADMIN, its list of devices)?"
    } else {
        "devices are usually root's: try sudo"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_is_not_told_to_become_root() {
        assert!(permission(false).contains("sudo"));
        assert!(permission(true).contains("immutable") && !permission(true).contains("sudo"));
    }

    #[test]
    fn errors_that_have_a_remedy_tell_it() {
        for (number, words) in [
            (nix::libc::ENOSPC, "full"),
            (nix::libc::EDQUOT, "quota"),
            (nix::libc::EROFS, "read-only"),
            (EMFILE, "ulimit -n"),
            (EFBIG, "ulimit -f"),
        ] {
            let error = Error::from_raw_os_error(number);
            assert!(remedy(&error).is_some_and(|text| text.contains(words)), "{error}");
        }
        assert_eq!(remedy(&Error::from_raw_os_error(nix::libc::EIO)), None);
    }
}
