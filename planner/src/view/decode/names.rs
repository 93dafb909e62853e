//! What the format calls its numbers.

use crate::disk::key::Key;
use crate::disk::root::TreeId;
use crate::request::{Feature, FeatureBit};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Item types by number.
const ITEM_TYPES: [(u8, &str); 39] = [
    (1, "INODE_ITEM"),
    (12, "INODE_REF"),
    (13, "INODE_EXTREF"),
    (24, "XATTR_ITEM"),
    (36, "VERITY_DESC_ITEM"),
    (37, "VERITY_MERKLE_ITEM"),
    (48, "ORPHAN_ITEM"),
    (60, "DIR_LOG_ITEM"),
    (72, "DIR_LOG_INDEX"),
    (84, "DIR_ITEM"),
    (96, "DIR_INDEX"),
    (108, "EXTENT_DATA"),
    (128, "EXTENT_CSUM"),
    (132, "ROOT_ITEM"),
    (144, "ROOT_BACKREF"),
    (156, "ROOT_REF"),
    (168, "EXTENT_ITEM"),
    (169, "METADATA_ITEM"),
    (172, "EXTENT_OWNER_REF"),
    (176, "TREE_BLOCK_REF"),
    (178, "EXTENT_DATA_REF"),
    (182, "SHARED_BLOCK_REF"),
    (184, "SHARED_DATA_REF"),
    (192, "BLOCK_GROUP_ITEM"),
    (198, "FREE_SPACE_INFO"),
    (199, "FREE_SPACE_EXTENT"),
    (200, "FREE_SPACE_BITMAP"),
    (204, "DEV_EXTENT"),
    (216, "DEV_ITEM"),
    (228, "CHUNK_ITEM"),
    (230, "RAID_STRIPE"),
    (234, "IDENTITY_REMAP"),
    (235, "REMAP"),
    (236, "REMAP_BACKREF"),
    (240, "QGROUP_STATUS"),
    (242, "QGROUP_INFO"),
    (244, "QGROUP_LIMIT"),
    (246, "QGROUP_RELATION"),
    (249, "PERSISTENT_ITEM"),
];

/// Type and profile bits of block groups.
pub(super) const BLOCK_GROUP: [(u64, &str); 13] = [
    (1 << 0, "DATA"),
    (1 << 1, "SYSTEM"),
    (1 << 2, "METADATA"),
    (1 << 3, "RAID0"),
    (1 << 4, "RAID1"),
    (1 << 5, "DUP"),
    (1 << 6, "RAID10"),
    (1 << 7, "RAID5"),
    (1 << 8, "RAID6"),
    (1 << 9, "RAID1C3"),
    (1 << 10, "RAID1C4"),
    (1 << 11, "REMAPPED"),
    (1 << 12, "METADATA_REMAP"),
];

/// Bits of a tree block's header.
pub(super) const HEADER: [(u64, &str); 3] = [(1 << 0, "WRITTEN"), (1 << 1, "RELOC"), (1 << 56, "MIXED_BACKREF")];
/// Bits of a superblock.
pub(super) const SUPERBLOCK: [(u64, &str); 3] = [(1 << 0, "WRITTEN"), (1 << 2, "ERROR"), (1 << 32, "SEEDING")];
/// Bits of an extent item.
pub(super) const EXTENT: [(u64, &str); 3] = [(1 << 0, "DATA"), (1 << 1, "TREE_BLOCK"), (1 << 8, "FULL_BACKREF")];
/// Bits of a subvolume.
pub(super) const ROOT: [(u64, &str); 2] = [(1 << 0, "RDONLY"), (1 << 48, "DEAD")];
/// Bits of the state of quota groups.
pub(super) const QUOTA: [(u64, &str); 4] =
    [(1 << 0, "ON"), (1 << 1, "RESCAN"), (1 << 2, "INCONSISTENT"), (1 << 3, "SIMPLE_MODE")];
