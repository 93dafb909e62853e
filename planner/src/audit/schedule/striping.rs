//! Where the bytes of a chunk stand on its devices, worked out from the format's own rules: stripes of 64 KiB, dealt out
//! row by row, with parity in turn on every stripe.

use super::spans::Spans;
use crate::disk::chunk::STRIPE_LENGTH;
use crate::plan::{Chunk, Profile, Stripe};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// A chunk item with more does not fit in the largest node.
const MOST_STRIPES: u64 = 2048;

/// Bytes of one device, by devid.
pub(super) type Places = BTreeMap<u64, Vec<(u64, u64)>>;

/// How a chunk deals out its bytes.
pub(super) struct Striping<'a> {
    pub(super) chunk: &'a Chunk,
    /// Stripes of a row that hold different data.
    columns: u64,
    /// Stripes that hold the same data.
    copies: u64,
    /// Stripes of a row that hold parity.
    parity: u64,
}

/// What blocks need to stand in a chunk, by device.
#[derive(Default)]
pub(super) struct Needs {
    /// Blocks and the parity beside them.
    pub(super) written: Places,
    /// What that parity counts as zeros.
    pub(super) zero: Places,
    /// Whole rows of parity chunks that hold a block: no part of them is free.
    pub(super) rows: Places,
}

impl<'a> Striping<'a> {
    /// The striping of a chunk; none if it has not the stripes that its profile takes.
    pub(super) fn new(chunk: &'a Chunk) -> Option<Self> {
        let stripes = u64::try_from(chunk.stripes.len()).ok()?;
        let (copies, parity) = match chunk.profile {
            Profile::Single | Profile::Raid0 => (1, 0),
            Profile::Dup | Profile::Raid1 | Profile::Raid10 => (2, 0),
            Profile::Raid1c3 => (3, 0),
            Profile::Raid1c4 => (4, 0),
            Profile::Raid5 => (1, 1),
            Profile::Raid6 => (1, 2),
        };
        let columns = stripes.checked_sub(parity)?.checked_div(copies)?;
        let striped = matches!(chunk.profile, Profile::Raid0 | Profile::Raid10 | Profile::Raid5 | Profile::Raid6);
        let fits = (1..=MOST_STRIPES).contains(&stripes)
            && columns > 0
            && columns.checked_mul(copies)?.checked_add(parity)? == stripes
            && (striped || columns == 1)
            && chunk.length.checked_rem(columns)? == 0;
        fits.then_some(Self { chunk, columns, copies, parity })
    }

    const fn has_parity(&self) -> bool {
        self.parity > 0
    }

