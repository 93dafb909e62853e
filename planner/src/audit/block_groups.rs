//! Block groups: one for each chunk, with the bytes of its extents counted.

use super::extents::Extents;
use super::reader::Reader;
use super::superblock::{BLOCK_GROUP_TREE, EXTENT_TREE_V2, REMAP_TREE};
use super::walk::Leaf;
use super::{Code, Place, Scope};
use crate::disk::block_group::{BlockGroupItem, RemapBlockGroupItem};
use crate::disk::chunk::FIRST_CHUNK_TREE;
use crate::disk::key::Key;
use crate::disk::root::TreeId;
use alloc::collections::BTreeMap;
use alloc::format;
use zerocopy::FromBytes;

/// Block groups by address.
#[derive(Debug, Default)]
pub(super) struct BlockGroups(pub(super) BTreeMap<u64, BlockGroup>);

/// A block group.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockGroup {
    pub(super) place: Place,
    pub(super) length: u64,
    pub(super) item: BlockGroupItem,
}

impl BlockGroups {
    /// Takes a block group item, from whichever tree has it.
    pub(super) fn item(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>, slot: u32, key: Key, data: &[u8]) {
        let place = leaf.place(slot, key);
        let own_tree = reader.filesystem.compat_ro(BLOCK_GROUP_TREE);
        let right = if own_tree { TreeId::BlockGroup } else { TreeId::Extent };
        if leaf.tree != right.objectid() {
            reader.findings.add(Code::BlockGroupItem, place, format!("block groups in tree {right}"), "one here");
        }
        let remap = reader.filesystem.incompat(REMAP_TREE);
        let expected = if remap { size_of::<RemapBlockGroupItem>() } else { size_of::<BlockGroupItem>() };
        let item = BlockGroupItem::read_from_prefix(data).ok().filter(|_| data.len() == expected);
        let Some((item, _)) = item else {
            reader.findings.add(Code::BlockGroupItem, place, format!("{expected} bytes"), data.len());
            return;
        };
        if let Ok(moved) = RemapBlockGroupItem::read_from_bytes(data) {
            // A moved block group is not read, so none is left that others came from.
            let most = if reader.scope == Scope::New { 0 } else { key.offset };
            if moved.remap_bytes.get() > most || moved.identity_remap_count.get() != 0 {
                let expected = format!("at most {most} bytes moved in, none left behind");
                let found = format!("{}, {}", moved.remap_bytes, moved.identity_remap_count);
                reader.findings.add(Code::BlockGroupItem, place, expected, found);
            }
        }
        let (roots, root) = (reader.filesystem.superblock.nr_global_roots.get(), item.chunk_objectid.get());
        if !reader.filesystem.incompat(EXTENT_TREE_V2) {
            reader.findings.equal(Code::BlockGroupItem, place, FIRST_CHUNK_TREE, root);
        } else if root >= roots {
            reader.findings.add(Code::BlockGroupItem, place, format!("one of {roots} extent trees"), root);
        }
        if self.0.insert(key.objectid, BlockGroup { place, length: key.offset, item }).is_some() {
            reader.findings.add(Code::BlockGroupItem, place, "one block group at an address", "two");
        }
    }

    /// Which of several extent trees has the extents at an address.
    pub(super) fn root_of(&self, address: u64) -> Option<u64> {
        let (start, group) = self.0.range(..=address).next_back()?;
        (address < start.saturating_add(group.length)).then_some(group.item.chunk_objectid.get())
    }

    /// Compares block groups with chunks and extents.
    pub(super) fn check(&self, reader: &mut Reader<'_>, extents: &Extents) {
        let mut total = 0_u64;
        for (start, group) in &self.0 {
            let BlockGroup { place, length, item } = *group;
            total = total.saturating_add(item.used.get());
            let (used, _) = extents.within(*start, start.saturating_add(length));
            reader.findings.equal(Code::BlockGroupUsed, place, used, item.used.get());
            match reader.chunks.0.get(start) {
                Some(chunk) if chunk.length == length => {
                    if chunk.flags.bits() != item.flags.get() {
                        let expected = format!("the chunk's {:#x}", chunk.flags.bits());
                        reader.findings.add(Code::BlockGroupFlags, place, expected, format!("{:#x}", item.flags));
                    }
                }
                Some(chunk) => {
                    reader.findings.add(
                        Code::BlockGroupChunk,
                        place,
                        format!("a chunk of {length} bytes"),
                        chunk.length,
                    );
                }
                None => reader.findings.add(Code::BlockGroupChunk, place, "a chunk at its address", "none"),
            }
        }
        for logical in reader.chunks.0.keys().filter(|logical| !self.0.contains_key(logical)) {
            reader.findings.add(Code::BlockGroupChunk, Place::logical(*logical), "a block group for the chunk", "none");
        }
        let found = reader.filesystem.superblock.bytes_used.get();
        reader.findings.equal(Code::BytesUsed, Place::filesystem(), total, found);
    }
}
