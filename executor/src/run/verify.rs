//! Reads back what was written, from the device and not from memory as far as that is possible.

use super::batch::pieces;
use super::report::{Action, Step};
use super::work::{Stop, Work, wide};
use btrfs_planner::plan::WriteAt;
use std::io;

const CHUNK: usize = 1 << 20;

impl Work<'_> {
    /// Compares every write of the slot, and every range that must be zero.
    pub(super) fn verify(&mut self) -> Result<(), Stop> {
        self.heed_interrupts(true);
        let slot = self.slot;
        let zeros = slot.zero.iter().map(|range| range.length).fold(0, u64::saturating_add);
        let total = self.length_of(&slot.writes).saturating_add(self.length_of(&slot.commit)).saturating_add(zeros);
        self.step(Step::Verify, total, |work| {
            if let Err(error) = work.device().forget_cached() {
                work.note(format!("its cache stays ({error}): what is compared may come from memory"));
            }
            for write in slot.writes.iter().chain(&slot.commit) {
                work.compare(*write)?;
            }
            for range in &slot.zero {
                for (offset, length) in pieces(range.start, range.length, CHUNK) {
                    work.compare_bytes(offset, &vec![0; length])?;
                }
            }
            Ok(())
        })
    }

    fn compare(&mut self, write: WriteAt) -> Result<(), Stop> {
        let expected = self.expand(write)?;
        self.compare_bytes(expected.offset, &expected.bytes)
    }

    fn compare_bytes(&mut self, offset: u64, expected: &[u8]) -> Result<(), Stop> {
        let mut found = vec![0; expected.len()];
        self.read(offset, &mut found)?;
        if let Some(at) = expected.iter().zip(&found).position(|(expected, found)| expected != found) {
            let source = io::Error::other("the device does not keep what is written to it");
            return Err(self.failed(Action::Compare, offset + wide(at), wide(expected.len()), source));
        }
        self.done(wide(expected.len()));
        Ok(())
    }
}
