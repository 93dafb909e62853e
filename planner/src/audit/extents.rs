//! The extent tree: what is allocated, and who is said to refer to it.

use super::geometry::{Chunks, TREES};
use super::reader::Reader;
use super::walk::Leaf;
use super::{Code, Place};
use crate::disk::block_group::BlockGroupFlags;
use crate::disk::extent::{
    EXTENT_DATA, EXTENT_FULL_BACKREF, EXTENT_TREE_BLOCK, ExtentDataRef, ExtentItem, TreeBlockInfo,
};
use crate::disk::key::{ItemType, Key};
use crate::disk::root::TreeId;
use alloc::format;
use alloc::vec::Vec;
use zerocopy::FromBytes;
use zerocopy::byteorder::little_endian::{U32, U64};

/// An extent as the extent tree describes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub(super) place: Place,
    pub(super) start: u64,
    pub(super) length: u64,
    pub(super) references: u64,
    pub(super) generation: u64,
    /// Whether its bytes are file contents.
    pub(super) data: bool,
    /// Whether what it points at names it instead of its tree.
    pub(super) full_backref: bool,
    /// The level of a tree block.
    pub(super) level: u8,
    /// The first key of a tree block, where the item has it.
    pub(super) key: Option<Key>,
    /// In which of several extent trees it is.
    index: u64,
    /// Whether it is a block of the remap tree, which has no item.
    pub(super) unlisted: bool,
}

/// Who refers to an extent, and how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Reference {
    pub(super) extent: u64,
    pub(super) from: From,
    pub(super) count: u64,
}

/// Who refers to an extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum From {
    /// A tree, to its block.
    Tree(u64),
    /// A node, to its child.
    Node(u64),
    /// A file: tree, inode, and where in the file the extent would start.
    File(u64, u64, u64),
    /// A leaf, to contents of its files.
    Leaf(u64),
}

impl core::fmt::Display for From {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Tree(tree) => write!(f, "tree {tree}"),
            Self::Node(node) => write!(f, "node {node}"),
            Self::File(tree, inode, offset) => write!(f, "tree {tree}, inode {inode}, offset {offset}"),
            Self::Leaf(leaf) => write!(f, "leaf {leaf}"),
        }
    }
}

/// What the extent tree says, in the order of addresses.
#[derive(Debug, Default)]
pub(super) struct Extents {
    pub(super) extents: Vec<Extent>,
    pub(super) references: Vec<Reference>,
}

impl Extents {
    /// Takes an item of the extent tree. False where it is none of an extent's.
    pub(super) fn item(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>, slot: u32, key: Key, data: &[u8]) -> bool {
        let place = leaf.place(slot, key);
        let known = match key.item_type {
            ItemType::EXTENT_ITEM | ItemType::METADATA_ITEM => self.extent(reader, place, leaf.index, key, data),
            ItemType::TREE_BLOCK_REF => self.refer(key.objectid, From::Tree(key.offset), Some(1)),
            ItemType::SHARED_BLOCK_REF => self.refer(key.objectid, From::Node(key.offset), Some(1)),
            ItemType::SHARED_DATA_REF => {
                let count = U32::read_from_bytes(data).ok().map(|count| u64::from(count.get()));
                self.refer(key.objectid, From::Leaf(key.offset), count)
            }
            ItemType::EXTENT_DATA_REF => match ExtentDataRef::read_from_bytes(data) {
                Ok(item) => self.refer(key.objectid, from_file(&item), Some(u64::from(item.count.get()))),
                Err(_) => None,
            },
            _ => return false,
        };
        if known.is_none() {
            reader.findings.add(Code::ExtentItem, place, "an item of its type", format!("{} bytes", data.len()));
        }
        true
    }

    fn refer(&mut self, extent: u64, from: From, count: Option<u64>) -> Option<()> {
        self.references.push(Reference { extent, from, count: count? });
        Some(())
    }

