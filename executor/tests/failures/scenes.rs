//! Plans of every kind, and the devices that they are run on: each with an older filesystem on it.

use crate::medium::Medium;
use btrfs_executor::bind::Target;
use btrfs_executor::device::{Device, SimulatedDevice};
use btrfs_executor::run::{Cancel, Observer, Options, Outcome, Report, Silent, run};
use btrfs_planner::disk::superblock::{MAGIC, SUPERBLOCK_OFFSETS};
use btrfs_planner::request::{DeviceFacts, DiscardLimits, Profile, Signature, ZoneRun, ZoneState, Zones};
use btrfs_planner::{Plan, Request};
use std::sync::Arc;

pub(crate) const MIB: u64 = 1 << 20;
pub(crate) const GIB: u64 = 1 << 30;
const ZONE: u64 = 4 * MIB;

/// A plan, and what is on its devices before it runs.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) plan: Plan,
    /// The older filesystem's.
    pub(crate) old_fsid: [u8; 16],
    /// What is there.
    pub(crate) before: Vec<Medium>,
}

/// A kind of plan: name, sizes of devices, profile of metadata, profile of what was there before.
type Kind = (&'static str, &'static [u64], Profile, Profile);

const ORDINARY: [Kind; 8] = [
    ("single", &[256 * MIB], Profile::Single, Profile::Dup),
    ("dup on a device with three superblocks", &[300 * GIB], Profile::Dup, Profile::Single),
    ("raid1", &[256 * MIB; 2], Profile::Raid1, Profile::Raid0),
    ("raid1c3", &[256 * MIB; 3], Profile::Raid1c3, Profile::Raid1),
    ("raid10", &[256 * MIB; 4], Profile::Raid10, Profile::Raid0),
    ("raid5", &[256 * MIB; 3], Profile::Raid5, Profile::Raid1),
    ("raid6", &[256 * MIB; 4], Profile::Raid6, Profile::Raid5),
    ("raid0", &[256 * MIB; 2], Profile::Raid0, Profile::Raid1),
];

/// Every kind of plan, over filesystems that the planner made before, with another identity and other profiles.
pub(crate) fn scenes() -> Vec<Scene> {
    let ordinary = ORDINARY.iter().map(|(name, sizes, profile, before)| {
        let facts: Vec<DeviceFacts> = sizes.iter().map(|size| facts(*size)).collect();
        let old = made(&request(&facts, *before, "old"), |_, device| device);
        Scene::over(name, facts, *profile, old)
    });
    ordinary.chain([zoned("zoned", 1, Profile::Dup), zoned("zoned raid1", 2, Profile::Raid1)]).collect()
}

fn facts(size: u64) -> DeviceFacts {
    let discard = Some(DiscardLimits { alignment: 0, granularity: 4096, max_bytes: GIB });
    DeviceFacts { discard, ..DeviceFacts::described(size) }
}

fn request(facts: &[DeviceFacts], metadata: Profile, seed: &str) -> Request {
    Request { metadata: Some(metadata), force: true, ..Request::new(facts.to_vec(), seed, 1) }
}

/// What a probe would find.
fn old_signature(offset: u64) -> Signature {
    Signature { kind: "btrfs".into(), label: None, length: 8, offset, usage: "filesystem".into(), uuid: None }
}

/// Runs a plan on new devices.
fn made(request: &Request, with: impl Fn(usize, SimulatedDevice) -> SimulatedDevice) -> (Plan, Vec<Medium>) {
    let plan = btrfs_planner::plan(request).unwrap();
    let devices = plan
        .devices
        .iter()
        .enumerate()
        .map(|(index, slot)| with(index, SimulatedDevice::new(slot.found.size).with_recording()));
    let (report, devices) = run_on(&plan, devices.collect(), &Options::default(), &Cancel::new(), &Silent);
    assert_eq!(report.outcome, Outcome::Done, "{report:?}");
    let mut media = Vec::new();
    for (slot, device) in plan.devices.iter().zip(&devices) {
        let mut medium = Medium::new(slot.found.size, slot.found.zones.clone());
        device.recorded().iter().for_each(|recorded| medium.apply(recorded));
        media.push(medium);
    }
    (plan, media)
}

