//! What must not survive: sectors of old signatures, and the places where signatures stand.

use super::{ByteRange, Ranges};
use crate::disk::superblock::{SUPERBLOCK_OFFSETS, SUPERBLOCK_SIZE};
use crate::request::SettingsDevice;
use crate::units::{KIB, MIB, SizeOverflow, round_down, round_up};

/// Partition tables, boot loaders and the primary signatures of nearly everything stand within this much of the start.
const START: u64 = MIB;
/// Backup partition tables (33 sectors), RAID members (at most 128 KiB) and the last two ZFS labels (256 KiB each) stand
/// within this much of the end.
const END: u64 = 512 * KIB;

/// The sectors of the signatures that were found below `limit`.
pub(super) fn signatures(device: &SettingsDevice, limit: u64) -> Result<Ranges, SizeOverflow> {
    let sector = u64::from(device.facts.logical_sector);
    let mut sectors = alloc::vec::Vec::new();
    for signature in &device.facts.signatures {
        let end = ByteRange { start: signature.offset, length: signature.length }.end().ok_or(SizeOverflow)?;
        let (start, end) = (round_down(signature.offset, sector), round_up(end, sector)?);
        if end <= limit {
            sectors.push(ByteRange { start, length: end.saturating_sub(start) });
        }
    }
    Ranges::from_unordered(sectors)
}

/// Both edges of the device, the places of superblock copies, and those of old signatures. Where a byte count leaves the
/// end of the device alone, its planned end is no edge.
pub(super) fn ranges(device: &SettingsDevice, limit: u64, signatures: &Ranges) -> Ranges {
    let start = Ranges::one(0, START.min(limit));
    let reaches_end = limit >= round_down(device.facts.size, u64::from(device.facts.logical_sector));
    let end = if reaches_end { Ranges::one(limit.saturating_sub(END), limit) } else { Ranges::default() };
    // Where zones hold the superblocks, the places that they have elsewhere may still hold old ones.
    let copies = SUPERBLOCK_OFFSETS.map(|offset| (offset, offset.saturating_add(SUPERBLOCK_SIZE)));
    let copies = copies.into_iter().filter(|(_, end)| *end <= limit);
    let edges = start.union(&end).union(signatures);
    copies.fold(edges, |all, (start, end)| all.union(&Ranges::one(start, end)))
}
