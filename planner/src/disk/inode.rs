//! Inodes and times.

use zerocopy::byteorder::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// The first object id of files; the root directory of every subvolume.
pub const FIRST_FREE_OBJECTID: u64 = 256;
/// Mode of a directory that everybody may read: `040755`.
pub const DIRECTORY_MODE: u32 = 0o40_755;
/// Inode flag: the content has no checksums.
pub const NODATASUM: u64 = 1 << 0;
/// Inode flag: the root item's embedded inode is in use.
pub const ROOT_ITEM_INIT: u64 = 1 << 31;

/// `btrfs_timespec`, 12 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Timespec {
    /// Seconds since 1970-01-01 UTC.
    pub sec: U64,
    /// Nanoseconds.
    pub nsec: U32,
}

impl Timespec {
    /// A time of whole seconds.
    #[must_use]
    pub fn from_seconds(seconds: u64) -> Self {
        Self { sec: seconds.into(), nsec: 0.into() }
    }
}

/// `btrfs_inode_item`, 160 bytes; key (inode, 1, 0).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct InodeItem {
    /// The transaction that made it.
    pub generation: U64,
    /// The transaction that changed it last.
    pub transid: U64,
    /// Bytes of content.
    pub size: U64,
    /// Bytes on disk.
    pub nbytes: U64,
    /// Always 0.
    pub block_group: U64,
    /// Hard links.
    pub nlink: U32,
    /// Owner.
    pub uid: U32,
    /// Group.
    pub gid: U32,
    /// Type and permissions.
    pub mode: U32,
    /// Device number of a special file.
    pub rdev: U64,
    /// Inode flags.
    pub flags: U64,
    /// Change counter.
    pub sequence: U64,
    /// Always 0.
    pub reserved: [U64; 4],
    /// Last access.
    pub atime: Timespec,
    /// Last change of the inode.
    pub ctime: Timespec,
    /// Last change of the content.
    pub mtime: Timespec,
    /// Creation.
    pub otime: Timespec,
}
const _: () = assert!(size_of::<InodeItem>() == 160);

/// `btrfs_inode_ref`, 10 bytes, followed by the name; key (inode, 12, directory).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct InodeRef {
    /// Number of the entry in its directory.
    pub index: U64,
    /// Bytes of the name.
    pub name_len: U16,
}
const _: () = assert!(size_of::<InodeRef>() == 10);

/// `btrfs_inode_extref`, 18 bytes, followed by the name; key (inode, 13, hash of directory and name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct InodeExtref {
    /// The directory.
    pub parent: U64,
    /// Number of the entry in its directory.
    pub index: U64,
    /// Bytes of the name.
    pub name_len: U16,
}
const _: () = assert!(size_of::<InodeExtref>() == 18);
