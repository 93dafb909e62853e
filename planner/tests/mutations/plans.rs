//! Good plans of many kinds.

use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::disk::directory::{DirItem, name_hash};
use btrfs_planner::disk::inode::{FIRST_FREE_OBJECTID, InodeItem, InodeRef, Timespec};
use btrfs_planner::disk::key::{DiskKey, ItemType, Key};
use btrfs_planner::request::{
    DeviceFacts, DeviceKind, DiscardLimits, DiscardStrategy, Profile, Signature, ZoneRun, ZoneState, Zones,
};
use btrfs_planner::trees::{Contents, GENERATION, Items};
use btrfs_planner::{Plan, Request, plan, plan_with};
use std::collections::BTreeMap;
use zerocopy::IntoBytes;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const TIME: u64 = 1_700_000_000;

fn request(sizes: &[u64]) -> Request {
    Request::new(sizes.iter().map(|size| DeviceFacts::described(*size)).collect(), "mutations", TIME)
}

fn profiles(devices: usize, data: Profile, metadata: Profile) -> Request {
    Request { data: Some(data), metadata: Some(metadata), ..request(&vec![4 * GIB; devices]) }
}

fn both(devices: usize, profile: Profile) -> Request {
    profiles(devices, profile, profile)
}

fn features(names: &[&str]) -> Request {
    let features = names.iter().map(|name| name.parse().unwrap()).collect();
    Request { features, ..request(&[4 * GIB]) }
}

/// A block device with something on it at both ends, which discards in granules.
fn occupied(discard: DiscardStrategy) -> Request {
    let size = 4 * GIB + 1536;
    let signature = |kind: &str, usage: &str, offset: u64, length: u64| Signature {
        kind: kind.into(),
        label: Some("old".into()),
        length,
        offset,
        usage: usage.into(),
        uuid: None,
    };
    let facts = DeviceFacts {
        discard: Some(DiscardLimits { alignment: 512, granularity: 4096, max_bytes: GIB }),
        kind: DeviceKind::Block,
        model: Some("Model".into()),
        path: Some("/dev/sdx".into()),
        serial: Some("Serial".into()),
        signatures: vec![
            signature("gpt", "partition table", size / 512 * 512 - 512, 8),
            signature("xfs", "filesystem", 0, 4),
            signature("zfs_member", "filesystem", 2 * GIB + 128 * 1024 + 7, 8),
        ],
        ..DeviceFacts::described(size)
    };
    Request { discard, force: true, label: "label".into(), ..Request::new(vec![facts], "occupied", TIME) }
}

/// A host-managed device with zones of every usable state.
fn zoned(devices: usize, metadata: Profile) -> Request {
    let capacity = |run: ZoneRun| ZoneRun { capacity: Some(48 * MIB), ..run };
    let runs = vec![
        ZoneRun::new(2, ZoneState::Conventional),
        capacity(ZoneRun::new(9, ZoneState::Empty)),
        capacity(ZoneRun::new(7, ZoneState::Full)),
        ZoneRun { write_pointer: Some(8 * MIB), ..capacity(ZoneRun::new(1, ZoneState::Closed)) },
        capacity(ZoneRun::new(20, ZoneState::Empty)),
        capacity(ZoneRun::new(1, ZoneState::ReadOnly)),
        ZoneRun { write_pointer: Some(MIB), ..capacity(ZoneRun::new(2, ZoneState::Open)) },
        capacity(ZoneRun::new(22, ZoneState::Empty)),
    ];
    let zones = Zones { max_active: 14, runs, ..Zones::described(64 * MIB, 64 * MIB, None, 0) };
    let size = zones.count().unwrap() * zones.size;
    let facts = DeviceFacts { zones: Some(zones), ..DeviceFacts::described(size) };
    Request { metadata: Some(metadata), ..Request::new(vec![facts; devices], "zoned", TIME) }
}

/// Zones all of which are full: one reset of the whole device.
fn full_zones() -> Request {
    let zones =
        Zones { runs: vec![ZoneRun::new(64, ZoneState::Full)], ..Zones::described(64 * MIB, 64 * MIB, None, 0) };
    let facts = DeviceFacts { zones: Some(zones), ..DeviceFacts::described(64 * 64 * MIB) };
    Request::new(vec![facts], "full zones", TIME)
}

