//! One tree block by itself: its header, the bounds of its items, the order of its keys.

use super::reader::Reader;
use super::superblock::MAX_LEVEL;
use super::{Code, Place, Scope};
use crate::disk::key::Key;
use crate::disk::tree_block::{
    HEADER_MIXED_BACKREF, HEADER_SIZE, HEADER_WRITTEN, Header, ITEM_SIZE, ItemHeader, KeyPointer, POINTER_SIZE,
};
use crate::units::{in_memory, wide};
use alloc::format;
use alloc::vec::Vec;
use zerocopy::FromBytes;

/// Header flag: the block belongs to a relocation.
const HEADER_RELOCATED: u64 = 1 << 1;

/// A tree block whose items can be read.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) logical: u64,
    pub(super) header: Header,
    bytes: Vec<u8>,
}

/// A pointer of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pointer {
    pub(super) key: Key,
    pub(super) child: u64,
    pub(super) generation: u64,
}

impl Block {
    /// The key of an entry, whatever the level.
    pub(super) fn key(&self, slot: u32) -> Option<Key> {
        if self.header.level == 0 {
            self.item_header(slot).map(|item| item.key.into())
        } else {
            Some(self.pointer(slot)?.key)
        }
    }

    /// Keys and data of a leaf, in order.
    pub(super) fn items(&self) -> impl Iterator<Item = (u32, Key, &[u8])> {
        (0..self.header.nritems.get()).filter_map(|slot| {
            let item = self.item_header(slot)?;
            Some((slot, item.key.into(), self.data(&item)?))
        })
    }

    /// Pointers of a node, in order.
    pub(super) fn pointers(&self) -> impl Iterator<Item = Pointer> {
        (0..self.header.nritems.get()).filter_map(|slot| self.pointer(slot))
    }

    fn item_header(&self, slot: u32) -> Option<ItemHeader> {
        self.entry(slot, ITEM_SIZE).and_then(|bytes| ItemHeader::read_from_prefix(bytes).ok()).map(|(item, _)| item)
    }

    fn pointer(&self, slot: u32) -> Option<Pointer> {
        let (pointer, _) = KeyPointer::read_from_prefix(self.entry(slot, POINTER_SIZE)?).ok()?;
        Some(Pointer { key: pointer.key.into(), child: pointer.blockptr.get(), generation: pointer.generation.get() })
    }

    fn entry(&self, slot: u32, size: usize) -> Option<&[u8]> {
        let start = usize::try_from(slot).ok()?.checked_mul(size)?.checked_add(HEADER_SIZE)?;
        self.bytes.get(start..)
    }

    fn data(&self, item: &ItemHeader) -> Option<&[u8]> {
        let start = in_memory(u64::from(item.offset.get())).ok()?.checked_add(HEADER_SIZE)?;
        let end = start.checked_add(in_memory(u64::from(item.size.get())).ok()?)?;
        self.bytes.get(start..end)
    }
}

/// What is known of a block before it is read, from what led to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expected {
    pub(super) tree: u64,
    pub(super) logical: u64,
    pub(super) level: u8,
    pub(super) generation: u64,
    /// Whether the block is the top of its tree.
    pub(super) top: bool,
}

