//! Discards: large requests, cut only as far as is needed to stay interruptible.

use super::pace::Pace;
use super::report::Step;
use super::work::{Stop, Work, is_unsupported};
use btrfs_planner::plan::ByteRange;
use std::io;
use std::time::Instant;

/// The first piece. On a device that discards instantly the next ones grow.
const FIRST: u64 = 16 << 30;
const SMALLEST: u64 = 1 << 30;

impl Work<'_> {
    /// Discards the slot's ranges. A device that cannot loses its own discards and nothing else; one that fails later
    /// says so in the report.
    pub(super) fn discard_ranges(&mut self) -> Result<(), Stop> {
        let ranges: &[ByteRange] = &self.slot.discard;
        let total: u64 = ranges.iter().map(|range| range.length).fold(0, u64::saturating_add);
        if ranges.is_empty() {
            return Ok(());
        }
        self.step(Step::Discard, total, |work| {
            let granularity = work.slot.found.discard.map_or(1, |limits| limits.granularity);
            let (mut pace, mut done) = (Pace::new(FIRST, SMALLEST, granularity), 0_u64);
            for range in ranges {
                let mut start = range.start;
                let end = range.end().unwrap_or(range.start);
                while start < end {
                    let (begin, length) = (Instant::now(), pace.next(end - start));
                    if let Err(error) = work.discard(start, length)? {
                        work.give_up(&error, start, done, total);
                        return Ok(());
                    }
                    done = done.saturating_add(length);
                    start += length;
                    pace.learn(length, begin);
                }
            }
            Ok(())
        })
    }

    fn give_up(&mut self, error: &io::Error, at: u64, done: u64, total: u64) {
        if done == 0 && is_unsupported(error) {
            self.note(format!("does not discard ({error}); its {total} bytes were left as they were"));
        } else {
            let left = total.saturating_sub(done);
            self.warn(format!("discard failed at {at}: {error}; {left} bytes were not discarded"));
        }
    }
}
