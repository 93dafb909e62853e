//! Sizes far from the usual: nothing wraps, nothing grows with the device, and people see what they get.

// A test may fail by panicking.
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::indexing_slicing, clippy::unwrap_used)]

use btrfs_planner::audit::audit_plan;
use btrfs_planner::layout::ChunkKind;
use btrfs_planner::request::{DeviceFacts, Profile, ZoneRun, ZoneState, Zones};
use btrfs_planner::view::summary;
use btrfs_planner::{Plan, Request, plan};

const TIB: u64 = 1 << 40;
const EIB: u64 = 1 << 60;
/// The last byte that a kernel can address on a device.
const LARGEST: u64 = (1 << 63) - 1;

fn request(sizes: &[u64]) -> Request {
    Request::new(sizes.iter().map(|size| DeviceFacts::described(*size)).collect(), "extremes", 0)
}

/// 129 TiB once became 1 TiB, and 20 GiB too small, by numbers of 32 bits. Around every power of two there is one more such
/// number: sizes just below, at and above it are what they were asked to be.
#[test]
fn a_filesystem_is_as_large_as_its_devices() {
    let whole = |size: u64| size / 4096 * 4096;
    let mut sizes =
        vec![vec![20 << 30], vec![129 * TIB], vec![7 * EIB], vec![LARGEST], vec![5 * EIB, 5 * EIB, 5 * EIB]];
    for shift in 27..63 {
        sizes.extend([(1 << shift) - 1, 1 << shift, (1 << shift) + 1, (1 << shift) + 4096].map(|size| vec![size]));
    }
    sizes.extend([LARGEST, LARGEST - 4095, LARGEST - 4096].map(|size| vec![size, size]));
    for sizes in &sizes {
        let plan = plan(&request(sizes)).unwrap();
        assert_eq!(plan.filesystem.total_size, sizes.iter().map(|size| whole(*size)).sum::<u64>(), "{sizes:?}");
        assert!(plan.devices.iter().zip(sizes).all(|(device, size)| device.size == whole(*size)));
        let report = audit_plan(&plan);
        assert!(report.is_clean(), "{sizes:?}: {:?}", report.findings);
    }
    // The same by a byte count, on devices that are larger.
    for byte_count in [129 * TIB, 20 << 30, 7 * EIB + 4096] {
        let plan = plan(&Request { byte_count: Some(byte_count), ..request(&[LARGEST, LARGEST]) }).unwrap();
        assert_eq!(plan.filesystem.total_size, 2 * byte_count);
    }
}

/// Superblock copies are there as soon as the device has room for all of one.
#[test]
fn superblock_copies_by_size() {
    let places = |size: u64, features: &[&str]| {
        let mut request = request(&[size]);
        request.metadata = Some(Profile::Single);
        request.features = features.iter().map(|name| name.parse().unwrap()).collect();
        let plan = plan(&request).unwrap();
        assert!(audit_plan(&plan).is_clean(), "{size}");
        plan.devices[0].commit.iter().map(|write| write.offset.get()).collect::<Vec<_>>()
    };
    let [first, second, third] = [64 << 10, 64 << 20, 256 << 30];
    for (size, expected) in [
        (second - 4096, &[first][..]),
        (second, &[first]),
        (second + 4095, &[first]),
        (second + 4096, &[second, first]),
        (second + 4097, &[second, first]),
        (third, &[second, first]),
        (third + 4095, &[second, first]),
        (third + 4096, &[third, second, first]),
        (third + 8192, &[third, second, first]),
        (LARGEST, &[third, second, first]),
    ] {
        assert_eq!(places(size, &[]), expected, "{size}");
    }
}

/// A chunk takes as many devices as its item has room for: in a leaf for all but system chunks, whose items must fit into
/// the superblock, two of them at a time.
#[test]
fn stripes_by_devices_and_node_size() {
    const SYSTEM: u64 = 58;
    for (node_size, limit) in [(4096, 122), (8192, 250), (16384, 506), (32768, 1018), (65536, 2042)] {
        for count in [1, 2, 3, 57, 58, 59, 60, limit - 1, limit, limit + 1] {
            for profile in [Profile::Raid0, Profile::Raid10, Profile::Raid5, Profile::Raid6] {
                let traits = profile.traits();
                if count < traits.min_devices {
                    continue;
                }
                let mut request = request(&vec![10 << 30; usize::try_from(count).unwrap()]);
                request.node_size = Some(node_size);
                (request.data, request.metadata) = (Some(profile), Some(profile));
                let plan = plan(&request).unwrap();
                let what = format!("{count} x {profile}, nodes of {node_size}");
                for chunk in &plan.chunks {
                    let most = if chunk.kind == ChunkKind::System { SYSTEM } else { limit };
                    let expected = count.min(most) / traits.stripe_multiple * traits.stripe_multiple;
                    assert_eq!(chunk.stripes.len() as u64, expected, "{what}: {}", chunk.kind);
                }
                if count == limit + 1 || count == 59 {
                    let report = audit_plan(&plan);
                    assert!(report.is_clean(), "{what}: {:?}", report.findings);
                }
            }
        }
    }
}

