//! Extent items of tree blocks.

use super::key::DiskKey;
use zerocopy::byteorder::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Extent flag: a tree block.
pub const EXTENT_TREE_BLOCK: u64 = 1 << 1;

/// `btrfs_extent_item`, 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ExtentItem {
    /// References to the extent.
    pub refs: U64,
    /// The transaction that allocated it.
    pub generation: U64,
    /// [`EXTENT_TREE_BLOCK`].
    pub flags: U64,
}

/// `btrfs_extent_inline_ref`, 9 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct InlineRef {
    /// [`ItemType::TREE_BLOCK_REF`](super::key::ItemType::TREE_BLOCK_REF).
    pub ref_type: u8,
    /// The tree that owns the block.
    pub offset: U64,
}

/// A tree block with skinny metadata, 33 bytes; key (logical, 169, level).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct SkinnyBlockItem {
    /// The extent.
    pub extent: ExtentItem,
    /// Its one reference.
    pub inline_ref: InlineRef,
}
const _: () = assert!(size_of::<SkinnyBlockItem>() == 33);

/// `btrfs_tree_block_info`, 18 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct TreeBlockInfo {
    /// The block's first key.
    pub key: DiskKey,
    /// The block's level.
    pub level: u8,
}

/// A tree block without skinny metadata, 51 bytes; key (logical, 168, node size).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FullBlockItem {
    /// The extent.
    pub extent: ExtentItem,
    /// What the block is.
    pub info: TreeBlockInfo,
    /// Its one reference.
    pub inline_ref: InlineRef,
}
const _: () = assert!(size_of::<FullBlockItem>() == 51);
