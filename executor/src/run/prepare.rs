//! Everything on one device between the barriers.

use super::batch::pieces;
use super::report::Step;
use super::work::{Stop, Work, wide};
use crate::device::is_zero;
use btrfs_planner::plan::ByteRange;
use std::io::IoSlice;

/// The most bytes that are zeroed at once, or that the device is told of at once.
const CHUNK: usize = 1 << 20;
/// The most bytes that are read at once: little enough to stay in a processor's cache.
const READ: usize = 128 << 10;
/// How many chunks the device is told of before they are read.
const AHEAD: usize = 4;
static ZEROS: [u8; 64 << 10] = [0; 64 << 10];

impl Work<'_> {
    /// Discard, reset zones, make zero, write, flush.
    pub(super) fn prepare(&mut self) -> Result<(), Stop> {
        let slot = self.slot;
        self.discard_ranges()?;
        self.reset_ranges()?;
        if !slot.zero.is_empty() {
            self.step(Step::Zero, length(&slot.zero), Self::make_zero)?;
        }
        self.step(Step::Writes, self.length_of(&slot.writes), |work| {
            work.write_in_batches(&slot.writes)?;
            work.flush()
        })
    }

    /// Writes zeros where there are none.
    fn make_zero(&mut self) -> Result<(), Stop> {
        let slot = self.slot;
        let sector = usize::try_from(self.device().logical_sector()).unwrap_or(READ).clamp(1, READ);
        let mut buffer = vec![0; READ];
        let chunks = || slot.zero.iter().flat_map(|range| pieces(range.start, range.length, CHUNK));
        let mut ahead = chunks();
        ahead.by_ref().take(AHEAD).for_each(|(offset, length)| self.device().expect_read(offset, wide(length)));
        for (start, length) in chunks() {
            if let Some((offset, length)) = ahead.next() {
                self.device().expect_read(offset, wide(length));
            }
            for (offset, length) in pieces(start, wide(length), READ) {
                let part = buffer.get_mut(..length).unwrap_or_default();
                self.read(offset, part)?;
                if is_zero(part) {
                    continue;
                }
                for (start, length) in runs(part, sector) {
                    self.write_zeros(offset + start, length)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn write_zeros(&mut self, start: u64, length: u64) -> Result<(), Stop> {
        for (offset, length) in pieces(start, length, CHUNK) {
            let mut slices: Vec<IoSlice<'_>> = pieces(0, wide(length), ZEROS.len())
                .map(|(_, length)| IoSlice::new(ZEROS.get(..length).unwrap_or_default()))
                .collect();
            self.write(offset, &mut slices)?;
        }
        Ok(())
    }
}

pub(super) fn length(ranges: &[ByteRange]) -> u64 {
    ranges.iter().map(|range| range.length).fold(0, u64::saturating_add)
}

/// Runs of sectors that are not zero: start and length in bytes.
pub(super) fn runs(bytes: &[u8], sector: usize) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    let mut offset = 0;
    for part in bytes.chunks(sector) {
        let length = wide(part.len());
        if !is_zero(part) {
            match runs.last_mut() {
                Some((start, run)) if *start + *run == offset => *run += length,
                _ => runs.push((offset, length)),
            }
        }
        offset += length;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_what_is_not_zero() {
        let mut bytes = vec![0; 512 * 8];
        assert!(is_zero(&bytes));
        for at in [513, 1024, 2047, 4095] {
            bytes[at] = 1;
        }
        assert!(!is_zero(&bytes) && !is_zero(&bytes[4090..]));
        assert_eq!(runs(&bytes, 512), [(512, 1536), (3584, 512)]);
        assert_eq!(runs(&bytes, 4096), [(0, 4096)]);
        assert_eq!(runs(&[0; 100], 512), []);
    }
}