    /// All whole copies of the bytes from `start` to `end` (counted from the chunk's first), in pieces as long as stripes
    /// allow.
    pub(super) fn copies(&self, start: u64, end: u64) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut at = start;
        while at < end {
            let element = at / STRIPE_LENGTH;
            let mut behind = end;
            // A mirror has its bytes in one piece; everything else changes stripes behind every element.
            if self.columns > 1 || self.has_parity() {
                behind = behind.min(element.saturating_add(1).saturating_mul(STRIPE_LENGTH));
            }
            let (row, column) = (self.row(at), element.checked_rem(self.columns).unwrap_or(0));
            let within = row.saturating_mul(STRIPE_LENGTH).saturating_add(at % STRIPE_LENGTH);
            for copy in 0..self.copies {
                let index = if self.has_parity() {
                    self.turned(row, column)
                } else {
                    column.saturating_mul(self.copies).saturating_add(copy)
                };
                if let Some(stripe) = self.stripe(index) {
                    pieces.push(Piece {
                        devid: stripe.devid.get(),
                        offset: stripe.offset.get().saturating_add(within),
                        length: behind.saturating_sub(at),
                    });
                }
            }
            at = behind;
        }
        pieces
    }

    /// Adds what blocks, as spans counted from the chunk's first byte, need.
    pub(super) fn needs(&self, blocks: &[(u64, u64)], needs: &mut Needs) {
        if !self.has_parity() {
            for (start, end) in blocks {
                for piece in self.copies(*start, *end) {
                    needs.written.entry(piece.devid).or_default().push(piece.span());
                }
            }
            return;
        }
        // The blocks of each row, by column, as spans of the element.
        let mut rows: BTreeMap<u64, BTreeMap<u64, Vec<(u64, u64)>>> = BTreeMap::new();
        for (start, end) in blocks {
            let mut at = *start;
            while at < *end {
                let element = at / STRIPE_LENGTH;
                let behind = element.saturating_add(1).saturating_mul(STRIPE_LENGTH).min(*end);
                let first = element.saturating_mul(STRIPE_LENGTH);
                let column = element.checked_rem(self.columns).unwrap_or(0);
                let spans = rows.entry(self.row(at)).or_default().entry(column).or_default();
                spans.push((at.saturating_sub(first), behind.saturating_sub(first)));
                at = behind;
            }
        }
        for (row, columns) in rows {
            self.row_needs(row, &columns, needs);
        }
    }

    fn row_needs(&self, row: u64, columns: &BTreeMap<u64, Vec<(u64, u64)>>, needs: &mut Needs) {
        let touched = Spans::of(columns.values().flatten().copied());
        let begin = row.saturating_mul(STRIPE_LENGTH);
        let put = |places: &mut Places, column: u64, spans: &Spans| {
            if let Some(stripe) = self.stripe(self.turned(row, column)) {
                let base = stripe.offset.get().saturating_add(begin);
                let of_device = places.entry(stripe.devid.get()).or_default();
                of_device
                    .extend(spans.iter().map(|(start, end)| (base.saturating_add(start), base.saturating_add(end))));
            }
        };
        for column in 0..self.columns.saturating_add(self.parity) {
            put(&mut needs.rows, column, &Spans::one(0, STRIPE_LENGTH));
            if column < self.columns {
                let own = Spans::of(columns.get(&column).into_iter().flatten().copied());
                put(&mut needs.written, column, &own);
                put(&mut needs.zero, column, &touched.without(&own));
            } else {
                put(&mut needs.written, column, &touched);
            }
        }
    }

    /// Adds the device extents.
    pub(super) fn extents(&self, places: &mut Places) {
        let length = self.chunk.length.checked_div(self.columns).unwrap_or(0);
        for stripe in &self.chunk.stripes {
            let start = stripe.offset.get();
            places.entry(stripe.devid.get()).or_default().push((start, start.saturating_add(length)));
        }
    }

    /// Adds the bytes from `start` to `end` as a formatter that goes hole by hole, mirror by mirror, meets them: a span on
    /// each stripe that holds some of them. With parity only whole rows are free.
    pub(super) fn holes(&self, start: u64, end: u64, places: &mut Places) {
        let row_length = STRIPE_LENGTH.saturating_mul(self.columns);
        for (index, stripe) in (0_u64..).zip(&self.chunk.stripes) {
            let (from, to) = if self.has_parity() {
                let (first, behind) = (start.div_ceil(row_length.max(1)), end.checked_div(row_length).unwrap_or(0));
                (first.saturating_mul(STRIPE_LENGTH), behind.saturating_mul(STRIPE_LENGTH))
            } else {
                let column = index.checked_div(self.copies).unwrap_or(0);
                (self.share(start, column), self.share(end, column))
            };
            if from < to {
                let base = stripe.offset.get();
                let span = (base.saturating_add(from), base.saturating_add(to));
                places.entry(stripe.devid.get()).or_default().push(span);
            }
        }
    }

    /// How many of the chunk's first `bytes` stand in a column.
    fn share(&self, bytes: u64, column: u64) -> u64 {
        if self.columns == 1 {
            return bytes;
        }
        let row_length = STRIPE_LENGTH.saturating_mul(self.columns);
        let rows = bytes.checked_div(row_length).unwrap_or(0).saturating_mul(STRIPE_LENGTH);
        let rest = bytes.checked_rem(row_length).unwrap_or(0);
        rest.saturating_sub(column.saturating_mul(STRIPE_LENGTH)).min(STRIPE_LENGTH).saturating_add(rows)
    }

    fn row(&self, at: u64) -> u64 {
        (at / STRIPE_LENGTH).checked_div(self.columns).unwrap_or(0)
    }

    /// The stripe that a column of a row with parity stands on: every row begins one stripe further on.
    fn turned(&self, row: u64, column: u64) -> u64 {
        let stripes = self.columns.saturating_add(self.parity);
        row.saturating_add(column).checked_rem(stripes).unwrap_or(0)
    }

    fn stripe(&self, index: u64) -> Option<&'a Stripe> {
        usize::try_from(index).ok().and_then(|index| self.chunk.stripes.get(index))
    }
}

/// Some bytes of a copy on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) devid: u64,
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl Piece {
    fn span(self) -> (u64, u64) {
        (self.offset, self.offset.saturating_add(self.length))
    }
}
