//! Zone resets: whole ranges at once, cut only as far as is needed to stay interruptible.

use super::pace::Pace;
use super::report::{Action, Step};
use super::work::{Stop, Work};
use crate::bind::is_whole;
use btrfs_planner::plan::{ByteRange, Device as Slot};
use std::io;
use std::time::Instant;

/// Zones of the first piece: devices work on this many at once, and those that do not are soon found out.
const FIRST: u64 = 64;

/// Whether a slot resets whole zones and nothing else.
pub(super) fn resets_whole_zones(slot: &Slot) -> bool {
    let whole = |size: u64| size != 0 && slot.reset_zones.iter().all(|range| is_whole(slot, range, size));
    slot.reset_zones.is_empty() || slot.found.zones.as_ref().is_some_and(|zones| whole(zones.size))
}

impl Work<'_> {
    /// Resets the slot's ranges. A zone that cannot be reset cannot be written: any error stops the device.
    pub(super) fn reset_ranges(&mut self) -> Result<(), Stop> {
        let ranges: &[ByteRange] = &self.slot.reset_zones;
        if ranges.is_empty() {
            return Ok(());
        }
        let total = ranges.iter().map(|range| range.length).fold(0, u64::saturating_add);
        self.step(Step::Reset, total, |work| {
            let zone = work.zone_size();
            let mut pace = Pace::new(zone.saturating_mul(FIRST), zone, zone);
            for range in ranges {
                // All of a device is one command, which no piece of it would be.
                if range.start == 0 && range.length == work.slot.found.size {
                    if let Err(error) = work.reset(0, range.length)? {
                        return Err(work.failed(Action::Reset { zone }, 0, range.length, error));
                    }
                    continue;
                }
                let mut start = range.start;
                let end = range.end().unwrap_or(range.start);
                while start < end {
                    let (begin, length) = (Instant::now(), pace.next(end - start));
                    if let Err(error) = work.reset(start, length)? {
                        return Err(work.cannot_reset(start, length, error));
                    }
                    start += length;
                    pace.learn(length, begin);
                }
            }
            Ok(())
        })
    }

    pub(super) fn zone_size(&self) -> u64 {
        self.slot.found.zones.as_ref().map_or(1, |zones| zones.size.max(1))
    }

    /// Finds out which zone it is that cannot be reset: halves the range as long as a half of it fails again.
    pub(super) fn cannot_reset(&mut self, mut start: u64, mut length: u64, mut error: io::Error) -> Stop {
        let zone = self.zone_size();
        // Whoever wants to stop gets the range.
        while length > zone && self.go_on().is_ok() {
            let half = zone.saturating_mul(length.div_ceil(zone) / 2).min(length);
            let halves = [(start, half), (start.saturating_add(half), length - half)];
            let mut failed = None;
            for (start, length) in halves {
                // Only to find out, and no step of the run: neither announced nor counted.
                if let Err(error) = self.device().reset_zones(start, length) {
                    failed = Some((start, length, error));
                    break;
                }
            }
            match failed {
                Some(narrower) => (start, length, error) = narrower,
                None => break,
            }
        }
        self.failed(Action::Reset { zone }, start, length, error)
    }
}
