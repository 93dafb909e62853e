//! The free space tree's items.

use zerocopy::byteorder::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Flag of a block group whose free ranges are bitmaps.
pub const USING_BITMAPS: u32 = 1 << 0;
/// Bits of a bitmap, one for each sector; the last of a block group may have fewer.
pub const BITMAP_BITS: u64 = 2048;

/// `btrfs_free_space_info`, 8 bytes; key (start, 198, length) of a block group. Free extents have no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FreeSpaceInfo {
    /// Free ranges in the block group.
    pub extent_count: U32,
    /// [`USING_BITMAPS`]; 0 where they are extents.
    pub flags: U32,
}
const _: () = assert!(size_of::<FreeSpaceInfo>() == 8);
