//! Files that become larger than this process may write: an error to be told, not a signal that ends the program.

use signal_hook::consts::SIGXFSZ;
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Lets such writes fail with an error. Where the signal cannot be taken, it ends the program, as it ends others.
pub(super) fn fail_and_go_on() {
    // Nobody asks whether it came: the write says so.
    let _ = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}
