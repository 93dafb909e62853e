//! Carrying out a plan on bound devices: signals, observers, the driver that is told, and what is said of it.

use super::progress::Progress;
use crate::bind::Bound;
use crate::console;
use crate::exit::{ExitStatus, Failure};
use crate::register::{register_closed, register_open};
use crate::run::{Cancel, Event, Observer, Options, Outcome, Report, run};
use btrfs_planner::Plan;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io::{self, IsTerminal};
use std::panic::resume_unwind;
use std::thread;

/// Signals cannot be heeded.
#[derive(Debug, thiserror::Error)]
#[error("cannot prepare for signals")]
struct Signals(#[source] io::Error);

/// How a plan is carried out.
pub(crate) struct Execution<'a> {
    /// How to run.
    pub(crate) options: Options,
    /// Who is told of every event.
    pub(crate) observers: &'a [&'a dyn Observer],
    /// Whether progress is shown.
    pub(crate) progress: bool,
}

impl Execution<'_> {
    /// Carries a plan out, lets go of its devices and tells the kernel of them.
    pub(crate) fn carry_out(&self, plan: &Plan, bound: Bound, cancel: &Cancel) -> Result<Report, Failure> {
        let progress = Progress::default();
        let mut observers = self.observers.to_vec();
        if self.progress {
            observers.push(&progress);
        }
        let report = thread::scope(|scope| {
            if self.progress {
                scope.spawn(|| progress.show(io::stderr().is_terminal(), cancel));
            }
            let report = run(plan, bound.targets(), &self.options, cancel, &All(observers));
            progress.finish();
            report
        });
        let mut report = match report {
            Ok(report) => report,
            Err(error) => {
                bound.abandon();
                return Err(Failure::refused(error));
            }
        };
        if report.outcome != Outcome::Done && !report.committed {
            let written = |index: usize| report.devices.get(index).is_none_or(|device| device.touched);
            for index in bound.take_back(written) {
                if let Some(device) = report.devices.get_mut(index) {
                    device.removed = true;
                }
            }
        }
        let made = report.outcome == Outcome::Done;
        let again = if made { register_open(bound.block_devices()) } else { Vec::new() };
        bound.release();
        for note in register_closed(&again) {
            console::tell(&console::escaped(&format!("note: {note}")));
        }
        Ok(report)
    }
}

/// Several observers at once.
struct All<'a>(Vec<&'a dyn Observer>);

impl Observer for All<'_> {
    fn event(&self, devid: u64, name: &str, event: Event<'_>) {
        self.0.iter().for_each(|observer| observer.event(devid, name, event));
    }
}

/// Has another thread do the work while this one waits. The kernel gives signals to the first thread, and one that hangs
/// in a request to a device would not take them.
pub(crate) fn beside(work: impl FnOnce() -> Result<ExitStatus, Failure> + Send) -> Result<ExitStatus, Failure> {
    thread::scope(|scope| {
        let worker = thread::Builder::new().spawn_scoped(scope, work);
        let worker = worker.map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        worker.unwrap_or_else(|error| Err(Failure::refused(error)))
    })
}

/// The first signal asks to stop, the second one stops, with this status.
pub(crate) fn heed_signals(interrupted: u8) -> Result<Cancel, Failure> {
    let cancel = Cancel::new();
    let heed = |signal| {
        flag::register_conditional_shutdown(signal, interrupted.into(), cancel.flag())?;
        flag::register(signal, cancel.flag())
    };
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        heed(signal).map_err(|error| Failure::refused(Signals(error)))?;
    }
    Ok(cancel)
}
