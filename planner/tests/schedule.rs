//! Properties of every schedule, whatever the devices and profiles.

// A test may fail by panicking, and counts what it made itself.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

use btrfs_planner::audit::{Severity, Subject, audit_plan};
use btrfs_planner::plan::{ByteRange, Device, Plan};
use btrfs_planner::request::{
    DeviceFacts, DiscardLimits, DiscardStrategy, FeatureSwitch, Profile, Signature, ZoneRun, ZoneState, Zones,
};
use btrfs_planner::schedule::Ranges;
use btrfs_planner::{Request, plan};
use proptest::prelude::*;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn set(ranges: &[ByteRange]) -> Ranges {
    Ranges::from_unordered(ranges.to_vec()).unwrap()
}

/// What the audit has against the schedule of a plan.
fn audited(plan: &Plan) -> String {
    let findings = audit_plan(plan).findings.into_iter().filter(|finding| finding.code.subject() == Subject::Schedule);
    let errors = findings.filter(|finding| finding.severity == Severity::Error);
    errors.map(|finding| format!("{finding}\n")).collect()
}

/// The bytes that a device's writes and commit fill, and how many there would be if none met.
fn written(plan: &Plan, device: &Device) -> (Ranges, u64) {
    let ranges: Vec<ByteRange> = device
        .writes
        .iter()
        .chain(&device.commit)
        .map(|write| ByteRange { start: write.offset.get(), length: plan.payloads[write.payload as usize].length })
        .collect();
    let total = ranges.iter().map(|range| range.length).sum();
    (set(&ranges), total)
}

fn profile() -> impl Strategy<Value = (Profile, usize)> {
    prop::sample::select(Profile::ALL.to_vec())
        .prop_flat_map(|profile| (Just(profile), profile.traits().min_devices as usize..7))
}

fn sizes(devices: usize) -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec((300u64..4000).prop_map(|mib| mib * MIB + 512 * (mib % 9)), devices)
}

