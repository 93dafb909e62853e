//! From logical addresses to the places on devices that hold them: all copies in one look-up.

use super::{Chunk, Stripe};
use crate::disk::chunk::STRIPE_LENGTH;
use crate::request::Profile;
use crate::units::{Checked, Logical, Physical, SizeOverflow, in_memory, round_down, wide};
use alloc::vec::Vec;

/// A chunk as rows of stripe elements of 64 KiB: how its logical bytes lie on its stripes.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a> {
    chunk: &'a Chunk,
    /// Elements of a row that hold different data.
    columns: u64,
}

/// Where a logical address lies in its chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Row of stripe elements; mirrored chunks are one long column of them.
    pub row: u64,
    /// Data column.
    pub column: u64,
    /// Bytes into the element.
    pub within: u64,
}

impl<'a> Geometry<'a> {
    /// The geometry of a chunk.
    #[must_use]
    pub fn new(chunk: &'a Chunk) -> Self {
        let stripes = wide(chunk.stripes.len());
        let columns = match chunk.profile {
            Profile::Raid0 => stripes,
            Profile::Raid10 => stripes / 2,
            Profile::Raid5 | Profile::Raid6 => stripes.saturating_sub(chunk.profile.traits().parity),
            Profile::Single | Profile::Dup | Profile::Raid1 | Profile::Raid1c3 | Profile::Raid1c4 => 1,
        };
        Self { chunk, columns: columns.max(1) }
    }

    /// Elements of a row that hold different data.
    #[must_use]
    pub const fn columns(&self) -> u64 {
        self.columns
    }

    /// Bytes of each of the chunk's device extents.
    #[must_use]
    pub fn stripe_length(&self) -> u64 {
        self.chunk.length.checked_div(self.columns).unwrap_or(0)
    }

    /// How many bytes from the chunk's start lie in the first `capacity` bytes of its device extents.
    pub fn within(&self, capacity: u64) -> Result<u64, SizeOverflow> {
        usable(capacity, self.columns)
    }

    /// Where an address lies.
    pub fn position(&self, logical: Logical) -> Result<Position, SizeOverflow> {
        let delta = logical.distance_from(self.chunk.logical)?;
        let element = delta / STRIPE_LENGTH;
        Ok(Position {
            row: element.checked_div(self.columns).unwrap_or(0),
            column: element.checked_rem(self.columns).unwrap_or(0),
            within: delta % STRIPE_LENGTH,
        })
    }

    /// The address at a position.
    pub fn logical(&self, position: Position) -> Result<Logical, SizeOverflow> {
        let element = position.row.times(self.columns)?.plus(position.column)?;
        self.chunk.logical.plus(element.times(STRIPE_LENGTH)?.plus(position.within)?)
    }

    /// The whole copies of the bytes at a position, up to the end of the element.
    pub fn copies(&self, position: Position) -> Result<Vec<Stripe>, SizeOverflow> {
        let stripes = &self.chunk.stripes;
        let (first, count) = match self.chunk.profile {
            Profile::Single | Profile::Dup | Profile::Raid1 | Profile::Raid1c3 | Profile::Raid1c4 => {
                (0, wide(stripes.len()))
            }
            Profile::Raid0 => (position.column, 1),
            Profile::Raid10 => (position.column.times(2)?, 2),
            Profile::Raid5 | Profile::Raid6 => (self.rotated(position.row, position.column)?, 1),
        };
        let copies = stripes.iter().skip(in_memory(first)?).take(in_memory(count)?);
        copies.map(|stripe| at(stripe, position)).collect()
    }

    /// The physical runs that hold a range of the chunk's logical addresses, all copies and parity included, each as long
    /// as it can be. With parity only rows that lie in the range as a whole count: parity of the others is still needed.
    pub fn runs(&self, logical: Logical, length: u64) -> Result<Vec<(Stripe, u64)>, SizeOverflow> {
        let start = logical.distance_from(self.chunk.logical)?;
        let end = start.plus(length)?;
        let row_length = STRIPE_LENGTH.times(self.columns)?;
        let mut runs = Vec::new();
        for (index, stripe) in (0_u64..).zip(&self.chunk.stripes) {
            let (from, to) = if self.chunk.profile.has_parity() {
                let first = start.div_ceil(row_length);
                let behind = end.checked_div(row_length).unwrap_or(0);
                (first.times(STRIPE_LENGTH)?, behind.times(STRIPE_LENGTH)?)
            } else {
                let sets = wide(self.chunk.stripes.len()).checked_div(self.columns).unwrap_or(1);
                let column = if self.columns == 1 { 0 } else { index.checked_div(sets).unwrap_or(0) };
                (self.before(start, column)?, self.before(end, column)?)
            };
            if from < to {
                let offset = Physical::new(stripe.offset.get().plus(from)?);
                runs.push((Stripe { devid: stripe.devid, offset }, to.minus(from)?));
            }
        }
        Ok(runs)
    }

    /// How many of a chunk's first `bytes` lie in one of its columns.
    fn before(&self, bytes: u64, column: u64) -> Result<u64, SizeOverflow> {
        let row_length = STRIPE_LENGTH.times(self.columns)?;
        let rows = bytes.checked_div(row_length).unwrap_or(0).times(STRIPE_LENGTH)?;
        let rest = bytes.checked_rem(row_length).unwrap_or(0);
        rows.plus(rest.saturating_sub(column.times(STRIPE_LENGTH)?).min(STRIPE_LENGTH))
    }

