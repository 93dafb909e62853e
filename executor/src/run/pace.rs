//! How large the next request may be, so that a wish to stop is obeyed within about a second, progress moves, and
//! requests stay few. Discards and zone resets go by this.

use std::time::{Duration, Instant};

/// What a request may take without becoming smaller.
const LONGEST: Duration = Duration::from_secs(1);
/// How long a request should take.
const AIM: Duration = Duration::from_millis(500);
/// A piece grows at most by this factor.
const GROWTH: u64 = 16;

/// The size of requests to one device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    piece: u64,
    granule: u64,
    smallest: u64,
}

impl Pace {
    /// Pieces of `first` bytes to begin with, never less than `smallest`, of whole granules.
    pub(super) fn new(first: u64, smallest: u64, granule: u64) -> Self {
        Self { piece: first, granule: granule.max(1), smallest }
    }

    /// How much of the next `left` bytes to ask for.
    pub(super) fn next(&self, left: u64) -> u64 {
        let whole = self.piece - self.piece % self.granule;
        whole.max(self.granule).min(left)
    }

    /// A request of so many bytes was begun then and is done now.
    pub(super) fn learn(&mut self, length: u64, begin: Instant) {
        // Whatever is less than a piece says nothing of larger ones.
        if length >= self.next(u64::MAX) {
            self.adapt(begin.elapsed());
        }
    }

    fn adapt(&mut self, took: Duration) {
        if (AIM..=LONGEST).contains(&took) {
            return;
        }
        let fitting = u128::from(self.piece).saturating_mul(AIM.as_nanos()) / took.as_nanos().max(1);
        let most = self.piece.saturating_mul(GROWTH);
        self.piece = u64::try_from(fitting).unwrap_or(most).min(most).max(self.smallest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_follow_the_device() {
        let next = |piece: u64, took| {
            let mut pace = Pace::new(piece, 1 << 30, 4096);
            pace.adapt(took);
            pace.piece
        };
        assert_eq!(next(16 << 30, Duration::from_micros(10)), 256 << 30);
        assert_eq!(next(16 << 30, Duration::from_millis(250)), 32 << 30);
        // Long, but not so long that somebody who waits is kept waiting.
        assert_eq!(next(16 << 30, Duration::from_millis(900)), 16 << 30);
        assert_eq!(next(16 << 30, Duration::from_secs(2)), 4 << 30);
        assert_eq!(next(16 << 30, Duration::from_secs(100)), 1 << 30);
        assert_eq!(next(u64::MAX, Duration::ZERO), u64::MAX);
    }

    #[test]
    fn pieces_are_of_whole_granules() {
        assert_eq!(Pace::new(16 << 30, 1, 4096).next(u64::MAX), 16 << 30);
        assert_eq!(Pace::new(10, 1, 3).next(100), 9);
        assert_eq!(Pace::new(10, 1, 64).next(100), 64);
        assert_eq!(Pace::new(10, 1, 3).next(4), 4);
        assert_eq!(Pace::new(10, 1, 0).next(100), 10);
    }
}