prop_compose! {
    fn request()((profile, devices) in profile())(
        sizes in sizes(devices),
        profile in Just(profile),
        discard in prop::sample::select(vec![DiscardStrategy::Exact, DiscardStrategy::Bridge, DiscardStrategy::None]),
        granularity in prop::sample::select(vec![512u64, 4096, 65536, 3 * MIB]),
        alignment in prop::sample::select(vec![0u64, 512, 4096]),
        byte_count in prop::option::weighted(0.3, 290 * MIB..300 * MIB),
        signature in prop::option::weighted(0.5, 0u64..GIB),
    ) -> Request {
        let facts = sizes.into_iter().map(|size| DeviceFacts {
            discard: Some(DiscardLimits { alignment, granularity, max_bytes: GIB }),
            signatures: signature.map(|place| Signature {
                kind: "ext4".into(), label: None, length: 2, offset: place % (size - 2), usage: "filesystem".into(), uuid: None,
            }).into_iter().collect(),
            ..DeviceFacts::described(size)
        });
        Request {
            byte_count,
            data: Some(profile),
            metadata: Some(profile),
            discard,
            force: true,
            ..Request::new(facts.collect(), "schedule", 0)
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn discards_and_zeros_are_what_they_promise(request in request()) {
        let Ok(plan) = plan(&request) else { return Ok(()) };
        plan.check().unwrap();
        prop_assert_eq!(audited(&plan), "");
        let parity = plan.chunks.iter().any(|chunk| chunk.profile.has_parity());
        for device in &plan.devices {
            let (kept, total) = written(&plan, device);
            prop_assert_eq!(kept.bytes().unwrap(), total, "no write meets another");
            let whole = Ranges::one(0, device.limit);
            let (discard, zero) = (set(&device.discard), set(&device.zero));
            let limits = device.found.discard.unwrap();
            let granules = |ranges: &Ranges| {
                ranges.shrunk_to(limits.granularity, limits.alignment).unwrap().shrunk_to(512, 0).unwrap()
            };
            match request.discard {
                DiscardStrategy::None => prop_assert!(device.discard.is_empty()),
                DiscardStrategy::Bridge => prop_assert!(device.discard.len() <= 1, "one request a device"),
                DiscardStrategy::Exact => {
                    prop_assert!(discard.intersection(&kept).is_empty(), "nothing is discarded that is kept");
                    if !parity {
                        prop_assert_eq!(&discard, &granules(&whole.difference(&kept)), "and all that is not");
                    }
                }
            }
            // What must be zero: both edges, old signatures, each as far as it may be touched and is not written.
            let mut edges = Ranges::one(0, MIB);
            if request.byte_count.is_none() {
                edges = edges.union(&Ranges::one(device.limit - 512 * 1024, device.limit));
            }
            for signature in &device.found.signatures {
                let sectors = (signature.offset / 512 * 512, (signature.offset + signature.length).next_multiple_of(512));
                if sectors.1 <= device.limit {
                    edges = edges.union(&Ranges::one(sectors.0, sectors.1));
                    prop_assert_eq!(&set(&device.wipe), &Ranges::one(sectors.0, sectors.1));
                }
            }
            prop_assert!(edges.difference(&kept).difference(&zero).is_empty());
            if !parity {
                prop_assert!(zero.difference(&edges).is_empty(), "nothing else is made zero");
            }
            let limit = request.byte_count.map_or(device.found.size / 512 * 512, |_| device.size);
            prop_assert_eq!(device.limit, limit);
        }
        let ladder = plan.statistics.discard;
        prop_assert!(ladder.hole_by_hole >= ladder.merged && ladder.merged >= ladder.bridged);
        prop_assert_eq!(ladder.bridged, plan.devices.len() as u64);
    }

    /// Any report: resets cover what is dirty and touch nothing that must not be reset; writes to a sequential zone start
    /// where it starts and leave no gap; every copy has its own zone.
    #[test]
    fn zones_are_reset_and_written_in_order(
        runs in prop::collection::vec((prop::sample::select(ZoneState::ALL.to_vec()), 1u64..6), 12..40),
        devices in 1usize..4,
        metadata in prop::sample::select(vec![Profile::Single, Profile::Dup, Profile::Raid0, Profile::Raid1, Profile::Raid10]),
        capacity in prop::option::of(1u64..4),
        files in 0u64..30000,
    ) {
        let zone = 4 * MIB;
        let runs: Vec<ZoneRun> = runs.into_iter().map(|(state, count)| ZoneRun {
            capacity: capacity.filter(|_| state != ZoneState::Conventional).map(|capacity| capacity * MIB),
            ..ZoneRun::new(count, state)
        }).collect();
        let zones = Zones { runs, ..Zones::described(zone, zone, None, 0) };
        let size = zones.count().unwrap() * zone;
        let device = DeviceFacts { zones: Some(zones.clone()), ..DeviceFacts::described(size) };
        let request = Request { metadata: Some(metadata), ..Request::new(vec![device; devices], "zones", 0) };
        let contents = {
            let mut items = btrfs_planner::trees::Items::new();
            for inode in 0..files {
                let key = btrfs_planner::disk::key::Key::new(1000 + inode, btrfs_planner::disk::key::ItemType::INODE_ITEM, 0);
                items.push(key, &[&[0x5a; 160]]);
            }
            btrfs_planner::trees::Contents { fs: items, ..Default::default() }
        };
        let Ok(plan) = btrfs_planner::plan_with(&request, &contents) else { return Ok(()) };
        plan.check().unwrap();
        prop_assert_eq!(audited(&plan), "");
        let of = |which: &dyn Fn(ZoneState) -> bool| {
            let placed = zones.placed().map(Result::unwrap).filter(|placed| which(placed.run.state));
            set(&placed.map(|placed| ByteRange { start: placed.start, length: placed.end - placed.start }).collect::<Vec<_>>())
        };
        let (dirty, conventional) = (of(&ZoneState::needs_reset), of(&|state| state == ZoneState::Conventional));
        for device in &plan.devices {
            let reset = set(&device.reset_zones);
            if conventional.is_empty() {
                prop_assert_eq!(plan.statistics.discard.hole_by_hole, 0, "sequential zones are reset, not discarded");
            }
            prop_assert!(dirty.difference(&reset).is_empty(), "every dirty zone is reset");
            if reset != Ranges::one(0, size) {
                prop_assert!(reset.intersection(&of(&|state| !matches!(state, ZoneState::Empty) && !state.needs_reset())).is_empty());
            } else {
                prop_assert!(of(&|state| !state.usable()).is_empty(), "the whole device only where all zones can be reset");
            }
            prop_assert!(set(&device.zero).difference(&conventional).is_empty());
            prop_assert!(set(&device.discard).difference(&conventional).is_empty());
            let (kept, _) = written(&plan, device);
            prop_assert!(kept.intersection(&of(&|state| !state.usable())).is_empty(), "nothing is written where nothing can be");
            for placed in zones.placed().map(Result::unwrap).filter(|placed| placed.run.state != ZoneState::Conventional) {
                for start in (placed.start..placed.end).step_by(zone as usize) {
                    let inside = kept.intersection(&Ranges::one(start, start + zone));
                    prop_assert!(inside.len() <= 1, "no gap");
                    for range in inside.iter() {
                        prop_assert_eq!(range.start, start, "from the start");
                        prop_assert!(range.length <= placed.run.capacity.unwrap_or(zone), "within the capacity");
                    }
                }
            }
            let ascending = device.writes.windows(2).all(|pair| pair[0].offset < pair[1].offset);
            prop_assert!(ascending);
        }
    }
}

/// Emulated zones on an ordinary device leave its schedule an ordinary one.
#[test]
fn emulated_zones_are_not_reset() {
    let mut request = Request::new(vec![DeviceFacts::described(10 * GIB)], "emulated", 0);
    request.features = vec!["zoned".parse::<FeatureSwitch>().unwrap()];
    let plan = plan(&request).unwrap();
    let device = &plan.devices[0];
    assert!(device.reset_zones.is_empty());
    assert_eq!(device.discard, [ByteRange { start: 0, length: 10 * GIB }]);
    let offsets: Vec<u64> = device.commit.iter().map(|write| write.offset.get()).collect();
    assert_eq!(offsets, [64 * MIB, 64 * 1024], "superblocks where ordinary devices have them");
}

/// A btrfs on zones has its superblocks in logs of two zones each; all that are not empty go before anything else.
#[test]
fn superblock_logs_are_wiped_first() {
    let zone = 256 * MIB;
    // 600 GiB: the second log, at 512 GiB, is there too.
    let runs = vec![
        ZoneRun::new(1, ZoneState::Conventional),
        ZoneRun::new(1, ZoneState::Full),
        ZoneRun::new(2046, ZoneState::Full),
        ZoneRun::new(1, ZoneState::Open),
        ZoneRun::new(351, ZoneState::Empty),
    ];
    let zones = Zones { runs, ..Zones::described(zone, zone, None, 0) };
    let old =
        Signature { kind: "btrfs".into(), label: None, length: 8, offset: 64, usage: "filesystem".into(), uuid: None };
    let device = DeviceFacts { zones: Some(zones), signatures: vec![old], ..DeviceFacts::described(2400 * zone) };
    let mut request = Request { force: true, ..Request::new(vec![device], "logs", 0) };
    let wiped = |request: &Request| {
        let plan = plan(request).unwrap();
        let report = audit_plan(&plan);
        assert!(report.findings.iter().all(|finding| !finding.code.name().starts_with("wipe-")), "{report:?}");
        assert!(report.findings.iter().all(|finding| finding.code.name() != "zone-random"), "{report:?}");
        plan.devices[0].wipe.clone()
    };
    let sector = ByteRange { start: 0, length: 512 };
    let (second, third) = (ByteRange { start: zone, length: zone }, ByteRange { start: 2048 * zone, length: zone });
    assert_eq!(wiped(&request), [sector, second, third], "the empty one need not be");
    request.devices[0].signatures[0].kind = "ext4".into();
    assert_eq!(wiped(&request), [sector]);
    request.devices[0].signatures[0].offset = 5 * zone + 1080;
    assert_eq!(wiped(&request), [ByteRange { start: 5 * zone, length: zone }]);
    request.devices[0].signatures.clear();
    assert_eq!(wiped(&request), []);
}

/// The ladder that started it: one 10 GiB device with DUP metadata.
#[test]
fn the_ladder_of_a_default_filesystem() {
    let plan = plan(&Request::new(vec![DeviceFacts::described(10 * GIB)], "ladder", 0)).unwrap();
    let ladder = plan.statistics.discard;
    assert_eq!((ladder.hole_by_hole, ladder.merged, ladder.bridged), (9, 7, 1));
}
