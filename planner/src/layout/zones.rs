//! The zones of a device that chunks may use.

use super::DeviceExtent;
use crate::disk::superblock::{LOG_OFFSETS, SUPERBLOCK_OFFSETS};
use crate::request::Zones;
use crate::units::{Checked, SizeOverflow, round_down, wide};
use alloc::vec::Vec;

/// Zones that can be written and are not reserved for superblocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UsableZones {
    /// Neighbouring zones of equal capacity, ascending.
    spans: Vec<Span>,
    /// Bytes of a zone.
    size: u64,
    /// Bytes of all usable zones.
    pub(super) bytes: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    start: u64,
    end: u64,
    /// Bytes of each zone that can be written.
    capacity: u64,
}

impl UsableZones {
    /// The usable zones of a device up to `limit`.
    pub(super) fn new(zones: &Zones, limit: u64) -> Result<Self, SizeOverflow> {
        let reserved = reserved(zones.size)?;
        let mut usable = Self { spans: Vec::new(), size: zones.size, bytes: 0 };
        for placed in zones.placed() {
            let placed = placed?;
            if !placed.run.state.usable() {
                continue;
            }
            let capacity = placed.run.capacity.unwrap_or(zones.size);
            let (mut start, end) = (placed.start, placed.end.min(limit));
            for zone in reserved.iter().filter(|zone| (placed.start..end).contains(zone)) {
                usable.push(start, *zone, capacity)?;
                start = zone.plus(zones.size)?;
            }
            usable.push(start, end, capacity)?;
        }
        Ok(usable)
    }

    fn push(&mut self, start: u64, end: u64, capacity: u64) -> Result<(), SizeOverflow> {
        if start < end {
            self.spans.push(Span { start, end, capacity });
            self.bytes = self.bytes.plus(end.minus(start)?)?;
        }
        Ok(())
    }

    /// The starts of zones that none of `extents` (ascending) takes.
    pub(super) fn free(&self, extents: &[DeviceExtent]) -> impl Iterator<Item = u64> {
        let step = usize::try_from(self.size).unwrap_or(usize::MAX).max(1);
        let zones = self.spans.iter().flat_map(move |span| (span.start..span.end).step_by(step));
        zones.filter(|zone| extents.binary_search_by_key(zone, |extent| extent.start.get()).is_err())
    }

    /// How many zones none of `extents` (ascending) takes, as runs of equal capacity: count and capacity. Costs nothing for
    /// each zone.
    pub(super) fn free_runs(&self, extents: &[DeviceExtent]) -> impl Iterator<Item = (u64, u64)> {
        self.spans.iter().map(|span| {
            let from = extents.partition_point(|extent| extent.start.get() < span.start);
            let to = extents.partition_point(|extent| extent.start.get() < span.end);
            let zones = span.end.saturating_sub(span.start).checked_div(self.size).unwrap_or(0);
            (zones.saturating_sub(wide(to.saturating_sub(from))), span.capacity)
        })
    }

    /// How much of the zone that starts here can be written.
    pub(super) fn capacity(&self, zone: u64) -> Option<u64> {
        let behind = self.spans.partition_point(|span| span.start <= zone);
        let span = behind.checked_sub(1).and_then(|index| self.spans.get(index))?;
        (zone < span.end).then_some(span.capacity)
    }
}

/// Starts of the zones that hold superblocks, ascending: pairs of zones for the superblock log, and the zones where
/// copies stand on ordinary devices.
fn reserved(size: u64) -> Result<Vec<u64>, SizeOverflow> {
    let mut zones = Vec::new();
    for offset in LOG_OFFSETS {
        let first = round_down(offset, size);
        zones.extend([first, first.plus(size)?]);
    }
    zones.extend(SUPERBLOCK_OFFSETS.map(|offset| round_down(offset, size)));
    zones.sort_unstable();
    zones.dedup();
    Ok(zones)
}
