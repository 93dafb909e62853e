//! Sizes far from the usual: nothing wraps, nothing grows with the device, and people see what they get.

// A test may fail by panicking.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used)]

use btrfs_planner::request::{DeviceFacts, Profile, ZoneRun, ZoneState, Zones};
use btrfs_planner::view::summary;
use btrfs_planner::{Plan, Request, plan};

const TIB: u64 = 1 << 40;
const EIB: u64 = 1 << 60;

fn request(sizes: &[u64]) -> Request {
    Request::new(sizes.iter().map(|size| DeviceFacts::described(*size)).collect(), "extremes", 0)
}

/// 129 TiB once became 1 TiB, and 20 GiB too small, by numbers of 32 bits.
#[test]
fn a_filesystem_is_as_large_as_its_devices() {
    for sizes in [&[20 << 30][..], &[129 * TIB], &[7 * EIB], &[u64::MAX - 0xf_ffff], &[5 * EIB, 5 * EIB, 5 * EIB]] {
        let plan = plan(&request(sizes)).unwrap();
        assert_eq!(plan.filesystem.total_size, sizes.iter().sum::<u64>());
        assert!(plan.devices.iter().zip(sizes).all(|(device, size)| device.size == *size));
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
