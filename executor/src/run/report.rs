//! What came of a run: every device, every step, every error.

use crate::exit::ExitStatus;
use crate::remedy::remedy;
use crate::size::Human;
use std::fmt;
use std::io;
use std::time::Duration;

/// A part of a device's schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Old signatures are overwritten.
    Wipe,
    /// Ranges are discarded.
    Discard,
    /// Zones are made empty.
    Reset,
    /// What must be zero is made zero.
    Zero,
    /// The filesystem is written, but for its superblocks.
    Writes,
    /// What makes the filesystem exist is written.
    Commit,
    /// The very last write of all devices.
    Seal,
    /// Everything is read back.
    Verify,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Wipe => "wipe",
            Self::Discard => "discard",
            Self::Reset => "reset",
            Self::Zero => "zero",
            Self::Writes => "writes",
            Self::Commit => "commit",
            Self::Seal => "seal",
            Self::Verify => "verify",
        })
    }
}

/// What a step did on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepReport {
    /// The step.
    pub step: Step,
    /// Bytes that were written, discarded, in zones that were reset, or compared.
    pub bytes: u64,
    /// Requests that this took, flushes not counted.
    pub requests: u64,
    /// Flushes.
    pub flushes: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// Whether it came to its end.
    pub complete: bool,
}

/// A request to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Resetting zones of so many bytes.
    Reset {
        /// Bytes of a zone.
        zone: u64,
    },
    /// Flushing.
    Flush,
    /// Comparing what was read with what was written.
    Compare,
    /// Putting a payload together.
    Expand,
}

/// What went wrong on a device, and where.
#[derive(Debug, thiserror::Error)]
#[error("{device}: {} (step {step})", what(*action, *offset, *length))]
pub struct DeviceError {
    /// The device's name.
    pub device: String,
    /// In which step.
    pub step: Step,
    /// Doing what.
    pub action: Action,
    /// At which byte.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
    /// What the device says.
    pub source: io::Error,
}

impl DeviceError {
    /// What to do about it, beyond planning and running again.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self.action {
            Action::Reset { .. } => Some("look at the zone with blkzone report; a drive that loses zones is failing"),
            _ => remedy(&self.source),
        }
    }
}

fn what(action: Action, offset: u64, length: u64) -> String {
    match action {
        Action::Read => format!("cannot read {length} bytes at {offset}"),
        Action::Write => format!("cannot write {length} bytes at {offset}"),
        Action::Reset { zone } => {
            let first = offset.checked_div(zone).unwrap_or(0);
            match length.checked_div(zone).unwrap_or(0) {
                0 | 1 => format!("cannot reset zone {first} at {offset}"),
                count => format!("cannot reset zones {first} to {} at {offset}", first.saturating_add(count - 1)),
            }
        }
        Action::Flush => "cannot flush what was written".to_string(),
        Action::Compare => format!("reads back other bytes than were written, first at {offset}"),
        Action::Expand => format!("cannot put together the {length} bytes for {offset}"),
    }
}

/// What came of one device.
#[derive(Debug)]
pub struct DeviceReport {
    /// Its number in the plan.
    pub devid: u64,
    /// Its name: the path.
    pub name: String,
    /// The steps it took, in order.
    pub steps: Vec<StepReport>,
    /// What is worth knowing.
    pub notes: Vec<String>,
    /// What should be looked at, though it stops nothing.
    pub warnings: Vec<String>,
    /// What stopped it.
    pub error: Option<DeviceError>,
    /// Whether anything on it may have changed.
    pub touched: bool,
    /// It was a file that this run had created, and that is gone again.
    pub removed: bool,
}

impl DeviceReport {
    /// How far the device came, in a line.
    #[must_use]
    pub fn reached(&self) -> String {
        let steps = self.steps.iter().filter(|step| step.requests > 0 || !step.complete);
        let steps: Vec<String> = steps.map(step_reached).collect();
        let reached = match (self.touched, steps.is_empty()) {
            (false, _) => "untouched".to_string(),
            (true, true) => "nothing finished".to_string(),
            (true, false) => steps.join(", "),
        };
        if self.removed { format!("{reached}; removed again, since this run had created it") } else { reached }
    }

    /// The sum of something over all steps.
    #[must_use]
    pub fn total(&self, steps: &[Step], of: impl Fn(&StepReport) -> u64) -> u64 {
        self.steps.iter().filter(|report| steps.contains(&report.step)).map(of).sum()
    }
}

fn step_reached(step: &StepReport) -> String {
    let StepReport { bytes, complete, .. } = *step;
    let how_far = if complete { "" } else { " (not finished)" };
    format!("{} {}{how_far}", step.step, Human(bytes))
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The filesystem is there.
    Done,
    /// A device failed.
    Failed,
    /// Somebody asked to stop.
    Interrupted,
}

/// What came of a run.
#[derive(Debug)]
pub struct Report {
    /// Every device, by devid.
    pub devices: Vec<DeviceReport>,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether the filesystem was committed as a whole.
    pub committed: bool,
    /// How long it took.
    pub elapsed: Duration,
}

impl Report {
    /// Every error, by devid.
    pub fn errors(&self) -> impl Iterator<Item = &DeviceError> {
        self.devices.iter().filter_map(|device| device.error.as_ref())
    }

    /// The exit code that says this.
    #[must_use]
    pub fn status(&self) -> ExitStatus {
        match self.outcome {
            Outcome::Done => ExitStatus::Done,
            Outcome::Interrupted => ExitStatus::Interrupted,
            Outcome::Failed if self.touched() => ExitStatus::Failed,
            Outcome::Failed => ExitStatus::Refused,
        }
    }

    /// Whether anything on any device may have changed.
    #[must_use]
    pub fn touched(&self) -> bool {
        self.devices.iter().any(|device| device.touched)
    }
}
