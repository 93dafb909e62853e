//! The checksum tree: its ranges lie in data extents, every content that wants checksums has them, and what the devices
//! hold matches, in every copy.

use super::extents::{Extents, by_address};
use super::inodes::FileExtent;
use super::reader::Reader;
use super::walk::Leaf;
use super::{Code, Place};
use crate::disk::key::{ItemType, Key};
use crate::units::{in_memory, wide};
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// Object id of checksums of data.
const DATA_CHECKSUMS: u64 = u64::MAX - 9;
/// Sectors that are read at once.
const BATCH: u64 = 64;

/// Checksums, in the order of addresses.
#[derive(Debug, Default)]
pub(super) struct Checksums(Vec<Sums>);

/// Checksums of neighbouring sectors.
#[derive(Debug)]
struct Sums {
    place: Place,
    /// In which of several trees it is.
    index: u64,
    start: u64,
    end: u64,
    sums: Vec<u8>,
}

impl Checksums {
    /// Takes an item of the checksum tree. False where it is of another type.
    pub(super) fn item(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>, slot: u32, key: Key, data: &[u8]) -> bool {
        if key.item_type != ItemType::EXTENT_CSUM || key.objectid != DATA_CHECKSUMS {
            return false;
        }
        let place = leaf.place(slot, key);
        let (sector, size) = (u64::from(reader.filesystem.sector_size), wide(reader.filesystem.checksum.size()));
        let count = wide(data.len()).checked_div(size).unwrap_or(0);
        let end = count.checked_mul(sector).and_then(|bytes| key.offset.checked_add(bytes));
        let whole = wide(data.len()).checked_rem(size) == Some(0) && key.offset.checked_rem(sector) == Some(0);
        let free = self.0.last().filter(|last| last.index == leaf.index).map_or(0, |last| last.end);
        match end {
            Some(end) if whole && count > 0 && key.offset >= free => {
                self.0.push(Sums { place, index: leaf.index, start: key.offset, end, sums: data.to_vec() });
            }
            _ => {
                let expected = format!("checksums of {size} bytes for sectors from {free} on");
                reader.findings.add(Code::ChecksumItem, place, expected, format!("{} bytes", data.len()));
            }
        }
        true
    }

    /// Puts what several trees say in the order of addresses.
    pub(super) fn sort(&mut self, reader: &mut Reader<'_>) {
        by_address(&mut self.0, |sums| sums.start);
        let twice = self.0.windows(2).filter_map(|pair| match pair {
            [first, second] if first.end > second.start => Some((second.place, first.end)),
            _ => None,
        });
        for (place, end) in twice {
            reader.findings.add(Code::ChecksumItem, place, format!("checksums from {end} on"), "some of both trees");
        }
    }

    /// Every item's place, address, and tree among several.
    pub(super) fn indexed(&self) -> impl Iterator<Item = (Place, u64, u64)> {
        self.0.iter().map(|sums| (sums.place, sums.start, sums.index))
    }

    /// The ranges that have checksums, neighbours merged.
    pub(super) fn ranges(&self) -> Vec<(u64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for sums in &self.0 {
            match ranges.last_mut() {
                Some((_, end)) if *end == sums.start => *end = sums.end,
                _ => ranges.push((sums.start, sums.end)),
            }
        }
        ranges
    }

    /// Checks checksums against extents and files, and, where it is known where they are, the bytes themselves.
    pub(super) fn check(&self, reader: &mut Reader<'_>, extents: &Extents, files: &[FileExtent], read: bool) {
        let ranges = self.ranges();
        for file in files {
            let Some((start, end)) = file.summed else { continue };
            let before = ranges.partition_point(|(from, _)| *from <= start).checked_sub(1);
            let has = before.and_then(|index| ranges.get(index)).is_some_and(|(_, behind)| *behind >= end);
            if !has && !reader.incomplete {
                let expected = format!("checksums from {start} to {end}");
                reader.findings.add(Code::ChecksumMissing, file.place, expected, "not all of them");
            }
        }
        for sums in &self.0 {
            if !reader.incomplete && !extents.covers_data(sums.start, sums.end) {
                let found = "some of it allocated to none";
                reader.findings.add(Code::ChecksumUnused, sums.place, "data extents for all of it", found);
                continue;
            }
            if read {
                sums.verify(reader);
            }
        }
    }
}

impl Sums {
    /// Reads the sectors, in every copy.
    fn verify(&self, reader: &mut Reader<'_>) {
        let sector = u64::from(reader.filesystem.sector_size);
        let (kind, size) = (reader.filesystem.checksum, reader.filesystem.checksum.size());
        let mut sums = self.sums.chunks_exact(size);
        let mut at = self.start;
        while at < self.end {
            let length = sector.saturating_mul(BATCH).min(self.end.saturating_sub(at));
            let expected: Vec<&[u8]> =
                sums.by_ref().take(in_memory(length.checked_div(sector).unwrap_or(0)).unwrap_or(0)).collect();
            let (Some((_, copies)), Ok(bytes), Ok(step)) =
                (reader.copies(at, length), in_memory(length), in_memory(sector))
            else {
                reader.findings.add(Code::ChecksumUnused, self.place, "a chunk for all of it", format!("none at {at}"));
                return;
            };
            let mut good: Option<Vec<u8>> = None;
            for runs in copies {
                let mut buffer = vec![0; bytes];
                if !reader.fill(self.place, &runs, &mut buffer) || good.as_ref() == Some(&buffer) {
                    continue;
                }
                let mut all = true;
                let addresses = (0_u64..).map(|number| at.saturating_add(number.saturating_mul(sector)));
                for ((data, expected), logical) in buffer.chunks_exact(step).zip(&expected).zip(addresses) {
                    let found = kind.of(data);
                    let found = found.get(..size).unwrap_or_default();
                    if found != *expected {
                        all = false;
                        let device = runs.first().map(|run| run.devid);
                        let place = Place { device, ..Place::logical(logical) };
                        reader.findings.add(Code::DataChecksum, place, hex::encode(expected), hex::encode(found));
                    }
                }
                good = good.or_else(|| all.then_some(buffer));
            }
            at = at.saturating_add(length);
        }
    }
}
