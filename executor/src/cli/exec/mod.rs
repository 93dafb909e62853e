//! `btrfs-exec`: runs a plan, replays it onto its devices and decides nothing.

mod args;
mod consent;
mod listing;
mod session;

pub(super) use args::Args;

use super::ended;
use super::execution::beside;
use super::print::parsed;
use std::process::ExitCode;

pub(super) fn main() -> ExitCode {
    match parsed::<Args>() {
        Ok(args) => ended(beside(|| session::run(&args))).into(),
        Err(status) => status.into(),
    }
}
