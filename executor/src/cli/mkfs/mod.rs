//! `mkfs.btrfs`: plans, audits and executes in one go, for scripts that know the old name.

mod advice;
mod args;

pub(super) use args::Args;

use super::execution::{Execution, beside, heed_signals};
use super::print::{print, reported, unless_lost, without_tip};
use super::{facts, features, outcome, request};
use crate::bind::{self, BindError, Bound};
use crate::console;
use crate::exit::{ExitStatus, Failure};
use crate::findings;
use crate::run::{Cancel, Options, Outcome};
use btrfs_planner::request::DeviceKind;
use btrfs_planner::{Plan, RequestError, view};
use clap::{CommandFactory, Parser};
use std::ffi::OsString;
use std::process::ExitCode;

/// Who makes the filesystem.
const BANNER: &str = concat!("btrfs-plan v", env!("CARGO_PKG_VERSION"), "\n\n");

/// Whatever goes wrong, scripts expect this one.
const NOT_DONE: u8 = 1;

/// What is asked for and not offered.
#[derive(Debug, thiserror::Error)]
enum Usage {
    #[error("no device is given")]
    NoDevice,
    #[error("{0} is not offered yet: this version makes empty filesystems")]
    Contents(&'static str),
}

pub(super) fn main() -> ExitCode {
    // Usage texts begin with the name that scripts know, whatever the file is called.
    let words = std::iter::once(OsString::from(super::MKFS_BTRFS.name)).chain(std::env::args_os().skip(1));
    let args = match Args::try_parse_from(words).map_err(without_tip) {
        Ok(args) => args,
        Err(error) => {
            // Help, too, goes where the old name's goes.
            let told = console::tell_result(error.render().to_string().trim_end());
            return ExitCode::from(if error.use_stderr() || told.is_err() { NOT_DONE } else { 0 });
        }
    };
    let done = super::ended(beside(|| run(&args))) == ExitStatus::Done;
    ExitCode::from(if done { 0 } else { NOT_DONE })
}

fn run(args: &Args) -> Result<ExitStatus, Failure> {
    if args.version {
        let version = format!(
            "mkfs.btrfs, part of btrfs-plan v{}\noptions and defaults of mkfs.btrfs from btrfs-progs v6.19\n",
            env!("CARGO_PKG_VERSION")
        );
        return print(version.as_bytes()).map(|()| ExitStatus::Done);
    }
    if args.options.lists_features() {
        unless_lost(console::tell_result(features::table(&args.options)?.trim_end()))?;
        return Ok(ExitStatus::Done);
    }
    if args.devices.is_empty() {
        console::tell(Args::command().render_help().to_string().trim_end());
        return Err(Failure::usage(Usage::NoDevice));
    }
    if let Some(option) = args.contents.asked() {
        return Err(Failure::usage(Usage::Contents(option))
            .with_hint(Some("make the filesystem without it, mount it and copy the files")));
    }
    make(args)
}

fn make(args: &Args) -> Result<ExitStatus, Failure> {
    let Args { options, quiet, verbose, .. } = args;
    if !quiet {
        print(BANNER.as_bytes())?;
    }
    let mut held = None;
    // From here on nobody else comes to use the devices: what is planned over is what is written over.
    let request = request::of(options, false, || {
        let held =
            held.insert(bind::hold(&args.devices, options.byte_count).map_err(Failure::refused_with(BindError::hint))?);
        Ok(held.facts())
    })?;
    if *verbose > 1 && !quiet {
        request.devices.iter().for_each(facts::tell);
    }
    let plan = btrfs_planner::plan(&request).map_err(unplanned)?;
    advice::tell(&plan, *quiet);
    findings::refuse_unless_clean(&plan)?;
    let cancel = heed_signals(NOT_DONE)?;
    match held {
        Some(held) => {
            carry_out(args, &plan, held.bind(&plan).map_err(Failure::refused_with(BindError::hint))?, &cancel)
        }
        None => Err(Failure::usage(Usage::NoDevice)),
    }
}

fn unplanned(error: RequestError) -> Failure {
    let hint = match error {
        RequestError::Occupied { .. } => Some("use -f to make the new filesystem over it; what is there will be lost"),
        _ => error.hint(),
    };
    Failure::refused(error).with_hint(hint)
}

fn carry_out(args: &Args, plan: &Plan, bound: Bound, cancel: &Cancel) -> Result<ExitStatus, Failure> {
    let execution = Execution { options: Options::default(), observers: &[], progress: !args.quiet };
    let report = execution.carry_out(plan, bound, cancel)?;
    let summary = if report.outcome == Outcome::Done && !args.quiet {
        let note = advice::changed_default(plan, &args.options).unwrap_or_default();
        format!("{note}{}", view::summary_of_mkfs(plan, is_solid(plan)))
    } else {
        String::new()
    };
    let printed = console::print(summary.as_bytes());
    let told = outcome::tell(plan, &report, args.quiet, args.verbose > 0);
    reported(report.status(), printed.and(told))
}

/// Whether the first device is one without seek time.
fn is_solid(plan: &Plan) -> bool {
    plan.devices.first().is_some_and(|device| device.found.kind == DeviceKind::Block && !device.found.rotational)
}
