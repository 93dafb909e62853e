//! Directory entries.

use super::key::DiskKey;
use zerocopy::byteorder::little_endian::{U16, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Entry type: a directory.
pub const DIRECTORY_TYPE: u8 = 2;

/// `btrfs_dir_item`, 30 bytes, followed by the name; key (directory, 84, hash of the name).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct DirItem {
    /// Where the entry leads.
    pub location: DiskKey,
    /// The transaction that made it.
    pub transid: U64,
    /// Bytes of data behind the name; 0 but for extended attributes.
    pub data_len: U16,
    /// Bytes of the name.
    pub name_len: U16,
    /// [`DIRECTORY_TYPE`] and others.
    pub entry_type: u8,
}
const _: () = assert!(size_of::<DirItem>() == 30);

/// The hash by which a name is sorted: CRC-32C started at `!1`, without the usual inversions.
#[must_use]
pub fn name_hash(name: &[u8]) -> u32 {
    // `crc32c_append` inverts its start and its result; both are undone here.
    !crc32c::crc32c_append(1, name)
}

#[cfg(test)]
mod tests {
    /// The value that every btrfs has in its root tree.
    #[test]
    fn hash_of_default() {
        assert_eq!(super::name_hash(b"default"), 2_378_154_706);
    }
}
