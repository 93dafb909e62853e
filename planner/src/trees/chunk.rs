//! The chunk tree: devices and chunks.

use super::Items;
use crate::disk::block_group::BlockGroupFlags;
use crate::disk::chunk::{ChunkItem, FIRST_CHUNK_TREE, STRIPE_LENGTH, StripeItem};
use crate::disk::device::{DEV_ITEMS, DevItem};
use crate::disk::key::{ItemType, Key};
use crate::disk::root::TreeId;
use crate::layout::{Chunk, ChunkKind, DeviceSpace, Layout, device_index};
use crate::request::{Settings, SettingsDevice};
use crate::units::SizeOverflow;
use alloc::vec::Vec;
use zerocopy::IntoBytes;

pub(super) fn items(settings: &Settings, layout: &Layout) -> Result<Items, SizeOverflow> {
    let mut items = Items::new();
    for (device, space) in settings.devices.iter().zip(layout.devices()) {
        let key = Key::new(DEV_ITEMS, ItemType::DEV_ITEM, device.devid.get());
        items.push(key, &[dev_item(settings, device, space)?.as_bytes()]);
    }
    for chunk in layout.chunks() {
        items.push(chunk_key(chunk), &[&chunk_item(settings, chunk)]);
    }
    Ok(items)
}

/// The device item, as in the chunk tree and in the device's superblocks.
pub(super) fn dev_item(
    settings: &Settings,
    device: &SettingsDevice,
    space: &DeviceSpace,
) -> Result<DevItem, SizeOverflow> {
    Ok(DevItem {
        devid: device.devid.get().into(),
        total_bytes: device.size.into(),
        bytes_used: space.used()?.into(),
        io_align: settings.sector_size.into(),
        io_width: settings.sector_size.into(),
        sector_size: settings.sector_size.into(),
        device_type: 0.into(),
        generation: 0.into(),
        start_offset: 0.into(),
        dev_group: 0.into(),
        seek_speed: 0,
        bandwidth: 0,
        uuid: device.uuid.into_bytes(),
        fsid: settings.fsid.into_bytes(),
    })
}

/// The key of a chunk's item.
pub(super) const fn chunk_key(chunk: &Chunk) -> Key {
    Key::new(FIRST_CHUNK_TREE, ItemType::CHUNK_ITEM, chunk.logical.get())
}

/// A chunk's item with its stripes, as in the chunk tree and in the superblock.
pub(super) fn chunk_item(settings: &Settings, chunk: &Chunk) -> Vec<u8> {
    let stripe_length = u32::try_from(STRIPE_LENGTH).unwrap_or(u32::MAX);
    let multiple = u16::try_from(chunk.profile.traits().stripe_multiple).unwrap_or(1);
    let head = ChunkItem {
        length: chunk.length.into(),
        owner: TreeId::Extent.objectid().into(),
        stripe_len: STRIPE_LENGTH.into(),
        chunk_type: flags(chunk).bits().into(),
        io_align: stripe_length.into(),
        io_width: stripe_length.into(),
        sector_size: settings.sector_size.into(),
        num_stripes: u16::try_from(chunk.stripes.len()).unwrap_or(u16::MAX).into(),
        sub_stripes: multiple.into(),
    };
    let mut bytes = head.as_bytes().to_vec();
    for stripe in &chunk.stripes {
        let device = device_index(stripe).and_then(|index| settings.devices.get(index));
        let item = StripeItem {
            devid: stripe.devid.get().into(),
            offset: stripe.offset.get().into(),
            dev_uuid: device.map_or([0; 16], |device| device.uuid.into_bytes()),
        };
        bytes.extend_from_slice(item.as_bytes());
    }
    bytes
}

/// Type and profile bits of a chunk.
pub(super) const fn flags(chunk: &Chunk) -> BlockGroupFlags {
    let kind = match chunk.kind {
        ChunkKind::Data => BlockGroupFlags::DATA,
        ChunkKind::Mixed => BlockGroupFlags::DATA.with(BlockGroupFlags::METADATA),
        ChunkKind::Metadata => BlockGroupFlags::METADATA,
        ChunkKind::Remap => BlockGroupFlags::METADATA_REMAP,
        ChunkKind::System => BlockGroupFlags::SYSTEM,
    };
    kind.with(chunk.profile.traits().flags)
}
