//! Parity of the stripe rows that hold tree blocks.

use super::{ByteRange, Ranges};
use crate::disk::chunk::STRIPE_LENGTH;
use crate::layout::{Chunk, Geometry, Position, Stripe};
use crate::units::{Checked, Logical, SizeOverflow, in_memory, wide};
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// Blocks of parity chunks, by row.
pub(super) struct Rows<'a> {
    rows: BTreeMap<(Logical, u64), Row<'a>>,
}

struct Row<'a> {
    chunk: &'a Chunk,
    blocks: Vec<(Position, &'a [u8])>,
}

/// What the blocks of one row need besides themselves.
pub(super) struct Parity {
    /// Parity bytes and where they go.
    pub(super) stripes: Vec<(Stripe, Vec<u8>)>,
    /// Places of data stripes beside blocks that no block fills: parity counts them as zeros, so they must be.
    pub(super) holes: Vec<(Stripe, u64)>,
}

impl<'a> Rows<'a> {
    pub(super) const fn new() -> Self {
        Self { rows: BTreeMap::new() }
    }

    /// Adds a block, which never crosses a stripe element.
    pub(super) fn add(&mut self, chunk: &'a Chunk, position: Position, bytes: &'a [u8]) {
        let row = self.rows.entry((chunk.logical, position.row)).or_insert(Row { chunk, blocks: Vec::new() });
        row.blocks.push((position, bytes));
    }

    /// The parity of every row.
    pub(super) fn parity(&self) -> Result<Vec<Parity>, SizeOverflow> {
        self.rows.iter().map(|((_, number), row)| row.parity(*number)).collect()
    }
}

impl Row<'_> {
    fn parity(&self, number: u64) -> Result<Parity, SizeOverflow> {
        let geometry = Geometry::new(self.chunk);
        let extents = |column: Option<u64>| {
            let of_column = self.blocks.iter().filter(move |(at, _)| column.is_none_or(|column| at.column == column));
            of_column.map(|(at, bytes)| ByteRange { start: at.within, length: wide(bytes.len()) }).collect()
        };
        let touched = Ranges::from_unordered(extents(None))?;
        let mut parity = Parity { stripes: Vec::new(), holes: Vec::new() };
        for range in touched.iter() {
            let syndromes = self.syndromes(&geometry, range)?;
            parity.stripes.extend(geometry.parity(number, range.start)?.into_iter().zip(syndromes));
        }
        for column in 0..geometry.columns() {
            for hole in touched.difference(&Ranges::from_unordered(extents(Some(column)))?).iter() {
                let places = geometry.copies(Position { row: number, column, within: hole.start })?;
                parity.holes.extend(places.into_iter().map(|place| (place, hole.length)));
            }
        }
        Ok(parity)
    }

    /// P, the sum of the columns, and Q, their sum with the powers of 2 of the field as weights, of one range.
    fn syndromes(&self, geometry: &Geometry<'_>, range: ByteRange) -> Result<[Vec<u8>; 2], SizeOverflow> {
        let length = in_memory(range.length.min(STRIPE_LENGTH))?;
        let (mut p, mut q) = (vec![0_u8; length], vec![0_u8; length]);
        // Horner's rule: the last column first.
        for column in (0..geometry.columns()).rev() {
            for byte in &mut q {
                *byte = doubled(*byte);
            }
            for (at, bytes) in self.blocks.iter().filter(|(at, _)| at.column == column) {
                // Ranges are unions of blocks: a block is inside or outside.
                let Ok(skip) = at.within.minus(range.start) else { continue };
                let to = p.iter_mut().zip(q.iter_mut()).skip(in_memory(skip)?);
                for ((p, q), byte) in to.zip(*bytes) {
                    *p ^= byte;
                    *q ^= byte;
                }
            }
        }
        Ok([p, q])
    }
}

/// Twice a number in GF(2^8) with the polynomial 0x11d, that of RAID6.
const fn doubled(byte: u8) -> u8 {
    let carry = if byte & 0x80 == 0 { 0 } else { 0x1d };
    (byte << 1) ^ carry
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Doubling runs through all 255 numbers but zero before it comes back: 2 generates the field.
    #[test]
    fn two_generates_the_field() {
        let mut seen = [false; 256];
        let mut power = 1;
        for _ in 0..255 {
            assert!(!core::mem::replace(&mut seen[usize::from(power)], true));
            power = doubled(power);
        }
        assert_eq!(power, 1);
        assert!(!seen[0]);
    }
}
