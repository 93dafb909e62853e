//! Parts of a file's content.

use zerocopy::byteorder::little_endian::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Type: the content stands in the item.
pub const INLINE: u8 = 0;
/// Type: the content stands in a data extent, or is a hole.
pub const REGULAR: u8 = 1;
/// Type: room in a data extent that was never written.
pub const PREALLOCATED: u8 = 2;

/// The start of `btrfs_file_extent_item`, 21 bytes; inline content follows it. Key (inode, 108, offset in the file).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FileExtentHead {
    /// The transaction that made it.
    pub generation: U64,
    /// Bytes of the extent when not compressed.
    pub ram_bytes: U64,
    /// 0 for none, 1 zlib, 2 lzo, 3 zstd.
    pub compression: u8,
    /// Always 0.
    pub encryption: u8,
    /// Always 0.
    pub other_encoding: U16,
    /// [`INLINE`], [`REGULAR`] or [`PREALLOCATED`].
    pub extent_type: u8,
}
const _: () = assert!(size_of::<FileExtentHead>() == 21);

/// The rest of `btrfs_file_extent_item` where the content is not inline, 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct FileExtentPlace {
    /// Logical address of the data extent; 0 for a hole.
    pub disk_bytenr: U64,
    /// Bytes of the data extent.
    pub disk_num_bytes: U64,
    /// Where in the (uncompressed) extent the part starts.
    pub offset: U64,
    /// Bytes of the part.
    pub num_bytes: U64,
}
const _: () = assert!(size_of::<FileExtentPlace>() == 32);
