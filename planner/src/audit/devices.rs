//! Devices: their items, their extents against the stripes of chunks, and the sums over them.

use super::reader::Reader;
use super::superblock::ZONED;
use super::walk::Leaf;
use super::{Code, Place, Scope, super_log};
use crate::disk::chunk::FIRST_CHUNK_TREE;
use crate::disk::device::{DEV_ITEMS, DEV_STATS, DevExtent, DevItem, DevStats};
use crate::disk::key::{ItemType, Key};
use crate::disk::root::TreeId;
use crate::units::{MIB, round_down, wide};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;
use zerocopy::{FromBytes, IntoBytes};

/// What the chunk tree and the device tree say of devices.
#[derive(Debug, Default)]
pub(super) struct Devices {
    items: BTreeMap<u64, (Place, DevItem)>,
    extents: Vec<DeviceExtent>,
    stats: BTreeSet<u64>,
}

/// A device extent.
#[derive(Clone, Copy, Debug)]
struct DeviceExtent {
    place: Place,
    devid: u64,
    start: u64,
    item: DevExtent,
}

impl Devices {
    /// Takes a device item of the chunk tree.
    pub(super) fn device(&mut self, reader: &mut Reader<'_>, place: Place, key: Key, data: &[u8]) {
        let Ok(item) = DevItem::read_from_bytes(data) else {
            reader.findings.add(Code::DeviceItem, place, "98 bytes", data.len());
            return;
        };
        reader.findings.equal(Code::DeviceItem, place, DEV_ITEMS, key.objectid);
        reader.findings.equal(Code::DeviceItem, place, key.offset, item.devid.get());
        self.items.insert(key.offset, (place, item));
    }

    /// Takes an item of the device tree. False where it is of another type.
    pub(super) fn item(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>, slot: u32, key: Key, data: &[u8]) -> bool {
        let place = leaf.place(slot, key);
        match key.item_type {
            ItemType::DEV_EXTENT => match DevExtent::read_from_bytes(data) {
                Ok(item) => {
                    self.extents.push(DeviceExtent { place, devid: key.objectid, start: key.offset, item });
                }
                Err(_) => reader.findings.add(Code::DeviceExtent, place, "48 bytes", data.len()),
            },
            ItemType::PERSISTENT_ITEM if key.objectid == DEV_STATS => {
                self.stats.insert(key.offset);
                match DevStats::read_from_prefix(data) {
                    Ok((stats, _)) => {
                        if stats.as_bytes().iter().any(|byte| *byte != 0) {
                            let found = format!("{:?}", stats.values.map(|value| value.get()));
                            reader.findings.add(Code::DeviceErrors, place, "no errors counted", found);
                        }
                    }
                    Err(_) => reader.findings.add(Code::DeviceItem, place, "40 bytes of counters", data.len()),
                }
            }
            ItemType::DEV_REPLACE => {}
            _ => return false,
        }
        true
    }

    /// Checks devices by themselves, and their sums against the superblock.
    pub(super) fn check(&self, reader: &mut Reader<'_>) {
        let sector = reader.filesystem.sector_size;
        let mut total = 0_u64;
        let mut uuids = BTreeSet::new();
        let mut used: BTreeMap<u64, u64> = BTreeMap::new();
        for extent in &self.extents {
            let sum = used.entry(extent.devid).or_default();
            *sum = sum.saturating_add(extent.item.length.get());
        }
        for (devid, (place, item)) in &self.items {
            let (devid, place) = (*devid, *place);
            total = total.saturating_add(item.total_bytes.get());
            let findings = &mut reader.findings;
            if !uuids.insert(item.uuid) {
                findings.add(Code::DeviceItem, place, "a UUID of its own", hex::encode(item.uuid));
            }
            if item.fsid != reader.filesystem.fsid {
                findings.add(Code::DeviceItem, place, hex::encode(reader.filesystem.fsid), hex::encode(item.fsid));
            }
            for (expected, found) in [
                (sector, item.io_align.get()),
                (sector, item.io_width.get()),
                (sector, item.sector_size.get()),
                (0, item.dev_group.get()),
                (0, u32::from(item.seek_speed)),
                (0, u32::from(item.bandwidth)),
            ] {
                findings.equal(Code::DeviceItem, place, expected, found);
            }
            for found in [item.device_type, item.start_offset] {
                findings.equal(Code::DeviceItem, place, 0, found.get());
            }
            findings.equal(Code::DeviceUsed, place, used.remove(&devid).unwrap_or(0), item.bytes_used.get());
            if let Some(disk) = reader.filesystem.disks.get(&devid) {
                if item.total_bytes.get() > disk.size {
                    findings.add(Code::DeviceSize, place, format!("at most {}", disk.size), item.total_bytes);
                }
                let mut own = disk.superblock.dev_item;
                if reader.scope == Scope::Grown {
                    own.generation = item.generation;
                }
                if own.as_bytes() != item.as_bytes() {
                    findings.add(Code::DeviceSuperblock, place, "the device in its superblock", "another");
                }
            }
            if reader.scope == Scope::New && !self.stats.contains(&devid) {
                findings.add(Code::DeviceItem, place, "error counters", "none");
            }
        }
        for devid in reader.filesystem.disks.keys().filter(|devid| !self.items.contains_key(devid)) {
            reader.findings.add(Code::DeviceItem, Place::device(*devid), "an item in the chunk tree", "none");
        }
        let superblock = &reader.filesystem.superblock;
        let (place, count) = (Place::filesystem(), wide(self.items.len()));
        reader.findings.equal(Code::TotalBytes, place, total, superblock.total_bytes.get());
        reader.findings.equal(Code::DeviceCount, place, count, superblock.num_devices.get());
        self.extents_fit(reader);
        self.stripes_match(reader);
    }

