//! Tree blocks: a shape and its items written out.

use super::{GENERATION, Items, Shape};
use crate::disk::key::{DiskKey, ItemType, Key};
use crate::disk::root::TreeId;
use crate::disk::tree_block::{
    HEADER_MIXED_BACKREF, HEADER_SIZE, HEADER_WRITTEN, Header, ITEM_SIZE, ItemHeader, KeyPointer, POINTER_SIZE,
};
use crate::request::Settings;
use crate::units::{Logical, SizeOverflow, in_memory, wide};
use alloc::vec;
use alloc::vec::Vec;
use zerocopy::IntoBytes;

/// A tree block, ready to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeBlock {
    /// Its bytes, checksum included.
    pub bytes: Vec<u8>,
    /// Items or pointers.
    pub items: u32,
    /// Height above the leaves.
    pub level: u8,
    /// Logical address.
    pub logical: Logical,
    /// The tree it belongs to.
    pub tree: TreeId,
}

/// The first key of every block of a tree, leaves first, level by level; an empty leaf has the zero key.
pub(super) fn first_keys(items: &Items, shape: &Shape) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut below: Vec<Key> = Vec::new();
    for (level, counts) in shape.levels().iter().enumerate() {
        let mut first = 0_usize;
        let mut here = Vec::with_capacity(counts.len());
        for count in counts {
            let key = if level == 0 { items.key(first) } else { below.get(first).copied() };
            here.push(key.unwrap_or(Key::new(0, ItemType(0), 0)));
            first = first.saturating_add(usize::try_from(*count).unwrap_or(usize::MAX));
        }
        keys.extend_from_slice(&here);
        below = here;
    }
    keys
}

/// Writes out a tree whose blocks stand at `places`, leaves first, level by level.
pub(super) fn write(
    settings: &Settings,
    tree: TreeId,
    items: &Items,
    shape: &Shape,
    places: &[Logical],
) -> Result<Vec<TreeBlock>, SizeOverflow> {
    let mut blocks = Vec::with_capacity(places.len());
    let mut places = places.iter().copied();
    let mut items = items.iter();
    let mut children: Vec<(Key, Logical)> = Vec::new();
    for (counts, level) in shape.levels().iter().zip(0_u8..) {
        let mut below = core::mem::take(&mut children).into_iter();
        for count in counts {
            let logical = places.next().ok_or(SizeOverflow)?;
            let mut block = Writer::new(settings)?;
            let mut first = None;
            for _ in 0..*count {
                if level == 0 {
                    let (key, data) = items.next().ok_or(SizeOverflow)?;
                    first.get_or_insert(key);
                    block.item(key, data)?;
                } else {
                    let (key, child) = below.next().ok_or(SizeOverflow)?;
                    first.get_or_insert(key);
                    block.pointer(key, child)?;
                }
            }
            children.push((first.unwrap_or(Key::new(0, ItemType(0), 0)), logical));
            blocks.push(block.finish(settings, tree, logical, level, *count)?);
        }
    }
    Ok(blocks)
}

/// A block being filled: heads from the front, data from the back.
struct Writer {
    bytes: Vec<u8>,
    head: usize,
    tail: usize,
}

impl Writer {
    fn new(settings: &Settings) -> Result<Self, SizeOverflow> {
        let size = in_memory(u64::from(settings.node_size))?;
        Ok(Self { bytes: vec![0; size], head: HEADER_SIZE, tail: size })
    }

    fn item(&mut self, key: Key, data: &[u8]) -> Result<(), SizeOverflow> {
        let size = u32::try_from(data.len()).map_err(|_| SizeOverflow)?;
        self.tail = self.tail.checked_sub(data.len()).ok_or(SizeOverflow)?;
        let offset = self.tail.checked_sub(HEADER_SIZE).ok_or(SizeOverflow)?;
        let offset = u32::try_from(offset).map_err(|_| SizeOverflow)?;
        let head = ItemHeader { key: key.into(), offset: offset.into(), size: size.into() };
        self.put(self.tail, data)?;
        self.put(self.head, head.as_bytes())?;
        self.head = self.head.checked_add(ITEM_SIZE).ok_or(SizeOverflow)?;
        Ok(())
    }

    fn pointer(&mut self, key: Key, child: Logical) -> Result<(), SizeOverflow> {
        let pointer =
            KeyPointer { key: DiskKey::from(key), blockptr: child.get().into(), generation: GENERATION.get().into() };
        self.put(self.head, pointer.as_bytes())?;
        self.head = self.head.checked_add(POINTER_SIZE).ok_or(SizeOverflow)?;
        Ok(())
    }

    fn put(&mut self, at: usize, data: &[u8]) -> Result<(), SizeOverflow> {
        let end = at.checked_add(data.len()).ok_or(SizeOverflow)?;
        self.bytes.get_mut(at..end).ok_or(SizeOverflow)?.copy_from_slice(data);
        Ok(())
    }

    fn finish(
        mut self,
        settings: &Settings,
        tree: TreeId,
        logical: Logical,
        level: u8,
        items: u32,
    ) -> Result<TreeBlock, SizeOverflow> {
        let header = Header {
            csum: [0; 32],
            fsid: settings.fsid.into_bytes(),
            bytenr: logical.get().into(),
            flags: (HEADER_WRITTEN | HEADER_MIXED_BACKREF).into(),
            chunk_tree_uuid: settings.chunk_tree_uuid.into_bytes(),
            generation: GENERATION.get().into(),
            owner: tree.objectid().into(),
            nritems: items.into(),
            level,
        };
        self.put(0, header.as_bytes())?;
        settings.checksum.seal(&mut self.bytes);
        Ok(TreeBlock { bytes: self.bytes, items, level, logical, tree })
    }
}

/// Bytes of `blocks` blocks.
pub(super) fn bytes_of(settings: &Settings, blocks: usize) -> Result<u64, SizeOverflow> {
    crate::units::Checked::times(wide(blocks), u64::from(settings.node_size))
}
