//! What comes before what.

use super::*;
use crate::device::{Journal, OperationKind};
use crate::run::{Outcome, Step};
use std::time::Duration;

/// Until commit there is no filesystem: all devices have flushed before the first superblock is written, and the first
/// device's primary one is the last write of all.
#[test]
fn superblocks_wait_for_everybody() {
    for count in 1..=4 {
        let plan = plan(count);
        let journal = Journal::default();
        let names: Vec<String> = (1..=count).map(|devid| format!("sim{devid}")).collect();
        let devices = names.iter().map(|name| used().with_journal(name, &journal)).collect();
        let (report, devices) = run_on(&plan, devices);
        assert_eq!(report.outcome, Outcome::Done);
        assert!(report.committed);
        assert_complete(&plan, &devices);

        let entries = journal.entries();
        let slot = |name: &String| &plan.devices[names.iter().position(|other| other == name).unwrap()];
        let is_commit = |(name, operation): &(String, Operation)| {
            // The wipe writes to the primary superblock's place as well, but before anything else.
            commits(slot(name), *operation) && !matches!(operation, Operation::Write { length: 512, .. })
        };
        let first_commit = entries.iter().position(is_commit).unwrap();
        for name in &names {
            let before = entries[..first_commit].iter().filter(|(other, _)| other == name);
            let last = before.map(|(_, operation)| *operation).next_back();
            assert_eq!(last, Some(Operation::Flush), "{name} has flushed before the first superblock");
        }
        let last_write = entries.iter().rposition(|(_, operation)| operation.kind() == OperationKind::Write).unwrap();
        let sealing = ("sim1".to_string(), Operation::Write { offset: PRIMARY, length: 4096 });
        assert_eq!(entries[last_write..], [sealing, ("sim1".to_string(), Operation::Flush)]);
        let flushed = entries[..last_write].iter().rev().take_while(|(_, operation)| *operation == Operation::Flush);
        assert!(flushed.count() >= 1, "every other superblock is flushed before it");
    }
}

/// Wipe, look where superblocks will be, flush, discard, zero, write, flush: in this order on every device.
#[test]
fn a_device_takes_its_steps_in_order() {
    let plan = plan(1);
    let (report, devices) = run_on(&plan, vec![used()]);
    let mut kinds: Vec<OperationKind> = devices[0].operations().iter().map(|operation| operation.kind()).collect();
    use OperationKind::{Discard, Flush, Read, Write};
    // However many reads it takes.
    kinds.dedup_by(|this, before| *this == Read && *before == Read);
    let mut expected = vec![Write, Read, Flush, Discard, Read];
    expected.extend(vec![Write; report.devices[0].steps[3].requests as usize]);
    expected.extend([Flush, Write, Flush, Write, Flush]);
    assert_eq!(kinds, expected);
    let steps: Vec<Step> = report.devices[0].steps.iter().map(|step| step.step).collect();
    assert_eq!(steps, [Step::Wipe, Step::Discard, Step::Zero, Step::Writes, Step::Commit, Step::Seal]);
}

/// A clean device of several has two flushes, the first one three.
#[test]
fn flushes_are_few() {
    let mut plan = plan(3);
    for slot in &mut plan.devices {
        slot.wipe.clear();
    }
    let (_, devices) =
        run_on(&plan, vec![SimulatedDevice::new(SIZE), SimulatedDevice::new(SIZE), SimulatedDevice::new(SIZE)]);
    let flushes = |device: &SimulatedDevice| {
        device.operations().iter().filter(|operation| **operation == Operation::Flush).count()
    };
    assert_eq!(devices.iter().map(|device| flushes(device)).collect::<Vec<_>>(), [3, 2, 2]);
}

/// Neighbouring payloads are one request, however many they are.
#[test]
fn neighbours_go_out_together() {
    let plan = plan(1);
    let slot = &plan.devices[0];
    let ends: Vec<u64> = expected(&plan, slot).iter().map(|(offset, bytes)| offset + bytes.len() as u64).collect();
    let gaps = slot.writes.windows(2).zip(&ends).filter(|(pair, end)| pair[1].offset.get() != **end).count();
    let (report, _) = run_on(&plan, vec![used()]);
    let writes = report.devices[0].steps.iter().find(|step| step.step == Step::Writes).unwrap();
    assert!(slot.writes.len() > gaps + 1, "the plan has neighbours");
    assert_eq!(writes.requests, gaps as u64 + 1);
}

/// Ten devices with slow discards take as long as one, the first device included.
#[test]
fn slow_devices_do_not_wait_for_each_other() {
    let latency = Duration::from_millis(200);
    let plan = plan(10);
    assert_soon(2 * latency, || {
        let devices = (0..10).map(|_| used().with_latency(OperationKind::Discard, latency)).collect();
        let (report, _) = run_on(&plan, devices);
        assert_eq!(report.outcome, Outcome::Done);
    });
}

#[test]
fn fewer_jobs_than_devices_do_it_all_the_same() {
    let plan = plan(4);
    let options = Options { verify: true, jobs: std::num::NonZeroUsize::new(2) };
    let (report, devices) = run_with(&plan, (0..4).map(|_| used()).collect(), &options, &Cancel::new(), &Silent);
    assert_eq!(report.outcome, Outcome::Done);
    assert_complete(&plan, &devices);
    assert!(report.devices.iter().all(|device| device.steps.last().is_some_and(|step| step.step == Step::Verify)));
}

/// Only sectors that are not zero are written: a thin device stays thin.
#[test]
fn zeros_are_written_where_there_are_none() {
    let mut plan = plan(1);
    plan.devices[0].discard.clear();
    plan.devices[0].wipe.clear();
    let (report, devices) = run_on(&plan, vec![used()]);
    let zero = report.devices[0].steps.iter().find(|step| step.step == Step::Zero).unwrap();
    assert_eq!((zero.bytes, zero.requests), (4096, 1));
    assert_complete(&plan, &devices);
    let (report, _) = run_on(&plan, vec![SimulatedDevice::new(SIZE)]);
    assert!(report.devices[0].steps.iter().all(|step| step.step != Step::Zero || step.requests == 0));
}

/// Every write is of whole sectors of the device.
#[test]
fn large_sectors_are_respected() {
    let mut plan = plan(2);
    for slot in &mut plan.devices {
        slot.wipe.clear();
    }
    let devices = vec![SimulatedDevice::new(SIZE).with_sector(4096), SimulatedDevice::new(SIZE).with_sector(4096)];
    let (report, devices) = run_on(&plan, devices);
    assert_eq!(report.outcome, Outcome::Done);
    assert_complete(&plan, &devices);
}
