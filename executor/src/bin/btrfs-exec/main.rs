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
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    match session::run(&args) {
        Ok(status) => status.into(),
        Err(failure) => {
            console::failure(&failure);
            failure.status.into()
        }
    }
}
