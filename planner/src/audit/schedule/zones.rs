//! Zones: what is reset, and that what is sequential is written in sequence.

use super::slot::Slot;
use super::spans::Spans;
use super::{at, signatures};
use crate::audit::{Code, Findings};
use crate::plan::{ZoneState, Zones};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

/// Neighbouring zones that are alike, with their place on the device.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlacedRun {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) state: ZoneState,
    pub(super) capacity: u64,
}

/// The runs of a report with their places. Those beyond 64 bits have none.
pub(super) fn placed(zones: &Zones) -> Vec<PlacedRun> {
    let mut start = 0_u64;
    let place = |run: &crate::plan::ZoneRun| {
        let end = start.saturating_add(run.count.saturating_mul(zones.size));
        let capacity = run.capacity.unwrap_or(zones.size);
        PlacedRun { start: core::mem::replace(&mut start, end), end, state: run.state, capacity }
    };
    zones.runs.iter().map(place).collect()
}

/// The zones in states that `which` picks.
pub(super) fn spans(runs: &[PlacedRun], which: impl Fn(ZoneState) -> bool) -> Spans {
    Spans::of(runs.iter().filter(|run| which(run.state)).map(|run| (run.start, run.end)))
}

/// The run that a byte lies in.
pub(super) fn run_at(runs: &[PlacedRun], offset: u64) -> Option<PlacedRun> {
    let behind = runs.partition_point(|run| run.start <= offset);
    runs.get(behind.checked_sub(1)?).copied().filter(|run| offset < run.end)
}

/// Something is in it that must go before it can be written from its start.
pub(super) const fn dirty(state: ZoneState) -> bool {
    matches!(state, ZoneState::Open | ZoneState::Closed | ZoneState::Full)
}

const fn dead(state: ZoneState) -> bool {
    matches!(state, ZoneState::ReadOnly | ZoneState::Offline)
}

pub(super) fn check(slot: &Slot<'_>, findings: &mut Findings) {
    let device = slot.device;
    let (Some(runs), Some(zones)) = (&slot.zones, &device.found.zones) else {
        if let Some(range) = device.reset_zones.first() {
            findings.add(
                Code::ResetNoZones,
                at(slot, range.start),
                "no reset, since nothing is sequential here",
                range.length,
            );
        }
        return;
    };
    check_report(slot, runs, zones, findings);
    check_resets(slot, runs, zones, findings);
    let sequential = spans(runs, |state| state != ZoneState::Conventional);
    for (list, ranges) in [("wipe", &device.wipe), ("discard", &device.discard), ("zero", &device.zero)] {
        let reset_first = if list == "wipe" { signatures::zones_to_wipe(slot) } else { Spans::default() };
        if let Some((start, end)) = Spans::listed(ranges).within(&sequential).without(&reset_first).first() {
            let found = format!("`{list}` of {} bytes", end.saturating_sub(start));
            findings.add(Code::ZoneRandom, at(slot, start), "only writes and resets in a sequential zone", found);
        }
    }
    check_writes(slot, runs, zones, &sequential, findings);
}

/// Whether there is a zone for every byte, of a size and capacity that zones can have.
fn check_report(slot: &Slot<'_>, runs: &[PlacedRun], zones: &Zones, findings: &mut Findings) {
    let size = slot.device.found.size;
    let end = runs.last().map_or(0, |run| run.end);
    let whole = size.saturating_sub(size.checked_rem(zones.size).unwrap_or(0));
    let covers = end == whole || (end > size && end.saturating_sub(size) < zones.size);
    let capacity = runs.iter().find(|run| run.capacity > zones.size || run.start == run.end);
    if !zones.size.is_power_of_two() || !covers || capacity.is_some() {
        let expected = format!("zones for {size} bytes, of a size that is a power of two, none empty or above it");
        let found = format!("{end} bytes in zones of {}", zones.size);
        findings.add(Code::ZoneReport, at(slot, capacity.map_or(end, |run| run.start)), expected, found);
    }
}

