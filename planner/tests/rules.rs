//! Every rule of a request: the smallest change to a good request that breaks it, and the error that says so.

// A test may fail by panicking.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

use btrfs_planner::request::{
    DeviceFacts, DeviceKind, Feature, Profile, Signature, ZoneModel, ZoneRun, ZoneState, Zones,
};
use btrfs_planner::{Request, RequestError, plan};
use std::fmt::Write;
use uuid::Uuid;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn request(devices: usize) -> Request {
    Request::new(vec![DeviceFacts::described(10 * GIB); devices], "rules", 0)
}

/// A request of zoned devices with this report.
fn zoned(devices: usize, zones: &Zones) -> Request {
    let size = zones.count().unwrap() * zones.size;
    let device = DeviceFacts { zones: Some(zones.clone()), ..DeviceFacts::described(size) };
    Request { devices: vec![device; devices], ..request(1) }
}

fn with(mut request: Request, change: impl FnOnce(&mut Request)) -> Request {
    change(&mut request);
    request
}

fn switched(request: Request, names: &[&str]) -> Request {
    with(request, |it| it.features = names.iter().map(|name| name.parse().unwrap()).collect())
}

fn profiles(devices: usize, data: Profile, metadata: Profile) -> Request {
    Request { data: Some(data), metadata: Some(metadata), ..request(devices) }
}

