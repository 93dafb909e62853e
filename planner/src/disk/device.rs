//! Devices: their item, their extents, their error counters.

use zerocopy::byteorder::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Object id of all device items.
pub const DEV_ITEMS: u64 = 1;
/// Object id of error counters.
pub const DEV_STATS: u64 = 0;

/// `btrfs_dev_item`, 98 bytes; key (1, 216, devid); also inside the superblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DevItem {
    /// Its number.
    pub devid: U64,
    /// Bytes of the device that the filesystem uses.
    pub total_bytes: U64,
    /// Bytes of its device extents.
    pub bytes_used: U64,
    /// Sector size.
    pub io_align: U32,
    /// Sector size.
    pub io_width: U32,
    /// Sector size.
    pub sector_size: U32,
    /// Always 0.
    pub device_type: U64,
    /// Always 0 in a new filesystem.
    pub generation: U64,
    /// Always 0.
    pub start_offset: U64,
    /// Always 0.
    pub dev_group: U32,
    /// Always 0.
    pub seek_speed: u8,
    /// Always 0.
    pub bandwidth: u8,
    /// UUID of the device.
    pub uuid: [u8; 16],
    /// UUID of the filesystem.
    pub fsid: [u8; 16],
}
const _: () = assert!(size_of::<DevItem>() == 98);

/// `btrfs_dev_extent`, 48 bytes; key (devid, 204, byte offset on the device).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DevExtent {
    /// Always the chunk tree.
    pub chunk_tree: U64,
    /// Always [`FIRST_CHUNK_TREE`](super::chunk::FIRST_CHUNK_TREE).
    pub chunk_objectid: U64,
    /// Logical address of the chunk.
    pub chunk_offset: U64,
    /// Bytes on the device.
    pub length: U64,
    /// UUID of the chunk tree.
    pub chunk_tree_uuid: [u8; 16],
}
const _: () = assert!(size_of::<DevExtent>() == 48);

/// Error counters of a device, 40 bytes; key (0, 249, devid).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DevStats {
    /// Write, read, flush, corruption and generation errors.
    pub values: [U64; 5],
}
const _: () = assert!(size_of::<DevStats>() == 40);
