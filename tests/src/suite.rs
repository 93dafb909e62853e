//! Running a table of cases, and noticing when some did not run.

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use std::process::ExitCode;

/// What a case comes to; anything that prints can be its failure.
pub type Outcome<T = ()> = Result<T, Failed>;

/// A failure with a message.
pub fn fail<T>(message: impl std::fmt::Display) -> Outcome<T> {
    Err(Failed::from(message.to_string()))
}

/// A failure unless `condition` holds.
pub fn ensure(condition: bool, message: impl FnOnce() -> String) -> Outcome {
    if condition { Ok(()) } else { fail(message()) }
}

/// A case that runs anywhere.
pub fn case(name: impl Into<String>, run: impl FnOnce() -> Outcome + Send + 'static) -> Trial {
    Trial::test(name, run)
}

/// A case that needs loop devices and mounts. Without root it is skipped, and says so.
pub fn root_case(name: impl Into<String>, run: impl FnOnce() -> Outcome + Send + 'static) -> Trial {
    Trial::ignorable_test(name, || {
        if is_root() {
            run().map(|()| Completion::Completed)
        } else {
            Ok(Completion::ignored_with("needs root, for loop devices and mounts"))
        }
    })
}

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

/// Runs all cases. A run that was not narrowed down by arguments fails if fewer than `floor` cases passed, or if one was
/// skipped although it is root's or CI's run: an empty table, or one that quietly skips, proves nothing.
#[must_use]
pub fn run(floor: usize, cases: Vec<Trial>) -> ExitCode {
    run_with(Arguments::from_args(), floor, cases)
}

/// The same, never two at a time.
#[must_use]
pub fn run_one_by_one(floor: usize, cases: Vec<Trial>) -> ExitCode {
    run_with(Arguments { test_threads: Some(1), ..Arguments::from_args() }, floor, cases)
}

fn run_with(arguments: Arguments, floor: usize, cases: Vec<Trial>) -> ExitCode {
    let narrowed = arguments.list || arguments.filter.is_some() || !arguments.skip.is_empty() || arguments.ignored;
    let conclusion = libtest_mimic::run(&arguments, cases);
    if conclusion.has_failed() || narrowed {
        return conclusion.exit_code();
    }
    let must_run_all = is_root() || std::env::var_os("CI").is_some();
    if must_run_all && conclusion.num_ignored > 0 {
        eprintln!("error: {} cases were skipped where all have to run", conclusion.num_ignored);
        return ExitCode::FAILURE;
    }
    let seen = conclusion.num_passed + conclusion.num_ignored;
    if seen < floor as u64 {
        eprintln!("error: the table has {seen} cases, at least {floor} are expected");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}
