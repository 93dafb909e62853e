//! Takes away everything that could still be taken for a filesystem, on all devices, before anything else is touched.

use super::batch::pieces;
use super::prepare::{length, runs};
use super::report::Step;
use super::work::{Stop, Work};
use btrfs_planner::plan::{ByteRange, WriteAt};
use btrfs_planner::request::ZoneState;

/// The most bytes that are read at once.
const READ: usize = 64 << 10;

impl Work<'_> {
    /// Wipes the slot's ranges, and what stands where it will commit; flushes if there was anything.
    ///
    /// What will make the new filesystem exist stands where something like it made an old one exist, perhaps unknown to
    /// whoever looked for signatures: copies that nobody looks at before the first one is lost, or the work of an earlier
    /// run of this plan. A clean device is read and not written.
    pub(super) fn wipe(&mut self) -> Result<(), Stop> {
        let slot = self.slot;
        let bytes = length(&slot.wipe).saturating_add(self.length_of(&slot.commit));
        self.step(Step::Wipe, bytes, |work| {
            for range in &slot.wipe {
                if work.is_of_zones(range) {
                    work.reset_range(range)?;
                } else {
                    work.write_zeros(range.start, range.length)?;
                }
            }
            for write in &slot.commit {
                work.clear(*write)?;
            }
            // An old filesystem must not outlive the loss of power during what follows.
            if work.has_made_requests() { work.flush() } else { Ok(()) }
        })
    }

    /// Whether a range to wipe is of zones that are reset later anyway: nothing else could be done to them.
    fn is_of_zones(&self, range: &ByteRange) -> bool {
        let Some(zones) = &self.slot.found.zones else { return false };
        let inside = |reset: &ByteRange| reset.start <= range.start && reset.end() >= range.end();
        crate::bind::is_whole(self.slot, range, zones.size) && self.slot.reset_zones.iter().any(inside)
    }

    /// Makes the place of a later write zero.
    fn clear(&mut self, write: WriteAt) -> Result<(), Stop> {
        let (start, length) = (write.offset.get(), self.length_of(&[write]));
        let state = self.slot.found.zones.as_ref().and_then(|zones| zones.state_at(start));
        if state.is_some_and(|state| state != ZoneState::Conventional) {
            return self.clear_zone(write);
        }
        let sector = usize::try_from(self.device().logical_sector()).unwrap_or(READ).clamp(1, READ);
        for (offset, length) in pieces(start, length, READ) {
            let mut buffer = vec![0; length];
            self.read(offset, &mut buffer)?;
            for (start, length) in runs(&buffer, sector) {
                self.write_zeros(offset.saturating_add(start), length)?;
            }
        }
        Ok(())
    }

    /// Resets the zone of a later write if an earlier run of this plan has made it. Whatever else is in the zone is reset
    /// with all the others.
    fn clear_zone(&mut self, write: WriteAt) -> Result<(), Stop> {
        let planned = self.expand(write)?;
        let mut found = vec![0; planned.bytes.len()];
        self.read(planned.offset, &mut found)?;
        if found != planned.bytes {
            return Ok(());
        }
        let size = self.zone_size();
        let start = planned.offset.saturating_sub(planned.offset.checked_rem(size).unwrap_or(0));
        let zone = ByteRange { start, length: size.min(self.slot.found.size.saturating_sub(start)) };
        if self.is_of_zones(&zone) { self.reset_range(&zone) } else { Ok(()) }
    }

    fn reset_range(&mut self, range: &ByteRange) -> Result<(), Stop> {
        match self.reset(range.start, range.length)? {
            Ok(()) => Ok(()),
            Err(error) => Err(self.cannot_reset(range.start, range.length, error)),
        }
    }
}
