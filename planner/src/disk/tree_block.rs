//! Tree blocks: header, leaf items, node pointers.

use super::checksum::CHECKSUM_SIZE;
use super::key::DiskKey;
use zerocopy::byteorder::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Header flag: the block has been written.
pub const HEADER_WRITTEN: u64 = 1 << 0;
/// Header flags, top byte: revision 1 of back references, the only one in use.
pub const HEADER_MIXED_BACKREF: u64 = 1 << 56;

/// `btrfs_header`, 101 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Header {
    /// Checksum of all that follows it in the block.
    pub csum: [u8; CHECKSUM_SIZE],
    /// UUID of the filesystem.
    pub fsid: [u8; 16],
    /// The block's own logical address.
    pub bytenr: U64,
    /// [`HEADER_WRITTEN`] and [`HEADER_MIXED_BACKREF`].
    pub flags: U64,
    /// UUID of the chunk tree.
    pub chunk_tree_uuid: [u8; 16],
    /// The transaction that wrote the block.
    pub generation: U64,
    /// The tree it belongs to.
    pub owner: U64,
    /// Items or pointers.
    pub nritems: U32,
    /// Height above the leaves.
    pub level: u8,
}
/// Bytes of a header.
pub const HEADER_SIZE: usize = size_of::<Header>();
const _: () = assert!(HEADER_SIZE == 101);

/// `btrfs_item`, 25 bytes: where in a leaf the data of a key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ItemHeader {
    /// The key.
    pub key: DiskKey,
    /// Where the data starts, counted from the end of the header.
    pub offset: U32,
    /// Bytes of data.
    pub size: U32,
}
/// Bytes of an item's head.
pub const ITEM_SIZE: usize = size_of::<ItemHeader>();
const _: () = assert!(ITEM_SIZE == 25);

/// `btrfs_key_ptr`, 33 bytes: a child of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct KeyPointer {
    /// The first key below the child.
    pub key: DiskKey,
    /// The child's logical address.
    pub blockptr: U64,
    /// The child's generation.
    pub generation: U64,
}
/// Bytes of a pointer.
pub const POINTER_SIZE: usize = size_of::<KeyPointer>();
const _: () = assert!(POINTER_SIZE == 33);
