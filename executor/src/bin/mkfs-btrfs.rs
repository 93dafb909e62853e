//! Makes a btrfs filesystem: plans, audits and executes in one process. Installed as `mkfs.btrfs`.

use std::process::ExitCode;

fn main() -> ExitCode {
    btrfs_executor::cli::MKFS_BTRFS.run()
}
