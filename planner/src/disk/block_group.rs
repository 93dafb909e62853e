//! Block groups: their type flags and their item.

use zerocopy::byteorder::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Type and profile bits of a block group, as in chunk items and block group items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockGroupFlags(u64);

impl BlockGroupFlags {
    /// No bit: the single profile.
    pub const NONE: Self = Self(0);
    /// File contents.
    pub const DATA: Self = Self(1 << 0);
    /// The chunk tree.
    pub const SYSTEM: Self = Self(1 << 1);
    /// Every other tree.
    pub const METADATA: Self = Self(1 << 2);
    /// Striped.
    pub const RAID0: Self = Self(1 << 3);
    /// Two copies on two devices.
    pub const RAID1: Self = Self(1 << 4);
    /// Two copies on one device.
    pub const DUP: Self = Self(1 << 5);
    /// Striped pairs.
    pub const RAID10: Self = Self(1 << 6);
    /// Striped with one parity.
    pub const RAID5: Self = Self(1 << 7);
    /// Striped with two parities.
    pub const RAID6: Self = Self(1 << 8);
    /// Three copies.
    pub const RAID1C3: Self = Self(1 << 9);
    /// Four copies.
    pub const RAID1C4: Self = Self(1 << 10);
    /// Moved elsewhere: the remap tree says where.
    pub const REMAPPED: Self = Self(1 << 11);
    /// The remap tree.
    pub const METADATA_REMAP: Self = Self(1 << 12);

    /// The bits as on disk.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The bits of both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all bits of `other` are set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl From<u64> for BlockGroupFlags {
    fn from(bits: u64) -> Self {
        Self(bits)
    }
}

/// `btrfs_block_group_item`, 24 bytes; key (start, 192, length).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct BlockGroupItem {
    /// Bytes of extents in the block group.
    pub used: U64,
    /// 256; with extent-tree-v2 the number of the extent tree that has its extents.
    pub chunk_objectid: U64,
    /// [`BlockGroupFlags`].
    pub flags: U64,
}
const _: () = assert!(size_of::<BlockGroupItem>() == 24);

/// `btrfs_block_group_item_v2`, 36 bytes: what a block group item is where there is a remap tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RemapBlockGroupItem {
    /// What every block group has.
    pub item: BlockGroupItem,
    /// Bytes that were moved into the block group from others.
    pub remap_bytes: U64,
    /// Ranges of a moved block group that are still where they were.
    pub identity_remap_count: U32,
}
const _: () = assert!(size_of::<RemapBlockGroupItem>() == 36);
