//! From a command line to devices that are written: every step in its order.

use crate::args::Args;
use crate::events::{self, JsonEvents};
use crate::listing::Listing;
use crate::progress::Progress;
use crate::{consent, outcome};
use btrfs_executor::bind::{self, Bound, Overrides};
use btrfs_executor::console;
use btrfs_executor::document::{self, Place};
use btrfs_executor::exit::{ExitStatus, Failure};
use btrfs_executor::findings;
use btrfs_executor::register::{register_closed, register_open};
use btrfs_executor::run::{Cancel, Event, Observer, Options, Outcome, Report, run as run_plan};
use btrfs_planner::Plan;
use btrfs_planner::plan::Seal;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
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

/// Signals cannot be heeded.
#[derive(Debug, thiserror::Error)]
#[error("cannot prepare for signals")]
struct Signals(#[source] io::Error);

pub(crate) fn run(args: &Args) -> Result<ExitStatus, Failure> {
    let overrides = overrides(args)?;
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
    let cancel = Cancel::new();
    heed_signals(&cancel).map_err(|error| Failure::refused(Signals(error)))?;
    let bound = if args.dry_run { bind::rehearse(&plan, &overrides) } else { bind::bind(&plan, &overrides) };
    let bound = bound.map_err(|error| {
        let hint = error.hint();
        Failure::refused(error).with_hint(hint)
    })?;
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

/// The first signal asks to stop, the second one stops.
fn heed_signals(cancel: &Cancel) -> io::Result<()> {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        flag::register_conditional_shutdown(signal, ExitStatus::Interrupted.code().into(), cancel.flag())?;
        flag::register(signal, cancel.flag())?;
    }
    Ok(())
}

fn carry_out(args: &Args, plan: &Plan, bound: Bound, cancel: &Cancel) -> Result<ExitStatus, Failure> {
    let json = args.events.is_some();
    if json {
        events::begin(plan, args.dry_run);
    }
    let (listing, progress) = (Listing::default(), Progress::default());
    let mut observers: Vec<&dyn Observer> = Vec::new();
    if json {
        observers.push(&JsonEvents);
    }
    if args.dry_run {
        observers.push(&listing);
    }
    if !args.quiet {
        observers.push(&progress);
    }
    let options = Options { verify: args.verify && !args.dry_run, jobs: args.jobs };
    let report = std::thread::scope(|scope| {
        if !args.quiet {
            scope.spawn(|| progress.show(io::stderr().is_terminal(), cancel));
        }
        let report = run_plan(plan, bound.targets(), &options, cancel, &All(observers));
        progress.finish();
        report
    });
    let report: Report = report.map_err(Failure::refused)?;
    let made = report.outcome == Outcome::Done && !args.dry_run;
    let again = if made { register_open(bound.block_devices()) } else { Vec::new() };
    bound.release();
    for note in register_closed(&again) {
        console::tell(&console::escaped(&format!("note: {note}")));
    }
    let status = report.status();
    if args.dry_run && report.outcome == Outcome::Done {
        if !json {
            let _ = console::print(listing.text().as_bytes());
        }
    } else {
        outcome::tell(plan, &report, args.quiet, !json);
    }
    if json {
        events::end(&report, status);
    }
    Ok(status)
}

/// Several observers at once.
struct All<'a>(Vec<&'a dyn Observer>);

impl Observer for All<'_> {
    fn event(&self, devid: u64, name: &str, event: Event<'_>) {
        self.0.iter().for_each(|observer| observer.event(devid, name, event));
    }
}
