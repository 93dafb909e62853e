//! The free space tree: exactly what the extent tree leaves free, as extents or as bitmaps.

use super::block_groups::BlockGroups;
use super::extents::{Extents, by_address};
use super::reader::Reader;
use super::walk::Leaf;
use super::{Code, Place, Scope};
use crate::disk::free_space::{BITMAP_BITS, FreeSpaceInfo, USING_BITMAPS};
use crate::disk::key::{ItemType, Key};
use crate::units::wide;
use alloc::format;
use alloc::vec::Vec;
use zerocopy::FromBytes;

/// What the free space tree says, in the order of addresses.
#[derive(Debug, Default)]
pub(super) struct FreeSpace {
    infos: Vec<Info>,
    ranges: Vec<FreeRange>,
    /// Whether there is a tree at all.
    pub(super) there: bool,
}

/// What it says of a block group.
#[derive(Clone, Copy, Debug)]
struct Info {
    place: Place,
    /// In which of several trees it is.
    index: u64,
    start: u64,
    length: u64,
    count: u32,
    flags: u32,
}

/// A free range.
#[derive(Clone, Copy, Debug)]
struct FreeRange {
    place: Place,
    /// In which of several trees it is.
    index: u64,
    start: u64,
    length: u64,
    bitmap: bool,
    /// Whether it goes on where the one before ended, in another bitmap.
    joins: bool,
}

impl FreeSpace {
    /// Takes an item of the free space tree. False where it is of another type.
    pub(super) fn item(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>, slot: u32, key: Key, data: &[u8]) -> bool {
        let place = leaf.place(slot, key);
        let (start, length) = (key.objectid, key.offset);
        match key.item_type {
            ItemType::FREE_SPACE_INFO => match FreeSpaceInfo::read_from_bytes(data) {
                Ok(info) => {
                    let (count, flags) = (info.extent_count.get(), info.flags.get());
                    self.infos.push(Info { place, index: leaf.index, start, length, count, flags });
                }
                Err(_) => reader.findings.add(Code::FreeSpaceItem, place, "8 bytes", data.len()),
            },
            ItemType::FREE_SPACE_EXTENT => {
                if !data.is_empty() {
                    reader.findings.add(Code::FreeSpaceItem, place, "no data", format!("{} bytes", data.len()));
                }
                self.ranges.push(FreeRange { place, index: leaf.index, start, length, bitmap: false, joins: false });
            }
            ItemType::FREE_SPACE_BITMAP => self.bitmap(reader, place, leaf.index, key, data),
            _ => return false,
        }
        true
    }

    fn bitmap(&mut self, reader: &mut Reader<'_>, place: Place, index: u64, key: Key, data: &[u8]) {
        let sector = u64::from(reader.filesystem.sector_size);
        let bits = key.offset.checked_div(sector).unwrap_or(0);
        let aligned = key.offset.checked_rem(sector) == Some(0) && key.objectid.checked_rem(sector) == Some(0);
        if !aligned || bits == 0 || bits > BITMAP_BITS || wide(data.len()) != bits.div_ceil(8) {
            let expected = format!("a bit for each sector of at most {BITMAP_BITS}");
            reader.findings.add(Code::FreeSpaceItem, place, expected, format!("{} bytes", data.len()));
            return;
        }
        let mut open: Option<u64> = None;
        for number in 0..=bits {
            let byte = usize::try_from(number / 8).ok().and_then(|index| data.get(index)).copied().unwrap_or(0);
            let free = number < bits && byte >> (number % 8) & 1 == 1;
            let at = key.objectid.saturating_add(number.saturating_mul(sector));
            match open {
                None if free => open = Some(at),
                Some(start) if !free => {
                    open = None;
                    let joins = start == key.objectid
                        && self
                            .ranges
                            .last()
                            .is_some_and(|last| last.bitmap && last.start.saturating_add(last.length) == start);
                    let length = at.saturating_sub(start);
                    self.ranges.push(FreeRange { place, index, start, length, bitmap: true, joins });
                }
                _ => {}
            }
        }
    }

