//! Zoned devices: whatever is in their zones, afterwards they hold what is planned, written in order.

use super::*;
use crate::device::{Fault, OperationKind};
use crate::run::{Action, Outcome, Step};
use btrfs_planner::plan::ByteRange;
use btrfs_planner::request::{ZoneRun, ZoneState, Zones};
use nix::libc::{EIO, EOPNOTSUPP};
use proptest::prelude::*;

const ZONE: u64 = 4 << 20;

fn zones(runs: Vec<ZoneRun>) -> Zones {
    Zones { runs, ..Zones::described(0, ZONE, None, 0) }
}

fn facts(zones: &Zones) -> DeviceFacts {
    let size = zones.count().unwrap() * ZONE;
    DeviceFacts { zones: Some(zones.clone()), ..DeviceFacts::described(size) }
}

fn request(devices: &[Zones], metadata: Profile) -> Request {
    let mut request = Request::new(devices.iter().map(facts).collect(), "a test", 0);
    request.metadata = Some(metadata);
    request
}

fn zoned_plan(devices: &[Zones], metadata: Profile) -> Plan {
    btrfs_planner::plan(&request(devices, metadata)).unwrap()
}

fn device(zones: &Zones) -> SimulatedDevice {
    SimulatedDevice::new(zones.count().unwrap() * ZONE).with_zones(zones)
}

fn resets(device: &SimulatedDevice) -> Vec<(u64, u64)> {
    let reset = |operation| match operation {
        Operation::Reset { offset, length } => Some((offset, length)),
        _ => None,
    };
    device.operations().into_iter().filter_map(reset).collect()
}

/// Every zone full, some of them conventional: one request, and everything can be written.
#[test]
fn full_zones_are_reset_with_their_device() {
    let zones = zones(vec![ZoneRun::new(2, ZoneState::Conventional), ZoneRun::new(30, ZoneState::Full)]);
    let plan = zoned_plan(&[zones.clone(), zones.clone()], Profile::Raid1);
    let (report, devices) = run_on(&plan, vec![device(&zones), device(&zones)]);
    assert_eq!(report.outcome, Outcome::Done, "{report:?}");
    assert_complete(&plan, &devices);
    for device in &devices {
        assert_eq!(resets(device), [(0, 32 * ZONE)]);
        assert!(!device.zone_states().contains(&ZoneState::Full));
    }
}

/// One copy of the metadata in a conventional zone, the other one in a sequential zone.
#[test]
fn copies_in_zones_of_two_kinds_are_the_same() {
    for conventional in 0..16 {
        let runs =
            [ZoneRun::new(conventional, ZoneState::Conventional), ZoneRun::new(32 - conventional, ZoneState::Full)];
        let zones = zones(runs.into_iter().filter(|run| run.count > 0).collect());
        let plan = zoned_plan(std::slice::from_ref(&zones), Profile::Dup);
        let old = vec![0xee; 1 << 16];
        let device = device(&zones).with_content(0, &old).with_content(MAGIC_AT, MAGIC);
        let (report, devices) = run_on(&plan, vec![device]);
        assert_eq!(report.outcome, Outcome::Done, "{conventional}: {report:?}");
        assert_complete(&plan, &devices);
    }
}

/// Zones behind the byte count keep what is in them.
#[test]
fn a_byte_count_keeps_the_rest() {
    let zones = zones(vec![ZoneRun::new(64, ZoneState::Full)]);
    let mut request = request(std::slice::from_ref(&zones), Profile::Single);
    request.byte_count = Some(40 * ZONE);
    let plan = btrfs_planner::plan(&request).unwrap();
    let (report, devices) = run_on(&plan, vec![device(&zones)]);
    assert_eq!(report.outcome, Outcome::Done, "{report:?}");
    assert_eq!(resets(&devices[0]), [(0, 40 * ZONE)], "one request");
    assert!(devices[0].zone_states()[40..].iter().all(|state| *state == ZoneState::Full));
}