/// Bits that switch a quota group's limits on.
pub(super) const LIMIT: [(u64, &str); 6] = [
    (1 << 0, "MAX_RFER"),
    (1 << 1, "MAX_EXCL"),
    (1 << 2, "RSV_RFER"),
    (1 << 3, "RSV_EXCL"),
    (1 << 4, "RFER_CMPR"),
    (1 << 5, "EXCL_CMPR"),
];
/// Bits of a block group's free space.
pub(super) const FREE_SPACE: [(u64, &str); 1] = [(1 << 0, "USING_BITMAPS")];
/// Bits of an inode.
pub(super) const INODE: [(u64, &str); 13] = [
    (1 << 0, "NODATASUM"),
    (1 << 1, "NODATACOW"),
    (1 << 2, "READONLY"),
    (1 << 3, "NOCOMPRESS"),
    (1 << 4, "PREALLOC"),
    (1 << 5, "SYNC"),
    (1 << 6, "IMMUTABLE"),
    (1 << 7, "APPEND"),
    (1 << 8, "NODUMP"),
    (1 << 9, "NOATIME"),
    (1 << 10, "DIRSYNC"),
    (1 << 11, "COMPRESS"),
    (1 << 31, "ROOT_ITEM_INIT"),
];
/// What a directory entry leads to.
pub(super) const ENTRY_TYPES: [(u64, &str); 9] = [
    (0, "unknown"),
    (1, "file"),
    (2, "directory"),
    (3, "character device"),
    (4, "block device"),
    (5, "fifo"),
    (6, "socket"),
    (7, "symbolic link"),
    (8, "extended attribute"),
];
/// How a file extent is compressed.
pub(super) const COMPRESSION: [(u64, &str); 4] = [(0, "none"), (1, "zlib"), (2, "lzo"), (3, "zstd")];
/// Where a file extent's content stands.
pub(super) const FILE_EXTENT: [(u64, &str); 3] = [(0, "inline"), (1, "regular"), (2, "preallocated")];

/// The name of an item type.
pub(super) fn item_type_name(number: u8) -> Cow<'static, str> {
    match number {
        251 => "UUID_KEY_SUBVOL".into(),
        252 => "UUID_KEY_RECEIVED_SUBVOL".into(),
        _ => match ITEM_TYPES.iter().find(|(known, _)| *known == number) {
            Some((_, name)) => (*name).into(),
            None => format!("type {number}").into(),
        },
    }
}

/// An item type with its name.
pub(super) fn item_type(number: u64) -> String {
    match u8::try_from(number) {
        Ok(number) if ITEM_TYPES.iter().any(|(known, _)| *known == number) || number > 250 => {
            format!("{number} ({})", item_type_name(number))
        }
        _ => number.to_string(),
    }
}

/// What a number of an object or a tree is called, if it has a name.
pub(crate) fn object_name(number: u64) -> Option<&'static str> {
    TreeId::ALL.into_iter().find(|tree| tree.objectid() == number).map(TreeId::name)
}

/// An object's number; those counted from the end as negative ones.
fn object_number(number: u64) -> String {
    if number > u64::MAX - 256 { format!("-{}", number.wrapping_neg()) } else { number.to_string() }
}

/// The number of a tree or another object, with its name.
pub(super) fn object(number: u64) -> String {
    match object_name(number) {
        Some(name) => format!("{} ({name})", object_number(number)),
        None => object_number(number),
    }
}

/// A key as it is usually printed: `(256 INODE_ITEM 0)`.
pub(crate) fn key_text(key: Key) -> String {
    let objectid = object_number(key.objectid);
    format!("({objectid} {} {})", item_type_name(key.item_type.0), object_number(key.offset))
}

/// A number whose bits have names.
pub(super) fn flags(number: u64, bits: &[(u64, &str)]) -> String {
    let mut names: Vec<Cow<'_, str>> = Vec::new();
    let mut rest = number;
    for (bit, name) in bits {
        if number & bit == *bit {
            names.push((*name).into());
            rest &= !bit;
        }
    }
    if rest != 0 && !names.is_empty() {
        names.push(format!("{rest:#x}").into());
    }
    if names.is_empty() { format!("{number:#x}") } else { format!("{number:#x} ({})", names.join(" | ")) }
}

/// A number out of a table.
pub(super) fn one_of(number: u64, table: &[(u64, &str)]) -> String {
    match table.iter().find(|(known, _)| *known == number) {
        Some((_, name)) => format!("{number} ({name})"),
        None => number.to_string(),
    }
}

/// Feature bits of a superblock, by the names that `-O` knows.
pub(super) fn features(number: u64, bits_of: fn(FeatureBit) -> u64) -> String {
    let mut table: Vec<(u64, &str)> = Vec::new();
    for feature in Feature::ALL.map(Feature::traits) {
        let bits = bits_of(feature.bit);
        if bits != 0 {
            table.push((bits, feature.name));
        }
    }
    if bits_of(FeatureBit::Incompat(1)) != 0 {
        table.push((crate::disk::superblock::BIG_METADATA, "big-metadata"));
    }
    flags(number, &table)
}
