//! The writes that make the filesystem exist.

use super::report::Step;
use super::work::{Stop, Work};
use btrfs_planner::plan::WriteAt;

impl Work<'_> {
    /// All of them, in their order, and a flush; or all but the last, which [`Work::seal`] makes.
    pub(super) fn commit(&mut self, keep_last: bool) -> Result<(), Stop> {
        self.heed_interrupts(false);
        let writes = self.slot.commit.as_slice();
        let writes = match writes {
            [first @ .., _] if keep_last => first,
            all => all,
        };
        if writes.is_empty() {
            return Ok(());
        }
        self.step(Step::Commit, self.length_of(writes), |work| {
            work.write_in_batches(writes)?;
            work.flush()
        })?;
        self.expect_driver(writes);
        Ok(())
    }

    /// The last write of all, on the first device.
    pub(super) fn seal(&mut self) -> Result<(), Stop> {
        let writes = self.slot.commit.as_slice();
        let last = writes.get(writes.len().saturating_sub(1)..).unwrap_or_default();
        self.step(Step::Seal, self.length_of(last), |work| {
            work.write_in_batches(last)?;
            work.flush()
        })?;
        self.expect_driver(last);
        Ok(())
    }

    /// Whose filesystem this is will look for what says so, one device after another.
    fn expect_driver(&self, written: &[WriteAt]) {
        if let Some(last) = written.last() {
            self.device().expect_reader(last.offset.get(), self.length_of(std::slice::from_ref(last)));
        }
    }
}
