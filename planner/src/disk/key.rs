//! Keys: what items are sorted by.

use zerocopy::byteorder::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The type of an item: the middle part of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemType(pub u8);

impl ItemType {
    /// An inode.
    pub const INODE_ITEM: Self = Self(1);
    /// The name of an inode in a directory.
    pub const INODE_REF: Self = Self(12);
    /// More names of an inode, where the one item is full.
    pub const INODE_EXTREF: Self = Self(13);
    /// An extended attribute.
    pub const XATTR_ITEM: Self = Self(24);
    /// The descriptor of a file that fs-verity protects.
    pub const VERITY_DESCRIPTOR: Self = Self(36);
    /// The Merkle tree of such a file.
    pub const VERITY_MERKLE: Self = Self(37);
    /// An inode that is to be removed, or truncated.
    pub const ORPHAN_ITEM: Self = Self(48);
    /// A directory entry by the hash of its name.
    pub const DIR_ITEM: Self = Self(84);
    /// A directory entry by its number.
    pub const DIR_INDEX: Self = Self(96);
    /// A part of a file's content.
    pub const EXTENT_DATA: Self = Self(108);
    /// Checksums of data.
    pub const EXTENT_CSUM: Self = Self(128);
    /// The root of a tree.
    pub const ROOT_ITEM: Self = Self(132);
    /// From a subvolume to the one that holds its name.
    pub const ROOT_BACKREF: Self = Self(144);
    /// From a subvolume to one whose name it holds.
    pub const ROOT_REF: Self = Self(156);
    /// An extent, with its length as the key's offset.
    pub const EXTENT_ITEM: Self = Self(168);
    /// A tree block, with its level as the key's offset.
    pub const METADATA_ITEM: Self = Self(169);
    /// Inline: the subvolume that pays for an extent, with simple quota.
    pub const EXTENT_OWNER_REF: Self = Self(172);
    /// Inline reference from a tree to its block.
    pub const TREE_BLOCK_REF: Self = Self(176);
    /// Reference from a file to a data extent.
    pub const EXTENT_DATA_REF: Self = Self(178);
    /// Reference from a node to a tree block.
    pub const SHARED_BLOCK_REF: Self = Self(182);
    /// Reference from a leaf to a data extent.
    pub const SHARED_DATA_REF: Self = Self(184);
    /// A block group.
    pub const BLOCK_GROUP_ITEM: Self = Self(192);
    /// What the free space tree says of a block group.
    pub const FREE_SPACE_INFO: Self = Self(198);
    /// A free range.
    pub const FREE_SPACE_EXTENT: Self = Self(199);
    /// Free ranges as bits.
    pub const FREE_SPACE_BITMAP: Self = Self(200);
    /// A device extent.
    pub const DEV_EXTENT: Self = Self(204);
    /// A device.
    pub const DEV_ITEM: Self = Self(216);
    /// A chunk.
    pub const CHUNK_ITEM: Self = Self(228);
    /// Where an extent of data lies on the stripes of its chunk.
    pub const RAID_STRIPE: Self = Self(230);
    /// State of quota groups.
    pub const QGROUP_STATUS: Self = Self(240);
    /// Counters of a quota group.
    pub const QGROUP_INFO: Self = Self(242);
    /// Limits of a quota group.
    pub const QGROUP_LIMIT: Self = Self(244);
    /// A quota group is a member of another.
    pub const QGROUP_RELATION: Self = Self(246);
    /// Something that passes: the state of a balance.
    pub const TEMPORARY_ITEM: Self = Self(248);
    /// Something that stays: error counters of a device.
    pub const PERSISTENT_ITEM: Self = Self(249);
    /// The state of a device's replacement.
    pub const DEV_REPLACE: Self = Self(250);
    /// A subvolume by its UUID.
    pub const UUID_KEY_SUBVOL: Self = Self(251);
    /// A received subvolume by the UUID that it had where it came from.
    pub const UUID_KEY_RECEIVED_SUBVOL: Self = Self(252);
}

/// `btrfs_disk_key`, 17 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DiskKey {
    /// What it is about.
    pub objectid: U64,
    /// [`ItemType`].
    pub item_type: u8,
    /// Meaning depends on the type.
    pub offset: U64,
}
const _: () = assert!(size_of::<DiskKey>() == 17);

/// A key in memory, ordered as trees order it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// What it is about.
    pub objectid: u64,
    /// The kind of item.
    pub item_type: ItemType,
    /// Meaning depends on the type.
    pub offset: u64,
}

impl Key {
    /// The key of three parts.
    #[must_use]
    pub const fn new(objectid: u64, item_type: ItemType, offset: u64) -> Self {
        Self { objectid, item_type, offset }
    }
}

impl From<Key> for DiskKey {
    fn from(key: Key) -> Self {
        Self { objectid: key.objectid.into(), item_type: key.item_type.0, offset: key.offset.into() }
    }
}

impl From<DiskKey> for Key {
    fn from(key: DiskKey) -> Self {
        Self { objectid: key.objectid.get(), item_type: ItemType(key.item_type), offset: key.offset.get() }
    }
}
