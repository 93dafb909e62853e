//! A filesystem as a reader of its disks finds it, from the superblock down: of a plan's payloads, or of image files.

mod disks;
mod planned;

use crate::suite::{Outcome, ensure, fail};
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::disk::key::{ItemType, Key};
use btrfs_planner::disk::root::{RootItem, TreeId};
use btrfs_planner::disk::superblock::Superblock;
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

/// Superblocks and trees of a filesystem.
#[derive(Clone, Debug)]
pub struct Contents {
    /// The superblock copies of every device, ascending by offset, in the order of devids.
    pub superblocks: Vec<Vec<SuperblockCopy>>,
    /// The items of every tree, in order, by the number of the tree.
    pub trees: BTreeMap<u64, Vec<Item>>,
}

impl Contents {
    /// The items of one tree; none if there is no such tree.
    #[must_use]
    pub fn tree(&self, id: TreeId) -> &[Item] {
        self.trees.get(&id.objectid()).map_or(&[], Vec::as_slice)
    }
}

/// Where tree blocks come from.
trait Blocks {
    /// The block at a logical address; each is taken once.
    fn take(&mut self, logical: u64) -> Outcome<Vec<u8>>;
}

/// Walks trees.
struct Reader<B> {
    blocks: B,
    checksum: ChecksumType,
    node_size: usize,
    fsid: [u8; 16],
}

impl<B: Blocks> Reader<B> {
    fn new(superblock: &Superblock, blocks: B) -> Outcome<Self> {
        let Some(checksum) = ChecksumType::from_on_disk(superblock.csum_type.get()) else {
            return fail(format!("unknown checksum type {}", superblock.csum_type));
        };
        Ok(Self { blocks, checksum, node_size: superblock.nodesize.get() as usize, fsid: superblock.fsid })
    }

    /// Every tree, checking what a reader must rely on: checksums, addresses, owners, levels, order of keys.
    fn trees(&mut self, superblock: &Superblock) -> Outcome<BTreeMap<u64, Vec<Item>>> {
        let mut trees = BTreeMap::new();
        let root = self.tree(TreeId::Root.objectid(), superblock.root.get(), superblock.root_level)?;
        let chunk = self.tree(TreeId::Chunk.objectid(), superblock.chunk_root.get(), superblock.chunk_root_level)?;
        for item in root.iter().filter(|item| item.key.item_type == ItemType::ROOT_ITEM) {
            let found: RootItem = item.read()?;
            // There may be several extent trees, and trees that go with them.
            let items = self.tree(item.key.objectid, found.bytenr.get(), found.level)?;
            trees.entry(item.key.objectid).or_insert_with(Vec::new).extend(items);
        }
        trees.insert(TreeId::Root.objectid(), root);
        trees.insert(TreeId::Chunk.objectid(), chunk);
        Ok(trees)
    }

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
        let bytes = self
            .blocks
            .take(logical)
            .map_err(|error| format!("tree {owner}: {}", error.message().unwrap_or_default()))?;
        let (header, _) = Header::ref_from_prefix(&bytes).map_err(|_| "a block is smaller than its header")?;
        ensure(self.checksum.holds(&bytes), || format!("the block at {logical} has a wrong checksum"))?;
        ensure(
            bytes.len() == self.node_size
                && header.bytenr.get() == logical
                && header.owner.get() == owner
                && header.level == level
                && header.fsid == self.fsid,
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