fn check_resets(slot: &Slot<'_>, runs: &[PlacedRun], zones: &Zones, findings: &mut Findings) {
    let device = slot.device;
    let below = Spans::one(0, device.limit);
    let reset = Spans::listed(&device.reset_zones);
    let missing = spans(runs, dirty).within(&below).without(&reset);
    if let Some((start, end)) = missing.first() {
        let found = format!("{} bytes of zones that stay written", end.saturating_sub(start));
        findings.add(Code::ResetMissing, at(slot, start), "a reset of every zone that is not empty", found);
    }
    let (conventional, dead) = (spans(runs, |state| state == ZoneState::Conventional), spans(runs, dead));
    let (whole, dirty) = ((0, device.found.size), spans(runs, dirty));
    for range in &device.reset_zones {
        let (start, end) = (range.start, range.start.saturating_add(range.length));
        let aligned = |place: u64| place.checked_rem(zones.size) == Some(0);
        if !aligned(start) || !(aligned(end) || end == slot.end()) {
            findings.add(Code::ResetPartial, at(slot, start), "whole zones", range.length);
        }
        if let Some(place) = dead.first_within(start, end) {
            findings.add(
                Code::ResetState,
                at(slot, place),
                "zones that can be reset",
                "one that is read-only or offline",
            );
        }
        // One command resets a whole device and leaves conventional zones alone; any other range with one fails.
        if let Some(place) = conventional.first_within(start, end).filter(|_| (start, end) != whole) {
            findings.add(Code::ResetState, at(slot, place), "zones that can be reset", "a conventional one");
        }
        // Empty zones between others save requests; at an edge they only cost.
        let last = end.saturating_sub(zones.size).max(start);
        let edges = [dirty.first_within(start, end) == Some(start), dirty.first_within(last, end).is_some()];
        if (start, end) != whole && edges.contains(&false) || dirty.first_within(start, end).is_none() {
            findings.add(Code::ResetNeedless, at(slot, start), "a range with something to reset at both ends", end);
        }
    }
}

/// Sequential zones are written from their start, without a gap, within their capacity, and only where that is possible.
fn check_writes(slot: &Slot<'_>, runs: &[PlacedRun], zones: &Zones, sequential: &Spans, findings: &mut Findings) {
    let mut written_zones = 0_u64;
    let mut last_zone = None;
    for (span_start, span_end) in slot.kept.within(sequential).iter() {
        let mut start = span_start;
        while start < span_end {
            let Some(run) = run_at(runs, start) else { break };
            let zone_start = start.saturating_sub(start.checked_rem(zones.size).unwrap_or(0));
            let end = zone_start.saturating_add(zones.size.max(1)).min(span_end);
            if dead(run.state) {
                findings.add(Code::ZoneDead, at(slot, start), "a zone that can be written", "one that cannot");
            }
            if start != zone_start || last_zone == Some(zone_start) {
                findings.add(
                    Code::ZoneGap,
                    at(slot, start),
                    format!("a write from {zone_start} on, without a gap"),
                    start,
                );
            }
            if end.saturating_sub(zone_start) > run.capacity {
                let expected = format!("at most {} bytes in the zone at {zone_start}", run.capacity);
                findings.add(Code::ZoneCapacity, at(slot, start), expected, end.saturating_sub(zone_start));
            } else if end.saturating_sub(zone_start) < run.capacity {
                written_zones = written_zones.saturating_add(1);
            }
            (last_zone, start) = (Some(zone_start), end);
        }
    }
    // Zones beyond the limit stay as they are.
    let beyond = spans(runs, |state| matches!(state, ZoneState::Open | ZoneState::Closed));
    let beyond = beyond.without(&Spans::one(0, slot.device.limit)).bytes();
    let active = written_zones.saturating_add(beyond.checked_div(zones.size).unwrap_or(0));
    // A device closes open zones by itself, to open others.
    let most = Some(zones.max_active).filter(|most| *most != 0);
    if let Some(most) = most.filter(|most| active > u64::from(*most)) {
        findings.add(Code::ZoneActive, at(slot, 0), format!("at most {most} zones active at once"), active);
    }
    check_order(slot, runs, zones, findings);
}

/// Lists are carried out in their order, so in a sequential zone offsets must ascend.
fn check_order(slot: &Slot<'_>, runs: &[PlacedRun], zones: &Zones, findings: &mut Findings) {
    let mut pointers: BTreeMap<u64, u64> = BTreeMap::new();
    for write in slot.device.writes.iter().chain(&slot.device.commit) {
        let offset = write.offset.get();
        if run_at(runs, offset).is_none_or(|run| run.state == ZoneState::Conventional) {
            continue;
        }
        let zone = offset.checked_div(zones.size).unwrap_or(0);
        if pointers.insert(zone, offset).is_some_and(|before| before > offset) {
            findings.add(Code::ZoneGap, at(slot, offset), "writes to a sequential zone in ascending order", offset);
        }
    }
}
