//! Writes to neighbouring places go out together, and their bytes are put together only then.

use super::report::Action;
use super::work::{Stop, Work, wide};
use btrfs_planner::plan::WriteAt;
use std::io::{self, IoSlice};

/// The most slices that the kernel takes at once.
const MOST_SLICES: usize = 1024;
/// The most bytes of one request: memory stays bounded whatever a plan says, and a stop is never far away.
const MOST_BYTES: u64 = 8 << 20;

/// A write with its bytes.
pub(super) struct Expanded {
    pub(super) offset: u64,
    pub(super) bytes: Vec<u8>,
}

impl Work<'_> {
    /// The bytes of a write.
    pub(super) fn expand(&self, write: WriteAt) -> Result<Expanded, Stop> {
        let offset = write.offset.get();
        let payload = usize::try_from(write.payload).ok().and_then(|index| self.plan.payloads.get(index));
        let expanded = payload.map(|payload| payload.expand().map_err(io::Error::other));
        match expanded.unwrap_or_else(|| Err(io::Error::other("the plan has no such payload"))) {
            Ok(bytes) => Ok(Expanded { offset, bytes }),
            Err(source) => {
                Err(self.failed(Action::Expand, offset, payload.map_or(0, |payload| payload.length), source))
            }
        }
    }

    /// Bytes of some writes.
    pub(super) fn length_of(&self, writes: &[WriteAt]) -> u64 {
        writes.iter().map(|write| self.payload_length(*write)).fold(0, u64::saturating_add)
    }

    fn payload_length(&self, write: WriteAt) -> u64 {
        let payload = usize::try_from(write.payload).ok().and_then(|index| self.plan.payloads.get(index));
        payload.map_or(0, |payload| payload.length)
    }

    /// Makes writes in their order, neighbours in one request.
    pub(super) fn write_in_batches(&mut self, writes: &[WriteAt]) -> Result<(), Stop> {
        let mut rest = writes;
        while !rest.is_empty() {
            let (batch, behind) = rest.split_at(self.neighbours(rest));
            let expanded = batch.iter().map(|write| self.expand(*write)).collect::<Result<Vec<_>, Stop>>()?;
            let mut slices: Vec<IoSlice<'_>> = expanded.iter().map(|write| IoSlice::new(&write.bytes)).collect();
            if let Some(first) = expanded.first() {
                self.write(first.offset, &mut slices)?;
            }
            rest = behind;
        }
        Ok(())
    }

    /// How many of the first writes follow each other without a gap, and fit into one request. At least one.
    fn neighbours(&self, writes: &[WriteAt]) -> usize {
        let (mut count, mut bytes, mut end) = (0, 0_u64, None);
        for write in writes.iter().take(MOST_SLICES) {
            let length = self.payload_length(*write);
            bytes = bytes.saturating_add(length);
            if count > 0 && (end != Some(write.offset.get()) || bytes > MOST_BYTES) {
                break;
            }
            end = write.offset.get().checked_add(length);
            count += 1;
        }
        count
    }
}

/// Cuts a range into pieces of at most `most` bytes: offset and length of each.
pub(super) fn pieces(start: u64, length: u64, most: usize) -> impl Iterator<Item = (u64, usize)> {
    let most = wide(most).max(1);
    (0..length.div_ceil(most)).map(move |index| {
        let offset = index * most;
        // At most `most`, which came from a usize.
        (start + offset, usize::try_from((length - offset).min(most)).unwrap_or(0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_range() {
        let all: Vec<(u64, usize)> = pieces(100, 2500, 1000).collect();
        assert_eq!(all, [(100, 1000), (1100, 1000), (2100, 500)]);
        assert_eq!(pieces(0, 0, 1000).count(), 0);
        assert_eq!(pieces(7, 1000, 1000).collect::<Vec<_>>(), [(7, 1000)]);
    }
}
