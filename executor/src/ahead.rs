//! Fetching what will be read soon, so that a slow device is waited for once and not read by read.

use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
use std::fs::File;

/// What the kernel fetches for one piece of advice unless a device is set to more; the rest it forgets.
const STEP: u64 = 128 << 10;

/// Has these bytes fetched into the kernel's memory, and does not wait. Advice only: without it everything is as right.
pub(crate) fn fetch(file: &File, start: u64, length: u64) {
    for offset in (0..length).step_by(usize::try_from(STEP).unwrap_or(usize::MAX)) {
        let length = STEP.min(length - offset);
        if let (Some(Ok(start)), Ok(length)) = (start.checked_add(offset).map(TryInto::try_into), length.try_into()) {
            let _ = posix_fadvise(file, start, length, PosixFadviseAdvice::POSIX_FADV_WILLNEED);
        }
    }
}
