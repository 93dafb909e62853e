//! Runs a plan: replays it onto its devices and decides nothing.

mod args;
mod consent;
mod events;
mod listing;
mod outcome;
mod progress;
mod session;

use args::Args;
use btrfs_executor::console;
use btrfs_executor::exit::Failure;
use clap::Parser;
use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread;

fn main() -> ExitCode {
    let args = Args::parse();
    // The first thread only waits. The kernel gives signals to it, and one that hangs in a request would not take them.
    let session = thread::scope(|scope| {
        let session = thread::Builder::new().spawn_scoped(scope, || session::run(&args));
        let session = session.map(|session| session.join().unwrap_or_else(|panic| resume_unwind(panic)));
        session.unwrap_or_else(|error| Err(Failure::refused(error)))
    });
    match session {
        Ok(status) => status.into(),
        Err(failure) => {
            console::failure(&failure);
            failure.status.into()
        }
    }
}
