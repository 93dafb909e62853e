//! Block group items: in a tree of their own, or in the extent tree.

use super::{Items, Placement, chunk};
use crate::disk::block_group::{BlockGroupItem, RemapBlockGroupItem};
use crate::disk::chunk::FIRST_CHUNK_TREE;
use crate::disk::key::{ItemType, Key};
use crate::disk::root::TreeId;
use crate::layout::{Chunk, Layout};
use crate::request::{Feature, Settings};
use zerocopy::IntoBytes;

pub(super) fn items(settings: &Settings, layout: &Layout, placement: &Placement) -> Items {
    let mut items = Items::new();
    for (chunk, group) in layout.chunks().iter().zip(&placement.groups) {
        push(settings, &mut items, chunk, group.used);
    }
    items
}

/// Adds the item of one chunk, of which `used` bytes are tree blocks.
pub(super) fn push(settings: &Settings, items: &mut Items, chunk: &Chunk, used: u64) {
    let first = if settings.features.has(Feature::ExtentTreeV2) { TreeId::Extent.index() } else { FIRST_CHUNK_TREE };
    let item =
        BlockGroupItem { used: used.into(), chunk_objectid: first.into(), flags: chunk::flags(chunk).bits().into() };
    let key = Key::new(chunk.logical.get(), ItemType::BLOCK_GROUP_ITEM, chunk.length);
    if settings.features.has(Feature::RemapTree) {
        let item = RemapBlockGroupItem { item, remap_bytes: 0.into(), identity_remap_count: 0.into() };
        items.push(key, &[item.as_bytes()]);
    } else {
        items.push(key, &[item.as_bytes()]);
    }
}
