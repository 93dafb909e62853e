//! Many devices at once: as many as may be, and all of them stop when one fails or somebody asks.

use super::*;
use crate::device::{Fault, OperationKind};
use crate::run::{Outcome, Step};
use btrfs_planner::plan::ByteRange;
use nix::libc::EIO;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

/// How many devices were at work at the same time.
#[derive(Default)]
struct Busy {
    now: AtomicUsize,
    most: AtomicUsize,
}

/// Counts from the first step of a phase to its last.
impl Observer for Busy {
    fn event(&self, _: u64, _: &str, event: Event<'_>) {
        match event {
            Event::Begin { .. } => {
                let now = self.now.fetch_add(1, SeqCst) + 1;
                self.most.fetch_max(now, SeqCst);
            }
            Event::End(_) => {
                self.now.fetch_sub(1, SeqCst);
            }
            _ => {}
        }
    }
}

fn lagging(milliseconds: u64) -> SimulatedDevice {
    used().with_latency(OperationKind::Discard, Duration::from_millis(milliseconds))
}

#[test]
fn no_more_devices_at_once_than_allowed() {
    let plan = plan(6);
    for (jobs, most) in [(Some(1), 1), (Some(2), 2), (Some(5), 5), (Some(100), 6), (None, 6)] {
        let options = Options { verify: false, jobs: jobs.and_then(NonZeroUsize::new) };
        let busy = Busy::default();
        let devices = (0..6).map(|_| lagging(40)).collect();
        let (report, devices) = run_with(&plan, devices, &options, &Cancel::new(), &busy);
        assert_eq!(report.outcome, Outcome::Done);
        assert_complete(&plan, &devices);
        // A busy machine may be slow to begin a thread.
        let seen = busy.most.load(SeqCst);
        assert!((most.min(2)..=most).contains(&seen), "{seen} at once, {jobs:?} jobs");
    }
}

/// A plan whose devices discard in many requests.
fn long_plan(devices: usize, requests: u64) -> Plan {
    let mut plan = plan(devices);
    for slot in &mut plan.devices {
        slot.discard = (0..requests).map(|index| ByteRange { start: index * (2 << 20), length: 1 << 20 }).collect();
    }
    plan
}

/// Others have at most the request under way to end.
#[test]
fn a_failing_device_stops_the_others_before_their_next_request() {
    let plan = long_plan(3, 100);
    let late = Fault { kind: OperationKind::Discard, nth: 0, errno: EIO };
    // The flush behind its writes: the others are still discarding.
    let failing = Fault { kind: OperationKind::Flush, nth: 1, errno: EIO };
    let broken = used().with_fault(failing).with_latency(OperationKind::Flush, Duration::from_millis(100));
    // One that cannot discard, which is no failure, and one that can.
    let devices = vec![lagging(20), broken, lagging(20).with_fault(late)];
    let (report, devices) = run_on(&plan, devices);
    assert_eq!(report.outcome, Outcome::Failed);
    assert_eq!(report.errors().map(|error| error.device.as_str()).collect::<Vec<_>>(), ["sim2"]);
    assert!((1..50).contains(&devices[0].count(OperationKind::Discard)));
    for (device, slot) in devices.iter().zip(&plan.devices) {
        assert!(!device.operations().iter().skip(1).any(|operation| commits(slot, *operation)));
    }
    assert!(report.devices[1].reached().ends_with("(not finished)"), "{}", report.devices[1].reached());
    assert!(report.devices[0].reached().contains("discard"), "{}", report.devices[0].reached());
}

/// Those whose turn had not come stay as they were.
#[test]
fn a_failure_leaves_the_rest_of_the_queue_untouched() {
    let plan = plan(4);
    let failing = Fault { kind: OperationKind::Flush, nth: 0, errno: EIO };
    let devices = vec![used(), used().with_fault(failing), used(), used()];
    let options = Options { verify: false, jobs: NonZeroUsize::new(1) };
    let (report, devices) = run_with(&plan, devices, &options, &Cancel::new(), &Silent);
    assert_eq!(report.outcome, Outcome::Failed);
    for index in [2, 3] {
        assert_eq!(devices[index].operations(), []);
        assert_eq!(report.devices[index].reached(), "untouched");
    }
    assert!(report.devices[0].steps.iter().any(|step| step.step == Step::Wipe && step.complete));
}

/// No device loses a block of an old filesystem before all devices have lost what makes it one.
#[test]
fn nothing_else_is_touched_before_all_are_wiped() {
    let plan = plan(3);
    for nth in 0..2 {
        // A write, and the flush behind it.
        let kind = [OperationKind::Write, OperationKind::Flush][nth];
        let failing = used().with_fault(Fault { kind, nth: 0, errno: EIO });
        let (report, devices) = run_on(&plan, vec![used(), used(), failing]);
        assert_eq!(report.outcome, Outcome::Failed);
        for device in &devices {
            assert_eq!(device.count(OperationKind::Discard), 0);
            assert_eq!(device.content(4096, 4096), [0xee; 4096]);
        }
    }
}

/// However much there is still to do.
#[test]
fn a_wish_to_stop_is_obeyed_within_a_second() {
    let plan = long_plan(4, 100);
    assert_soon(Duration::from_millis(1300), || {
        let cancel = Cancel::new();
        let devices = (0..4).map(|_| lagging(200)).collect();
        let report = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                cancel.interrupt();
            });
            run_with(&plan, devices, &Options::default(), &cancel, &Silent).0
        });
        assert_eq!(report.outcome, Outcome::Interrupted);
        assert!(!report.committed && report.errors().next().is_none());
        for device in &report.devices {
            assert!(device.reached().ends_with("(not finished)"), "{}", device.reached());
        }
    });
}
