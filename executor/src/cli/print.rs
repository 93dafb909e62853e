//! Results on standard output, and what follows if it does not take them.
//!
//! A result that is lost is an error. Nobody had been promised anything yet where nothing was written to a device, so that
//! is a refusal; a run that writes devices goes on to its end, and fails then. A reader that has gone has seen enough: that
//! is no error, and stops no run.

use super::ended;
use crate::console;
use crate::exit::{ExitStatus, Failure};
use clap::Parser;
use clap::error::ContextKind;
use std::io::{self, Write};

/// A standard stream did not take it.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output")]
struct Unwritable(#[source] io::Error);

const ROOM: &str = "make room where it goes, or send it elsewhere";

/// Prints a result of a program that writes to no device.
pub(super) fn print(bytes: &[u8]) -> Result<(), Failure> {
    unless_lost(console::print(bytes))
}

/// Refuses to begin what could not be told of.
pub(super) fn unless_lost(printed: io::Result<()>) -> Result<(), Failure> {
    printed.map_err(|error| Failure::refused(Unwritable(error)).with_hint(Some(ROOM)))
}

/// How a run ends that came to `status`, and whose report was `told`.
pub(super) fn reported(status: ExitStatus, told: io::Result<()>) -> Result<ExitStatus, Failure> {
    match told.map_err(|error| Failure::failed(Unwritable(error))) {
        Ok(()) => Ok(status),
        Err(lost) if status == ExitStatus::Done => {
            Err(lost.with_hint(Some("the filesystem is made; only what was to be said of it is lost")))
        }
        Err(lost) => {
            console::failure(&lost);
            Ok(status)
        }
    }
}

/// An unknown option is not to be passed as the name of a device, which is what the tip for it says.
pub(super) fn without_tip(mut error: clap::Error) -> clap::Error {
    error.remove(ContextKind::Suggested);
    error
}

/// The arguments of this process. Where they ask for help or the version, or make no sense, that is all there is to do.
pub(super) fn parsed<A: Parser>() -> Result<A, ExitStatus> {
    A::try_parse().map_err(without_tip).map_err(|error| {
        if error.use_stderr() {
            // If nobody listens there, nobody needs to know.
            let _ = error.print();
            return ExitStatus::Usage;
        }
        let printed = console::output_is_open().and_then(|()| error.print()).and_then(|()| io::stdout().flush());
        ended(unless_lost(console::unless_gone(printed)).map(|()| ExitStatus::Done))
    })
}
