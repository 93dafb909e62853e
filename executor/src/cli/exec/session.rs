//! From a command line to devices that are written: every step in its order.

use super::args::{Args, Events};
use super::consent;
use super::listing::Listing;
use crate::bind::{self, BindError, Bound, Overrides};
use crate::cli::events::JsonEvents;
use crate::cli::execution::{Execution, heed_signals};
use crate::cli::outcome;
use crate::cli::print::{print, reported, unless_lost};
use crate::console;
use crate::document::{self, Place};
use crate::exit::{ExitStatus, Failure};
use crate::findings;
use crate::run::{Cancel, Observer, Options, Outcome};
use btrfs_planner::Plan;
use btrfs_planner::plan::Seal;
use std::io::{self, IsTerminal};

/// What is wrong with a command line.
#[derive(Debug, thiserror::Error)]
enum Usage {
    #[error("no plan: standard input is a terminal")]
    NoPlan,
    #[error("device {0} is given twice")]
    DeviceTwice(u64),
}

/// Another plan than was asked for.
#[derive(Debug, thiserror::Error)]
#[error("the plan's seal is {found}, expected was {expected}")]
struct Unexpected {
    found: Seal,
    expected: Seal,
}

pub(crate) fn run(args: &Args) -> Result<ExitStatus, Failure> {
    let overrides = overrides(args)?;
    if args.prints() {
        unless_lost(console::output_is_open())?;
    }
    let place = Place::from(args.plan.as_path());
    if place == Place::Standard && io::stdin().is_terminal() {
        return Err(Failure::usage(Usage::NoPlan).with_hint(Some("btrfs-plan ... | btrfs-exec, or name a file")));
    }
    let plan = document::read_plan(&place)?;
    if let Some(expected) = args.expect
        && expected != plan.seal
    {
        let unexpected = Unexpected { found: plan.seal, expected };
        return Err(Failure::refused(unexpected).with_hint(Some("this is not the plan that you looked at")));
    }
    findings::refuse_unless_clean(&plan)?;
    if !args.yes && !args.dry_run {
        consent::ask(&plan)?;
    }
    let cancel = heed_signals(ExitStatus::Interrupted.code())?;
    let bound = if args.dry_run { bind::rehearse(&plan, &overrides) } else { bind::bind(&plan, &overrides) };
    let bound = bound.map_err(Failure::refused_with(BindError::hint))?;
    carry_out(args, &plan, bound, &cancel)
}

fn overrides(args: &Args) -> Result<Overrides, Failure> {
    let mut overrides = Overrides::new();
    for (devid, path) in &args.device {
        if overrides.insert(*devid, path.clone()).is_some() {
            return Err(Failure::usage(Usage::DeviceTwice(*devid)));
        }
    }
    Ok(overrides)
}

fn carry_out(args: &Args, plan: &Plan, bound: Bound, cancel: &Cancel) -> Result<ExitStatus, Failure> {
    let events = args.events.map(|Events::Json| JsonEvents::default());
    if let Some(events) = &events
        && let Err(lost) = events.begin(plan, args.dry_run)
    {
        bound.abandon();
        return unless_lost(Err(lost)).map(|()| ExitStatus::Refused);
    }
    let listing = Listing::default();
    let mut observers: Vec<&dyn Observer> = Vec::new();
    if let Some(events) = &events {
        observers.push(events);
    }
    if args.dry_run {
        observers.push(&listing);
    }
    let options = Options { verify: args.verify && !args.dry_run, jobs: args.jobs };
    let execution = Execution { options, observers: &observers, progress: !args.quiet };
    let report = execution.carry_out(plan, bound, cancel)?;
    let status = report.status();
    let rehearsed = args.dry_run && report.outcome == Outcome::Done;
    let told = if rehearsed { Ok(()) } else { outcome::tell(plan, &report, args.quiet, events.is_none()) };
    match events {
        Some(events) if rehearsed => unless_lost(events.end(&report, status)).map(|()| status),
        Some(events) => reported(status, told.and(events.end(&report, status))),
        None if rehearsed => print(listing.text().as_bytes()).map(|()| status),
        None => reported(status, told),
    }
}