    fn extent(&mut self, reader: &mut Reader<'_>, place: Place, index: u64, key: Key, data: &[u8]) -> Option<()> {
        let (item, mut rest) = ExtentItem::read_from_prefix(data).ok()?;
        let flags = item.flags.get();
        let skinny = key.item_type == ItemType::METADATA_ITEM;
        let kind = flags & !EXTENT_FULL_BACKREF;
        if kind != EXTENT_TREE_BLOCK && (skinny || flags != EXTENT_DATA) {
            reader.findings.add(Code::ExtentItem, place, "data or a tree block", format!("flags {flags:#x}"));
        }
        let tree_block = kind == EXTENT_TREE_BLOCK;
        let node_size = u64::from(reader.filesystem.node_size);
        let mut extent = Extent {
            place,
            start: key.objectid,
            length: if skinny { node_size } else { key.offset },
            references: item.refs.get(),
            generation: item.generation.get(),
            data: !tree_block,
            full_backref: flags & EXTENT_FULL_BACKREF != 0,
            level: u8::try_from(if skinny { key.offset } else { 0 }).ok()?,
            key: None,
            index,
            unlisted: false,
        };
        if tree_block && !skinny {
            let (info, behind) = TreeBlockInfo::read_from_prefix(rest).ok()?;
            (extent.level, extent.key, rest) = (info.level, Some(info.key.into()), behind);
        }
        while let Some((kind, behind)) = rest.split_first() {
            rest = self.inline(key.objectid, ItemType(*kind), behind)?;
        }
        self.extents.push(extent);
        Some(())
    }

