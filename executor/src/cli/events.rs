//! Events for programs: a JSON object a line on standard output.

use crate::console;
use crate::exit::ExitStatus;
use crate::run::{Event, Observer, Outcome, Report, Step};
use btrfs_planner::Plan;
use serde::Serialize;
use std::io;
use std::sync::{Mutex, PoisonError};

/// What is told. Fields are added in later versions, never taken away.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line<'a> {
    Plan {
        seal: String,
        devices: usize,
        dry_run: bool,
    },
    Step {
        devid: u64,
        device: &'a str,
        step: Step,
        bytes: u64,
        requests: u64,
        flushes: u64,
        seconds: f64,
        complete: bool,
    },
    Note {
        devid: u64,
        device: &'a str,
        message: &'a str,
    },
    Warning {
        devid: u64,
        device: &'a str,
        message: &'a str,
    },
    Error {
        device: &'a str,
        step: Step,
        offset: u64,
        length: u64,
        message: String,
    },
    End {
        outcome: &'static str,
        committed: bool,
        seconds: f64,
        exit: u8,
    },
}

/// Tells steps as they end. A reader who has gone misses the rest; the run goes on.
#[derive(Default)]
pub(crate) struct JsonEvents {
    /// Why standard output took no more.
    lost: Mutex<Option<io::Error>>,
}

impl Observer for JsonEvents {
    fn event(&self, devid: u64, device: &str, event: Event<'_>) {
        match event {
            Event::End(step) => self.tell(&Line::Step {
                devid,
                device,
                step: step.step,
                bytes: step.bytes,
                requests: step.requests,
                flushes: step.flushes,
                seconds: step.elapsed.as_secs_f64(),
                complete: step.complete,
            }),
            Event::Note(message) => self.tell(&Line::Note { devid, device, message }),
            Event::Warning(message) => self.tell(&Line::Warning { devid, device, message }),
            _ => {}
        }
    }
}

impl JsonEvents {
    /// Tells what is going to be run.
    pub(crate) fn begin(&self, plan: &Plan, dry_run: bool) -> io::Result<()> {
        self.tell(&Line::Plan { seal: plan.seal.to_string(), devices: plan.devices.len(), dry_run });
        self.lost()
    }

    /// Tells how it ended; an error if not all was told.
    pub(crate) fn end(&self, report: &Report, status: ExitStatus) -> io::Result<()> {
        for error in report.errors() {
            let message = format!("{error}: {}", error.source);
            let (step, offset, length) = (error.step, error.offset, error.length);
            self.tell(&Line::Error { device: &error.device, step, offset, length, message });
        }
        let outcome = match report.outcome {
            Outcome::Done => "done",
            Outcome::Failed => "failed",
            Outcome::Interrupted => "interrupted",
        };
        let Report { committed, elapsed, .. } = *report;
        self.tell(&Line::End { outcome, committed, seconds: elapsed.as_secs_f64(), exit: status.code() });
        self.lost()
    }

    fn tell(&self, line: &Line<'_>) {
        let mut lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner);
        // Strings and numbers only: this cannot fail. Half a story misleads: what comes after a gap is not told.
        if let (None, Ok(mut text)) = (&*lost, serde_json::to_string(line)) {
            text.push('\n');
            *lost = console::print(text.as_bytes()).err();
        }
    }

    fn lost(&self) -> io::Result<()> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}
