//! Discards: large requests, cut only as far as is needed to stay interruptible.

use super::report::Step;
use super::work::{Stop, Work};
use btrfs_planner::plan::ByteRange;
use std::io;
use std::time::{Duration, Instant};

/// The first piece. On a device that discards instantly the next ones grow.
const FIRST: u64 = 16 << 30;
const SMALLEST: u64 = 1 << 30;
/// How long a request should take: short enough to stop, long enough not to matter.
const AIM: Duration = Duration::from_millis(250);
/// A piece grows at most by this factor.
const GROWTH: u64 = 16;

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
            let granularity = work.slot.found.discard.map_or(1, |limits| limits.granularity.max(1));
            let (mut piece, mut done) = (FIRST, 0_u64);
            for range in ranges {
                let mut start = range.start;
                let end = range.end().unwrap_or(range.start);
                while start < end {
                    let begin = Instant::now();
                    let length = (end - start).min(whole_granules(piece, granularity));
                    if let Err(error) = work.discard(start, length)? {
                        work.give_up(&error, start, done, total);
                        return Ok(());
                    }
                    done = done.saturating_add(length);
                    start += length;
                    if length >= piece {
                        piece = next_piece(piece, begin.elapsed());
                    }
                }
            }
            Ok(())
        })
    }

    fn give_up(&mut self, error: &io::Error, at: u64, done: u64, total: u64) {
        let unsupported = [nix::libc::EOPNOTSUPP, nix::libc::ENOTTY, nix::libc::EINVAL];
        if done == 0 && error.raw_os_error().is_some_and(|number| unsupported.contains(&number)) {
            self.note(format!("does not discard ({error}); its {total} bytes were left as they were"));
        } else {
            let left = total.saturating_sub(done);
            self.warn(format!("discard failed at {at}: {error}; {left} bytes were not discarded"));
        }
    }
}

/// The largest multiple of the granularity that is not above `piece`; at least one granule.
fn whole_granules(piece: u64, granularity: u64) -> u64 {
    (piece - piece % granularity).max(granularity)
}

/// The length that would have taken as long as it should.
fn next_piece(piece: u64, took: Duration) -> u64 {
    let took = took.as_nanos().max(1);
    let fitting = u128::from(piece).saturating_mul(AIM.as_nanos()) / took;
    let most = piece.saturating_mul(GROWTH);
    u64::try_from(fitting).unwrap_or(most).clamp(SMALLEST, most.max(SMALLEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_follow_the_device() {
        assert_eq!(next_piece(16 << 30, Duration::from_micros(10)), 256 << 30);
        assert_eq!(next_piece(16 << 30, Duration::from_millis(500)), 8 << 30);
        assert_eq!(next_piece(16 << 30, Duration::from_secs(100)), 1 << 30);
        assert_eq!(next_piece(u64::MAX, Duration::ZERO), u64::MAX);
        assert_eq!(whole_granules(16 << 30, 4096), 16 << 30);
        assert_eq!(whole_granules(10, 3), 9);
        assert_eq!(whole_granules(10, 64), 64);
    }
}
