//! Logical ranges that no tree block may use, since superblock copies lie in them.

use super::mapping::Position;
use super::{Chunk, Geometry};
use crate::disk::chunk::STRIPE_LENGTH;
use crate::disk::superblock::SUPERBLOCK_OFFSETS;
use crate::request::Profile;
use crate::units::{Checked, Logical, SizeOverflow};
use alloc::vec::Vec;

impl Chunk {
    /// The logical ranges, as start and length, ascending, that hold a superblock copy on some device.
    ///
    /// A copy takes its whole stripe element of 64 KiB; with parity the whole row, whose parity must stay true.
    pub fn reserved(&self) -> Result<Vec<(Logical, u64)>, SizeOverflow> {
        let geometry = Geometry::new(self);
        let mut ranges = Vec::new();
        for (index, stripe) in (0_u64..).zip(&self.stripes) {
            for offset in SUPERBLOCK_OFFSETS {
                let Ok(within) = offset.minus(stripe.offset.get()) else { continue };
                if within >= geometry.stripe_length() {
                    continue;
                }
                let (column, length) = match self.profile {
                    Profile::Raid0 => (index, STRIPE_LENGTH),
                    Profile::Raid10 => (index / 2, STRIPE_LENGTH),
                    Profile::Raid5 | Profile::Raid6 => (0, STRIPE_LENGTH.times(geometry.columns())?),
                    Profile::Single | Profile::Dup | Profile::Raid1 | Profile::Raid1c3 | Profile::Raid1c4 => {
                        (0, STRIPE_LENGTH)
                    }
                };
                // Copies and chunks both stand at multiples of 64 KiB, so a copy never straddles two elements.
                let row = within / STRIPE_LENGTH;
                ranges.push((geometry.logical(Position { row, column, within: 0 })?, length));
            }
        }
        ranges.sort_unstable();
        ranges.dedup();
        Ok(ranges)
    }
}
