//! The smallest devices: what is said to be the minimum can be planned, a sector less cannot, and nothing above it fails.

// A test may fail by panicking.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

use btrfs_planner::audit::audit_plan;
use btrfs_planner::request::{DeviceFacts, Profile, RequestError, Zones};
use btrfs_planner::view::MinimumView;
use btrfs_planner::{Request, plan};

const MIB: u64 = 1 << 20;

fn request(devices: u64, data: Profile, metadata: Profile) -> Request {
    let devices = (0..devices).map(|_| DeviceFacts::described(0)).collect();
    Request { data: Some(data), metadata: Some(metadata), ..Request::new(devices, "minimum", 0) }
}

fn sized(request: &Request, size: u64) -> Request {
    let mut request = request.clone();
    for device in &mut request.devices {
        device.size = size;
        device.zones = device.zones.as_ref().map(|zones| Zones::described(size, zones.size, None, 0));
    }
    request
}

/// The minimum of a request, tried.
fn tried(request: &Request, what: &str) -> MinimumView {
    let view = MinimumView::of(request).unwrap_or_else(|error| panic!("{what}: {error}"));
    let unit = view.zone_size.unwrap_or(u64::from(request.sector_size.unwrap_or(4096)));
    let minimum = view.device_size;
    assert_eq!(view.total, minimum * view.devices, "{what}");
    let small = plan(&sized(request, minimum - unit)).unwrap_err();
    assert!(
        matches!(small, RequestError::DeviceTooSmall { .. } | RequestError::NoSpace { .. }),
        "{what}: {minimum} less {unit}: {small}"
    );
    assert!(plan(&sized(request, minimum - 1)).is_err(), "{what}");
    for size in [
        minimum,
        minimum + 1,
        minimum + unit,
        minimum + MIB,
        minimum + 65536,
        minimum * 3 / 2,
        minimum * 2,
        minimum * 11,
    ] {
        let plan =
            plan(&sized(request, size)).unwrap_or_else(|error| panic!("{what}: {size} of at least {minimum}: {error}"));
        assert_eq!(plan.devices[0].size, size / unit * unit, "{what}");
        let report = audit_plan(&plan);
        assert!(report.is_clean(), "{what}: {size}: {:?}", report.findings);
    }
    view
}

/// The minima that mkfs.btrfs names, where they are enough.
#[test]
fn known_minima() {
    use Profile::{Dup, Raid0, Raid1, Raid5, Single};
    for (devices, data, metadata, size) in [
        (1, Single, Dup, 114_294_784),
        (1, Single, Single, 47_185_920),
        (1, Dup, Dup, 240_123_904),
        (2, Single, Raid1, 72_351_744),
        (2, Raid0, Raid0, 131_072_000),
        (3, Raid5, Raid5, 131_072_000),
    ] {
        let view = tried(&request(devices, data, metadata), &format!("{data}/{metadata}"));
        assert_eq!(view.device_size, size, "{data}/{metadata}");
        assert_eq!(view.view, "minimum");
    }
    let mixed = Request { mixed: true, ..request(1, Single, Single) };
    assert_eq!(tried(&mixed, "mixed").device_size, 16 * MIB);
}

/// Whatever the profiles, node sizes and numbers of devices.
#[test]
fn every_pair_of_profiles() {
    for data in Profile::ALL {
        for metadata in Profile::ALL {
            let fewest = data.traits().min_devices.max(metadata.traits().min_devices);
            for devices in [fewest, fewest + 1, fewest + 4] {
                for node_size in [4096, 16384, 65536] {
                    let what = format!("{data}/{metadata} on {devices}, nodes of {node_size}");
                    tried(&Request { node_size: Some(node_size), ..request(devices, data, metadata) }, &what);
                }
            }
        }
    }
}

/// Mixed block groups, whose minimum in mkfs.btrfs is too small for copies.
#[test]
fn mixed_block_groups() {
    for profile in Profile::ALL {
        for sector_size in [4096, 16384, 65536] {
            let devices = profile.traits().min_devices;
            let mut request = request(devices, profile, profile);
            (request.mixed, request.sector_size) = (true, Some(sector_size));
            let view = tried(&request, &format!("mixed {profile} {sector_size}"));
            assert!(view.mixed);
        }
    }
}

/// Zones, emulated and real ones.
#[test]
fn zoned_devices() {
    for zone_size in [4 * MIB, 256 * MIB, 8 << 30] {
        for real in [false, true] {
            for (data, metadata) in [
                (Profile::Single, Profile::Single),
                (Profile::Single, Profile::Dup),
                (Profile::Single, Profile::Raid1),
                (Profile::Dup, Profile::Dup),
                (Profile::Raid0, Profile::Raid10),
                (Profile::Raid1c4, Profile::Raid1c4),
            ] {
                let fewest = data.traits().min_devices.max(metadata.traits().min_devices);
                let mut request = request(fewest, data, metadata);
                request.experimental = true;
                request.features = vec!["zoned".parse().unwrap()];
                if real {
                    let zones = Zones::described(0, zone_size, None, 0);
                    request.devices.iter_mut().for_each(|device| device.zones = Some(zones.clone()));
                } else {
                    request.emulated_zone_size = Some(zone_size);
                }
                let view = tried(&request, &format!("{data}/{metadata} zones of {zone_size}, real: {real}"));
                assert_eq!(view.zone_size, Some(zone_size));
                assert_eq!(view.zones.unwrap() * zone_size, view.device_size);
            }
        }
    }
}

/// What no size can help is said as what it is.
#[test]
fn no_minimum_for_what_cannot_be() {
    let error = MinimumView::of(&request(1, Profile::Raid1, Profile::Single)).unwrap_err();
    assert!(matches!(error, RequestError::TooFewDevices { .. }), "{error}");
    let error = MinimumView::of(&request(0, Profile::Single, Profile::Single)).unwrap_err();
    assert!(matches!(error, RequestError::NoDevice), "{error}");
}
