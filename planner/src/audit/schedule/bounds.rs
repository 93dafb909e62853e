//! How far a device may be touched, and how much of it the filesystem takes.

use super::at;
use super::slot::Slot;
use crate::audit::{Code, Findings};
use crate::plan::Plan;
use alloc::format;

pub(super) fn check(plan: &Plan, slot: &Slot<'_>, findings: &mut Findings) {
    let device = slot.device;
    let unit = match (&slot.zones, &device.found.zones) {
        (Some(_), Some(zones)) => zones.size,
        _ => u64::from(plan.filesystem.sector_size),
    };
    if device.size.checked_rem(unit) != Some(0) {
        let expected = format!("a size in units of {unit} bytes");
        findings.add(Code::ScheduleSize, at(slot, device.size), expected, device.size);
    }
    // Either the whole device may be touched, or what a byte count leaves of it.
    if device.limit != device.size && device.limit != slot.end().max(device.size) {
        let expected = format!("{} or {}", device.size, slot.end());
        findings.add(Code::ScheduleLimit, at(slot, device.limit), expected, device.limit);
    }
}
