//! Block groups, free space, chunks and devices.

use super::cursor::{Cursor, Taken};
use super::names;
use crate::disk::checksum::ChecksumType;
use crate::units::wide;
use alloc::format;

pub(super) fn block_group(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.u64("used")?;
    cursor.u64("chunk_objectid")?;
    cursor.flags("flags", 8, &names::BLOCK_GROUP)?;
    // Where there is a remap tree there are two fields more.
    if cursor.left() > 0 {
        cursor.u64("remap_bytes")?;
        cursor.u32("identity_remap_count")?;
    }
    Ok(())
}

pub(super) fn free_space_info(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.u32("extent_count")?;
    cursor.flags("flags", 4, &names::FREE_SPACE).map(|_| ())
}

/// A bit for each sector.
pub(super) fn free_space_bitmap(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    let left = cursor.left();
    cursor.content("bitmap", left, |bytes| {
        let set = bytes.iter().fold(0_u64, |sum, byte| sum.saturating_add(u64::from(byte.count_ones())));
        format!("{set} of {} bits set", wide(bytes.len()).saturating_mul(8))
    })
}

pub(super) fn device_extent(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.object("chunk_tree")?;
    for name in ["chunk_objectid", "chunk_offset", "length"] {
        cursor.u64(name)?;
    }
    cursor.uuid("chunk_tree_uuid")
}

pub(super) fn device(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    device_fields(cursor)
}

/// The fields of a device, also within a superblock.
pub(super) fn device_fields(cursor: &mut Cursor<'_>) -> Taken {
    for name in ["devid", "total_bytes", "bytes_used"] {
        cursor.u64(name)?;
    }
    for name in ["io_align", "io_width", "sector_size"] {
        cursor.u32(name)?;
    }
    for name in ["type", "generation", "start_offset"] {
        cursor.u64(name)?;
    }
    cursor.u32("dev_group")?;
    cursor.u8("seek_speed")?;
    cursor.u8("bandwidth")?;
    cursor.uuid("uuid")?;
    cursor.uuid("fsid")
}

pub(super) fn device_statistics(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    for name in ["write_errs", "read_errs", "flush_errs", "corruption_errs", "generation_errs"] {
        cursor.u64(name)?;
    }
    Ok(())
}

pub(super) fn chunk(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    chunk_fields(cursor)
}

/// The fields of a chunk and its stripes, also within a superblock.
pub(super) fn chunk_fields(cursor: &mut Cursor<'_>) -> Taken {
    cursor.u64("length")?;
    cursor.object("owner")?;
    cursor.u64("stripe_len")?;
    cursor.flags("type", 8, &names::BLOCK_GROUP)?;
    for name in ["io_align", "io_width", "sector_size"] {
        cursor.u32(name)?;
    }
    let stripes = cursor.u16("num_stripes")?;
    cursor.u16("sub_stripes")?;
    for (number, _) in (0..stripes).enumerate() {
        cursor.numbered("stripe", number, |cursor| {
            cursor.u64("devid")?;
            cursor.u64("offset")?;
            cursor.uuid("dev_uuid")
        })?;
    }
    Ok(())
}

/// Where a range was moved to, or came from.
pub(super) fn remap(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    cursor.u64("address").map(|_| ())
}

/// Where the stripes of an extent stand in a zoned filesystem of several devices.
pub(super) fn raid_stripe(cursor: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    let mut number = 0_usize;
    while cursor.left() > 0 {
        cursor.numbered("stride", number, |cursor| {
            cursor.u64("devid")?;
            cursor.u64("physical").map(|_| ())
        })?;
        number = number.saturating_add(1);
    }
    Ok(())
}
