//! What is done with bytes that anybody may have written: for `cargo fuzz`, and for the suite that replays its corpus.
//!
//! Bytes are taken as they are, or as changes to something good, which goes deeper: no mutation of bytes finds a seal. A
//! failure is a panic; hanging and using up memory are for the caller to notice.

mod disks;
mod edits;

use btrfs_executor::bind::Target;
use btrfs_executor::device::SimulatedDevice;
use btrfs_executor::probe::{ReportedZone, runs_of_report};
use btrfs_executor::run::{Cancel, Options, Silent, run};
use btrfs_planner::audit::{Severity, audit_disks, audit_plan};
use btrfs_planner::request::{DeviceFacts, Profile, Zones};
use btrfs_planner::{Plan, Request, view};
use edits::Edits;
use serde_json::Value;
use std::sync::LazyLock;

const MIB: u64 = 1 << 20;

/// Plans that are small, one of each shape.
fn good_plans() -> &'static [Value] {
    static PLANS: LazyLock<Vec<Value>> = LazyLock::new(|| {
        let plans = good_requests().into_iter().filter_map(|request| btrfs_planner::plan(&request).ok());
        plans.filter_map(|plan| serde_json::to_value(&plan).ok()).collect()
    });
    &PLANS
}

/// Requests of every shape, the last one of them zoned.
fn good_requests() -> Vec<Request> {
    let plain = |count: usize| vec![DeviceFacts::described(256 * MIB); count];
    let with = |devices, data, metadata| Request {
        data: Some(data),
        metadata: Some(metadata),
        ..Request::new(devices, "fuzz", 1)
    };
    let zones = Zones::described(256 * MIB, 4 * MIB, Some(3 * MIB), 3);
    let zoned = DeviceFacts { zones: Some(zones), ..DeviceFacts::described(256 * MIB) };
    vec![
        with(plain(1), Profile::Single, Profile::Dup),
        with(plain(2), Profile::Raid0, Profile::Raid1),
        with(plain(3), Profile::Raid5, Profile::Raid5),
        with(vec![zoned], Profile::Single, Profile::Dup),
    ]
}

/// A plan: read, looked at, audited, and run on devices in memory.
pub fn plan(data: &[u8]) {
    let Some((mode, rest)) = data.split_first() else { return };
    let plans = good_plans();
    match usize::from(*mode).checked_sub(1).and_then(|index| plans.get(index)) {
        None => drop(Plan::from_json(rest)),
        Some(good) => {
            let mut document = good.clone();
            Edits(rest).apply(&mut document);
            let Ok(mut plan) = serde_json::from_value::<Plan>(document) else { return };
            plan.seal = plan.expected_seal();
            let Ok(plan) = Plan::from_json(plan.to_json().as_bytes()) else { return };
            use_plan(&plan);
        }
    }
}

/// Does everything with a plan that programs do.
fn use_plan(plan: &Plan) {
    drop(view::summary(plan));
    drop(audit_plan(plan));
    // What a sound plan says may be as large as a device, and then takes as long.
    let ranges = plan.devices.iter().flat_map(|device| device.wipe.iter().chain(&device.zero));
    let long = ranges.map(|range| range.length).fold(0, u64::saturating_add) > 64 * MIB;
    let resets = plan.devices.iter().flat_map(|device| &device.reset_zones).any(|range| range.length > 1 << 40);
    let zones = plan.devices.iter().filter_map(|device| device.found.zones.as_ref());
    let many = zones.flat_map(|zones| &zones.runs).map(|run| run.count).fold(0, u64::saturating_add) > 1 << 16;
    if long || resets || many {
        return;
    }
    let target = |device: &btrfs_planner::plan::Device| {
        let simulated = SimulatedDevice::new(device.found.size).with_sector(device.found.logical_sector);
        let simulated = match &device.found.zones {
            Some(zones) if zones.size > 0 => simulated.with_zones(zones),
            _ => simulated,
        };
        Target { name: "memory".to_owned(), device: Box::new(simulated) }
    };
    let targets: Vec<Target> = plan.devices.iter().map(target).collect();
    let options = Options { verify: true, jobs: std::num::NonZeroUsize::new(1) };
    drop(run(plan, &targets, &options, &Cancel::new(), &Silent));
}

/// A compressed plan.
pub fn compressed_plan(data: &[u8]) {
    if let Ok(document) = btrfs_executor::document::unpacked(data) {
        // A document is as large as what it came in allows.
        assert!(document.len() as u64 <= btrfs_executor::document::most_unpacked(data.len() as u64));
        drop(Plan::from_json(&document));
    }
}

/// A request: read, and planned for as far as that is possible. What is planned is sound.
pub fn request(data: &[u8]) {
    let Some((mode, rest)) = data.split_first() else { return };
    let requests = good_requests();
    let request = match usize::from(*mode).checked_sub(1).and_then(|index| requests.get(index)) {
        None => Request::from_json(rest).ok(),
        Some(good) => serde_json::to_value(good).ok().and_then(|mut document| {
            Edits(rest).apply(&mut document);
            Request::from_json(document.to_string().as_bytes()).ok()
        }),
    };
    if let Some(request) = request {
        planned(&request);
    }
}

fn planned(request: &Request) {
    let Ok(plan) = btrfs_planner::plan(request) else { return };
    assert_eq!(plan.check(), Ok(()));
    assert_eq!(Plan::from_json(plan.to_json().as_bytes()).as_ref(), Ok(&plan));
    let report = audit_plan(&plan);
    let findings: Vec<_> = report.findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
    assert!(findings.is_empty(), "{findings:?}");
}

/// Disks with a filesystem on them that was damaged.
pub fn disks(data: &[u8]) {
    if let Some(disks) = disks::damaged(data) {
        drop(audit_disks(&disks));
    }
}

/// A zone report, as a driver gives it; and a plan for such a device, if there can be one.
pub fn zone_report(data: &[u8]) {
    let Some((head, rest)) = data.split_at_checked(2) else { return };
    let size = 1_u64 << (head[0] % 64);
    let mut start = 0_u64;
    let zones = rest.chunks_exact(5).map(|zone| {
        // Mostly where the next zone belongs, and of the right length; sometimes anything.
        let odd = |byte: u8, usual: u64| if byte & 0xc0 == 0xc0 { usual.wrapping_mul(u64::from(byte)) } else { usual };
        let begin = odd(zone[0], start);
        let length = odd(zone[1], size);
        start = begin.wrapping_add(length);
        ReportedZone {
            start: begin,
            length,
            capacity: (length / 64).wrapping_mul(u64::from(zone[2] % 80)),
            write_pointer: begin.wrapping_add(u64::from(zone[3]) << (zone[0] % 32)),
            kind: zone[4] & 3,
            condition: zone[4] >> 4,
        }
    });
    let Ok(runs) = runs_of_report(size, zones) else { return };
    let count = runs.iter().map(|run| run.count).fold(0, u64::saturating_add);
    let Some(device) = count.checked_mul(size) else { return };
    let zones = Zones { runs, max_active: u32::from(head[1]), ..Zones::described(0, size, None, 0) };
    let facts = DeviceFacts { zones: Some(zones), ..DeviceFacts::described(device) };
    planned(&Request { force: true, ..Request::new(vec![facts], "zones", 1) });
}