/// A document of integers past 2^53 reads as it was written.
#[test]
fn a_plan_is_no_larger_for_a_larger_device() {
    for size in [10 << 30, 7 * EIB] {
        let text = plan(&request(&[size])).unwrap().to_json();
        assert!(text.len() < 40 << 10, "{} bytes for {size}", text.len());
        assert_eq!(Plan::from_json(text.as_bytes()).unwrap().to_json(), text);
    }
}

/// As many devices as anybody has; chunks take as many of them as the format can name.
#[test]
fn thousands_of_devices() {
    let mut many = request(&vec![10 << 30; 3000]);
    many.metadata = Some(Profile::Raid10);
    many.data = Some(Profile::Raid0);
    let plan = plan(&many).unwrap();
    let stripes: Vec<usize> = plan.chunks.iter().map(|chunk| chunk.stripes.len()).collect();
    assert_eq!(stripes, [58, 506, 506], "system, metadata and data chunk");
}

/// The summary counts zones by what is done with them.
#[test]
fn the_summary_counts_zones() {
    let zone_size = 256 << 20;
    let runs = [
        ZoneRun::new(4, ZoneState::Conventional),
        ZoneRun::new(20, ZoneState::Full),
        ZoneRun::new(39, ZoneState::Empty),
        ZoneRun::new(1, ZoneState::Offline),
    ];
    let zones = Zones { runs: runs.into(), ..Zones::described(zone_size, zone_size, None, 0) };
    let device = DeviceFacts { zones: Some(zones), ..DeviceFacts::described(64 * zone_size) };
    let text = summary(&plan(&Request::new(vec![device], "zones", 0)).unwrap());
    for line in [
        "Zones of device 1:  64 of 256.00MiB: 4 conventional, 60 sequential, 20 not empty, 1 unusable",
        "Zone resets:        1 planned; 20 zone by zone",
    ] {
        assert!(text.lines().any(|found| found == line), "{line:?} is not in\n{text}");
    }
}

/// Text from a device or a plan cannot pretend to be lines of the summary.
#[test]
fn the_summary_escapes_what_it_was_given() {
    let mut request = request(&[10 << 30]);
    request.devices[0].path = Some("/dev/\u{1b}[2Jsdb\nSeal: forged".into());
    let text = summary(&plan(&request).unwrap());
    assert!(text.chars().all(|character| !character.is_control() || "\n\t".contains(character)));
    assert!(!text.lines().any(|line| line.starts_with("Seal: forged")));
}

/// A reader refuses payloads that stand for more than 16 MiB and 64 times their document. Those of real plans stay far
/// below: nodes as large and as empty as they can be, rows of parity, and as many devices as a chunk takes.
#[test]
fn no_plan_comes_near_to_the_bound_of_its_payloads() {
    for node_size in [4096, 65536] {
        for count in [1, 3, 4, 100, 1000, 2042] {
            for profile in Profile::ALL {
                if count < profile.traits().min_devices || count == 2042 && node_size == 4096 {
                    continue;
                }
                let mut request = request(&vec![10 << 30; usize::try_from(count).unwrap()]);
                request.node_size = Some(node_size);
                (request.data, request.metadata) = (Some(profile), Some(profile));
                let plan = plan(&request).unwrap();
                let text = plan.to_json();
                let what = format!("{count} x {profile}, nodes of {node_size}");
                assert_eq!(Plan::from_json(text.as_bytes()).as_ref(), Ok(&plan), "{what}");
                let bytes: u64 = plan.payloads.iter().map(|payload| payload.length).sum();
                let most = (64 * text.len() as u64).max(16 << 20);
                assert!(bytes * 8 <= most, "{what}: {bytes} bytes in a document of {}", text.len());
            }
        }
    }
}