impl Reader<'_> {
    /// Reads a block and checks it by itself. `None` where its items cannot be relied on.
    pub(super) fn block(&mut self, expected: Expected) -> Option<Block> {
        let place = Place::block(expected.tree, expected.logical);
        let bytes = self.block_bytes(place, expected.logical)?;
        let (header, _) = Header::read_from_prefix(&bytes).ok()?;
        let block = Block { logical: expected.logical, header, bytes };
        (self.header(place, &block, expected) && self.entries(place, &block, expected.top)).then_some(block)
    }

    /// Reads a block that was found to be in order before.
    pub(super) fn again(&mut self, logical: u64) -> Option<Block> {
        let bytes = self.first_good_copy(logical)?;
        let (header, _) = Header::read_from_prefix(&bytes).ok()?;
        Some(Block { logical, header, bytes })
    }

    fn header(&mut self, place: Place, block: &Block, expected: Expected) -> bool {
        let header = &block.header;
        let findings = &mut self.findings;
        findings.equal(Code::BlockAddress, place, expected.logical, header.bytenr.get());
        if header.fsid != self.filesystem.fsid {
            findings.add(Code::BlockUuid, place, hex::encode(self.filesystem.fsid), hex::encode(header.fsid));
        }
        let chunk_tree_uuid = *self.chunk_tree_uuid.get_or_insert(header.chunk_tree_uuid);
        if header.chunk_tree_uuid != chunk_tree_uuid {
            findings.add(Code::BlockUuid, place, hex::encode(chunk_tree_uuid), hex::encode(header.chunk_tree_uuid));
        }
        let flags = HEADER_WRITTEN | HEADER_MIXED_BACKREF;
        let relocated = if self.scope == Scope::New { 0 } else { HEADER_RELOCATED };
        if header.flags.get() & !relocated != flags {
            findings.add(Code::BlockFlags, place, format!("{flags:#x}"), format!("{:#x}", header.flags));
        }
        findings.equal(Code::BlockGeneration, place, expected.generation, header.generation.get());
        let newest = self.filesystem.superblock.generation.get();
        if header.generation.get() > newest {
            findings.add(Code::BlockGeneration, place, format!("at most {newest}"), header.generation);
        }
        if header.level != expected.level || header.level >= MAX_LEVEL {
            findings.add(Code::BlockLevel, place, expected.level, header.level);
            return false;
        }
        true
    }

    /// Checks the bounds of a block's entries and the order of its keys.
    fn entries(&mut self, place: Place, block: &Block, top: bool) -> bool {
        let count = block.header.nritems.get();
        let leaf = block.header.level == 0;
        let entry = if leaf { ITEM_SIZE } else { POINTER_SIZE };
        let room = wide(block.bytes.len()).saturating_sub(wide(HEADER_SIZE));
        let heads = u64::from(count).saturating_mul(wide(entry));
        if heads > room {
            self.findings.add(Code::BlockItems, place, format!("entries in {room} bytes"), format!("{count} of them"));
            return false;
        }
        if count == 0 && !(top && leaf) {
            self.findings.add(Code::BlockItems, place, "entries below the top of a tree", "none");
            return false;
        }
        let mut end = room;
        let mut before: Option<Key> = None;
        for slot in 0..count {
            let place = place.slot(slot);
            if let Some(item) = block.item_header(slot).filter(|_| leaf) {
                let (offset, size) = (u64::from(item.offset.get()), u64::from(item.size.get()));
                if offset.saturating_add(size) != end || offset < heads {
                    let expected = format!("data that ends at {end} and starts at {heads} or later");
                    self.findings.add(Code::BlockItems, place, expected, format!("{size} bytes at {offset}"));
                    return false;
                }
                end = offset;
            }
            let Some(key) = block.key(slot) else { return false };
            if before.is_some_and(|before| before >= key) {
                self.findings.add(Code::KeyOrder, place.key(key), "a key above the one before it", "one that is not");
                return false;
            }
            before = Some(key);
        }
        if self.scope == Scope::New {
            let behind = wide(HEADER_SIZE).saturating_add(heads);
            let gap = if leaf { end.saturating_sub(heads) } else { room.saturating_sub(heads) };
            let gap = in_memory(behind).ok().zip(in_memory(behind.saturating_add(gap)).ok());
            let gap = gap.and_then(|(from, to)| block.bytes.get(from..to)).unwrap_or_default();
            if gap.iter().any(|byte| *byte != 0) {
                self.findings.add(Code::BlockGap, place, "zeros between heads and data", "something else");
            }
        }
        true
    }
}
