//! Where superblock copies stand: at fixed places of ordinary disks, in logs of two zones on zoned ones.

use super::Disks;
use crate::disk::superblock::{LOG_OFFSETS, MAGIC, SUPERBLOCK_OFFSETS, SUPERBLOCK_SIZE, Superblock};
use crate::units::round_down;
use zerocopy::FromBytes;

/// The two zones of a copy's log.
pub(super) fn zones(disks: &dyn Disks, disk: usize, mirror: usize) -> Option<[super::Zone; 2]> {
    let length = disks.zone(disk, 0)?.length;
    let first = disks.zone(disk, round_down(*LOG_OFFSETS.get(mirror)?, length))?;
    let second = disks.zone(disk, first.start.checked_add(first.length)?)?;
    Some([first, second])
}

/// Where a copy stands that is up to date, if the disk has room for it.
pub(super) fn place(disks: &dyn Disks, disk: usize, mirror: usize) -> Option<u64> {
    if disks.zone(disk, 0).is_none() {
        return SUPERBLOCK_OFFSETS.get(mirror).copied();
    }
    let [first, second] = zones(disks, disk, mirror)?;
    if !first.usable || !second.usable {
        return None;
    }
    if !first.sequential || !second.sequential {
        return Some(first.start);
    }
    // Each entry is written behind the one before; the newest of both zones counts.
    let newest = [first, second].iter().filter_map(|zone| last(disks, disk, zone)).max();
    Some(newest.map_or(first.start, |(_, offset)| offset))
}

/// Whether a device of `size` bytes has room for a copy.
pub(super) fn fits(disks: &dyn Disks, disk: usize, mirror: usize, size: u64) -> bool {
    match zones(disks, disk, mirror) {
        Some([_, second]) => second.start.saturating_add(second.length) <= size,
        None => true,
    }
}

/// The last entry of a zone: its generation and its place.
fn last(disks: &dyn Disks, disk: usize, zone: &super::Zone) -> Option<(u64, u64)> {
    let end = zone.start.saturating_add(zone.capacity.min(zone.length));
    let mut found = None;
    let mut offset = zone.start;
    while offset.saturating_add(SUPERBLOCK_SIZE) <= end {
        let mut bytes = [0; 4096];
        disks.read(disk, offset, &mut bytes).ok()?;
        let block = Superblock::read_from_bytes(&bytes).ok().filter(|block| block.magic == MAGIC);
        let Some(block) = block else { break };
        found = Some((block.generation.get(), offset));
        offset = offset.saturating_add(SUPERBLOCK_SIZE);
    }
    found
}
