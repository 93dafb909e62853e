//! The filesystem that a plan's payloads hold, read back as a reader of the disk would: from the superblock down.

use crate::suite::{Outcome, ensure, fail};
use btrfs_planner::Plan;
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::disk::key::{ItemType, Key};
use btrfs_planner::disk::root::{RootItem, TreeId};
use btrfs_planner::disk::superblock::{MAGIC, Superblock};
use btrfs_planner::disk::tree_block::{HEADER_SIZE, Header, ITEM_SIZE, ItemHeader, KeyPointer, POINTER_SIZE};
use std::collections::BTreeMap;
use zerocopy::FromBytes;

/// An item of a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its key.
    pub key: Key,
    /// Its data.
    pub data: Vec<u8>,
}

impl Item {
    /// The structure that the item's data starts with.
    pub fn read<T: FromBytes>(&self) -> Outcome<T> {
        match T::read_from_prefix(&self.data) {
            Ok((value, _)) => Ok(value),
            Err(_) => fail(format!("the item {:?} has only {} bytes", self.key, self.data.len())),
        }
    }
}

/// A superblock copy and where it stands.
#[derive(Clone, Debug)]
pub struct SuperblockCopy {
    /// Byte offset on the device.
    pub offset: u64,
    /// Its content.
    pub superblock: Superblock,
}

/// Superblocks and trees of a planned filesystem.
#[derive(Clone, Debug)]
pub struct Contents {
    /// The superblock copies of every device, ascending by offset, in the order of devids.
    pub superblocks: Vec<Vec<SuperblockCopy>>,
    /// The items of every tree, in order, by the number of the tree.
    pub trees: BTreeMap<u64, Vec<Item>>,
}

impl Contents {
    /// Reads all of it, checking what a reader must rely on: checksums, addresses, owners, levels, order of keys.
    pub fn of(plan: &Plan) -> Outcome<Self> {
        let superblocks = superblocks(plan)?;
        let Some(first) = superblocks.first().and_then(|copies| copies.first()) else {
            return fail("device 1 has no superblock");
        };
        let superblock = &first.superblock;
        let mut reader = Reader { plan, blocks: BTreeMap::new() };
        for block in &plan.blocks {
            reader.blocks.insert(block.logical.get(), block.payload);
        }
        let mut trees = BTreeMap::new();
        let root = reader.tree(TreeId::Root.objectid(), superblock.root.get(), superblock.root_level)?;
        let chunk = reader.tree(TreeId::Chunk.objectid(), superblock.chunk_root.get(), superblock.chunk_root_level)?;
        for item in root.iter().filter(|item| item.key.item_type == ItemType::ROOT_ITEM) {
            let found: RootItem = item.read()?;
            trees.insert(item.key.objectid, reader.tree(item.key.objectid, found.bytenr.get(), found.level)?);
        }
        trees.insert(TreeId::Root.objectid(), root);
        trees.insert(TreeId::Chunk.objectid(), chunk);
        ensure(reader.blocks.is_empty(), || format!("no tree reaches the blocks at {:?}", reader.blocks.keys()))?;
        Ok(Self { superblocks, trees })
    }

    /// The items of one tree; none if there is no such tree.
    #[must_use]
    pub fn tree(&self, id: TreeId) -> &[Item] {
        self.trees.get(&id.objectid()).map_or(&[], Vec::as_slice)
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

/// Walks trees, taking every block it comes by out of `blocks`.
struct Reader<'a> {
    plan: &'a Plan,
    /// Payloads by logical address, of the blocks that no tree has reached yet.
    blocks: BTreeMap<u64, u32>,
}

impl Reader<'_> {
    fn tree(&mut self, owner: u64, logical: u64, level: u8) -> Outcome<Vec<Item>> {
        let mut items = Vec::new();
        self.walk(owner, logical, level, None, &mut items)?;
        let unordered = items.windows(2).find(|pair| pair[0].key >= pair[1].key);
        match unordered {
            Some(pair) => fail(format!("tree {owner}: {:?} stands before {:?}", pair[0].key, pair[1].key)),
            None => Ok(items),
        }
    }

    fn walk(&mut self, owner: u64, logical: u64, level: u8, first: Option<Key>, items: &mut Vec<Item>) -> Outcome {
        let Some(payload) = self.blocks.remove(&logical) else {
            return fail(format!(
                "tree {owner} points at {logical}, where no block stands that it had not reached before"
            ));
        };
        let bytes = self.plan.payloads[payload as usize].expand()?;
        let checksum: ChecksumType = self.plan.filesystem.checksum;
        let (header, _) = Header::ref_from_prefix(&bytes).map_err(|_| "a block is smaller than its header")?;
        ensure(checksum.holds(&bytes), || format!("the block at {logical} has a wrong checksum"))?;
        ensure(
            bytes.len() == self.plan.filesystem.node_size as usize
                && header.bytenr.get() == logical
                && header.owner.get() == owner
                && header.level == level
                && header.fsid == *self.plan.filesystem.fsid.as_bytes(),
            || format!("the block at {logical} of tree {owner}, level {level}, has the header {header:?}"),
        )?;
        let count = header.nritems.get() as usize;
        let body = &bytes[HEADER_SIZE..];
        let mut keys = Vec::new();
        if level == 0 {
            for bytes in body.chunks_exact(ITEM_SIZE).take(count) {
                let item = ItemHeader::read_from_bytes(bytes).map_err(|_| "an item header is cut off")?;
                let (start, length) = (item.offset.get() as usize, item.size.get() as usize);
                let Some(data) = body.get(start..start + length) else {
                    return fail(format!("the block at {logical}: {item:?} reaches out of it"));
                };
                keys.push(Key::from(item.key));
                items.push(Item { key: item.key.into(), data: data.to_vec() });
            }
        } else {
            for bytes in body.chunks_exact(POINTER_SIZE).take(count) {
                let pointer = KeyPointer::read_from_bytes(bytes).map_err(|_| "a node pointer is cut off")?;
                keys.push(Key::from(pointer.key));
                self.walk(owner, pointer.blockptr.get(), level - 1, Some(pointer.key.into()), items)?;
            }
        }
        ensure(first.is_none() || keys.first().copied() == first, || {
            format!("the node above {logical} says that it starts at {first:?}, it starts at {:?}", keys.first())
        })
    }
}
