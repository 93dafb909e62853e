//! The programs: what their command lines say, and what follows from it.
//!
//! `plan`, `exec` and `mkfs` are a program each. What they have in common stands beside them: `options` (what can be asked of the
//! planner) becomes a `request` with the `facts` of devices, and a plan is carried out by `execution`, which tells
//! `events`, `progress` and the `outcome`.

mod compatibility;
mod events;
mod exec;
mod execution;
mod facts;
mod features;
mod large_files;
mod mkfs;
mod open_files;
mod options;
mod outcome;
mod plan;
mod print;
mod progress;
mod request;
mod unique;

use crate::console;
use crate::exit::{ExitStatus, Failure};
use clap::{Command, CommandFactory};
use std::process::ExitCode;

/// A program: what it understands, and what it does.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// What it is called once it is installed.
    pub name: &'static str,
    /// Its exit codes, and what they mean.
    pub exit_codes: &'static [(u8, &'static str)],
    /// Variables of the environment that it heeds, and what for.
    pub environment: &'static [(&'static str, &'static str)],
    command: fn() -> Command,
    run: fn() -> ExitCode,
}

/// Plans.
pub const BTRFS_PLAN: Program = Program {
    name: "btrfs-plan",
    exit_codes: &EXIT_CODES,
    environment: &[EPOCH, COLOUR],
    command: plan::Args::command,
    run: plan::main,
};

/// Runs plans.
pub const BTRFS_EXEC: Program = Program {
    name: "btrfs-exec",
    exit_codes: &EXIT_CODES,
    environment: &[COLOUR],
    command: exec::Args::command,
    run: exec::main,
};

/// Plans and runs in one go.
pub const MKFS_BTRFS: Program = Program {
    name: "mkfs.btrfs",
    exit_codes: &[
        (0, "The filesystem is made."),
        (1, "It is not, or its summary is lost; the message says which, and whether anything was written."),
    ],
    environment: &[EPOCH, COLOUR],
    command: mkfs::Args::command,
    run: mkfs::main,
};

const EXIT_CODES: [(u8, &str); 5] = [
    (ExitStatus::Done.code(), "Everything was done. An audit found nothing; plans that were compared are the same."),
    (ExitStatus::Failed.code(), "It failed after writing began; or plans that were compared differ."),
    (ExitStatus::Usage.code(), "The command line makes no sense."),
    (ExitStatus::Refused.code(), "It was refused, and nothing was written; or an audit found something."),
    (ExitStatus::Interrupted.code(), "A signal stopped it."),
];

const EPOCH: (&str, &str) =
    ("SOURCE_DATE_EPOCH", "The creation time of the filesystem, in seconds since 1970, where no option gives one.");

const COLOUR: (&str, &str) = ("NO_COLOR", "If it is set and not empty, nothing is coloured.");

impl Program {
    /// Every program.
    pub const ALL: [Self; 3] = [BTRFS_PLAN, BTRFS_EXEC, MKFS_BTRFS];

    /// Its command line, for parsers, manual pages and completions.
    #[must_use]
    pub fn command(&self) -> Command {
        (self.command)()
    }

    /// Does what the command line of this process says.
    #[must_use]
    pub fn run(&self) -> ExitCode {
        open_files::allow_all();
        large_files::fail_and_go_on();
        (self.run)()
    }
}

/// Tells why a program ends early, if it does, and how it ends.
fn ended(result: Result<ExitStatus, Failure>) -> ExitStatus {
    result.unwrap_or_else(|failure| {
        console::failure(&failure);
        failure.status
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_consistent_and_named_like_their_programs() {
        for program in Program::ALL {
            let command = program.command();
            assert_eq!(command.get_name(), program.name);
            command.debug_assert();
        }
    }
}