#[test]
fn every_rule_has_its_error() {
    use Profile::{Dup, Raid0, Raid1, Raid1c3, Raid1c4, Raid5, Raid6, Raid10, Single};
    let zones = Zones::described(64 * 256 * MIB, 256 * MIB, None, 0);
    let signature = Signature {
        kind: "ext4".into(),
        label: Some("home".into()),
        length: 2,
        offset: 0x438,
        usage: "filesystem".into(),
        uuid: None,
    };
    let sized = |sizes: &[u64]| Request {
        devices: sizes.iter().map(|size| DeviceFacts::described(*size)).collect(),
        ..request(1)
    };
    macro_rules! refused {
        ($($pattern:pat => $request:expr),* $(,)?) => {{
            let mut wrong = String::new();
            $(match plan(&$request) {
                Err($pattern) => {}
                other => {
                    let came = other.map(|plan| plan.seal);
                    writeln!(wrong, "{}: wanted {}, got {came:?}", stringify!($request), stringify!($pattern)).unwrap();
                }
            })*
            assert!(wrong.is_empty(), "\n{wrong}");
        }};
    }
    use RequestError as E;
    refused! {
        E::Format(_) => with(request(1), |it| it.format = "btrfs-request/2".into()),
        E::NoDevice => request(0),
        E::SeedLength { length: 0 } => with(request(1), |it| it.identity.seed.clear()),
        E::SeedLength { length: 256 } => with(request(1), |it| it.identity.seed = "x".repeat(256)),
        E::LabelLength { length: 256 } => with(request(1), |it| it.label = "x".repeat(256)),
        E::LabelCharacter { character: '\n' } => with(request(1), |it| it.label = "a\nb".into()),
        E::SectorSize { size: 2048 } => with(request(1), |it| it.sector_size = Some(2048)),
        E::SectorSize { size: 12288 } => with(request(1), |it| it.sector_size = Some(12288)),
        E::SectorSize { size: 131_072 } => with(request(1), |it| it.sector_size = Some(131_072)),
        E::NodeSize { size: 12288 } => with(request(1), |it| it.node_size = Some(12288)),
        E::NodeSize { size: 131_072 } => with(request(1), |it| it.node_size = Some(131_072)),
        E::NodeBelowSector { node_size: 4096, sector_size: 8192 } =>
            with(request(1), |it| (it.sector_size, it.node_size) = (Some(8192), Some(4096))),
        E::MixedNodeSize { node_size: 16384, sector_size: 4096 } =>
            with(request(1), |it| (it.mixed, it.node_size) = (true, Some(16384))),
        E::PageSize { size: 0 } => with(request(1), |it| it.page_size = 0),
        E::MixedProfiles { data: Single, metadata: Dup } =>
            with(request(1), |it| (it.mixed, it.metadata) = (true, Some(Dup))),
        E::MixedContradiction => with(switched(request(1), &["^mixed-bg"]), |it| it.mixed = true),
        E::FeaturesExclude { feature: Feature::Quota, other: Feature::SimpleQuota } =>
            switched(request(1), &["quota", "squota"]),
        E::FeatureNeeded { feature: Feature::Raid56, profile: Raid5 } =>
            switched(profiles(2, Raid5, Raid1), &["^raid56"]),
        E::TooFewDevices { profile: Raid1, needed: 2, found: 1, .. } => profiles(1, Raid1, Single),
        E::TooFewDevices { profile: Raid10, needed: 2, found: 1, .. } => profiles(1, Single, Raid10),
        E::TooFewDevices { profile: Raid1c3, needed: 3, found: 2, .. } => profiles(2, Raid1c3, Raid1),
        E::TooFewDevices { profile: Raid1c4, needed: 4, found: 3, .. } => profiles(3, Raid1c4, Raid1),
        E::TooFewDevices { profile: Raid5, needed: 2, found: 1, .. } => profiles(1, Raid5, Single),
        E::TooFewDevices { profile: Raid6, needed: 3, found: 2, .. } => profiles(2, Raid6, Raid1),
        // The minima that mkfs.btrfs names, and one byte below a sector more.
        E::DeviceTooSmall { minimum: 114_294_784, size: 114_294_783, .. } => sized(&[114_294_783]),
        E::DeviceTooSmall { minimum: 72_351_744, .. } => sized(&[GIB, 72_351_743]),
        E::DeviceTooSmall { minimum: 240_123_904, .. } =>
            Request { data: Some(Dup), ..sized(&[240_123_903]) },
        E::DeviceTooSmall { minimum: 131_072_000, .. } =>
            Request { data: Some(Raid0), metadata: Some(Raid0), ..sized(&[131_071_999]) },
        E::DeviceTooSmall { minimum: 16_777_216, .. } => Request { mixed: true, ..sized(&[16_777_215]) },
        E::ByteCountTooSmall { byte_count: 1_048_576, .. } => with(request(1), |it| it.byte_count = Some(MIB)),
        E::ByteCountTooLarge { .. } => with(request(1), |it| it.byte_count = Some(11 * GIB)),
        E::LogicalSector { sector: 1000, .. } => with(request(1), |it| it.devices[0].logical_sector = 1000),
        E::LogicalSectorTooLarge { sector: 8192, .. } => with(request(1), |it| it.devices[0].logical_sector = 8192),
        E::DeviceTwice { .. } => with(request(2), |it| {
            it.devices.iter_mut().for_each(|device| device.path = Some("/dev/sdb".into()));
        }),
        E::Uuid { .. } => with(request(1), |it| it.identity.fsid = Some(Uuid::nil())),
        E::Uuid { .. } => with(request(2), |it| it.identity.device_uuids = vec![Uuid::from_u128(7); 2]),
        E::TooManyUuids { given: 2, devices: 1 } =>
            with(request(1), |it| it.identity.device_uuids = vec![Uuid::from_u128(7), Uuid::from_u128(8)]),
        E::Occupied { .. } => with(request(1), |it| it.devices[0].signatures.push(signature.clone())),
        E::NoRoomInChunk { usable: 4096, node_size: 16384, .. } => with(zoned(1, &zones), |it| {
            let conventional = ZoneRun { capacity: Some(4096), ..ZoneRun::new(60, ZoneState::Conventional) };
            it.devices[0].zones.as_mut().unwrap().runs = vec![ZoneRun::new(4, ZoneState::Empty), conventional];
        }),
        E::NoSpace { profile: Dup, .. } =>
            Request { mixed: true, data: Some(Dup), metadata: Some(Dup), ..sized(&[128 * MIB]) },
        E::NoSpace { profile: Raid1, .. } =>
            Request { data: Some(Raid1), metadata: Some(Raid1), ..sized(&[256 * MIB, 1024 * GIB]) },
        E::DeviceTooLarge { size: 0x8000_0000_0000_0000, largest: 0x7fff_ffff_ffff_ffff, .. } => sized(&[1 << 63]),
        E::DeviceTooLarge { .. } => sized(&[10 * GIB, u64::MAX]),
        E::TotalTooLarge { size: 0x1_7fff_ffff_ffff_d000 } => sized(&[(1 << 63) - 1; 3]),
        // Zones.
        E::ZonedNeeded { .. } => switched(zoned(1, &zones), &["^zoned"]),
        E::ZonedFeature { feature: Feature::MixedBg } => with(zoned(1, &zones), |it| it.mixed = true),
        E::ZonedFeature { feature: Feature::Raid56 } => switched(zoned(1, &zones), &["raid56"]),
        E::ZoneSize { size: 0x60_0000 } => with(switched(request(1), &["zoned"]), |it| {
            (it.experimental, it.emulated_zone_size) = (true, Some(6 * MIB));
        }),
        E::ZoneSize { size: 0x20_0000 } => with(request(1), |it| {
            (it.experimental, it.emulated_zone_size) = (true, Some(2 * MIB));
        }),
        E::ZoneSize { .. } => with(request(1), |it| {
            (it.experimental, it.emulated_zone_size) = (true, Some(16 * GIB));
        }),
        E::ZoneSizeUnused => with(request(1), |it| (it.experimental, it.emulated_zone_size) = (true, Some(4 * MIB))),
        E::ZoneSizeUnused => with(zoned(1, &zones), |it| (it.experimental, it.emulated_zone_size) = (true, Some(4 * MIB))),
        E::ZoneSizeExperimental => with(request(1), |it| it.emulated_zone_size = Some(4 * MIB)),
        E::ZonedParity { profile: Raid5, .. } => Request { metadata: Some(Raid5), ..zoned(2, &zones) },
        E::ZonedProfile { profile: Raid1, .. } => Request { data: Some(Raid1), ..zoned(2, &zones) },
        // Asked for on ordinary devices, the same holds.
        E::ZonedProfile { profile: Raid1, .. } => switched(profiles(2, Raid1, Raid1), &["zoned"]),
        E::ZoneReport { .. } => with(zoned(1, &zones), |it| it.devices[0].size += 256 * MIB),
        E::ZoneReport { .. } => with(zoned(1, &zones), |it| it.devices[0].zones.as_mut().unwrap().size = 3 << 20),
        E::ZoneSizes { .. } => with(zoned(2, &zones), |it| it.devices[1].zones = None),
        E::ActiveZones { active: 7, needed: 8, .. } => zoned(1, &Zones { max_active: 7, ..zones.clone() }),
        E::ActiveBeyond { count: 2, .. } => with(zoned(1, &zones), |it| {
            it.byte_count = Some(60 * 256 * MIB);
            it.devices[0].zones.as_mut().unwrap().runs =
                vec![ZoneRun::new(60, ZoneState::Open), ZoneRun::new(2, ZoneState::Closed), ZoneRun::new(2, ZoneState::Full)];
        }),
        E::DeviceTooSmall { .. } => zoned(1, &few_zones(11)),
        E::DeviceTooSmall { .. } => Request { metadata: Some(Single), ..zoned(1, &few_zones(7)) },
        E::DeviceTooSmall { .. } => Request { metadata: Some(Raid1), ..zoned(2, &few_zones(9)) },
    }
}

