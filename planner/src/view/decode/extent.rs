//! Extents, who references them, file extents and checksums.

use super::cursor::{Cursor, Taken};
use super::names;
use crate::disk::checksum::ChecksumType;
use alloc::format;

/// Extent flag: a tree block.
const TREE_BLOCK: u64 = 1 << 1;

/// An extent; a tree block without skinny metadata says its first key and level.
pub(super) fn item(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    let flags = head(cursor)?;
    if flags & TREE_BLOCK != 0 {
        cursor.key("key")?;
        cursor.u8("level")?;
    }
    inline_references(cursor)
}

/// A tree block with skinny metadata.
pub(super) fn metadata(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    head(cursor)?;
    inline_references(cursor)
}

fn head(cursor: &mut Cursor<'_>) -> Taken<u64> {
    cursor.u64("refs")?;
    cursor.u64("generation")?;
    cursor.flags("flags", 8, &names::EXTENT)
}

fn inline_references(cursor: &mut Cursor<'_>) -> Taken {
    let mut number = 0_usize;
    while cursor.left() > 0 {
        cursor.numbered("ref", number, |cursor| {
            match cursor.shown("type", 1, names::item_type)? {
                172 | 176 => cursor.object("root").map(|_| ()),
                178 => data_fields(cursor),
                182 => cursor.u64("parent").map(|_| ()),
                184 => {
                    cursor.u64("parent")?;
                    cursor.u32("count").map(|_| ())
                }
                // Its length is not known, so nothing behind it can be told apart.
                _ => {
                    let left = cursor.left();
                    cursor.content("unknown", left, super::cursor::raw)
                }
            }
        })?;
        number = number.saturating_add(1);
    }
    Ok(())
}

fn data_fields(cursor: &mut Cursor<'_>) -> Taken {
    cursor.object("root")?;
    cursor.u64("objectid")?;
    cursor.u64("offset")?;
    cursor.u32("count").map(|_| ())
}

/// A reference from a file that has an item of its own.
pub(super) fn data_reference(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    data_fields(cursor)
}

/// The same from a tree block that snapshots share.
pub(super) fn shared_data_reference(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.u32("count").map(|_| ())
}

/// The subvolume that an extent is counted to by simple quota.
pub(super) fn owner(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.object("root").map(|_| ())
}

/// A part of a file.
pub(super) fn file(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.u64("generation")?;
    cursor.u64("ram_bytes")?;
    cursor.shown("compression", 1, |kind| names::one_of(kind, &names::COMPRESSION))?;
    cursor.u8("encryption")?;
    cursor.u16("other_encoding")?;
    let kind = cursor.shown("type", 1, |kind| names::one_of(kind, &names::FILE_EXTENT))?;
    if kind == 0 {
        let left = cursor.left();
        return cursor.content("data", left, super::cursor::raw);
    }
    for name in ["disk_bytenr", "disk_num_bytes", "offset", "num_bytes"] {
        cursor.u64(name)?;
    }
    Ok(())
}

/// Checksums of neighbouring sectors.
pub(super) fn checksums(cursor: &mut Cursor<'_>, checksum: ChecksumType) -> Taken {
    let mut number = 0_usize;
    while cursor.left() > 0 {
        // The name of a field of one value needs no dot: the number is part of it.
        cursor.within(&format!("sector[{number}]"), |cursor| cursor.bytes("csum", checksum.size()))?;
        number = number.saturating_add(1);
    }
    Ok(())
}
