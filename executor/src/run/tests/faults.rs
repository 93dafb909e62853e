//! What a failure or a wish to stop leaves behind.

use super::*;
use crate::device::{Fault, OperationKind};
use crate::run::{Action, Outcome, RunError, Step};
use nix::libc::{EINTR, EIO, ENOSPC};

/// Whether the primary superblock of a device would survive a loss of power now.
fn is_alive(device: &SimulatedDevice) -> bool {
    device.durable(MAGIC_AT, MAGIC.len()) == MAGIC
}

/// Whatever operation fails, on whichever device: the run fails and says where, and the first device, without whose
/// superblock there is no filesystem, has none.
#[test]
fn any_failing_operation_fails_the_run() {
    let plan = plan(2);
    let (_, whole) = run_on(&plan, vec![used(), used()]);
    for (broken, device) in whole.iter().enumerate() {
        let operations = device.operations();
        for (index, operation) in operations.iter().enumerate() {
            let kind = operation.kind();
            if kind == OperationKind::Discard {
                continue; // has its own rules
            }
            let nth = operations[..index].iter().filter(|other| other.kind() == kind).count();
            let mut devices = vec![used(), used()];
            let device = devices.remove(broken).with_fault(Fault { kind, nth, errno: ENOSPC });
            devices.insert(broken, device);
            let (report, devices) = run_on(&plan, devices);
            assert_eq!(report.outcome, Outcome::Failed, "{operation:?} on {broken}");
            assert!(!report.committed);
            let errors: Vec<_> = report.errors().collect();
            assert_eq!(errors.len(), 1);
            assert_eq!(errors[0].source.raw_os_error(), Some(ENOSPC));
            assert_eq!(errors[0].device, format!("sim{}", broken + 1));
            // The very last flush is the only one that comes after the last superblock.
            let at_the_end = broken == 0 && index + 1 == operations.len();
            let begun = devices.iter().any(|device| device.count(OperationKind::Discard) > 0);
            assert!(at_the_end || !begun || !is_alive(&devices[0]), "{operation:?} on {broken}");
            if errors[0].step < Step::Commit {
                let committed = devices.iter().zip(&plan.devices).any(|(device, slot)| {
                    device.operations().iter().skip(1).any(|operation| commits(slot, *operation))
                });
                assert!(!committed, "{operation:?} on {broken}");
            }
        }
    }
}

/// Power lost after any number of operations: there is no filesystem, or a whole one, and never the old one after the
/// new one was begun.
#[test]
fn power_loss_leaves_all_or_nothing() {
    let plan = plan(2);
    let (_, whole) = run_on(&plan, vec![used(), used()]);
    let longest = whole.iter().map(|device| device.operations().len()).max().unwrap();
    for first in 0..=longest {
        for second in [0, first, longest + 1] {
            let devices = vec![used().with_death_after(first), used().with_death_after(second)];
            let (report, devices) = run_on(&plan, devices);
            let begun = devices[0].operations().iter().any(|operation| operation.kind() == OperationKind::Discard);
            if begun && is_alive(&devices[0]) {
                assert_complete(&plan, &devices);
            }
            assert_eq!(report.outcome == Outcome::Done, first >= longest && second >= whole[1].operations().len());
        }
    }
}

/// Every device's error is told, by devid, not only the first.
#[test]
fn every_error_is_told() {
    let plan = plan(3);
    let late = Fault { kind: OperationKind::Flush, nth: 0, errno: EIO };
    let wait = Duration::from_millis(50);
    let devices = (0..3).map(|_| used().with_fault(late).with_latency(OperationKind::Flush, wait)).collect();
    let (report, _) = run_on(&plan, devices);
    let names: Vec<&str> = report.errors().map(|error| error.device.as_str()).collect();
    assert_eq!(names, ["sim1", "sim2", "sim3"]);
    assert!(report.devices.iter().all(|device| device.reached().contains("wipe")));
}

/// A wish to stop is heeded before the next request, until superblocks are being written.
#[test]
fn interrupts_stop_before_commit_and_not_within() {
    let plan = plan(2);
    let mut outcomes = Vec::new();
    for at in 0..200 {
        let cancel = Cancel::new();
        let observer = StopAt { cancel: cancel.clone(), left: at.into() };
        if at == 0 {
            cancel.interrupt();
        }
        let (report, devices) = run_with(&plan, vec![used(), used()], &Options::default(), &cancel, &observer);
        if at == 0 {
            assert!(!report.touched() && devices.iter().all(|device| device.operations().is_empty()));
        }
        match report.outcome {
            Outcome::Done => assert_complete(&plan, &devices),
            Outcome::Interrupted => {
                for (device, slot) in devices.iter().zip(&plan.devices) {
                    assert!(!device.operations().iter().skip(1).any(|operation| commits(slot, *operation)));
                }
            }
            Outcome::Failed => panic!("{report:?}"),
        }
        outcomes.push(report.outcome);
    }
    assert!(outcomes.contains(&Outcome::Done) && outcomes.contains(&Outcome::Interrupted));
}

#[test]
fn short_and_interrupted_transfers_lose_nothing() {
    let plan = plan(1);
    let device = used()
        .with_short_transfers(1000)
        .with_fault(Fault { kind: OperationKind::Write, nth: 5, errno: EINTR })
        .with_fault(Fault { kind: OperationKind::Read, nth: 2, errno: EINTR });
    let (report, devices) = run_on(&plan, vec![device]);
    assert_eq!(report.outcome, Outcome::Done);
    assert_complete(&plan, &devices);
}

/// Keeps everything but one byte.
struct Forgetful(SimulatedDevice);

impl Device for Forgetful {
    fn logical_sector(&self) -> u32 {
        self.0.logical_sector()
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read_at(offset, buffer)?;
        if offset == PRIMARY {
            buffer[100] ^= 1;
        }
        Ok(count)
    }
    fn write_vectored_at(&self, offset: u64, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.write_vectored_at(offset, slices)
    }
    fn discard(&self, start: u64, length: u64) -> io::Result<()> {
        self.0.discard(start, length)
    }
    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
    fn forget_cached(&self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn verification_finds_a_single_byte() {
    let plan = plan(1);
    let targets = [Target { name: "sim".into(), device: Box::new(Forgetful(used())) }];
    let options = Options { verify: true, jobs: None };
    let report = run(&plan, &targets, &options, &Cancel::new(), &Silent).unwrap();
    assert_eq!(report.outcome, Outcome::Failed);
    assert!(report.committed);
    let error = report.errors().next().unwrap();
    assert_eq!((error.action, error.offset, error.step), (Action::Compare, PRIMARY + 100, Step::Verify));
}

#[test]
fn what_makes_no_sense_is_not_begun() {
    let good = plan(1);
    let refused =
        |plan: &Plan, targets: &[Target]| run(plan, targets, &Options::default(), &Cancel::new(), &Silent).unwrap_err();
    assert_eq!(refused(&good, &[]), RunError::Count { planned: 1, given: 0 });
    let mut zoned = good.clone();
    zoned.devices[0].reset_zones = zoned.devices[0].discard.clone();
    let target = || [Target { name: "sim".into(), device: Box::new(used()) }];
    assert_eq!(refused(&zoned, &target()), RunError::Zones { devid: 1 });
    let mut unsound = good;
    unsound.devices[0].writes[0].payload = u32::MAX;
    assert!(matches!(refused(&unsound, &target()), RunError::Unsound(_)));
}
