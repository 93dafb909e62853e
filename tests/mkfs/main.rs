//! `mkfs.btrfs`, ours: its command lines, what it says, what it refuses, and where it runs.

mod commands;
mod devices;
mod environment;
mod scene;
mod sizes;
mod summary;
mod warnings;

use btrfs_plan_tests::suite;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut cases = commands::cases();
    cases.extend(summary::cases());
    cases.extend(warnings::cases());
    cases.extend(devices::cases());
    cases.extend(environment::cases());
    cases.extend(sizes::cases());
    suite::run(90, cases)
}
