//! The extent tree: every tree block, and block groups where they have no tree of their own.

use super::{GENERATION, Items, Placement, block_group};
use crate::disk::extent::{EXTENT_TREE_BLOCK, ExtentItem, FullBlockItem, InlineRef, SkinnyBlockItem, TreeBlockInfo};
use crate::disk::key::{ItemType, Key};
use crate::disk::root::TreeId;
use crate::layout::Layout;
use crate::request::{Feature, Settings};
use crate::units::Logical;
use zerocopy::IntoBytes;

/// What the extent tree says of a tree block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockRecord {
    pub(super) logical: Logical,
    pub(super) level: u8,
    pub(super) tree: TreeId,
    pub(super) first_key: Key,
}

/// `records` by ascending address.
pub(super) fn items(settings: &Settings, layout: &Layout, placement: &Placement, records: &[BlockRecord]) -> Items {
    let mut items = Items::new();
    let own_tree = settings.features.has(Feature::BlockGroupTree);
    let mut groups = layout.chunks().iter().zip(&placement.groups).filter(|_| !own_tree).peekable();
    // The remap tree is asked before any address is: the superblock leads to it, and no extent tree accounts for it.
    for record in records.iter().filter(|record| record.tree != TreeId::Remap) {
        // A block's own key sorts below that of a block group at the same address.
        while let Some((chunk, group)) = groups.next_if(|(chunk, _)| chunk.logical < record.logical) {
            block_group::push(settings, &mut items, chunk, group.used);
        }
        push(settings, &mut items, record);
    }
    for (chunk, group) in groups {
        block_group::push(settings, &mut items, chunk, group.used);
    }
    items
}

fn push(settings: &Settings, items: &mut Items, record: &BlockRecord) {
    let extent = ExtentItem { refs: 1.into(), generation: GENERATION.get().into(), flags: EXTENT_TREE_BLOCK.into() };
    let inline_ref = InlineRef { ref_type: ItemType::TREE_BLOCK_REF.0, offset: record.tree.objectid().into() };
    let logical = record.logical.get();
    if settings.features.has(Feature::SkinnyMetadata) {
        let key = Key::new(logical, ItemType::METADATA_ITEM, u64::from(record.level));
        items.push(key, &[SkinnyBlockItem { extent, inline_ref }.as_bytes()]);
    } else {
        let key = Key::new(logical, ItemType::EXTENT_ITEM, u64::from(settings.node_size));
        let info = TreeBlockInfo { key: record.first_key.into(), level: record.level };
        items.push(key, &[FullBlockItem { extent, info, inline_ref }.as_bytes()]);
    }
}