    /// Where the parity of a row stands, P before Q, `within` bytes into the elements.
    pub fn parity(&self, row: u64, within: u64) -> Result<Vec<Stripe>, SizeOverflow> {
        let mut places = Vec::new();
        for index in 0..self.chunk.profile.traits().parity {
            let column = self.rotated(row, self.columns.plus(index)?)?;
            if let Some(stripe) = self.chunk.stripes.get(in_memory(column)?) {
                places.push(at(stripe, Position { row, column, within })?);
            }
        }
        Ok(places)
    }

    /// Parity profiles shift every row by one stripe.
    fn rotated(&self, row: u64, column: u64) -> Result<u64, SizeOverflow> {
        Ok(row.plus(column)?.checked_rem(wide(self.chunk.stripes.len())).unwrap_or(0))
    }
}

fn at(stripe: &Stripe, position: Position) -> Result<Stripe, SizeOverflow> {
    let offset = position.row.times(STRIPE_LENGTH)?.plus(position.within)?;
    Ok(Stripe { devid: stripe.devid, offset: Physical::new(stripe.offset.get().plus(offset)?) })
}

/// How many bytes from the start of a chunk with so many columns lie in the first `capacity` bytes of its device extents:
/// where data goes around, the element in which one column ends ends all of them.
pub(super) fn usable(capacity: u64, columns: u64) -> Result<u64, SizeOverflow> {
    let each = if columns > 1 { round_down(capacity, STRIPE_LENGTH) } else { capacity };
    each.times(columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::ChunkKind;
    use crate::units::DevId;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::vec;

    const ELEMENT: u64 = STRIPE_LENGTH;

    fn chunk(profile: Profile, stripes: u64, rows: u64) -> Chunk {
        let stripes =
            (0..stripes).map(|index| Stripe { devid: DevId::new(index + 1), offset: Physical::new((index + 1) << 20) });
        let mut chunk = Chunk {
            kind: ChunkKind::Data,
            length: 0,
            logical: Logical::new(1 << 30),
            profile,
            stripes: stripes.collect(),
        };
        chunk.length = Geometry::new(&chunk).columns() * rows * ELEMENT;
        chunk
    }

    /// A byte is in a run exactly if the look-up of single addresses puts a byte of the range, or parity of a row that is
    /// in the range as a whole, there.
    fn places_one_by_one(chunk: &Chunk, start: u64, length: u64, step: u64) -> BTreeSet<(u64, u64)> {
        let geometry = Geometry::new(chunk);
        let row_length = geometry.columns() * ELEMENT;
        let whole = |row: u64| row * row_length >= start && (row + 1) * row_length <= start + length;
        let mut places = BTreeSet::new();
        for delta in (start..start + length).step_by(step as usize) {
            let position = geometry.position(chunk.logical.plus(delta).unwrap()).unwrap();
            if chunk.profile.has_parity() && !whole(position.row) {
                continue;
            }
            let parity = geometry.parity(position.row, position.within).unwrap();
            for place in geometry.copies(position).unwrap().into_iter().chain(parity) {
                places.insert((place.devid.get(), place.offset.get()));
            }
        }
        places
    }

    proptest! {
        #[test]
        fn what_is_usable_lies_within_the_capacity_and_goes_on_to_its_last_element(
            (profile, stripes) in prop::sample::select(vec![
                (Profile::Single, 1u64), (Profile::Dup, 2), (Profile::Raid0, 3), (Profile::Raid1, 2), (Profile::Raid10, 6),
            ]),
            sectors in 1u64..64,
        ) {
            let (capacity, chunk) = (sectors * 4096, chunk(profile, stripes, 4));
            let geometry = Geometry::new(&chunk);
            let usable = geometry.within(capacity).unwrap();
            prop_assert!(usable <= capacity * geometry.columns() && usable + geometry.columns() * ELEMENT > capacity * geometry.columns());
            for (place, length) in geometry.runs(chunk.logical, usable).unwrap() {
                let stripe = chunk.stripes.iter().find(|stripe| stripe.devid == place.devid).unwrap();
                prop_assert!(place.offset.get() + length <= stripe.offset.get() + capacity);
            }
        }

        #[test]
        fn runs_are_what_single_addresses_map_to(
            (profile, stripes) in prop::sample::select(vec![
                (Profile::Single, 1u64), (Profile::Dup, 2), (Profile::Raid0, 3), (Profile::Raid1, 2), (Profile::Raid1c4, 4),
                (Profile::Raid10, 4), (Profile::Raid10, 6), (Profile::Raid5, 3), (Profile::Raid5, 2), (Profile::Raid6, 5),
            ]),
            rows in 1u64..5, from in 0u64..400, length in 1u64..400,
        ) {
            let step = ELEMENT / 16;
            let chunk = chunk(profile, stripes, rows);
            let from = from * step % chunk.length;
            let length = (length * step).min(chunk.length - from);
            let runs = Geometry::new(&chunk).runs(chunk.logical.plus(from).unwrap(), length).unwrap();
            let mut covered = BTreeSet::new();
            for (place, length) in &runs {
                for offset in (0..*length).step_by(step as usize) {
                    prop_assert!(covered.insert((place.devid.get(), place.offset.get() + offset)), "runs are apart");
                }
            }
            prop_assert!(runs.len() as u64 <= stripes, "one run a stripe is enough");
            prop_assert_eq!(covered, places_one_by_one(&chunk, from, length, step));
        }
    }
}