/// The error names the zone, however many were reset with it.
#[test]
fn a_failing_reset_names_its_zone() {
    let zones = zones(vec![ZoneRun::new(64, ZoneState::Full)]);
    let mut plan = zoned_plan(std::slice::from_ref(&zones), Profile::Single);
    plan.devices[0].reset_zones = vec![ByteRange { start: ZONE, length: 62 * ZONE }];
    let mut broken = zones.clone();
    // One has become read-only since it was looked at.
    broken.runs = vec![
        ZoneRun::new(45, ZoneState::Full),
        ZoneRun::new(1, ZoneState::ReadOnly),
        ZoneRun::new(18, ZoneState::Full),
    ];
    let (report, devices) = run_on(&plan, vec![device(&broken)]);
    assert_eq!(report.outcome, Outcome::Failed);
    let error = report.errors().next().unwrap();
    assert_eq!((error.action, error.step, error.offset), (Action::Reset { zone: ZONE }, Step::Reset, 45 * ZONE));
    assert_eq!(error.to_string(), format!("sim1: cannot reset zone 45 at {} (step reset)", 45 * ZONE));
    assert_eq!(devices[0].count(OperationKind::Write), 0);

    // An error that goes away when it is looked for is told of the whole range.
    let device = device(&zones).with_fault(Fault { kind: OperationKind::Reset, nth: 0, errno: EIO });
    let (report, _) = run_on(&plan, vec![device]);
    let error = report.errors().next().unwrap().to_string();
    assert_eq!(error, format!("sim1: cannot reset zones 1 to 62 at {ZONE} (step reset)"));
}

/// A device that cannot discard is none the worse for it; one that cannot reset is.
#[test]
fn not_supported_is_for_discards_only() {
    let zones = zones(vec![ZoneRun::new(64, ZoneState::Full)]);
    let plan = zoned_plan(std::slice::from_ref(&zones), Profile::Single);
    let device = device(&zones).with_fault(Fault { kind: OperationKind::Reset, nth: 0, errno: EOPNOTSUPP });
    let (report, _) = run_on(&plan, vec![device]);
    assert_eq!(report.outcome, Outcome::Failed);
}

/// Large ranges are cut into requests that ascend and cover them; the first is not small.
#[test]
fn large_ranges_are_reset_in_few_requests() {
    let count = 100_000;
    let zones = zones(vec![ZoneRun::new(count, ZoneState::Full), ZoneRun::new(8, ZoneState::Offline)]);
    let plan = zoned_plan(std::slice::from_ref(&zones), Profile::Single);
    let (report, devices) = run_on(&plan, vec![device(&zones)]);
    assert_eq!(report.outcome, Outcome::Done, "{report:?}");
    let requests = resets(&devices[0]);
    let mut next = 0;
    for (offset, length) in &requests {
        assert_eq!(*offset, next);
        next += length;
    }
    assert_eq!(next, count * ZONE);
    assert_eq!(requests[0].1, 64 * ZONE);
    assert!(requests.len() < 40, "{}", requests.len());
}

fn run_of_zones() -> impl Strategy<Value = ZoneRun> {
    let state = prop_oneof![
        3 => Just(ZoneState::Conventional),
        6 => Just(ZoneState::Empty),
        2 => Just(ZoneState::Open),
        2 => Just(ZoneState::Closed),
        4 => Just(ZoneState::Full),
        1 => Just(ZoneState::ReadOnly),
        1 => Just(ZoneState::Offline),
    ];
    let capacity = prop_oneof![3 => Just(None), 1 => Just(Some(3 << 20))];
    (1..24_u64, state, capacity, 1..700_u64).prop_map(|(count, state, capacity, written)| ZoneRun {
        count,
        state,
        capacity: capacity.filter(|_| state != ZoneState::Conventional),
        write_pointer: state.active().then_some(written * 4096),
    })
}

fn any_zones() -> impl Strategy<Value = Zones> {
    prop::collection::vec(run_of_zones(), 2..10).prop_map(zones)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    /// Whatever is in the zones: if it can be planned, it can be done, and every planned byte reads back.
    #[test]
    fn any_zones_that_can_be_planned_can_be_written(
        all in prop::collection::vec(any_zones(), 1..3),
        metadata in prop_oneof![Just(Profile::Single), Just(Profile::Dup), Just(Profile::Raid1)],
        limit in prop_oneof![Just(0), 10..20_u32],
        discard in prop_oneof![Just(None), Just(Some(4096))],
        garbage in prop::collection::vec(0..96_u64, 0..6),
    ) {
        let all: Vec<Zones> = all.into_iter().map(|zones| Zones { max_active: limit, ..zones }).collect();
        let mut request = request(&all, metadata);
        for facts in &mut request.devices {
            facts.discard = discard.map(|granularity| DiscardLimits { alignment: 0, granularity, max_bytes: 1 << 30 });
        }
        let plan = btrfs_planner::plan(&request);
        prop_assume!(plan.is_ok());
        let plan = plan.unwrap();
        let devices = all.iter().map(|zones| {
            garbage.iter().fold(device(zones), |device, zone| device.with_content(zone * ZONE, &[0xee; 1 << 16]))
        });
        let options = Options { verify: true, jobs: None };
        let (report, devices) = run_with(&plan, devices.collect(), &options, &Cancel::new(), &Silent);
        prop_assert_eq!(report.outcome, Outcome::Done, "{:?}", report);
        assert_complete(&plan, &devices);
    }
}
