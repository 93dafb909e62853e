//! Inodes, their names, and the entries of directories.

use super::cursor::{Cursor, Taken};
use super::names;
use crate::disk::checksum::ChecksumType;
use alloc::format;

pub(super) fn item(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    fields(cursor)
}

/// The fields of an inode, also within a root item.
pub(super) fn fields(cursor: &mut Cursor<'_>) -> Taken {
    for name in ["generation", "transid", "size", "nbytes", "block_group"] {
        cursor.u64(name)?;
    }
    for name in ["nlink", "uid", "gid"] {
        cursor.u32(name)?;
    }
    cursor.shown("mode", 4, |mode| format!("{mode:o}"))?;
    cursor.u64("rdev")?;
    cursor.flags("flags", 8, &names::INODE)?;
    cursor.u64("sequence")?;
    cursor.reserved("reserved", 32)?;
    ["atime", "ctime", "mtime", "otime"].into_iter().try_for_each(|name| cursor.time(name))
}

/// Names of an inode in one directory, one after another.
pub(super) fn names(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    several(cursor, "ref", |cursor| {
        cursor.u64("index")?;
        let length = cursor.u16("name_len")?;
        cursor.text("name", length)
    })
}

/// Names of an inode in any directory, one after another.
pub(super) fn extended_names(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    several(cursor, "ref", |cursor| {
        cursor.u64("parent")?;
        cursor.u64("index")?;
        let length = cursor.u16("name_len")?;
        cursor.text("name", length)
    })
}

/// Directory entries or extended attributes whose names have the same hash, one after another.
pub(super) fn entries(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    several(cursor, "entry", |cursor| {
        cursor.key("location")?;
        cursor.u64("transid")?;
        let data = cursor.u16("data_len")?;
        let name = cursor.u16("name_len")?;
        cursor.shown("type", 1, |kind| names::one_of(kind, &names::ENTRY_TYPES))?;
        cursor.text("name", name)?;
        cursor.text("data", data)
    })
}

/// One or more of the same; where there is one, its fields need no number.
fn several(cursor: &mut Cursor<'_>, name: &str, mut take: impl FnMut(&mut Cursor<'_>) -> Taken) -> Taken {
    take(cursor)?;
    let mut number = 1_usize;
    while cursor.left() > 0 {
        cursor.numbered(name, number, &mut take)?;
        number = number.saturating_add(1);
    }
    Ok(())
}
