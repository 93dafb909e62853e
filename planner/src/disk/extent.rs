//! Extent items, and the references to extents.

use super::key::DiskKey;
use zerocopy::byteorder::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Extent flag: file contents.
pub const EXTENT_DATA: u64 = 1 << 0;
/// Extent flag: a tree block.
pub const EXTENT_TREE_BLOCK: u64 = 1 << 1;
/// Extent flag: what the block points at names the block, not its tree.
pub const EXTENT_FULL_BACKREF: u64 = 1 << 8;

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

/// `btrfs_extent_data_ref`, 28 bytes: a file's references to a data extent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ExtentDataRef {
    /// The tree of the file.
    pub root: U64,
    /// The inode.
    pub objectid: U64,
    /// Where in the file the extent's first byte would be.
    pub offset: U64,
    /// How many items of the file refer to the extent like this.
    pub count: U32,
}
const _: () = assert!(size_of::<ExtentDataRef>() == 28);
