//! Which standard streams the program was started with. The runtime puts `/dev/null` in the place of closed ones, so that
//! no device is opened under their numbers; but what goes there is lost, and nothing says so.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// A standard stream that results are written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output.
    Output,
    /// Standard error.
    Error,
}

static CLOSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

impl Stream {
    /// An error if the stream was closed when the program started.
    pub(crate) fn check_open(self) -> io::Result<()> {
        let [output, error] = &CLOSED;
        let closed = match self {
            Self::Output => output,
            Self::Error => error,
        };
        // Set before `main`, never again.
        if closed.load(Ordering::Relaxed) { Err(io::Error::from_raw_os_error(nix::libc::EBADF)) } else { Ok(()) }
    }
}

/// Functions in this section run before `main`, and before the runtime puts anything in the place of closed streams.
#[used]
// SAFETY: the section holds pointers to functions of the C ABI, which are called once each; this one needs nothing of the
// runtime.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    for (number, closed) in (1..).zip(&CLOSED) {
        // SAFETY: asking for the flags of a descriptor touches no memory, and a closed one is an error.
        let flags = unsafe { nix::libc::fcntl(number, nix::libc::F_GETFD) };
        closed.store(flags == -1, Ordering::Relaxed);
    }
}