/// A zone that no tree block fits would make chunks without end.
#[test]
fn zones_hold_a_tree_block_at_least() {
    const ZONES: u64 = 3000;
    for node_size in [4096, 8192, 16384, 32768, 65536] {
        let node = u64::from(node_size);
        for (capacity, sector, good) in [
            (1, 512, false),
            (512, 512, false),
            (4096, 512, node == 4096),
            (node - 1, 512, false),
            (node - 512, 512, false),
            (node, 512, true),
            (node, 4096, true),
            (node + 1, 512, false),
            (node + 512, 512, true),
            (node + 512, 4096, false),
            (2 * node, 512, true),
        ] {
            let what = format!("nodes of {node_size}, capacity {capacity}, sectors of {sector}");
            let request = |conventional| {
                let zones = Zones::described(ZONES * 4 * MIB, 4 * MIB, Some(capacity), conventional);
                with(zoned(1, &zones), |it| {
                    it.node_size = Some(node_size);
                    it.metadata = Some(Profile::Single);
                    it.devices[0].logical_sector = sector;
                })
            };
            match plan(&request(0)) {
                Ok(plan) => {
                    assert!(good, "{what}: planned");
                    let report = btrfs_planner::audit::audit_plan(&plan);
                    assert!(report.is_clean(), "{what}: {:?}", report.findings);
                }
                Err(error @ RequestError::ZoneCapacity { .. }) => {
                    assert!(!good, "{what}: {error}");
                    assert!(
                        error.hint().is_some() && error.device() == Some("device 1") && error.field() == Some("zones")
                    );
                }
                Err(error) => panic!("{what}: {error}"),
            }
            assert!(plan(&request(ZONES)).is_ok(), "{what}: all conventional");
        }
    }
}

/// What is never written need not be of any capacity: zones that are dead, and a short one at the end.
#[test]
fn zones_without_use_may_have_any_capacity() {
    let zones = Zones::described(64 * 256 * MIB, 256 * MIB, None, 0);
    for state in [ZoneState::Offline, ZoneState::ReadOnly, ZoneState::Empty] {
        let last = ZoneRun { capacity: Some(0), ..ZoneRun::new(1, state) };
        let report = Zones { runs: vec![ZoneRun::new(63, ZoneState::Empty), last], ..zones.clone() };
        let whole = plan(&zoned(1, &report));
        let is_refused = matches!(whole, Err(RequestError::ZoneCapacity { capacity: 0, .. }));
        assert_eq!(is_refused, state == ZoneState::Empty, "{state:?}");
        let short = with(zoned(1, &report), |it| it.devices[0].size -= 255 * MIB);
        assert!(plan(&short).is_ok(), "{state:?}, short");
    }
}

