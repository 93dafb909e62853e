//! What must not survive: old signatures, and whatever stands where a signature would be looked for.

use super::slot::Slot;
use super::spans::Spans;
use super::zones;
use super::{at, coverage};
use crate::audit::{Code, Findings};
use crate::disk::superblock::{LOG_OFFSETS, SUPERBLOCK_OFFSETS, SUPERBLOCK_SIZE};
use crate::plan::ZoneState;
use crate::units::{KIB, MIB};
use alloc::vec::Vec;

/// Boot loaders, partition tables and most superblocks stand this close to the start.
const START: u64 = MIB;
/// Backup partition tables, RAID members and ZFS labels stand this close to the end.
const END: u64 = 512 * KIB;

pub(super) fn check(slot: &Slot<'_>, findings: &mut Findings) {
    let device = slot.device;
    let gone = [&device.wipe, &device.reset_zones, &device.zero].map(|list| Spans::listed(list));
    let gone = gone.iter().fold(slot.kept.clone(), |all, spans| all.with(spans));
    let mut sectors = Vec::new();
    for signature in &device.found.signatures {
        let end = signature.offset.saturating_add(signature.length);
        let start = signature.offset.saturating_sub(signature.offset.checked_rem(slot.sector).unwrap_or(0));
        let Some(end) = end.checked_next_multiple_of(slot.sector).filter(|end| *end <= device.limit) else {
            findings.add(
                Code::SignatureStays,
                at(slot, signature.offset),
                "no signature beyond the limit",
                &signature.kind,
            );
            continue;
        };
        sectors.push((start, end));
        if gone.pieces_beside(start, end) > 0 {
            survives(slot, &signature.kind, start, findings);
        }
    }
    let sectors = Spans::of(sectors).within(&slot.anywhere);
    let wipe = Spans::listed(&device.wipe);
    let first = sectors.with(&zones_to_wipe(slot));
    coverage::compare(slot, (Code::WipeMissing, Code::WipeNeedless), &first, &wipe, findings);

    // Zeros: both edges (a byte count that leaves the end alone makes it none), the places of superblocks, those of the
    // signatures, and what parity counts as zeros; each as far as it can be written and nothing else is.
    let mut places = alloc::vec![(0, START.min(device.limit))];
    if device.limit >= slot.end() {
        places.push((device.limit.saturating_sub(END), device.limit));
    }
    let superblocks = SUPERBLOCK_OFFSETS.map(|offset| (offset, offset.saturating_add(SUPERBLOCK_SIZE)));
    places.extend(superblocks.iter().filter(|(_, end)| *end <= device.limit));
    let places = Spans::of(places.into_iter().chain(sectors.iter()).chain(slot.zero_for_parity.iter()));
    let zero = Spans::listed(&device.zero);
    let expected = places.within(&slot.anywhere).without(&slot.kept);
    coverage::compare(slot, (Code::ZeroMissing, Code::ZeroNeedless), &expected, &zero, findings);
}

/// Sequential zones that are reset before all others: those that hold a signature, and for a btrfs both zones of every
/// superblock log, as far as something is in them.
pub(super) fn zones_to_wipe(slot: &Slot<'_>) -> Spans {
    let (Some(runs), Some(zones)) = (&slot.zones, &slot.device.found.zones) else { return Spans::default() };
    let zone = |offset: u64| {
        let start = offset.saturating_sub(offset.checked_rem(zones.size).unwrap_or(0));
        (start, start.saturating_add(zones.size))
    };
    let mut all = Vec::new();
    for signature in &slot.device.found.signatures {
        all.push(zone(signature.offset));
        if signature.kind == "btrfs" {
            for log in LOG_OFFSETS {
                let (start, second) = zone(log);
                all.extend([(start, second), zone(second)]);
            }
        }
    }
    Spans::of(all).within(&zones::spans(runs, zones::dirty)).within(&Spans::one(0, slot.device.limit))
}

/// Judges a signature that no step touches as a whole.
fn survives(slot: &Slot<'_>, kind: &str, offset: u64, findings: &mut Findings) {
    let run = slot.zones.as_ref().and_then(|runs| zones::run_at(runs, offset));
    match run.map(|run| run.state) {
        // Nothing can be in an empty zone, and nothing can be done about one that cannot be written.
        Some(ZoneState::Empty) => {}
        Some(ZoneState::ReadOnly | ZoneState::Offline) => {
            findings.add(Code::SignatureStays, at(slot, offset), "no signature in a zone that cannot be written", kind);
        }
        _ => findings.add(Code::SignatureSurvives, at(slot, offset), "every old signature wiped", kind),
    }
}
