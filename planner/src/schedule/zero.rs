//! What must not survive: sectors of old signatures, and the places where signatures stand.

use super::{ByteRange, Ranges};
use crate::request::{Settings, SettingsDevice};
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

/// Both edges of the device, and the places of old signatures. Where a byte count leaves the end of the device alone,
/// its planned end is no edge.
pub(super) fn ranges(settings: &Settings, limit: u64, signatures: &Ranges) -> Ranges {
    let start = Ranges::one(0, START.min(limit));
    let end = if settings.whole_devices { Ranges::one(limit.saturating_sub(END), limit) } else { Ranges::default() };
    start.union(&end).union(signatures)
}
