//! Parity of RAID5 and RAID6: right wherever a tree block or content with a checksum stands in a row.

use super::geometry::Chunk;
use super::reader::Reader;
use super::{Code, Place};
use crate::disk::chunk::STRIPE_LENGTH;
use crate::disk::superblock::{SUPERBLOCK_OFFSETS, SUPERBLOCK_SIZE};
use crate::units::in_memory;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use rangemap::RangeSet;

/// Checks the parity of all rows that hold any of `written`, logical ranges.
pub(super) fn check(reader: &mut Reader<'_>, written: impl Iterator<Item = (u64, u64)>) {
    let parity: Vec<Chunk> = reader.chunks.0.values().filter(|chunk| chunk.shape().parity > 0).cloned().collect();
    if parity.is_empty() {
        return;
    }
    let mut touched: Vec<RangeSet<u64>> = vec![RangeSet::new(); parity.len()];
    for (start, end) in written {
        let index = parity.partition_point(|chunk| chunk.logical <= start).checked_sub(1);
        let Some((chunk, set)) = index.and_then(|index| Some((parity.get(index)?, touched.get_mut(index)?))) else {
            continue;
        };
        let mut at = start.saturating_sub(chunk.logical);
        let end = end.min(chunk.end()).saturating_sub(chunk.logical);
        while at < end {
            // A column's bytes count from the chunk's start on its device.
            let (element, within) = (at / STRIPE_LENGTH, at % STRIPE_LENGTH);
            let length = STRIPE_LENGTH.saturating_sub(within).min(end.saturating_sub(at));
            let row = element.checked_div(chunk.columns()).unwrap_or(0);
            let from = row.saturating_mul(STRIPE_LENGTH).saturating_add(within);
            set.insert(from..from.saturating_add(length));
            at = at.saturating_add(length);
        }
    }
    for (chunk, set) in parity.iter().zip(touched) {
        for range in set.iter() {
            rows(reader, chunk, range);
        }
    }
}

/// Checks a range of bytes of every stripe of a chunk, row by row.
fn rows(reader: &mut Reader<'_>, chunk: &Chunk, range: &Range<u64>) {
    let mut at = range.start;
    while at < range.end {
        let (row, within) = (at / STRIPE_LENGTH, at % STRIPE_LENGTH);
        let length = STRIPE_LENGTH.saturating_sub(within).min(range.end.saturating_sub(at));
        if !holds_superblock(chunk, row) {
            check_row(reader, chunk, row, within, length);
        }
        at = at.saturating_add(length);
    }
}

/// A kernel leaves rows alone that hold a superblock copy.
fn holds_superblock(chunk: &Chunk, row: u64) -> bool {
    chunk.stripes.iter().any(|stripe| {
        let start = stripe.offset.saturating_add(row.saturating_mul(STRIPE_LENGTH));
        let end = start.saturating_add(STRIPE_LENGTH);
        SUPERBLOCK_OFFSETS.into_iter().any(|copy| copy < end && start < copy.saturating_add(SUPERBLOCK_SIZE))
    })
}

fn check_row(reader: &mut Reader<'_>, chunk: &Chunk, row: u64, within: u64, length: u64) {
    let Ok(size) = in_memory(length) else { return };
    let (mut p, mut q, mut data) = (vec![0_u8; size], vec![0_u8; size], vec![0_u8; size]);
    let read = |reader: &mut Reader<'_>, column: u64, buffer: &mut [u8]| {
        let run = chunk.element(row, column, within, length)?;
        let place = Place { logical: Some(chunk.logical), ..Place::offset(run.devid, run.offset) };
        reader.fill(place, &[run], buffer).then_some(place)
    };
    // Q is a polynomial in 2 over GF(2^8), the last column its highest power.
    for column in (0..chunk.columns()).rev() {
        if read(reader, column, &mut data).is_none() {
            return;
        }
        for ((p, q), byte) in p.iter_mut().zip(q.iter_mut()).zip(&data) {
            *p ^= byte;
            *q = times_two(*q) ^ byte;
        }
    }
    for (number, expected) in [p, q].iter().enumerate().take(in_memory(chunk.shape().parity).unwrap_or(0)) {
        let column = chunk.columns().saturating_add(u64::from(number > 0));
        let Some(place) = read(reader, column, &mut data) else { continue };
        if let Some(at) = expected.iter().zip(&data).position(|(left, right)| left != right) {
            let byte = |bytes: &[u8]| bytes.get(at).copied().unwrap_or(0);
            let expected = format!("{:#04x} at byte {at} of row {row}", byte(expected));
            reader.findings.add(Code::Parity, place, expected, format!("{:#04x}", byte(&data)));
        }
    }
}

/// Twice a number of the field whose polynomial is x^8 + x^4 + x^3 + x^2 + 1.
const fn times_two(number: u8) -> u8 {
    let doubled = number.wrapping_shl(1);
    if number & 0x80 == 0 { doubled } else { doubled ^ 0x1d }
}
