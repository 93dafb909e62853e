//! Superblocks: every copy on every disk.

use super::{Code, Disks, Findings, Place};
use crate::disk::checksum::ChecksumType;
use crate::disk::superblock::{MAGIC, SUPERBLOCK_OFFSETS, SUPERBLOCK_SIZE, Superblock};
use crate::units::wide;
use zerocopy::FromBytes;

/// Looks at every copy of every disk.
pub(super) fn check(disks: &dyn Disks, findings: &mut Findings) {
    for disk in 0..disks.count() {
        for offset in SUPERBLOCK_OFFSETS {
            if offset.saturating_add(SUPERBLOCK_SIZE) > disks.size(disk) {
                continue;
            }
            let place = Place::offset(wide(disk).saturating_add(1), offset);
            let mut bytes = [0; 4096];
            if disks.read(disk, offset, &mut bytes).is_err() {
                findings.add(Code::ReadFailed, place, "a superblock", "an error");
                continue;
            }
            let Ok(block) = Superblock::read_from_bytes(&bytes) else { continue };
            if block.magic != MAGIC {
                findings.add(Code::SuperblockMissing, place, "the magic of btrfs", hex::encode(block.magic));
                continue;
            }
            let kind = ChecksumType::from_on_disk(block.csum_type.get()).unwrap_or_default();
            if !kind.holds(&bytes) {
                findings.add(Code::SuperblockChecksum, place, "the checksum of its bytes", hex::encode(block.csum));
            }
        }
    }
}
