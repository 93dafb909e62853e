//! The filesystem that a plan's payloads hold.

use super::{Blocks, Contents, Reader, SuperblockCopy};
use crate::suite::{Outcome, ensure, fail};
use btrfs_planner::Plan;
use btrfs_planner::disk::superblock::{MAGIC, Superblock};
use std::collections::BTreeMap;
use zerocopy::FromBytes;

impl Contents {
    /// Reads all of a plan; no block may be left that no tree reaches.
    pub fn of(plan: &Plan) -> Outcome<Self> {
        let superblocks = superblocks(plan)?;
        let Some(first) = superblocks.first().and_then(|copies| copies.first()) else {
            return fail("device 1 has no superblock");
        };
        let superblock = &first.superblock;
        let blocks = plan.blocks.iter().map(|block| (block.logical.get(), block.payload)).collect();
        let mut reader = Reader::new(superblock, Payloads { plan, blocks })?;
        let trees = reader.trees(superblock)?;
        let blocks = reader.blocks.blocks;
        ensure(blocks.is_empty(), || format!("no tree reaches the blocks at {:?}", blocks.keys()))?;
        Ok(Self { superblocks, trees })
    }
}

struct Payloads<'a> {
    plan: &'a Plan,
    /// Payloads by logical address, of the blocks that no tree has reached yet.
    blocks: BTreeMap<u64, u32>,
}

impl Blocks for Payloads<'_> {
    fn take(&mut self, logical: u64) -> Outcome<Vec<u8>> {
        let Some(payload) = self.blocks.remove(&logical) else {
            return fail(format!("points at {logical}, where no block stands that was not reached before"));
        };
        Ok(self.plan.payloads[payload as usize].expand()?)
    }
}

fn superblocks(plan: &Plan) -> Outcome<Vec<Vec<SuperblockCopy>>> {
    let mut devices = Vec::new();
    for device in &plan.devices {
        let mut copies = Vec::new();
        for write in &device.commit {
            let bytes = plan.payloads[write.payload as usize].expand()?;
            let offset = write.offset.get();
            ensure(plan.filesystem.checksum.holds(&bytes), || {
                format!("the superblock at {offset} has a wrong checksum")
            })?;
            let Ok(superblock) = Superblock::read_from_bytes(&bytes) else {
                return fail(format!("the superblock at {offset} has {} bytes", bytes.len()));
            };
            ensure(superblock.magic == MAGIC && superblock.bytenr.get() == offset, || {
                format!("the superblock at {offset} has magic {:?} and bytenr {}", superblock.magic, superblock.bytenr)
            })?;
            let (item, fsid) = (superblock.dev_item, *plan.filesystem.fsid.as_bytes());
            let identity = (item.devid.get(), item.uuid, item.fsid, superblock.fsid);
            ensure(identity == (device.devid.get(), *device.uuid.as_bytes(), fsid, fsid), || {
                format!("the superblock at {offset} of device {} is that of {item:?}", device.devid)
            })?;
            copies.push(SuperblockCopy { offset, superblock });
        }
        copies.sort_by_key(|copy| copy.offset);
        devices.push(copies);
    }
    Ok(devices)
}
