//! The superblock: 4 KiB at fixed places of every device.

use super::checksum::CHECKSUM_SIZE;
use super::device::DevItem;
use zerocopy::byteorder::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Bytes of a superblock.
pub const SUPERBLOCK_SIZE: u64 = 4096;
/// Where the copies stand: 64 KiB, 64 MiB, 256 GiB; each only where the device reaches that far.
pub const SUPERBLOCK_OFFSETS: [u64; 3] = [1 << 16, 1 << 26, 1 << 38];
/// Where the zones that hold superblock logs start on zoned devices: at 0, 512 GiB and 4 TiB, two zones each.
pub const LOG_OFFSETS: [u64; 3] = [0, 1 << 39, 1 << 42];
/// The magic of a whole filesystem.
pub const MAGIC: [u8; 8] = *b"_BHRfS_M";
/// Bytes for system chunks.
pub const SYSTEM_CHUNK_ARRAY_SIZE: usize = 2048;
/// Bytes for the label and its terminating zero.
pub const LABEL_SIZE: usize = 256;
/// `incompat_flags` bit 5: nodes larger than a page. It depends on the machine that makes the filesystem.
pub const BIG_METADATA: u64 = 1 << 5;
/// `flags` of a superblock that has been written.
pub const SUPERBLOCK_WRITTEN: u64 = 1;

/// A copy of the roots as of one transaction, 168 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BackupRoot {
    /// Root tree.
    pub tree_root: U64,
    /// Its generation.
    pub tree_root_gen: U64,
    /// Chunk tree.
    pub chunk_root: U64,
    /// Its generation.
    pub chunk_root_gen: U64,
    /// Extent tree.
    pub extent_root: U64,
    /// Its generation.
    pub extent_root_gen: U64,
    /// Top-level subvolume.
    pub fs_root: U64,
    /// Its generation.
    pub fs_root_gen: U64,
    /// Device tree.
    pub dev_root: U64,
    /// Its generation.
    pub dev_root_gen: U64,
    /// Checksum tree.
    pub csum_root: U64,
    /// Its generation.
    pub csum_root_gen: U64,
    /// Size of the filesystem.
    pub total_bytes: U64,
    /// Bytes of extents.
    pub bytes_used: U64,
    /// Devices.
    pub num_devices: U64,
    /// Always 0.
    pub unused: [U64; 4],
    /// Level of the root tree.
    pub tree_root_level: u8,
    /// Level of the chunk tree.
    pub chunk_root_level: u8,
    /// Level of the extent tree.
    pub extent_root_level: u8,
    /// Level of the top-level subvolume.
    pub fs_root_level: u8,
    /// Level of the device tree.
    pub dev_root_level: u8,
    /// Level of the checksum tree.
    pub csum_root_level: u8,
    /// Always 0.
    pub unused_bytes: [u8; 10],
}
const _: () = assert!(size_of::<BackupRoot>() == 168);

/// `btrfs_super_block`, 4096 bytes.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Superblock {
    /// Checksum of all that follows.
    pub csum: [u8; CHECKSUM_SIZE],
    /// UUID of the filesystem.
    pub fsid: [u8; 16],
    /// Where this copy stands on the device.
    pub bytenr: U64,
    /// [`SUPERBLOCK_WRITTEN`].
    pub flags: U64,
    /// [`MAGIC`].
    pub magic: [u8; 8],
    /// The last transaction.
    pub generation: U64,
    /// Logical address of the root tree.
    pub root: U64,
    /// Logical address of the chunk tree.
    pub chunk_root: U64,
    /// Logical address of the log tree; 0 for none.
    pub log_root: U64,
    /// Unused.
    pub log_root_transid: U64,
    /// Sum of the devices' sizes.
    pub total_bytes: U64,
    /// Bytes of extents.
    pub bytes_used: U64,
    /// [`ROOT_TREE_DIR`](super::root::ROOT_TREE_DIR).
    pub root_dir_objectid: U64,
    /// Devices.
    pub num_devices: U64,
    /// Sector size.
    pub sectorsize: U32,
    /// Node size.
    pub nodesize: U32,
    /// Node size.
    pub leafsize: U32,
    /// Sector size.
    pub stripesize: U32,
    /// Bytes in use of the system chunk array.
    pub sys_chunk_array_size: U32,
    /// Generation of the chunk tree.
    pub chunk_root_generation: U64,
    /// Features that a kernel may ignore.
    pub compat_flags: U64,
    /// Features that a kernel may ignore while it does not write.
    pub compat_ro_flags: U64,
    /// Features that a kernel must know.
    pub incompat_flags: U64,
    /// [`ChecksumType`](super::checksum::ChecksumType).
    pub csum_type: U16,
    /// Level of the root tree.
    pub root_level: u8,
    /// Level of the chunk tree.
    pub chunk_root_level: u8,
    /// Level of the log tree.
    pub log_root_level: u8,
    /// The device that this copy stands on.
    pub dev_item: DevItem,
    /// The label, padded with zeros.
    pub label: [u8; LABEL_SIZE],
    /// Generation of the old free space cache: 0 with a free space tree, else all ones.
    pub cache_generation: U64,
    /// Generation of the UUID tree: equal to `generation`, or the first mount scans for subvolumes.
    pub uuid_tree_generation: U64,
    /// Another UUID for metadata; unused here.
    pub metadata_uuid: [u8; 16],
    /// How many extent trees extent-tree-v2 has, and checksum trees and free space trees with them; else 0.
    pub nr_global_roots: U64,
    /// Logical address of the remap tree; 0 for none.
    pub remap_root: U64,
    /// Generation of the remap tree.
    pub remap_root_generation: U64,
    /// Level of the remap tree.
    pub remap_root_level: u8,
    /// Always 0.
    pub reserved: [u8; 199],
    /// Keys and items of the system chunks.
    pub sys_chunk_array: [u8; SYSTEM_CHUNK_ARRAY_SIZE],
    /// The roots as of the last four transactions.
    pub super_roots: [BackupRoot; 4],
    /// Always 0.
    pub padding: [u8; 565],
}
const _: () = assert!(size_of::<Superblock>() == 4096);