    /// Whether extents are apart, inside their devices and outside of what is reserved.
    fn extents_fit(&self, reader: &mut Reader<'_>) {
        let mut before: Option<(u64, u64)> = None;
        for extent in &self.extents {
            let DeviceExtent { place, devid, start, item } = extent;
            let length = item.length.get();
            let end = start.saturating_add(length);
            let free = before.filter(|(other, _)| other == devid).map_or(0, |(_, end)| end);
            if *start < free || length == 0 || start.checked_add(length).is_none() {
                let found = format!("{length} bytes at {start}");
                reader.findings.add(Code::DeviceExtentOverlap, *place, format!("an extent from {free} on"), found);
            }
            before = Some((*devid, free.max(end)));
            for (expected, found) in
                [(TreeId::Chunk.objectid(), item.chunk_tree.get()), (FIRST_CHUNK_TREE, item.chunk_objectid.get())]
            {
                reader.findings.equal(Code::DeviceExtent, *place, expected, found);
            }
            let blank = reader.scope == Scope::Grown && item.chunk_tree_uuid == [0; 16];
            if Some(item.chunk_tree_uuid) != reader.chunk_tree_uuid && !blank {
                let found = hex::encode(item.chunk_tree_uuid);
                reader.findings.add(Code::DeviceExtent, *place, "the UUID of the chunk tree", found);
            }
            let Some((_, device)) = self.items.get(devid) else {
                reader.findings.add(Code::DeviceExtent, *place, "a device that has an item", format!("{devid}"));
                continue;
            };
            if end > device.total_bytes.get() {
                let expected = format!("an end at {} at most", device.total_bytes);
                reader.findings.add(Code::DeviceExtentBeyond, *place, expected, end);
            }
            if let Some(reserved) = reserved(reader, *devid, *start, end) {
                let found = format!("{length} bytes at {start}");
                reader.findings.add(Code::DeviceExtentReserved, *place, format!("nothing at {reserved}"), found);
            }
        }
    }

    /// Every stripe of a chunk is a device extent, and every device extent a stripe.
    fn stripes_match(&self, reader: &mut Reader<'_>) {
        let mut stripes: BTreeMap<(u64, u64), (u64, u64)> = BTreeMap::new();
        for chunk in reader.chunks.0.values() {
            for stripe in &chunk.stripes {
                stripes.insert((stripe.devid, stripe.offset), (chunk.logical, chunk.stripe_length()));
            }
        }
        for extent in &self.extents {
            let found = (extent.item.chunk_offset.get(), extent.item.length.get());
            match stripes.remove(&(extent.devid, extent.start)) {
                Some(expected) if expected == found => {}
                Some((chunk, length)) => {
                    let expected = format!("{length} bytes of the chunk at {chunk}");
                    let found = format!("{} bytes of the chunk at {}", found.1, found.0);
                    reader.findings.add(Code::DeviceExtentChunk, extent.place, expected, found);
                }
                None => reader.findings.add(Code::DeviceExtentChunk, extent.place, "a stripe of a chunk", "none"),
            }
        }
        for ((devid, offset), (chunk, _)) in stripes {
            let place = Place { logical: Some(chunk), ..Place::offset(devid, offset) };
            reader.findings.add(Code::DeviceExtentChunk, place, "a device extent for the stripe", "none");
        }
    }
}

/// The start of a reserved range that an extent touches: the first MiB; the zones of superblock logs.
fn reserved(reader: &Reader<'_>, devid: u64, start: u64, end: u64) -> Option<u64> {
    if start < MIB {
        return Some(0);
    }
    let disk = reader.filesystem.disks.get(&devid)?.index;
    if !reader.filesystem.incompat(ZONED) {
        return None;
    }
    let length = reader.disks.zone(disk, 0)?.length;
    if round_down(start, length) != start || round_down(end, length) != end {
        return Some(round_down(start, length));
    }
    let logs = (0..3).filter_map(|mirror| super_log::zones(reader.disks, disk, mirror)).flatten();
    logs.map(|zone| zone.start).find(|zone| *zone < end && start < zone.saturating_add(length))
}
