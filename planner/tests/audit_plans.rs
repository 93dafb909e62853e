//! Every kind of plan that the planner makes audits clean: whole products of profiles, devices, features, sizes,
//! checksums and zones.

// A test may fail by panicking.
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::indexing_slicing, clippy::unwrap_used)]

use btrfs_planner::audit::{Report, audit_plan};
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::request::{DeviceFacts, Profile, ZoneModel, ZoneRun, ZoneState, Zones};
use btrfs_planner::{Request, plan};
use std::fmt::Write;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

const FEATURES: [&[&str]; 15] = [
    &[],
    &["^block-group-tree"],
    &["^skinny-metadata"],
    &["^free-space-tree", "^block-group-tree"],
    &["^no-holes", "^block-group-tree"],
    &["quota"],
    &["squota"],
    &["^extref", "^skinny-metadata", "^no-holes", "^free-space-tree", "^block-group-tree"],
    &["^skinny-metadata", "^block-group-tree", "quota"],
    &["raid-stripe-tree"],
    &["raid-stripe-tree", "squota", "^block-group-tree"],
    &["remap-tree"],
    &["remap-tree", "raid-stripe-tree", "quota", "^skinny-metadata"],
    &["extent-tree-v2"],
    &["extent-tree-v2", "remap-tree", "squota"],
];

/// Counts plans, and collects what their audits say.
#[derive(Default)]
struct Audits {
    clean: usize,
    refused: usize,
    said: String,
}

impl Audits {
    fn add(&mut self, name: &str, request: &Request) {
        let Ok(plan) = plan(request) else {
            self.refused += 1;
            return;
        };
        let Report { findings, errors, warnings, read } = audit_plan(&plan);
        if findings.is_empty() && errors == 0 && warnings == 0 && read.blocks == plan.blocks.len() as u64 {
            self.clean += 1;
        } else if self.said.len() < 4000 {
            writeln!(self.said, "{name}: {} of {} blocks", read.blocks, plan.blocks.len()).unwrap();
            for finding in findings.iter().take(5) {
                writeln!(self.said, "  {finding}").unwrap();
            }
        }
    }

    /// How many were clean and how many were refused by the planner; none may have said anything.
    fn end(self, clean: usize, refused: usize) {
        assert!(self.said.is_empty(), "\n{}", self.said);
        assert_eq!((self.clean, self.refused), (clean, refused), "clean and refused");
    }
}

fn request(devices: usize, size: u64) -> Request {
    Request::new(vec![DeviceFacts::described(size); devices], "audit", 1_700_000_000)
}

fn switched(mut request: Request, features: &[&str]) -> Request {
    request.features = features.iter().map(|name| name.parse().unwrap()).collect();
    request.experimental = true;
    request.global_roots = features.contains(&"extent-tree-v2").then_some(5);
    request
}

#[test]
fn every_profile_on_every_number_of_devices_with_every_node_size() {
    let mut audits = Audits::default();
    for devices in [1, 2, 3, 4, 5, 7] {
        for metadata in Profile::ALL {
            for data in Profile::ALL {
                for node_size in [4096, 16384, 65536] {
                    let mut request = request(devices, 3 * GIB);
                    (request.data, request.metadata) = (Some(data), Some(metadata));
                    request.node_size = Some(node_size);
                    audits.add(&format!("{devices} x {metadata}/{data} {node_size}"), &request);
                }
            }
        }
    }
    audits.end(1056, 402);
}

#[test]
fn every_set_of_features_with_every_checksum_sector_and_node_size() {
    let mut audits = Audits::default();
    for features in FEATURES {
        for checksum in ChecksumType::ALL {
            for sector_size in [4096, 16384, 65536] {
                for node_size in [4096, 8192, 16384, 32768, 65536] {
                    for (devices, metadata) in [(1, Profile::Dup), (3, Profile::Raid5), (4, Profile::Raid10)] {
                        let mut request = switched(request(devices, 2 * GIB), features);
                        request.checksum = checksum;
                        (request.sector_size, request.node_size) = (Some(sector_size), Some(node_size));
                        request.metadata = Some(metadata);
                        let name = format!("{features:?} {checksum} {sector_size} {node_size} {metadata}");
                        audits.add(&name, &request);
                    }
                }
            }
        }
    }
    audits.end(1620, 1080);
}

