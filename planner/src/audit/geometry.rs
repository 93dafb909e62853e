//! Chunks and how their bytes lie on devices: the audit's own reading of the format.

use crate::disk::block_group::BlockGroupFlags;
use crate::disk::chunk::STRIPE_LENGTH;
use crate::units::wide;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// A chunk whose item has been checked: no sum over its addresses leaves 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// First byte of logical address space.
    pub(super) logical: u64,
    /// Bytes of logical address space.
    pub(super) length: u64,
    /// Type and profile.
    pub(super) flags: BlockGroupFlags,
    /// The places of its stripes, in order.
    pub(super) stripes: Vec<Stripe>,
    /// The item's bytes.
    pub(super) item: Vec<u8>,
}

/// A stripe of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stripe {
    /// The device.
    pub(super) devid: u64,
    /// Byte offset on the device.
    pub(super) offset: u64,
    /// What the chunk says is the device's UUID.
    pub(super) uuid: [u8; 16],
}

/// A run of bytes on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The device.
    pub(super) devid: u64,
    /// Byte offset on the device.
    pub(super) offset: u64,
    /// Bytes.
    pub(super) length: u64,
}

/// A profile's row of numbers: stripes at least and at most, copies of every byte, parity stripes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) fewest: u64,
    pub(super) most: u64,
    pub(super) copies: u64,
    pub(super) parity: u64,
    /// Whether rows of elements go round the stripes.
    pub(super) striped: bool,
    /// Whether no device may hold two stripes.
    pub(super) apart: bool,
}

/// Bits of a block group that say what it holds.
pub(super) const KINDS: BlockGroupFlags = BlockGroupFlags::DATA
    .with(BlockGroupFlags::METADATA)
    .with(BlockGroupFlags::SYSTEM)
    .with(BlockGroupFlags::METADATA_REMAP);
/// Bits of a block group that holds trees.
pub(super) const TREES: BlockGroupFlags =
    BlockGroupFlags::METADATA.with(BlockGroupFlags::SYSTEM).with(BlockGroupFlags::METADATA_REMAP);
/// Bits of a block group that name a profile.
const PROFILES: [(BlockGroupFlags, Shape); 9] = {
    const fn row(name: &'static str, fewest: u64, most: u64, copies: u64, apart: bool) -> Shape {
        Shape { name, fewest, most, copies, parity: 0, striped: false, apart }
    }
    const fn striped(name: &'static str, fewest: u64, copies: u64, parity: u64) -> Shape {
        Shape { name, fewest, most: u64::MAX, copies, parity, striped: true, apart: true }
    }
    type Flags = BlockGroupFlags;
    [
        (Flags::NONE, row("single", 1, 1, 1, false)),
        (Flags::DUP, row("dup", 2, 2, 2, false)),
        (Flags::RAID1, row("raid1", 2, 2, 2, true)),
        (Flags::RAID1C3, row("raid1c3", 3, 3, 3, true)),
        (Flags::RAID1C4, row("raid1c4", 4, 4, 4, true)),
        (Flags::RAID0, striped("raid0", 1, 1, 0)),
        (Flags::RAID10, striped("raid10", 2, 2, 0)),
        (Flags::RAID5, striped("raid5", 2, 1, 1)),
        (Flags::RAID6, striped("raid6", 3, 1, 2)),
    ]
};

/// The shape of the one profile that the flags name; `None` where they name several or have unknown bits.
pub(super) fn shape(flags: BlockGroupFlags) -> Option<Shape> {
    let profile = BlockGroupFlags::from(flags.bits() & !KINDS.bits());
    PROFILES.into_iter().find(|(bits, _)| *bits == profile).map(|(_, shape)| shape)
}

impl Chunk {
    /// The profile's numbers.
    pub(super) fn shape(&self) -> Shape {
        let [(_, single), ..] = PROFILES;
        shape(self.flags).unwrap_or(single)
    }

    /// The byte behind the last.
    pub(super) const fn end(&self) -> u64 {
        self.logical.saturating_add(self.length)
    }

    /// Elements of a row that hold different data; at least 1.
    pub(super) fn columns(&self) -> u64 {
        let (shape, stripes) = (self.shape(), wide(self.stripes.len()));
        let data = stripes.saturating_sub(shape.parity);
        if shape.striped { data.checked_div(shape.copies).unwrap_or(1).max(1) } else { 1 }
    }

    /// Bytes of each of its device extents.
    pub(super) fn stripe_length(&self) -> u64 {
        self.length.checked_div(self.columns()).unwrap_or(0)
    }

    /// Whether tree blocks may be in it.
    pub(super) const fn holds_trees(&self) -> bool {
        self.flags.bits() & TREES.bits() != 0
    }

    /// Where one copy of a logical range stands, run by run. The range lies in the chunk.
    pub(super) fn runs(&self, logical: u64, length: u64, copy: u64) -> Vec<Run> {
        let start = logical.saturating_sub(self.logical);
        let end = start.saturating_add(length).min(self.length);
        let mut runs = Vec::new();
        if !self.shape().striped {
            runs.extend(self.at(copy, start, end.saturating_sub(start)));
            return runs;
        }
        let mut at = start;
        while at < end {
            let (element, within) = (at / STRIPE_LENGTH, at % STRIPE_LENGTH);
            let length = STRIPE_LENGTH.saturating_sub(within).min(end.saturating_sub(at));
            let row = element.checked_div(self.columns()).unwrap_or(0);
            let column = element.checked_rem(self.columns()).unwrap_or(0);
            let offset = row.saturating_mul(STRIPE_LENGTH).saturating_add(within);
            runs.extend(self.at(self.stripe_of(row, column, copy), offset, length));
            at = at.saturating_add(length);
        }
        runs
    }

    /// Where `length` bytes of the element at a column of a row stand, from `within` on. Columns behind those of data
    /// are parity: P, then Q.
    pub(super) fn element(&self, row: u64, column: u64, within: u64, length: u64) -> Option<Run> {
        let offset = row.saturating_mul(STRIPE_LENGTH).saturating_add(within);
        self.at(self.stripe_of(row, column, 0), offset, length)
    }

    /// The number of the stripe that holds a column in a row.
    fn stripe_of(&self, row: u64, column: u64, copy: u64) -> u64 {
        let shape = self.shape();
        if shape.parity == 0 {
            return column.saturating_mul(shape.copies).saturating_add(copy);
        }
        // Every row of a parity profile starts one stripe further on.
        row.wrapping_add(column).checked_rem(wide(self.stripes.len())).unwrap_or(0)
    }

    fn at(&self, stripe: u64, offset: u64, length: u64) -> Option<Run> {
        let stripe = self.stripes.get(usize::try_from(stripe).ok()?)?;
        Some(Run { devid: stripe.devid, offset: stripe.offset.saturating_add(offset), length })
    }
}

/// Chunks by logical address.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunks(pub(super) BTreeMap<u64, Chunk>);

impl Chunks {
    /// The chunk that holds the whole of a range.
    pub(super) fn holding(&self, logical: u64, length: u64) -> Option<&Chunk> {
        let (_, chunk) = self.0.range(..=logical).next_back()?;
        (logical.checked_add(length)? <= chunk.end()).then_some(chunk)
    }

    /// A chunk that overlaps a range.
    pub(super) fn overlapping(&self, start: u64, end: u64) -> Option<&Chunk> {
        self.0.range(..end).next_back().map(|(_, chunk)| chunk).filter(|chunk| chunk.end() > start)
    }
}
