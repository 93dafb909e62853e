//! The summary: what a plan will make, and what it will do to every device.

mod known;

pub use known::summary_of_mkfs;

use super::Size;
use super::escape::escaped;
use crate::plan::{ByteRange, Device, Plan};
use crate::request::{ZoneState, Zones};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// A plan in a screenful of text. Every line ends with a line break.
#[must_use]
pub fn summary(plan: &Plan) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_summary(&mut text, plan);
    text
}

fn write_summary(text: &mut String, plan: &Plan) -> core::fmt::Result {
    known::filesystem(text, plan)?;
    known::features(text, plan)?;
    writeln!(text, "Needs:              {}", plan.filesystem.requires)?;
    known::checksum(text, plan)?;
    known::devices(text, plan)?;
    for device in &plan.devices {
        if let Some(zones) = &device.found.zones {
            writeln!(text, "{}", zone_line(device, zones))?;
        }
    }
    writeln!(text, "What will be done:")?;
    for device in &plan.devices {
        writeln!(text, "{:>5}  {}", device.devid, steps(plan, device))?;
    }
    let discard = plan.statistics.discard;
    writeln!(
        text,
        "Discard requests:   {} planned; {} hole by hole, {} merged, {} bridged",
        plan.devices.iter().fold(0_usize, |sum, device| sum.saturating_add(device.discard.len())),
        discard.hole_by_hole,
        discard.merged,
        discard.bridged,
    )?;
    let statistics = plan.statistics;
    if plan.devices.iter().any(|device| device.found.zones.is_some()) {
        let resets = statistics.zone_resets;
        writeln!(text, "Zone resets:        {} planned; {} zone by zone", resets.ranges, resets.zone_by_zone)?;
    }
    writeln!(text, "To be written:      {} in {} writes", Size(statistics.bytes_written), statistics.writes)?;
    for warning in &plan.warnings {
        writeln!(text, "warning: {} [{}]", escaped(&warning.message), escaped(&warning.code))?;
    }
    writeln!(text, "Seal:               {}", plan.seal)
}

/// What zones a device has.
fn zone_line(device: &Device, zones: &Zones) -> String {
    // A plan that could be read has no more zones than a number can count.
    let count = |which: fn(ZoneState) -> bool| zones.count_of(which).unwrap_or(u64::MAX);
    alloc::format!(
        "Zones of device {}:  {} of {}: {} conventional, {} sequential, {} not empty, {} unusable",
        device.devid,
        count(|_| true),
        Size(zones.size),
        count(|state| state == ZoneState::Conventional),
        count(|state| state != ZoneState::Conventional),
        count(ZoneState::needs_reset),
        count(|state| !state.usable()),
    )
}

/// What happens to a device, in order.
fn steps(plan: &Plan, device: &Device) -> String {
    let mut steps: Vec<String> = Vec::new();
    if !device.wipe.is_empty() {
        let kinds: Vec<&str> = device.found.signatures.iter().map(|signature| signature.kind.as_str()).collect();
        steps.push(alloc::format!("wipe {} ({})", bytes(&device.wipe), escaped(&kinds.join(", "))));
    }
    if !device.discard.is_empty() {
        steps.push(alloc::format!("discard {}", bytes(&device.discard)));
    }
    if !device.reset_zones.is_empty() {
        steps.push(alloc::format!("reset zones of {}", bytes(&device.reset_zones)));
    }
    if !device.zero.is_empty() {
        steps.push(alloc::format!("make {} zero", bytes(&device.zero)));
    }
    if !device.writes.is_empty() {
        let written = device.writes.iter().filter_map(|write| {
            let payload = usize::try_from(write.payload).ok().and_then(|index| plan.payloads.get(index));
            payload.map(|payload| payload.length)
        });
        steps.push(alloc::format!("write {}", Size(written.fold(0, u64::saturating_add))));
    }
    steps.push(alloc::format!("commit {} superblocks", device.commit.len()));
    steps.join(", ")
}

fn bytes(ranges: &[ByteRange]) -> Size {
    Size(ranges.iter().fold(0, |sum, range| sum.saturating_add(range.length)))
}
