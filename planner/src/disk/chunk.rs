//! Chunk items: logical ranges and the stripes that hold them.

use zerocopy::byteorder::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Object id of all chunk items.
pub const FIRST_CHUNK_TREE: u64 = 256;
/// Bytes of a stripe element: the only stripe length there is.
pub const STRIPE_LENGTH: u64 = 65536;

/// `btrfs_chunk` without its stripes, 48 bytes; key (256, 228, logical).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct ChunkItem {
    /// Bytes of logical address space.
    pub length: U64,
    /// Always the extent tree.
    pub owner: U64,
    /// [`STRIPE_LENGTH`].
    pub stripe_len: U64,
    /// [`BlockGroupFlags`](super::block_group::BlockGroupFlags).
    pub chunk_type: U64,
    /// [`STRIPE_LENGTH`].
    pub io_align: U32,
    /// [`STRIPE_LENGTH`].
    pub io_width: U32,
    /// Sector size of the filesystem.
    pub sector_size: U32,
    /// Stripes that follow.
    pub num_stripes: U16,
    /// Copies within a stripe set: 2 for raid10, else 1.
    pub sub_stripes: U16,
}
const _: () = assert!(size_of::<ChunkItem>() == 48);

/// `btrfs_stripe`, 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct StripeItem {
    /// The device.
    pub devid: U64,
    /// Byte offset on the device.
    pub offset: U64,
    /// The device's UUID.
    pub dev_uuid: [u8; 16],
}
const _: () = assert!(size_of::<StripeItem>() == 32);
