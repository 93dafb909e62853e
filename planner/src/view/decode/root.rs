//! Root items and references between subvolumes.

use super::cursor::{Cursor, Taken};
use super::{inode, names};
use crate::disk::checksum::ChecksumType;

pub(super) fn item(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.within("inode", inode::fields)?;
    for name in ["generation", "root_dirid", "bytenr", "byte_limit", "bytes_used", "last_snapshot"] {
        cursor.u64(name)?;
    }
    cursor.flags("flags", 8, &names::ROOT)?;
    cursor.u32("refs")?;
    cursor.key("drop_progress")?;
    cursor.u8("drop_level")?;
    cursor.u8("level")?;
    if cursor.left() == 0 {
        // As filesystems of before Linux 3.6 have it.
        return Ok(());
    }
    cursor.u64("generation_v2")?;
    for name in ["uuid", "parent_uuid", "received_uuid"] {
        cursor.uuid(name)?;
    }
    for name in ["ctransid", "otransid", "stransid", "rtransid"] {
        cursor.u64(name)?;
    }
    for name in ["ctime", "otime", "stime", "rtime"] {
        cursor.time(name)?;
    }
    cursor.reserved("reserved", 64)
}

pub(super) fn reference(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.u64("dirid")?;
    cursor.u64("sequence")?;
    let length = cursor.u16("name_len")?;
    cursor.text("name", length)
}