#[test]
fn mixed_block_groups() {
    let mut audits = Audits::default();
    for devices in 1..=4 {
        for profile in Profile::ALL {
            for (sector_size, size) in [(4096, 64 * MIB), (4096, GIB), (16384, 3 * GIB)] {
                for features in [&[][..], &["^block-group-tree"], &["^free-space-tree", "^block-group-tree"]] {
                    let mut request = switched(request(devices, size), features);
                    request.mixed = true;
                    (request.data, request.metadata) = (Some(profile), Some(profile));
                    request.sector_size = Some(sector_size);
                    audits.add(&format!("mixed {devices} x {profile} {sector_size} {size} {features:?}"), &request);
                }
            }
        }
    }
    audits.end(168, 156);
}

/// Around the places of superblock copies, around the smallest sizes, and far away.
#[test]
fn sizes_of_devices() {
    let mut audits = Audits::default();
    let sizes = [109 * MIB, 110 * MIB, 128 * MIB, 256 * MIB, GIB, 51 * GIB, 256 * GIB, 256 * GIB + 4096, 7 << 60];
    for size in sizes {
        for (devices, metadata) in [(1, Profile::Single), (1, Profile::Dup), (2, Profile::Raid1), (3, Profile::Raid0)] {
            for whole in [true, false] {
                let mut request = request(devices, size + 8192);
                request.metadata = Some(metadata);
                request.byte_count = (!whole).then_some(size);
                audits.add(&format!("{size} x {devices} {metadata} {whole}"), &request);
            }
        }
    }
    for sizes in [&[GIB, 10 * GIB, 5 * GIB][..], &[300 * MIB, 10 * GIB, 10 * GIB, 10 * GIB]] {
        for profile in Profile::ALL {
            let mut request = request(1, 0);
            request.devices = sizes.iter().map(|size| DeviceFacts::described(*size)).collect();
            (request.data, request.metadata) = (Some(profile), Some(profile));
            audits.add(&format!("{sizes:?} {profile}"), &request);
        }
    }
    audits.end(86, 4);
}

#[test]
fn zoned_devices() {
    let mut audits = Audits::default();
    let run = ZoneRun::new;
    for zone_size in [4 * MIB, 256 * MIB] {
        let reports: [&[ZoneRun]; 5] = [
            &[run(200, ZoneState::Empty)],
            &[run(10, ZoneState::Conventional), run(190, ZoneState::Full)],
            &[run(1, ZoneState::Conventional), run(199, ZoneState::Empty)],
            &[ZoneRun { capacity: Some(zone_size / 4 * 3), ..run(200, ZoneState::Empty) }],
            &[
                run(60, ZoneState::Empty),
                run(2, ZoneState::Offline),
                run(3, ZoneState::ReadOnly),
                run(135, ZoneState::Full),
            ],
        ];
        for runs in reports {
            for (devices, metadata) in [
                (1, Profile::Single),
                (1, Profile::Dup),
                (2, Profile::Raid1),
                (4, Profile::Raid10),
                (2, Profile::Raid0),
            ] {
                let zones = Zones {
                    max_active: 0,
                    max_open: 0,
                    model: ZoneModel::HostManaged,
                    runs: runs.to_vec(),
                    size: zone_size,
                };
                let device = DeviceFacts { zones: Some(zones), ..DeviceFacts::described(200 * zone_size) };
                let mut request = Request { devices: vec![device; devices], ..request(1, 0) };
                request.metadata = Some(metadata);
                audits.add(&format!("zoned {zone_size} {runs:?} {devices} {metadata}"), &request);
            }
        }
    }
    for devices in [1, 2] {
        audits.add("emulated", &switched(request(devices, 20 * GIB), &["zoned"]));
    }
    audits.end(52, 0);
}

/// Trees of two levels and chunks of many stripes.
#[test]
fn a_thousand_devices() {
    let mut audits = Audits::default();
    for profile in [Profile::Raid0, Profile::Raid1, Profile::Raid10, Profile::Raid6] {
        for node_size in [4096, 16384] {
            let mut request = request(1000, 10 * GIB);
            (request.data, request.metadata) = (Some(profile), Some(profile));
            request.node_size = Some(node_size);
            audits.add(&format!("1000 x {profile} {node_size}"), &request);
        }
    }
    audits.end(8, 0);
}
