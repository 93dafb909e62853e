//! From logical addresses to the places on devices that hold them: all copies in one look-up.

use super::{Chunk, Stripe};
use crate::disk::chunk::STRIPE_LENGTH;
use crate::request::Profile;
use crate::units::{Checked, Logical, Physical, SizeOverflow, in_memory, wide};
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
