//! The free space tree's items.

use zerocopy::byteorder::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// `btrfs_free_space_info`, 8 bytes; key (start, 198, length) of a block group. Free extents have no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FreeSpaceInfo {
    /// Free ranges in the block group.
    pub extent_count: U32,
    /// 0: they are extents, not bitmaps.
    pub flags: U32,
}
const _: () = assert!(size_of::<FreeSpaceInfo>() == 8);
