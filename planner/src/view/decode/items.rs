//! Which structure stands behind a key.

use super::cursor::{Cursor, Taken};
use super::{extent, inode, quota, root, space};
use crate::disk::checksum::ChecksumType;

/// Takes an item's fields.
type Take = fn(&mut Cursor<'_>, ChecksumType) -> Taken;

/// How the data of an item of this type is taken apart; `None` where that is not known.
pub(super) fn taker(item_type: u8) -> Option<Take> {
    Some(match item_type {
        1 => inode::item,
        12 => inode::names,
        13 => inode::extended_names,
        24 | 84 | 96 => inode::entries,
        // Keys that say everything.
        48 | 199 | 234 | 246 => nothing,
        108 => extent::file,
        128 => extent::checksums,
        132 => root::item,
        144 | 156 => root::reference,
        168 => extent::item,
        169 => extent::metadata,
        172 => extent::owner,
        176 | 182 => nothing,
        178 => extent::data_reference,
        184 => extent::shared_data_reference,
        192 => space::block_group,
        198 => space::free_space_info,
        200 => space::free_space_bitmap,
        204 => space::device_extent,
        216 => space::device,
        228 => space::chunk,
        230 => space::raid_stripe,
        235 | 236 => space::remap,
        240 => quota::status,
        242 => quota::info,
        244 => quota::limit,
        249 => space::device_statistics,
        251 | 252 => quota::subvolumes,
        _ => return None,
    })
}

fn nothing(_: &mut Cursor<'_>, _: ChecksumType) -> Taken {
    Ok(())
}
