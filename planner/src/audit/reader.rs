//! From logical addresses to bytes: every copy, compared; tree blocks with a checksum that holds.

use super::geometry::{Chunks, Run};
use super::superblock::Filesystem;
use super::{Code, Counts, Disks, Findings, Place, Scope};
use crate::disk::inode::InodeItem;
use crate::disk::superblock::{SUPERBLOCK_OFFSETS, SUPERBLOCK_SIZE};
use crate::units::in_memory;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

/// A filesystem that is being read.
pub(super) struct Reader<'a> {
    pub(super) disks: &'a dyn Disks,
    pub(super) scope: Scope,
    pub(super) findings: Findings,
    pub(super) counts: Counts,
    pub(super) filesystem: Filesystem,
    pub(super) chunks: Chunks,
    pub(super) chunk_tree_uuid: Option<[u8; 16]>,
    /// Every tree block that was read.
    pub(super) blocks: BTreeMap<u64, BlockRecord>,
    /// Every reference to a tree block.
    pub(super) references: Vec<BlockReference>,
    /// Whether some part of the trees could not be read: what refers to it would look wrong.
    pub(super) incomplete: bool,
    /// How many blocks may still be read again.
    pub(super) visits: u64,
    /// Whether they were too few.
    pub(super) tired: bool,
    /// The root directory of every tree that has one.
    pub(super) directories: Vec<(Place, InodeItem)>,
}

/// What is remembered of a tree block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockRecord {
    pub(super) tree: u64,
    pub(super) index: u64,
    pub(super) owner: u64,
    pub(super) generation: u64,
    pub(super) level: u8,
    pub(super) items: u32,
    pub(super) first_key: Option<crate::disk::key::Key>,
}

/// A reference to a tree block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockReference {
    pub(super) block: u64,
    /// The node with the pointer; `None` for a root item or the superblock.
    pub(super) parent: Option<u64>,
    /// The tree, where there is no parent.
    pub(super) tree: u64,
}

impl Reader<'_> {
    /// The bytes of a tree block from its first good copy. All copies are looked at.
    pub(super) fn block_bytes(&mut self, place: Place, logical: u64) -> Option<Vec<u8>> {
        let size = u64::from(self.filesystem.node_size);
        let aligned = logical.checked_rem(u64::from(self.filesystem.sector_size)) == Some(0);
        let copies = self.copies(logical, size).filter(|(trees, _)| *trees && aligned);
        let Some((_, copies)) = copies else {
            let expected = format!("{size} bytes in a chunk for trees");
            self.findings.add(Code::BlockPlace, place, expected, "an address outside of them");
            return None;
        };
        let mut good: Option<Vec<u8>> = None;
        let mut buffer = vec![0; in_memory(size).ok()?];
        for runs in copies {
            let Some(first) = runs.first().copied() else { continue };
            let at = Place { device: Some(first.devid), offset: Some(first.offset), ..place };
            self.not_on_a_superblock(at, &runs);
            if !self.fill(at, &runs, &mut buffer) {
                continue;
            }
            if good.as_ref().is_some_and(|good| *good == buffer) {
                continue;
            }
            if !self.filesystem.checksum.holds(&buffer) {
                let right = buffer.get(32..).map(|rest| hex::encode(self.filesystem.checksum.of(rest)));
                let found = buffer.get(..32).map(hex::encode).unwrap_or_default();
                self.findings.add(Code::BlockChecksum, at, right.unwrap_or_default(), found);
            } else if good.is_some() {
                self.findings.add(Code::BlockCopiesDiffer, at, "the bytes of the other copies", "others");
            } else {
                good = Some(buffer.clone());
            }
        }
        self.counts.blocks = self.counts.blocks.saturating_add(1);
        good
    }

    /// The first copy whose checksum holds, without a word about the others.
    pub(super) fn first_good_copy(&mut self, logical: u64) -> Option<Vec<u8>> {
        let (_, copies) = self.copies(logical, u64::from(self.filesystem.node_size))?;
        let mut buffer = vec![0; in_memory(u64::from(self.filesystem.node_size)).ok()?];
        copies.into_iter().find_map(|runs| {
            let good = self.read_runs(&runs, &mut buffer) && self.filesystem.checksum.holds(&buffer);
            good.then(|| core::mem::take(&mut buffer))
        })
    }

    /// Whether the chunk of a range is for trees, and the runs of each copy.
    pub(super) fn copies(&self, logical: u64, length: u64) -> Option<(bool, Vec<Vec<Run>>)> {
        let chunk = self.chunks.holding(logical, length)?;
        let copies = (0..chunk.shape().copies).map(|copy| chunk.runs(logical, length, copy)).collect();
        Some((chunk.holds_trees(), copies))
    }

    /// Reads runs one after another into a buffer that is as long as all of them. A device that is missing was reported.
    pub(super) fn fill(&mut self, place: Place, runs: &[Run], buffer: &mut [u8]) -> bool {
        let there = runs.iter().all(|run| self.filesystem.disks.contains_key(&run.devid));
        let filled = there && self.read_runs(runs, buffer);
        if there && !filled {
            self.findings.add(Code::ReadFailed, place, format!("{} bytes", buffer.len()), "a read error");
        }
        filled
    }

    pub(super) fn read_runs(&mut self, runs: &[Run], buffer: &mut [u8]) -> bool {
        let mut rest = buffer;
        for run in runs {
            let Some(disk) = self.filesystem.disks.get(&run.devid) else { return false };
            let Ok(length) = in_memory(run.length) else { return false };
            let Some((part, behind)) = rest.split_at_mut_checked(length) else { return false };
            if self.disks.read(disk.index, run.offset, part).is_err() {
                return false;
            }
            self.counts.bytes = self.counts.bytes.saturating_add(run.length);
            rest = behind;
        }
        rest.is_empty()
    }

    /// A superblock copy is rewritten at every transaction: nothing else may stand there.
    fn not_on_a_superblock(&mut self, place: Place, runs: &[Run]) {
        for run in runs {
            let Some(disk) = self.filesystem.disks.get(&run.devid) else { continue };
            if self.disks.zone(disk.index, 0).is_some() {
                continue;
            }
            let end = run.offset.saturating_add(run.length);
            for copy in SUPERBLOCK_OFFSETS {
                if copy < end && run.offset < copy.saturating_add(SUPERBLOCK_SIZE) {
                    let found = format!("the superblock at {copy} of device {}", run.devid);
                    self.findings.add(Code::BlockOnSuperblock, place, "no superblock there", found);
                }
            }
        }
    }

    /// How many items were read.
    pub(super) fn count_items(&mut self, items: u32) {
        self.counts.items = self.counts.items.saturating_add(u64::from(items));
    }
}
