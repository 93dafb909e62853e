//! Plans a new btrfs filesystem, and writes nothing but the plan.

use std::process::ExitCode;

fn main() -> ExitCode {
    btrfs_executor::cli::BTRFS_PLAN.run()
}
