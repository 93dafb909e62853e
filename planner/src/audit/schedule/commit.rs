//! The writes that make the filesystem exist: superblock copies, each at its place, the primary one last.

use super::slot::Slot;
use super::spans::Spans;
use super::{at, zones};
use crate::audit::{Code, Findings};
use crate::disk::superblock::{LOG_OFFSETS, MAGIC, SUPERBLOCK_OFFSETS, SUPERBLOCK_SIZE, Superblock};
use crate::plan::{Plan, WriteAt, ZoneState};
use alloc::format;
use alloc::vec::Vec;
use zerocopy::FromBytes;

/// Where copies belong on a device, and where they say they stand: the primary one first.
fn places(slot: &Slot<'_>) -> Vec<(u64, u64)> {
    let size = slot.device.size;
    let Some(runs) = &slot.zones else {
        let fits = |offset: &u64| offset.saturating_add(SUPERBLOCK_SIZE) <= size;
        return SUPERBLOCK_OFFSETS.into_iter().filter(fits).map(|offset| (offset, offset)).collect();
    };
    let zone = slot.device.found.zones.as_ref().map(|zones| zones.size);
    let mut places = Vec::new();
    for (log, bytenr) in LOG_OFFSETS.into_iter().zip(SUPERBLOCK_OFFSETS) {
        // A log is a pair of zones; a device that ends within it, or cannot write it, has none.
        let (Some(first), Some(zone)) = (zones::run_at(runs, log), zone) else { continue };
        let start = log.saturating_sub(log.checked_rem(zone).unwrap_or(0));
        let second = start.saturating_add(zone);
        let usable = |state| !matches!(state, ZoneState::ReadOnly | ZoneState::Offline);
        let both = usable(first.state) && zones::run_at(runs, second).is_some_and(|run| usable(run.state));
        if both && second.saturating_add(zone) <= size {
            places.push((start, bytenr));
        }
    }
    places
}

pub(super) fn check(plan: &Plan, slot: &Slot<'_>, findings: &mut Findings) {
    let places = places(slot);
    let commit = &slot.device.commit;
    for (place, _) in &places {
        if !commit.iter().any(|write| write.offset.get() == *place) {
            findings.add(Code::CommitMissing, at(slot, *place), "a superblock copy", "none");
        }
    }
    for write in commit {
        let offset = write.offset.get();
        match places.iter().find(|(place, _)| *place == offset) {
            None => findings.add(Code::CommitPlace, at(slot, offset), "only places of superblock copies", offset),
            Some((_, bytenr)) => check_copy(plan, slot, write, *bytenr, findings),
        }
    }
    if let (Some((primary, _)), Some(last)) = (places.first(), commit.last()) {
        findings.equal(
            Code::CommitOrder,
            at(slot, *primary),
            format!("{primary} last"),
            format!("{} last", last.offset),
        );
    }
    // What is written before the commit must not look like a filesystem.
    let everywhere = SUPERBLOCK_OFFSETS.into_iter().chain(places.iter().map(|(place, _)| *place));
    let everywhere = Spans::of(everywhere.map(|place| (place, place.saturating_add(SUPERBLOCK_SIZE))));
    if let Some((start, end)) = slot.written.within(&everywhere).first() {
        let length = end.saturating_sub(start);
        findings.add(Code::WriteSuperblock, at(slot, start), "no write where a superblock stands", length);
    }
}

fn check_copy(plan: &Plan, slot: &Slot<'_>, write: &WriteAt, bytenr: u64, findings: &mut Findings) {
    let payload = usize::try_from(write.payload).ok().and_then(|index| plan.payloads.get(index));
    let bytes = payload.filter(|payload| payload.length == SUPERBLOCK_SIZE).and_then(|payload| payload.expand().ok());
    let copy = bytes.and_then(|bytes| Superblock::read_from_bytes(&bytes).ok());
    let place = at(slot, write.offset.get());
    match copy {
        Some(copy) if copy.magic == MAGIC => {
            findings.equal(Code::CommitContent, place, bytenr, copy.bytenr.get());
            findings.equal(Code::CommitContent, place, slot.devid, copy.dev_item.devid.get());
        }
        _ => findings.add(Code::CommitContent, place, "a superblock of 4096 bytes", "something else"),
    }
}
