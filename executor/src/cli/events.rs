//! Events for programs: a JSON object a line on standard output.

use crate::console;
use crate::exit::ExitStatus;
use crate::run::{Event, Observer, Outcome, Report, Step};
use btrfs_planner::Plan;
use serde::Serialize;
use std::time::Duration;

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

/// Tells steps as they end.
pub(crate) struct JsonEvents;

impl Observer for JsonEvents {
    fn event(&self, devid: u64, device: &str, event: Event<'_>) {
        match event {
            Event::End(step) => tell(&Line::Step {
                devid,
                device,
                step: step.step,
                bytes: step.bytes,
                requests: step.requests,
                flushes: step.flushes,
                seconds: step.elapsed.as_secs_f64(),
                complete: step.complete,
            }),
            Event::Note(message) => tell(&Line::Note { devid, device, message }),
            Event::Warning(message) => tell(&Line::Warning { devid, device, message }),
            _ => {}
        }
    }
}

/// Tells what is going to be run.
pub(crate) fn begin(plan: &Plan, dry_run: bool) {
    tell(&Line::Plan { seal: plan.seal.to_string(), devices: plan.devices.len(), dry_run });
}

/// Tells how it ended.
pub(crate) fn end(report: &Report, status: ExitStatus) {
    for error in report.errors() {
        let message = format!("{error}: {}", error.source);
        let (step, offset, length) = (error.step, error.offset, error.length);
        tell(&Line::Error { device: &error.device, step, offset, length, message });
    }
    let outcome = match report.outcome {
        Outcome::Done => "done",
        Outcome::Failed => "failed",
        Outcome::Interrupted => "interrupted",
    };
    let Report { committed, elapsed, .. } = *report;
    tell(&Line::End { outcome, committed, seconds: seconds(elapsed), exit: status.code() });
}

fn seconds(elapsed: Duration) -> f64 {
    elapsed.as_secs_f64()
}

fn tell(line: &Line<'_>) {
    // Strings and numbers only: this cannot fail. A reader who has gone misses the rest; the run goes on.
    if let Ok(mut text) = serde_json::to_string(line) {
        text.push('\n');
        let _ = console::print(text.as_bytes());
    }
}
