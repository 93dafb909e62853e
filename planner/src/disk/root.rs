//! Root items: where a tree starts; and the numbers of the trees.

use super::inode::{InodeItem, Timespec};
use super::key::DiskKey;
use zerocopy::byteorder::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Object id of the directory in the root tree that names the default subvolume.
pub const ROOT_TREE_DIR: u64 = 6;

/// A tree of a new filesystem, in the order of their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TreeId {
    /// Where every other tree starts.
    Root,
    /// Every extent, and who references it.
    Extent,
    /// Another extent tree, of extent-tree-v2, by its number from 1.
    ExtentPart(u16),
    /// Devices and chunks.
    Chunk,
    /// Device extents and error counters.
    Dev,
    /// The top-level subvolume.
    Fs,
    /// Checksums of data.
    Csum,
    /// Another checksum tree, of extent-tree-v2.
    CsumPart(u16),
    /// Quota groups.
    Quota,
    /// Subvolumes by UUID.
    Uuid,
    /// Free ranges of block groups.
    FreeSpace,
    /// Another free space tree, of extent-tree-v2.
    FreeSpacePart(u16),
    /// Block groups.
    BlockGroup,
    /// Where data lies on its stripes.
    RaidStripe,
    /// Where moved block groups are.
    Remap,
    /// Scratch space for relocating data.
    DataReloc,
}

impl TreeId {
    /// Every tree that has a number of its own, by number.
    pub const ALL: [Self; 13] = [
        Self::Root,
        Self::Extent,
        Self::Chunk,
        Self::Dev,
        Self::Fs,
        Self::Csum,
        Self::Quota,
        Self::Uuid,
        Self::FreeSpace,
        Self::BlockGroup,
        Self::RaidStripe,
        Self::Remap,
        Self::DataReloc,
    ];

    /// The number on disk.
    #[must_use]
    pub const fn objectid(self) -> u64 {
        match self {
            Self::Root => 1,
            Self::Extent | Self::ExtentPart(_) => 2,
            Self::Chunk => 3,
            Self::Dev => 4,
            Self::Fs => 5,
            Self::Csum | Self::CsumPart(_) => 7,
            Self::Quota => 8,
            Self::Uuid => 9,
            Self::FreeSpace | Self::FreeSpacePart(_) => 10,
            Self::BlockGroup => 11,
            Self::RaidStripe => 12,
            Self::Remap => 13,
            // Counted from the end: -9.
            Self::DataReloc => u64::MAX - 8,
        }
    }

    /// The offset of its root item's key: which it is of the trees that have its number.
    #[must_use]
    pub const fn index(self) -> u64 {
        match self {
            // Widening.
            #[allow(clippy::as_conversions)]
            Self::ExtentPart(index) | Self::CsumPart(index) | Self::FreeSpacePart(index) => index as u64,
            _ => 0,
        }
    }

    /// The name in plans.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Extent | Self::ExtentPart(_) => "extent",
            Self::Chunk => "chunk",
            Self::Dev => "dev",
            Self::Fs => "fs",
            Self::Csum | Self::CsumPart(_) => "csum",
            Self::Quota => "quota",
            Self::Uuid => "uuid",
            Self::FreeSpace | Self::FreeSpacePart(_) => "free-space",
            Self::BlockGroup => "block-group",
            Self::RaidStripe => "raid-stripe",
            Self::Remap => "remap",
            Self::DataReloc => "data-reloc",
        }
    }
}

impl core::fmt::Display for TreeId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// `btrfs_root_item`, 439 bytes; key (tree, 132, 0).
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RootItem {
    /// The embedded inode, a leftover that subvolumes fill in.
    pub inode: InodeItem,
    /// The transaction that changed the tree last.
    pub generation: U64,
    /// The root directory of a subvolume, else 0.
    pub root_dirid: U64,
    /// Logical address of the tree's top block.
    pub bytenr: U64,
    /// Always 0.
    pub byte_limit: U64,
    /// Bytes of the tree's blocks.
    pub bytes_used: U64,
    /// The last snapshot's transaction.
    pub last_snapshot: U64,
    /// Subvolume flags.
    pub flags: U64,
    /// References.
    pub refs: U32,
    /// How far a removal has come.
    pub drop_progress: DiskKey,
    /// The level it has come to.
    pub drop_level: u8,
    /// Level of the top block.
    pub level: u8,
    /// Same as `generation`, else all that follows counts as absent.
    pub generation_v2: U64,
    /// UUID of a subvolume.
    pub uuid: [u8; 16],
    /// UUID of the subvolume it was made from.
    pub parent_uuid: [u8; 16],
    /// UUID of the subvolume it was received from.
    pub received_uuid: [u8; 16],
    /// Transaction of the last change.
    pub ctransid: U64,
    /// Transaction of the creation.
    pub otransid: U64,
    /// Transaction of sending.
    pub stransid: U64,
    /// Transaction of receiving.
    pub rtransid: U64,
    /// Time of the last change.
    pub ctime: Timespec,
    /// Time of creation.
    pub otime: Timespec,
    /// Time of sending.
    pub stime: Timespec,
    /// Time of receiving.
    pub rtime: Timespec,
    /// Always 0.
    pub reserved: [U64; 8],
}
const _: () = assert!(size_of::<RootItem>() == 439);

/// `btrfs_root_ref`, 18 bytes, followed by the name; keys (parent, 156, child) and (child, 144, parent).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RootRef {
    /// The directory of the parent that has the entry.
    pub dirid: U64,
    /// Number of the entry in its directory.
    pub sequence: U64,
    /// Bytes of the name.
    pub name_len: U16,
}
const _: () = assert!(size_of::<RootRef>() == 18);
