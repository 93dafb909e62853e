//! Whether a plan says truly what it costs and saves.

use super::coverage::Blocks;
use super::discard::Discards;
use super::slot::Slot;
use super::spans::Spans;
use super::striping::Places;
use super::zones;
use crate::audit::{Code, Findings, Place};
use crate::plan::{Plan, Statistics};

/// The figures of a plan, counted device by device.
#[derive(Default)]
pub(super) struct Totals(Statistics);

impl Totals {
    pub(super) fn add(&mut self, slot: &Slot<'_>, discards: &Discards, blocks: &Blocks<'_>) {
        let more = |total: &mut u64, count: u64| *total = total.saturating_add(count);
        let Statistics { bytes_written, discard, writes, zone_resets } = &mut self.0;
        more(bytes_written, slot.kept.bytes());
        more(writes, slot.written.count().saturating_add(slot.committed.count()));
        more(&mut discard.merged, discards.exact.count());
        more(&mut discard.bridged, discards.bridged.count());
        more(&mut discard.hole_by_hole, hole_by_hole(slot, blocks));
        more(&mut zone_resets.ranges, u64::try_from(slot.device.reset_zones.len()).unwrap_or(u64::MAX));
        if let (Some(runs), Some(report)) = (&slot.zones, &slot.device.found.zones) {
            let dirty = zones::spans(runs, zones::dirty).within(&Spans::one(0, slot.device.limit));
            more(&mut zone_resets.zone_by_zone, dirty.bytes().div_ceil(report.size.max(1)));
        }
    }

    pub(super) fn check(&self, plan: &Plan, findings: &mut Findings) {
        let (counted, said) = (&self.0, &plan.statistics);
        for (counted, said) in [
            (counted.bytes_written, said.bytes_written),
            (counted.writes, said.writes),
            (counted.discard.bridged, said.discard.bridged),
            (counted.discard.hole_by_hole, said.discard.hole_by_hole),
            (counted.discard.merged, said.discard.merged),
            (counted.zone_resets.ranges, said.zone_resets.ranges),
            (counted.zone_resets.zone_by_zone, said.zone_resets.zone_by_zone),
        ] {
            findings.equal(Code::Statistics, Place::filesystem(), counted, said);
        }
    }
}

/// Requests of a formatter that discards every hole of every block group on every stripe, and what no chunk takes.
fn hole_by_hole(slot: &Slot<'_>, blocks: &Blocks<'_>) -> u64 {
    let of = |places: &Places| places.get(&slot.devid).cloned().unwrap_or_default();
    let unallocated = Spans::one(0, slot.device.limit).without(&Spans::of(of(&blocks.extents)));
    let all = of(&blocks.holes).into_iter().chain(unallocated.iter());
    let barred = Spans::one(0, slot.device.limit).without(&slot.anywhere).with(&slot.kept);
    all.fold(0, |sum, (start, end)| barred.pieces_beside(start, end).saturating_add(sum))
}