/// A root directory of so many empty files.
fn files(count: u64) -> Contents {
    let (time, generation) = (Timespec::from_seconds(TIME), GENERATION.get().into());
    let mut by_hash: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    let (mut entries, mut inodes, mut size) = (Items::new(), Items::new(), 0);
    for number in 0..count {
        let (name, inode, index) = (format!("file {number}"), FIRST_FREE_OBJECTID + 1 + number, number + 2);
        let length = u16::try_from(name.len()).unwrap();
        let entry = DirItem {
            location: DiskKey::from(Key::new(inode, ItemType::INODE_ITEM, 0)),
            transid: generation,
            data_len: 0.into(),
            name_len: length.into(),
            entry_type: 1,
        };
        let bytes = [entry.as_bytes(), name.as_bytes()].concat();
        by_hash.entry(name_hash(name.as_bytes()).into()).or_default().extend_from_slice(&bytes);
        entries.push(Key::new(FIRST_FREE_OBJECTID, ItemType::DIR_INDEX, index), &[&bytes]);
        let item = InodeItem {
            generation,
            transid: generation,
            nlink: 1.into(),
            mode: 0o100_644.into(),
            atime: time,
            ctime: time,
            mtime: time,
            otime: time,
            ..InodeItem::default()
        };
        inodes.push(Key::new(inode, ItemType::INODE_ITEM, 0), &[item.as_bytes()]);
        let reference = InodeRef { index: index.into(), name_len: length.into() };
        inodes
            .push(Key::new(inode, ItemType::INODE_REF, FIRST_FREE_OBJECTID), &[reference.as_bytes(), name.as_bytes()]);
        size += 2 * u64::from(length);
    }
    let mut fs = Items::new();
    for (hash, bytes) in by_hash {
        fs.push(Key::new(FIRST_FREE_OBJECTID, ItemType::DIR_ITEM, hash), &[&bytes]);
    }
    fs.append(&entries);
    fs.append(&inodes);
    Contents { fs, root_directory_size: size }
}

/// All of them, with a name each.
pub(crate) fn plans() -> Vec<(&'static str, Plan)> {
    use Profile::{Dup, Raid0, Raid1, Raid1c3, Raid1c4, Raid5, Raid6, Raid10, Single};
    let checksum = |checksum| Request { checksum, ..request(&[4 * GIB]) };
    let nodes = |size| Request { node_size: Some(size), ..request(&[4 * GIB]) };
    let mut sectors = request(&[4 * GIB; 2]);
    sectors.devices[1] = DeviceFacts { logical_sector: 4096, ..DeviceFacts::described(4 * GIB) };
    let mut mixed = both(3, Raid1);
    mixed.mixed = true;
    let requests = vec![
        ("single", profiles(1, Single, Single)),
        ("dup", request(&[4 * GIB])),
        ("dup data", both(1, Dup)),
        ("large", request(&[300 * GIB])),
        ("exact", occupied(DiscardStrategy::Exact)),
        ("bridge", occupied(DiscardStrategy::Bridge)),
        ("keep", occupied(DiscardStrategy::None)),
        ("byte count", Request { byte_count: Some(2 * GIB), ..occupied(DiscardStrategy::Bridge) }),
        ("raid0", both(2, Raid0)),
        ("raid1", both(2, Raid1)),
        ("raid1c3", both(3, Raid1c3)),
        ("raid1c4", both(5, Raid1c4)),
        ("raid10", both(4, Raid10)),
        ("raid10 of six", both(6, Raid10)),
        ("raid5", both(3, Raid5)),
        ("raid5 of two", both(2, Raid5)),
        ("raid6", both(4, Raid6)),
        ("raid6 of three", both(3, Raid6)),
        ("exact raid5", Request { discard: DiscardStrategy::Exact, ..both(4, Raid5) }),
        ("unlike", Request { data: Some(Raid0), ..request(&[GIB, 5 * GIB, 300 * GIB]) }),
        ("unlike sectors", sectors),
        ("mixed", Request { mixed: true, ..request(&[4 * GIB]) }),
        ("mixed raid1", mixed),
        ("zoned", zoned(1, Dup)),
        ("zoned raid1", zoned(2, Raid1)),
        ("full zones", full_zones()),
        ("emulated", features(&["zoned"])),
        ("small zones", Request { emulated_zone_size: Some(16 * MIB), experimental: true, ..features(&["zoned"]) }),
        ("stripe tree", Request { experimental: true, ..features(&["raid-stripe-tree"]) }),
        ("extent trees", Request { global_roots: Some(3), experimental: true, ..features(&["extent-tree-v2"]) }),
        ("remap tree", Request { experimental: true, ..features(&["remap-tree"]) }),
        (
            "remap tree raid1",
            Request { experimental: true, features: features(&["remap-tree"]).features, ..both(3, Raid1) },
        ),
        ("zoned stripe tree", Request { data: Some(Raid1), experimental: true, ..zoned(2, Raid1) }),
        ("no block group tree", features(&["^block-group-tree"])),
        ("no holes off", features(&["^no-holes"])),
        ("no free space tree", features(&["^free-space-tree"])),
        ("fat metadata", features(&["^skinny-metadata"])),
        ("quota", features(&["quota"])),
        ("squota", features(&["squota"])),
        ("4 KiB nodes", nodes(4096)),
        ("64 KiB nodes", nodes(65536)),
        ("xxhash", checksum(ChecksumType::XxHash64)),
        ("sha256", checksum(ChecksumType::Sha256)),
        ("blake2", checksum(ChecksumType::Blake2b)),
    ];
    let mut plans: Vec<(&'static str, Plan)> =
        requests.into_iter().map(|(name, request)| (name, plan(&request).unwrap())).collect();
    for (name, mut request, count) in
        [("files", request(&[4 * GIB]), 60), ("files raid10", both(4, Raid10), 60), ("files raid5", both(3, Raid5), 60)]
    {
        request.node_size = Some(4096);
        plans.push((name, plan_with(&request, &files(count)).unwrap()));
    }
    plans
}