impl Scene {
    fn over(name: &'static str, mut facts: Vec<DeviceFacts>, profile: Profile, old: (Plan, Vec<Medium>)) -> Self {
        for facts in &mut facts {
            let offset = if facts.zones.is_some() { 64 } else { SUPERBLOCK_OFFSETS[0] + 64 };
            facts.signatures = vec![old_signature(offset)];
        }
        let plan = btrfs_planner::plan(&request(&facts, profile, "new")).unwrap();
        let (old, before) = old;
        Self { name, plan, old_fsid: old.filesystem.fsid.into_bytes(), before }
    }

    /// The same plan over what another formatter made.
    pub(crate) fn over_images(name: &'static str, profile: Profile, images: Vec<Medium>) -> Self {
        let facts: Vec<DeviceFacts> = images
            .iter()
            .map(|image| DeviceFacts {
                signatures: vec![old_signature(SUPERBLOCK_OFFSETS[0] + 64)],
                ..facts(image.size())
            })
            .collect();
        let plan = btrfs_planner::plan(&request(&facts, profile, "new")).unwrap();
        let superblock = images[0].read(SUPERBLOCK_OFFSETS[0], 4096);
        assert_eq!(superblock[64..72], MAGIC);
        Self { name, plan, old_fsid: superblock[32..48].try_into().unwrap(), before: images }
    }

    /// The devices as they are before the run.
    pub(crate) fn devices(&self) -> Vec<SimulatedDevice> {
        self.before.iter().map(|medium| medium.device(&self.plan.devices[0].found.zones)).collect()
    }
}

/// Used zones: everything that is not empty must be reset, the superblock logs first.
fn zoned(name: &'static str, devices: usize, profile: Profile) -> Scene {
    let empty = Zones::described(64 * ZONE, ZONE, None, 3);
    let facts = DeviceFacts { zones: Some(empty.clone()), ..DeviceFacts::described(64 * ZONE) };
    // The logs stand in sequential zones.
    let runs = vec![ZoneRun::new(64, ZoneState::Empty)];
    let facts = DeviceFacts { zones: Some(Zones { runs, ..empty }), ..facts };
    let before = made(&request(&vec![facts.clone(); devices], Profile::Single, "old"), |_, device| {
        device.with_zones(facts.zones.as_ref().unwrap())
    });
    let (old, mut media) = before;
    for medium in &mut media {
        // A log that has been used: an older state is in its other zone.
        let superblock = medium.read(0, 4096);
        medium.write(ZONE, &superblock);
    }
    // Nobody knows any more how much is in which zone.
    let runs = vec![ZoneRun::new(64, ZoneState::Full)];
    let zones = Zones { runs, ..facts.zones.clone().unwrap() };
    let facts = DeviceFacts { zones: Some(zones.clone()), ..facts };
    for medium in &mut media {
        medium.set_zones(zones.clone());
    }
    Scene::over(name, vec![facts; devices], profile, (old, media))
}

/// Full zones on which nobody recognises anything: the plan resets each device with a single request.
pub(crate) fn zoned_over_nothing() -> Scene {
    let scene = zoned("zoned over nothing", 2, Profile::Raid1);
    let facts: Vec<DeviceFacts> =
        scene.plan.devices.iter().map(|slot| DeviceFacts { signatures: Vec::new(), ..slot.found.clone() }).collect();
    let before = facts.iter().map(|facts| Medium::new(facts.size, facts.zones.clone())).collect();
    let plan = btrfs_planner::plan(&request(&facts, Profile::Raid1, "new")).unwrap();
    assert!(plan.devices[0].wipe.is_empty());
    Scene { plan, before, ..scene }
}

/// Targets for a run, on devices that stay to be looked at.
pub(crate) fn targets(devices: &[Arc<SimulatedDevice>]) -> Vec<Target> {
    let target = |(device, devid): (&Arc<SimulatedDevice>, usize)| {
        let device: Box<dyn Device> = Box::new(Arc::clone(device));
        Target { name: format!("sim{devid}"), device }
    };
    devices.iter().zip(1..).map(target).collect()
}

/// Runs a plan on these devices, which stay to be looked at.
pub(crate) fn run_on(
    plan: &Plan,
    devices: Vec<SimulatedDevice>,
    options: &Options,
    cancel: &Cancel,
    observer: &dyn Observer,
) -> (Report, Vec<Arc<SimulatedDevice>>) {
    let devices: Vec<Arc<SimulatedDevice>> = devices.into_iter().map(Arc::new).collect();
    let report = run(plan, &targets(&devices), options, cancel, observer).unwrap();
    (report, devices)
}