    /// Takes one inline reference and returns what follows it.
    fn inline<'d>(&mut self, extent: u64, kind: ItemType, data: &'d [u8]) -> Option<&'d [u8]> {
        if kind == ItemType::EXTENT_DATA_REF {
            let (item, rest) = ExtentDataRef::read_from_prefix(data).ok()?;
            self.refer(extent, from_file(&item), Some(u64::from(item.count.get())))?;
            return Some(rest);
        }
        let (offset, rest) = U64::read_from_prefix(data).ok()?;
        let offset = offset.get();
        match kind {
            ItemType::TREE_BLOCK_REF => self.refer(extent, From::Tree(offset), Some(1))?,
            ItemType::SHARED_BLOCK_REF => self.refer(extent, From::Node(offset), Some(1))?,
            ItemType::SHARED_DATA_REF => {
                let (count, rest) = U32::read_from_prefix(rest).ok()?;
                self.refer(extent, From::Leaf(offset), Some(u64::from(count.get())))?;
                return Some(rest);
            }
            // With simple quota: who pays. It is no reference.
            ItemType::EXTENT_OWNER_REF => {}
            _ => return None,
        }
        Some(rest)
    }

    /// Puts extents of several trees in the order of addresses.
    pub(super) fn sort(&mut self) {
        by_address(&mut self.extents, |extent| extent.start);
    }

    /// Every extent's place, address, and tree among several.
    pub(super) fn indexed(&self) -> impl Iterator<Item = (Place, u64, u64)> {
        self.extents.iter().filter(|extent| !extent.unlisted).map(|extent| (extent.place, extent.start, extent.index))
    }

    /// Adds the blocks of the remap tree, which no extent tree accounts for: that it has no item for them shows in that
    /// none overlaps these.
    pub(super) fn add_unlisted(&mut self, reader: &Reader<'_>) {
        let length = u64::from(reader.filesystem.node_size);
        for (start, block) in reader.blocks.iter().filter(|(_, block)| block.tree == TreeId::Remap.objectid()) {
            let at = self.extents.partition_point(|extent| extent.start <= *start);
            let extent = Extent {
                place: Place::block(block.tree, *start),
                start: *start,
                length,
                references: 1,
                generation: block.generation,
                data: false,
                full_backref: false,
                level: block.level,
                key: None,
                index: 0,
                unlisted: true,
            };
            self.extents.insert(at, extent);
            self.references.push(Reference { extent: *start, from: From::Tree(block.tree), count: 1 });
        }
    }

    /// Whether extents are apart, in chunks of their kind, and as old as they can be.
    pub(super) fn check(&self, reader: &mut Reader<'_>, chunks: &Chunks) {
        let sector = u64::from(reader.filesystem.sector_size);
        let newest = reader.filesystem.superblock.generation.get();
        let mut free = 0;
        for extent in &self.extents {
            let Extent { place, start, length, .. } = *extent;
            let findings = &mut reader.findings;
            let aligned = start.checked_rem(sector) == Some(0) && length.checked_rem(sector) == Some(0) && length > 0;
            if !aligned || start < free {
                findings.add(
                    Code::ExtentRange,
                    place,
                    format!("whole sectors from {free} on"),
                    format!("{length} at {start}"),
                );
            }
            free = free.max(start.saturating_add(length));
            let right = |flags: BlockGroupFlags| {
                let trees = flags.bits() & TREES.bits() != 0;
                let right = if extent.data { flags.contains(BlockGroupFlags::DATA) } else { trees };
                right && flags.contains(BlockGroupFlags::METADATA_REMAP) == extent.unlisted
            };
            if !chunks.holding(start, length).is_some_and(|chunk| right(chunk.flags)) {
                let kind = if extent.data { "data" } else { "trees" };
                findings.add(
                    Code::ExtentRange,
                    place,
                    format!("a range in a chunk for {kind}"),
                    format!("{length} at {start}"),
                );
            }
            if !extent.data {
                findings.equal(Code::ExtentRange, place, u64::from(reader.filesystem.node_size), length);
            }
            if extent.generation > newest || extent.generation == 0 {
                findings.add(Code::ExtentGeneration, place, format!("1 to {newest}"), extent.generation);
            }
        }
    }

    /// Bytes of extents in a range of addresses, and the free ranges between them.
    pub(super) fn within(&self, start: u64, end: u64) -> (u64, Vec<(u64, u64)>) {
        let first = self.extents.partition_point(|extent| extent.start < start);
        let mut used = 0_u64;
        let (mut at, mut free) = (start, Vec::new());
        for extent in self.extents.iter().skip(first).take_while(|extent| extent.start < end) {
            used = used.saturating_add(extent.length);
            if extent.start > at {
                free.push((at, extent.start.saturating_sub(at)));
            }
            at = at.max(extent.start.saturating_add(extent.length));
        }
        if at < end {
            free.push((at, end.saturating_sub(at)));
        }
        (used, free)
    }

    /// The extent that starts at an address.
    pub(super) fn get(&self, start: u64) -> Option<&Extent> {
        let index = self.extents.binary_search_by_key(&start, |extent| extent.start).ok()?;
        self.extents.get(index)
    }

    /// Whether a range lies in data extents as a whole.
    pub(super) fn covers_data(&self, start: u64, end: u64) -> bool {
        let mut index = self.extents.partition_point(|extent| extent.start <= start).checked_sub(1);
        let mut at = start;
        while at < end {
            let extent = index.and_then(|index| self.extents.get(index)).filter(|extent| extent.data);
            let Some(extent) = extent.filter(|extent| extent.start <= at) else { return false };
            let behind = extent.start.saturating_add(extent.length);
            if behind <= at {
                return false;
            }
            at = behind;
            index = index.and_then(|index| index.checked_add(1));
        }
        true
    }
}

/// Sorts by address. Not with the sort of vectors, which would be there once for every type.
pub(super) fn by_address<T>(items: &mut Vec<T>, address: impl Fn(&T) -> u64) {
    let mut order: Vec<(u64, u64)> = items.iter().map(address).zip(0..).collect();
    order.sort_unstable();
    let mut left: Vec<Option<T>> = core::mem::take(items).into_iter().map(Some).collect();
    items.extend(order.iter().filter_map(|(_, number)| left.get_mut(usize::try_from(*number).ok()?)?.take()));
}

const fn from_file(item: &ExtentDataRef) -> From {
    From::File(item.root.get(), item.objectid.get(), item.offset.get())
}
