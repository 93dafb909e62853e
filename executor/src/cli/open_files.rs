//! As many open files as this process may have: every device takes up to three, and shells allow 1024 unasked.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Raises the limit to what was granted. Where that is too little, opening fails and says so.
pub(super) fn allow_all() {
    if let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE)
        && soft < hard
    {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}