/// A document's format is looked at before its shape.
#[test]
fn a_document_of_another_format_says_so() {
    for (text, error) in [
        (r#"{"format":"btrfs-request/2","pools":[]}"#, "format 'btrfs-request/2'"),
        (r#"{"devices":[],"pools":[]}"#, "unknown field `pools`"),
        (r#"{"devices":[]"#, "EOF"),
    ] {
        let message = Request::from_json(text.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(error), "{text}: {message}");
    }
}

/// What is at the edge of a rule, on the good side of it.
#[test]
fn edges_are_accepted() {
    let zones = Zones::described(64 * 256 * MIB, 256 * MIB, None, 0);
    for good in [
        with(request(1), |it| it.label = "x".repeat(255)),
        with(request(1), |it| it.byte_count = Some(0)),
        with(request(1), |it| it.byte_count = Some(114_294_784)),
        with(request(1), |it| it.devices[0].size = 114_294_784),
        with(request(1), |it| it.node_size = Some(0)),
        switched(request(1), &["mixed-bg"]),
        switched(request(1), &["quota", "squota", "^quota"]),
        with(request(2), |it| it.identity.device_uuids = vec![Uuid::from_u128(7)]),
        switched(request(1), &["zoned"]),
        zoned(1, &Zones { model: ZoneModel::HostAware, ..zones.clone() }),
        zoned(1, &few_zones(12)),
        Request { metadata: Some(Profile::Single), ..zoned(1, &few_zones(8)) },
        zoned(2, &Zones { max_active: 8, ..zones }),
    ] {
        if let Err(error) = plan(&good) {
            panic!("{good:?}: {error}");
        }
    }
}

/// What is planned with a warning, and which one.
#[test]
fn warnings_have_codes() {
    let zones = Zones { max_open: 8, ..Zones::described(64 * 256 * MIB, 256 * MIB, None, 0) };
    for (code, request) in [
        ("feature-dropped", switched(request(1), &["^free-space-tree"])),
        ("dup-on-many", profiles(2, Profile::Single, Profile::Dup)),
        ("dup-on-ssd", with(profiles(1, Profile::Dup, Profile::Dup), |it| it.devices[0].kind = DeviceKind::Block)),
        ("raid56", profiles(3, Profile::Raid5, Profile::Raid1)),
        ("raid56-few", profiles(2, Profile::Raid5, Profile::Raid1)),
        ("redundancy", profiles(2, Profile::Raid1, Profile::Single)),
        ("small", with(request(1), |it| it.devices[0].size = 512 * MIB)),
        ("sector-size", with(request(1), |it| it.page_size = 65536)),
        ("system-chunk", profiles(30, Profile::Single, Profile::Raid0)),
        ("system-chunk", profiles(31, Profile::Single, Profile::Raid10)),
        ("system-chunk", profiles(500, Profile::Single, Profile::Raid6)),
        ("superblock-edge", with(request(1), |it| it.devices[0].size = 256 * GIB + 4096)),
        (
            "superblock-edge",
            with(request(1), |it| {
                (it.byte_count, it.devices[0].size) = (Some(256 * GIB + 4096), 300 * GIB);
            }),
        ),
        (
            "superblock-edge",
            with(profiles(1, Profile::Single, Profile::Single), |it| it.devices[0].size = 64 * MIB + 4096),
        ),
        ("active-zones", zoned(1, &zones)),
        ("active-zones", zoned(1, &few_zones(39))),
        ("few-zones", zoned(1, &few_zones(23))),
        ("few-zones", Request { metadata: Some(Profile::Single), ..zoned(1, &few_zones(11)) }),
        ("few-zones", Request { metadata: Some(Profile::Raid1), ..zoned(2, &few_zones(11)) }),
    ] {
        let warnings = plan(&request).unwrap().warnings;
        assert!(warnings.iter().any(|warning| warning.code == code), "{code}: {warnings:?}");
    }
    for plain in [
        request(1),
        profiles(29, Profile::Single, Profile::Raid0),
        profiles(29, Profile::Single, Profile::Raid10),
        profiles(300, Profile::Single, Profile::Raid1c4),
        with(request(1), |it| it.devices[0].size = 256 * GIB),
        with(request(1), |it| it.devices[0].size = 256 * GIB + 8192),
        zoned(1, &few_zones(40)),
        zoned(1, &Zones { max_active: 10, ..few_zones(24) }),
        Request { metadata: Some(Profile::Single), ..zoned(1, &few_zones(12)) },
    ] {
        assert_eq!(plan(&plain).unwrap().warnings, [], "a plain request has none");
    }
}

/// A zoned device that has no more than these.
fn few_zones(count: u64) -> Zones {
    Zones::described(count * 256 * MIB, 256 * MIB, None, 0)
}
