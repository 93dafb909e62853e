//! Faults that other formatters had in public, each with its family; `docs/cases.md` says which is which.

// A test may fail by panicking.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

use btrfs_planner::audit::{Replay, audit_disks};
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::disk::superblock::Superblock;
use btrfs_planner::layout::ChunkKind;
use btrfs_planner::request::{DeviceFacts, Profile, Zones};
use btrfs_planner::view::{Size, summary};
use btrfs_planner::{Plan, Request, RequestError, plan};
use std::collections::BTreeSet;
use zerocopy::FromBytes;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn sized(sizes: &[u64]) -> Request {
    Request::new(sizes.iter().map(|size| DeviceFacts::described(*size)).collect(), "cases", 1_700_000_000)
}

fn codes(plan: &Plan) -> BTreeSet<&str> {
    plan.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

/// B28: mixed block groups by feature name once kept nodes of 16 KiB. Both spellings, and both at once, are the same request:
/// whatever the sector size, the node size and who gives it.
#[test]
fn mixed_block_groups_by_either_name() {
    let spellings: [(bool, &[&str]); 4] =
        [(true, &[]), (false, &["mixed-bg"]), (true, &["mixed-bg"]), (true, &["^mixed-bg", "mixed-bg"])];
    for sector_size in [None, Some(4096), Some(16384), Some(65536)] {
        for node_size in [None, Some(0), Some(4096), Some(8192), Some(16384), Some(65536)] {
            let results = spellings.map(|(mixed, names)| {
                let features = names.iter().map(|name| name.parse().unwrap()).collect();
                plan(&Request { mixed, features, sector_size, node_size, ..sized(&[GIB]) })
            });
            let sectors = sector_size.unwrap_or(4096);
            let nodes = node_size.filter(|size| *size != 0).unwrap_or(sectors);
            for result in &results {
                assert_eq!(result, &results[0], "{sector_size:?} {node_size:?}");
                match result {
                    Ok(plan) => {
                        assert_eq!((nodes, plan.filesystem.node_size), (sectors, sectors));
                        assert!(plan.chunks.iter().all(|chunk| chunk.kind != ChunkKind::Data));
                    }
                    Err(RequestError::MixedNodeSize { .. }) => assert!(nodes > sectors),
                    Err(RequestError::NodeBelowSector { .. }) => assert!(nodes < sectors),
                    Err(error) => panic!("{sector_size:?} {node_size:?}: {error}"),
                }
            }
        }
    }
}

/// B29: a small device gets advice, and never mixed block groups unasked.
#[test]
fn small_devices_get_advice() {
    for (size, small) in
        [(109 * MIB, true), (128 * MIB, true), (512 * MIB, true), (GIB - 4096, true), (GIB, false), (10 * GIB, false)]
    {
        for sizes in [vec![size], vec![size, 10 * GIB], vec![10 * GIB, 10 * GIB, size]] {
            let plan = plan(&sized(&sizes)).unwrap();
            assert_eq!(codes(&plan).contains("small"), small, "{sizes:?}");
            assert!(plan.chunks.iter().all(|chunk| chunk.kind != ChunkKind::Mixed), "{sizes:?}");
        }
    }
    let mixed = plan(&Request { mixed: true, ..sized(&[128 * MIB]) }).unwrap();
    assert!(!codes(&mixed).contains("small"), "it is what the advice says");
}

/// B30: several unlike disks without a profile: data single, metadata raid1, in any order and number.
#[test]
fn unlike_disks_by_default() {
    for sizes in [
        &[10 * GIB, 2 * GIB][..],
        &[2 * GIB, 10 * GIB],
        &[GIB, 10 * GIB, 5 * GIB],
        &[100 * GIB, GIB, GIB, 3 * GIB],
        &[256 * MIB, 256 * MIB, 10 * GIB, 20 * GIB, 4 * GIB, 4 * GIB],
    ] {
        let plan = plan(&sized(sizes)).unwrap();
        let profiles = plan.filesystem.profiles;
        assert_eq!(
            (profiles.data, profiles.metadata, profiles.system),
            (Profile::Single, Profile::Raid1, Profile::Raid1)
        );
        assert!(!codes(&plan).contains("raid56") && !codes(&plan).contains("redundancy"));
    }
    let one = plan(&sized(&[10 * GIB])).unwrap().filesystem.profiles;
    assert_eq!((one.data, one.metadata), (Profile::Single, Profile::Dup));
}

/// B31, B32: warnings of profiles, for every pair on every number of devices: each exactly where it belongs.
#[test]
fn warnings_by_profile() {
    let parity = |profile: Profile| matches!(profile, Profile::Raid5 | Profile::Raid6);
    let survives = |profile: Profile| match profile {
        Profile::Single | Profile::Dup | Profile::Raid0 => 0,
        Profile::Raid1 | Profile::Raid10 | Profile::Raid5 => 1,
        Profile::Raid1c3 | Profile::Raid6 => 2,
        Profile::Raid1c4 => 3,
    };
    for data in Profile::ALL {
        for metadata in Profile::ALL {
            for count in 1..=6_usize {
                let request = Request { data: Some(data), metadata: Some(metadata), ..sized(&vec![10 * GIB; count]) };
                let Ok(plan) = plan(&request) else { continue };
                let dup = |profile| profile == Profile::Dup && count > 1;
                let few = |profile| matches!((profile, count), (Profile::Raid5, 2) | (Profile::Raid6, 3));
                let mut expected = BTreeSet::new();
                for (code, there) in [
                    ("raid56", parity(data) || parity(metadata)),
                    ("raid56-few", few(data) || few(metadata)),
                    ("dup-on-many", dup(data) || dup(metadata)),
                    ("redundancy", survives(metadata) < survives(data)),
                ] {
                    if there {
                        expected.insert(code);
                    }
                }
                assert_eq!(codes(&plan), expected, "{data}/{metadata} on {count}");
                for (kind, profile) in [("data", data), ("metadata", metadata)] {
                    let named = format!("{kind} is {profile}: a crash can leave parity stale");
                    let said = plan.warnings.iter().any(|warning| warning.message.starts_with(&named));
                    assert_eq!(said, parity(profile), "{data}/{metadata} on {count}");
                }
                // Who is asked before a run reads the summary, and agrees to its seal.
                let text = summary(&plan);
                for warning in &plan.warnings {
                    let line = format!("warning: {} [{}]\n", warning.message, warning.code);
                    assert!(text.contains(&line), "{line} is not in\n{text}");
                }
                assert!(text.ends_with(&format!("{}\n", plan.seal)), "{text}");
            }
        }
    }
}

/// Plans of many kinds.
fn kinds() -> Vec<Plan> {
    let zones = Zones::described(64 * 256 * MIB, 256 * MIB, None, 4);
    let zoned = DeviceFacts { zones: Some(zones), ..DeviceFacts::described(64 * 256 * MIB) };
    let mut requests = vec![
        sized(&[10 * GIB]),
        sized(&[300 * GIB, 10 * GIB, GIB]),
        Request { mixed: true, ..sized(&[GIB, GIB]) },
        Request { label: "a label".into(), byte_count: Some(2 * GIB), ..sized(&[3 * GIB, 300 * GIB]) },
        Request { data: Some(Profile::Raid6), metadata: Some(Profile::Raid1c3), ..sized(&[10 * GIB; 5]) },
        Request { devices: vec![zoned; 2], ..sized(&[]) },
    ];
    requests.extend(ChecksumType::ALL.map(|checksum| Request { checksum, ..sized(&[GIB, 2 * GIB]) }));
    requests.iter().map(|request| plan(request).unwrap()).collect()
}

/// The superblock copies that a plan commits: device, place and block.
fn superblocks(plan: &Plan) -> Vec<(usize, u64, Superblock)> {
    let mut all = Vec::new();
    for (index, device) in plan.devices.iter().enumerate() {
        for write in &device.commit {
            let bytes = plan.payloads[write.payload as usize].expand().unwrap();
            assert!(plan.filesystem.checksum.holds(&bytes));
            all.push((index, write.offset.get(), Superblock::read_from_bytes(&bytes).unwrap()));
        }
    }
    all
}

/// B67: a superblock's device item once had no filesystem UUID. Every copy on every device says what is true of the
/// filesystem, of its device and of its place.
#[test]
fn superblocks_say_what_is_true() {
    for plan in kinds() {
        let blocks = superblocks(&plan);
        assert!(blocks.len() >= plan.devices.len());
        for (index, place, block) in blocks {
            let (device, filesystem) = (&plan.devices[index], &plan.filesystem);
            let item = block.dev_item;
            assert_eq!(block.fsid, filesystem.fsid.into_bytes());
            assert_eq!(item.fsid, filesystem.fsid.into_bytes());
            assert_eq!(item.uuid, device.uuid.into_bytes());
            assert_eq!((item.devid.get(), item.total_bytes.get()), (device.devid.get(), device.size));
            assert_eq!(block.num_devices.get(), plan.devices.len() as u64);
            assert_eq!(block.total_bytes.get(), plan.devices.iter().map(|device| device.size).sum::<u64>());
            let used: u64 = plan
                .chunks
                .iter()
                .flat_map(|chunk| {
                    let columns = match chunk.profile {
                        Profile::Raid6 => chunk.stripes.len() as u64 - 2,
                        _ => 1,
                    };
                    chunk.stripes.iter().map(move |stripe| (stripe.devid, chunk.length / columns))
                })
                .filter(|(devid, _)| *devid == device.devid)
                .map(|(_, length)| length)
                .sum();
            assert_eq!(item.bytes_used.get(), used);
            assert!((4096..=65536).contains(&block.nodesize.get()) && block.generation.get() > 0);
            if device.found.zones.is_none() {
                assert_eq!(block.bytenr.get(), place);
            }
        }
    }
}

/// B68: what is told is read off the finished plan, and is what its bytes make: there is no other filesystem that it could be
/// told of.
#[test]
fn the_summary_is_that_of_the_bytes() {
    for plan in kinds() {
        let text = summary(&plan);
        let again = Plan::from_json(plan.to_json().as_bytes()).unwrap();
        assert_eq!(summary(&again), text, "the document is all that it takes");
        let (_, _, block) = superblocks(&plan)[0];
        let label = String::from_utf8(block.label.iter().copied().take_while(|byte| *byte != 0).collect()).unwrap();
        let label = if label.is_empty() { "(null)".to_string() } else { label };
        for line in [
            format!("Label:              {label}"),
            format!("Node size:          {}", block.nodesize),
            format!("Filesystem size:    {}", Size(block.total_bytes.get())),
            format!("Number of devices:  {}", block.num_devices),
        ] {
            assert!(text.lines().any(|found| found == line), "{line:?} is not in\n{text}");
        }
        // A change of the plan's chunks is a change of the summary; and the audit finds that it is not true of the bytes.
        let mut other = plan.clone();
        other.chunks[0].length *= 2;
        assert_ne!(summary(&other), text);
        let report = audit_disks(&Replay::new(&plan));
        assert_eq!(report.read.blocks, plan.blocks.len() as u64, "{:?}", report.findings);
        assert!(report.is_clean());
    }
}
