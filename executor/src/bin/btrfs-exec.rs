//! Runs a plan: replays it onto its devices and decides nothing.

use std::process::ExitCode;

fn main() -> ExitCode {
    btrfs_executor::cli::BTRFS_EXEC.run()
}