    /// Puts what several trees say in the order of addresses.
    pub(super) fn sort(&mut self) {
        by_address(&mut self.infos, |info| info.start);
        by_address(&mut self.ranges, |range| range.start);
    }

    /// Every item's place, address, and tree among several.
    pub(super) fn indexed(&self) -> impl Iterator<Item = (Place, u64, u64)> {
        let infos = self.infos.iter().map(|info| (info.place, info.start, info.index));
        infos.chain(self.ranges.iter().map(|range| (range.place, range.start, range.index)))
    }

    /// Compares with block groups and extents.
    pub(super) fn check(&self, reader: &mut Reader<'_>, groups: &BlockGroups, extents: &Extents) {
        let findings = &mut reader.findings;
        let mut owned = 0_usize;
        for info in &self.infos {
            let end = info.start.saturating_add(info.length);
            match groups.0.get(&info.start) {
                Some(group) if group.length == info.length => {}
                _ if stale(info, groups) && reader.scope == Scope::Grown => {
                    findings.add(Code::FreeSpaceStale, info.place, "a block group of this range", "none");
                    let here = self.ranges.iter().filter(|range| (info.start..end).contains(&range.start));
                    owned = owned.saturating_add(here.count());
                    continue;
                }
                _ => findings.add(Code::FreeSpaceGroup, info.place, "a block group of this range", "none"),
            }
            if info.flags & !USING_BITMAPS != 0 {
                findings.add(Code::FreeSpaceItem, info.place, "flags 0 or 1", format!("{:#x}", info.flags));
            }
            let bitmaps = info.flags & USING_BITMAPS != 0;
            let first = self.ranges.partition_point(|range| range.start < info.start);
            let here = self.ranges.iter().skip(first).take_while(|range| range.start < end);
            let mut found: Vec<(u64, u64)> = Vec::new();
            for range in here {
                owned = owned.saturating_add(1);
                if range.bitmap != bitmaps {
                    let expected = if bitmaps { "bitmaps, as the flags say" } else { "extents, as the flags say" };
                    findings.add(Code::FreeSpaceItem, range.place, expected, "the other kind");
                }
                match found.last_mut() {
                    Some((_, length)) if range.joins => *length = length.saturating_add(range.length),
                    _ => found.push((range.start, range.length)),
                }
            }
            let (_, expected) = extents.within(info.start, end);
            findings.equal(Code::FreeSpaceCount, info.place, wide(expected.len()), u64::from(info.count));
            if let Some((expected, found)) = first_difference(&expected, &found) {
                findings.add(Code::FreeSpaceRange, info.place, expected, found);
            }
        }
        if owned != self.ranges.len() {
            let outside = self.ranges.len().saturating_sub(owned);
            let place = Place::tree(crate::disk::root::TreeId::FreeSpace.objectid());
            findings.add(Code::FreeSpaceGroup, place, "free ranges in block groups", format!("{outside} outside"));
        }
        for (start, group) in &groups.0 {
            if self.infos.binary_search_by_key(start, |info| info.start).is_err() {
                findings.add(Code::FreeSpaceGroup, group.place, "an item in the free space tree", "none");
            }
        }
    }
}

/// Whether no block group touches the range that an item is about.
fn stale(info: &Info, groups: &BlockGroups) -> bool {
    let end = info.start.saturating_add(info.length);
    let before = groups.0.range(..end).next_back();
    before.is_none_or(|(start, group)| start.saturating_add(group.length) <= info.start)
}

/// The first ranges in which two lists differ, as texts.
fn first_difference(
    expected: &[(u64, u64)],
    found: &[(u64, u64)],
) -> Option<(alloc::string::String, alloc::string::String)> {
    let say = |range: Option<&(u64, u64)>| match range {
        Some((start, length)) => format!("{length} bytes free at {start}"),
        None => "nothing free behind".into(),
    };
    let at = expected.iter().zip(found).take_while(|(left, right)| left == right).count();
    let (left, right) = (expected.get(at), found.get(at));
    (left != right).then(|| (say(left), say(right)))
}
