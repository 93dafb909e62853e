//! One device at work: every request is counted, announced, and not made any more once the run is to stop.

use super::cancel::Cancel;
use super::event::{Event, Observer};
use super::report::{Action, DeviceError, DeviceReport, Step, StepReport};
use crate::bind::Target;
use crate::device::{self, Device};
use btrfs_planner::Plan;
use btrfs_planner::plan::Device as Slot;
use std::io::{self, IoSlice};
use std::time::{Duration, Instant};

/// Why a device does not go on.
pub(super) enum Stop {
    /// It failed.
    Failed(Box<DeviceError>),
    /// Another one failed, or somebody asked to stop.
    Cancelled,
}

/// A device, its schedule, and what has come of it so far.
pub(super) struct Work<'a> {
    pub(super) plan: &'a Plan,
    pub(super) slot: &'a Slot,
    pub(super) report: DeviceReport,
    target: &'a Target,
    cancel: &'a Cancel,
    observer: &'a dyn Observer,
    current: StepReport,
    /// Once superblocks are being written, stopping half-way is worse than going on.
    heeds_interrupts: bool,
}

const NOTHING: StepReport =
    StepReport { step: Step::Wipe, bytes: 0, requests: 0, flushes: 0, elapsed: Duration::ZERO, complete: false };

impl<'a> Work<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        slot: &'a Slot,
        target: &'a Target,
        cancel: &'a Cancel,
        observer: &'a dyn Observer,
    ) -> Self {
        let report = DeviceReport {
            devid: slot.devid.get(),
            name: target.name.clone(),
            steps: Vec::new(),
            notes: Vec::new(),
            warnings: Vec::new(),
            error: None,
            touched: false,
            removed: false,
        };
        Self { plan, slot, report, target, cancel, observer, current: NOTHING, heeds_interrupts: true }
    }

    pub(super) fn device(&self) -> &'a dyn Device {
        &*self.target.device
    }

    /// Whether from here on a wish to stop is heeded; failures always are.
    pub(super) fn heed_interrupts(&mut self, heed: bool) {
        self.heeds_interrupts = heed;
    }

    /// Takes a step: times it, and announces its beginning and its end.
    pub(super) fn step(
        &mut self,
        step: Step,
        bytes: u64,
        take: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.go_on()?;
        self.announce(Event::Begin { step, bytes });
        self.current = StepReport { step, ..NOTHING };
        let begin = Instant::now();
        let result = take(self);
        self.current.elapsed = begin.elapsed();
        self.current.complete = result.is_ok();
        let report = self.current;
        self.report.steps.push(report);
        self.announce(Event::End(&report));
        result
    }

    /// Whether the next request may be made.
    pub(super) fn go_on(&self) -> Result<(), Stop> {
        if self.cancel.has_failed() || (self.heeds_interrupts && self.cancel.is_interrupted()) {
            Err(Stop::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Whether the current step has changed anything on the device.
    pub(super) fn has_made_requests(&self) -> bool {
        self.current.requests > 0
    }

    pub(super) fn write(&mut self, offset: u64, slices: &mut [IoSlice<'_>]) -> Result<(), Stop> {
        self.go_on()?;
        let step = self.current.step;
        let length = slices.iter().map(|slice| wide(slice.len())).sum();
        self.announce(Event::Write { step, offset, length });
        self.report.touched = true;
        match device::write_all(self.device(), offset, slices) {
            Ok(requests) => {
                self.current.requests += requests;
                self.done(length);
                Ok(())
            }
            Err(source) => Err(self.failed(Action::Write, offset, length, source)),
        }
    }

    /// Reads; that alone is no progress.
    pub(super) fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Stop> {
        self.go_on()?;
        let length = wide(buffer.len());
        self.announce(Event::Read { step: self.current.step, offset, length });
        device::read_exactly(self.device(), offset, buffer)
            .map_err(|source| self.failed(Action::Read, offset, length, source))
    }

    /// Discards; the caller judges what an error means.
    pub(super) fn discard(&mut self, offset: u64, length: u64) -> Result<io::Result<()>, Stop> {
        self.manage(Event::Discard { offset, length }, length, |device| device.discard(offset, length))
    }

    /// Resets zones; the caller finds out what an error is about.
    pub(super) fn reset(&mut self, offset: u64, length: u64) -> Result<io::Result<()>, Stop> {
        // Some zones of a range may be empty even if the request fails.
        self.go_on()?;
        self.report.touched = true;
        self.manage(Event::Reset { offset, length }, length, |device| device.reset_zones(offset, length))
    }

    /// A request about a range, without data.
    fn manage(
        &mut self,
        event: Event<'_>,
        length: u64,
        request: impl Fn(&dyn Device) -> io::Result<()>,
    ) -> Result<io::Result<()>, Stop> {
        self.go_on()?;
        self.announce(event);
        let result = loop {
            match request(self.device()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => self.go_on()?,
                result => break result,
            }
        };
        // A request that failed may have done a part of what it should.
        self.report.touched |= !result.as_ref().is_err_and(is_unsupported);
        if result.is_ok() {
            self.current.requests += 1;
            self.done(length);
        }
        Ok(result)
    }

    pub(super) fn flush(&mut self) -> Result<(), Stop> {
        self.go_on()?;
        let step = self.current.step;
        self.announce(Event::Flush { step });
        self.current.flushes += 1;
        // Not repeated on any error: the kernel reports a lost write once.
        self.device().flush().map_err(|source| self.failed(Action::Flush, 0, 0, source))
    }

    /// Counts bytes as done.
    pub(super) fn done(&mut self, bytes: u64) {
        self.current.bytes += bytes;
        let StepReport { step, bytes, .. } = self.current;
        self.announce(Event::Progress { step, bytes });
    }

    pub(super) fn note(&mut self, text: String) {
        self.announce(Event::Note(&text));
        self.report.notes.push(text);
    }

    pub(super) fn warn(&mut self, text: String) {
        self.announce(Event::Warning(&text));
        self.report.warnings.push(text);
    }

    pub(super) fn failed(&self, action: Action, offset: u64, length: u64, source: io::Error) -> Stop {
        // The others need not make another request.
        self.cancel.fail();
        let device = self.target.name.clone();
        Stop::Failed(Box::new(DeviceError { device, step: self.current.step, action, offset, length, source }))
    }

    fn announce(&self, event: Event<'_>) {
        self.observer.event(self.report.devid, &self.target.name, event);
    }
}

/// Whether a device says that it cannot do such a thing, and so has not.
pub(super) fn is_unsupported(error: &io::Error) -> bool {
    let numbers = [nix::libc::EOPNOTSUPP, nix::libc::ENOTTY, nix::libc::EINVAL];
    error.raw_os_error().is_some_and(|number| numbers.contains(&number))
}

pub(super) fn wide(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
