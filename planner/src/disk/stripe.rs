//! Stripe extents: where data lies on the stripes of its chunk, if writing decided that.

use zerocopy::byteorder::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// `btrfs_raid_stride`, 16 bytes; an item of key (logical, 230, length) has one for each stripe that the extent lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct StrideItem {
    /// The device.
    pub devid: U64,
    /// Byte offset on the device.
    pub physical: U64,
}
const _: () = assert!(size_of::<StrideItem>() == 16);
