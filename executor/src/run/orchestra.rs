//! All devices at once, phase by phase.

use super::cancel::Cancel;
use super::event::Observer;
use super::report::{DeviceReport, Outcome, Report};
use super::reset::resets_whole_zones;
use super::work::{Stop, Work};
use crate::bind::Target;
use crate::parallel;
use btrfs_planner::Plan;
use btrfs_planner::plan::PlanProblem;
use std::num::NonZeroUsize;
use std::time::Instant;

/// How to run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Read everything back afterwards.
    pub verify: bool,
    /// At most this many devices at once; all of them where absent.
    pub jobs: Option<NonZeroUsize>,
}

/// Why a run did not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The schedule makes no sense.
    #[error("the plan is not sound: {0}")]
    Unsound(#[from] PlanProblem),
    /// Not a device for each of the plan's.
    #[error("the plan has {planned} devices, {given} are given")]
    Count {
        /// Devices of the plan.
        planned: usize,
        /// Devices given.
        given: usize,
    },
    /// A range to reset that is not of whole zones.
    #[error("device {devid} has a range to reset that is not of whole zones")]
    Zones {
        /// The device.
        devid: u64,
    },
}

/// Runs a plan on its devices, given by devid. What came of it, failures included, is in the report.
pub fn run(
    plan: &Plan,
    targets: &[Target],
    options: &Options,
    cancel: &Cancel,
    observer: &dyn Observer,
) -> Result<Report, RunError> {
    plan.check()?;
    if targets.len() != plan.devices.len() {
        return Err(RunError::Count { planned: plan.devices.len(), given: targets.len() });
    }
    if let Some(slot) = plan.devices.iter().find(|slot| !resets_whole_zones(slot)) {
        return Err(RunError::Zones { devid: slot.devid.get() });
    }
    let begin = Instant::now();
    let slots = plan.devices.iter().zip(targets);
    let mut works: Vec<Work<'_>> =
        slots.map(|(slot, target)| Work::new(plan, slot, target, cancel, observer)).collect();
    let reached = carry_out(&mut works, options, cancel);
    let devices: Vec<DeviceReport> = works.into_iter().map(|work| work.report).collect();
    let outcome = if devices.iter().any(|device| device.error.is_some()) {
        Outcome::Failed
    } else if reached == Reached::End {
        Outcome::Done
    } else if cancel.is_interrupted() {
        Outcome::Interrupted
    } else {
        Outcome::Failed
    };
    Ok(Report { devices, outcome, committed: reached >= Reached::Commit, elapsed: begin.elapsed() })
}

/// How far a run came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    /// There may be no filesystem.
    Begin,
    /// The filesystem is there.
    Commit,
    /// Everything is done.
    End,
}

/// The phases, one after another.
fn carry_out(works: &mut [Work<'_>], options: &Options, cancel: &Cancel) -> Reached {
    let jobs = options.jobs.map_or(usize::MAX, NonZeroUsize::get);
    // The first barrier: an old filesystem of several devices is gone as a whole before any of its blocks is.
    if !each(works, jobs, |_, work| work.wipe()) {
        return Reached::Begin;
    }
    if !each(works, jobs, |_, work| work.prepare()) || cancel.is_interrupted() {
        return Reached::Begin;
    }
    // The second one: every device has flushed what it wrote.
    if !each(works, jobs, |index, work| work.commit(index == 0)) {
        return Reached::Begin;
    }
    let first = works.get_mut(..1).unwrap_or_default();
    if !each(first, 1, |_, work| work.seal()) {
        return Reached::Begin;
    }
    if options.verify && !each(works, jobs, |_, work| work.verify()) {
        return Reached::Commit;
    }
    Reached::End
}

/// Does something with every device, `jobs` at once; the answer is whether all came through.
fn each<'a>(
    works: &mut [Work<'a>],
    jobs: usize,
    take: impl Fn(usize, &mut Work<'a>) -> Result<(), Stop> + Sync,
) -> bool {
    let results = parallel::map(works.iter_mut().enumerate(), jobs, |(index, work)| match take(index, work) {
        Ok(()) => true,
        Err(Stop::Failed(error)) => {
            work.report.error = Some(*error);
            false
        }
        Err(Stop::Cancelled) => false,
    });
    results.into_iter().all(|result| result == Some(true))
}
