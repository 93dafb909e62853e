//! The device tree: error counters and device extents.

use super::Items;
use crate::disk::chunk::FIRST_CHUNK_TREE;
use crate::disk::device::{DEV_STATS, DevExtent, DevStats};
use crate::disk::key::{ItemType, Key};
use crate::disk::root::TreeId;
use crate::layout::Layout;
use crate::request::Settings;
use zerocopy::IntoBytes;

pub(super) fn items(settings: &Settings, layout: &Layout) -> Items {
    let mut items = Items::new();
    for device in &settings.devices {
        let key = Key::new(DEV_STATS, ItemType::PERSISTENT_ITEM, device.devid.get());
        items.push(key, &[DevStats::default().as_bytes()]);
    }
    for (device, space) in settings.devices.iter().zip(layout.devices()) {
        for extent in space.extents() {
            let item = DevExtent {
                chunk_tree: TreeId::Chunk.objectid().into(),
                chunk_objectid: FIRST_CHUNK_TREE.into(),
                chunk_offset: extent.chunk.get().into(),
                length: extent.length.into(),
                chunk_tree_uuid: settings.chunk_tree_uuid.into_bytes(),
            };
            items.push(Key::new(device.devid.get(), ItemType::DEV_EXTENT, extent.start.get()), &[item.as_bytes()]);
        }
    }
    items
}
