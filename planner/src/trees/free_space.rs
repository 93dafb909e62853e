//! The free space tree: what each block group has free, as extents. A new filesystem is never so scattered that
//! bitmaps would be smaller.

use super::{Items, Placement};
use crate::disk::free_space::FreeSpaceInfo;
use crate::disk::key::{ItemType, Key};
use crate::layout::Layout;
use zerocopy::IntoBytes;

pub(super) fn items(layout: &Layout, placement: &Placement) -> Items {
    let mut items = Items::new();
    for (chunk, group) in layout.chunks().iter().zip(&placement.groups) {
        let count = u32::try_from(group.free.len()).unwrap_or(u32::MAX);
        let info = FreeSpaceInfo { extent_count: count.into(), flags: 0.into() };
        let key = Key::new(chunk.logical.get(), ItemType::FREE_SPACE_INFO, chunk.length);
        items.push(key, &[info.as_bytes()]);
        for (start, length) in &group.free {
            items.push(Key::new(start.get(), ItemType::FREE_SPACE_EXTENT, *length), &[]);
        }
    }
    items
}
