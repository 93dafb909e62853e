//! Discards are a favour: whatever becomes of them, the filesystem is right, and nobody is kept in the dark.

use super::*;
use crate::device::{DiscardBehaviour, Fault, OperationKind};
use crate::run::{Outcome, Step};
use btrfs_planner::plan::ByteRange;
use nix::libc::{EINVAL, EIO, EOPNOTSUPP};

#[test]
fn every_behaviour_gives_the_same_filesystem() {
    for behaviour in
        [DiscardBehaviour::Zeros, DiscardBehaviour::Keeps, DiscardBehaviour::Garbage, DiscardBehaviour::Unsupported]
    {
        let plan = plan(2);
        let (report, devices) = run_on(&plan, vec![used().with_discard(behaviour), used()]);
        assert_eq!(report.outcome, Outcome::Done, "{behaviour:?}");
        assert_complete(&plan, &devices);
        // A device that cannot loses its own discards and no other device's.
        let discarded = |index: usize| {
            report.devices[index].steps.iter().any(|step| step.step == Step::Discard && step.requests > 0)
        };
        assert_eq!(discarded(0), behaviour != DiscardBehaviour::Unsupported);
        assert!(discarded(1));
        assert_eq!(report.devices[0].notes.len(), usize::from(behaviour == DiscardBehaviour::Unsupported));
        assert!(report.devices.iter().all(|device| device.warnings.is_empty()));
    }
}

/// Not supported at the first request is a note; anything else, or later, is a warning with what is left.
#[test]
fn failures_are_told() {
    let mut plan = plan(1);
    let ranges = [(1, 1), (4, 2), (8, 3)];
    plan.devices[0].discard =
        ranges.map(|(start, length)| ByteRange { start: start << 20, length: length << 20 }).to_vec();
    for (nth, errno, notes, warnings) in
        [(0, EOPNOTSUPP, 1, 0), (0, EINVAL, 1, 0), (0, EIO, 0, 1), (1, EIO, 0, 1), (2, EOPNOTSUPP, 0, 1)]
    {
        let device = used().with_fault(Fault { kind: OperationKind::Discard, nth, errno });
        let (report, devices) = run_on(&plan, vec![device]);
        assert_eq!(report.outcome, Outcome::Done);
        assert_complete(&plan, &devices);
        let report = &report.devices[0];
        assert_eq!((report.notes.len(), report.warnings.len()), (notes, warnings), "{nth} {errno}");
        let left: u64 = ranges[nth..].iter().map(|(_, length)| length << 20).sum();
        let told = report.notes.iter().chain(&report.warnings).next().unwrap();
        assert!(told.contains(&format!("{left} bytes")), "{told}");
    }
}

/// Requests ascend, stay apart and cover what is planned, however they are cut.
#[test]
fn large_ranges_are_cut_and_covered() {
    let mut plan = plan(1);
    let size = 1 << 44;
    let slot = &mut plan.devices[0];
    (slot.size, slot.limit, slot.found.size) = (size, size, size);
    slot.discard = vec![ByteRange { start: 4096, length: size - 4096 }];
    let (report, devices) = run_on(&plan, vec![SimulatedDevice::new(size).with_content(0, &[7; 4096])]);
    assert_eq!(report.outcome, Outcome::Done);
    let mut next = 4096;
    let mut requests = 0;
    for operation in devices[0].operations() {
        if let Operation::Discard { offset, length } = operation {
            assert_eq!(offset, next);
            assert_eq!(length % 4096, 0);
            next += length;
            requests += 1;
        }
    }
    assert_eq!(next, size);
    assert!((2..20).contains(&requests), "{requests}");
}
