//! The superblocks of every device.

use super::{Forest, GENERATION, Top, chunk};
use crate::disk::key::DiskKey;
use crate::disk::root::{ROOT_TREE_DIR, TreeId};
use crate::disk::superblock::{
    BackupRoot, LABEL_SIZE, LOG_OFFSETS, MAGIC, SUPERBLOCK_OFFSETS, SUPERBLOCK_SIZE, SUPERBLOCK_WRITTEN,
    SYSTEM_CHUNK_ARRAY_SIZE, Superblock,
};
use crate::layout::{ChunkKind, DeviceSpace, Layout};
use crate::request::{Feature, RequestError, Settings, SettingsDevice, ZoneState};
use crate::units::{Checked, Physical, SizeOverflow, round_down, wide};
use alloc::vec::Vec;
use zerocopy::{FromZeros, IntoBytes};

/// The superblocks of a filesystem, but for what differs from device to device and copy to copy.
#[derive(Clone, Debug)]
pub struct Superblocks<'a> {
    settings: &'a Settings,
    content: Superblock,
}

impl<'a> Superblocks<'a> {
    /// What all copies on all devices have in common.
    pub fn new(settings: &'a Settings, layout: &Layout, forest: &Forest) -> Result<Self, RequestError> {
        Ok(Self { settings, content: content(settings, layout, forest)? })
    }

    /// Every copy on one device that its size has room for, with its place: the primary one first.
    pub fn of_device(
        &self,
        device: &SettingsDevice,
        space: &DeviceSpace,
    ) -> Result<Vec<(Physical, Vec<u8>)>, RequestError> {
        let mut copies = Vec::new();
        let mut block = self.content;
        block.dev_item = chunk::dev_item(self.settings, device, space)?;
        for (place, bytenr) in places(device)? {
            block.bytenr = bytenr.into();
            let mut bytes = block.as_bytes().to_vec();
            self.settings.checksum.seal(&mut bytes);
            copies.push((place, bytes));
        }
        Ok(copies)
    }
}

/// Where copies stand on a device, and where they say they stand. On a zoned device a copy is the first entry of a log
/// in two zones, and there only if both can be written; it names the place it would have elsewhere.
fn places(device: &SettingsDevice) -> Result<Vec<(Physical, u64)>, SizeOverflow> {
    let mut places = Vec::new();
    for (offset, log) in SUPERBLOCK_OFFSETS.into_iter().zip(LOG_OFFSETS) {
        match device.real_zones() {
            Some(zones) => {
                let zone = round_down(log, zones.size);
                let second = zone.plus(zones.size)?;
                let usable = |zone| zones.state_at(zone).is_some_and(ZoneState::usable);
                if second.plus(zones.size)? <= device.size && usable(zone) && usable(second) {
                    places.push((Physical::new(zone), offset));
                }
            }
            None if offset.plus(SUPERBLOCK_SIZE)? <= device.size => places.push((Physical::new(offset), offset)),
            None => {}
        }
    }
    Ok(places)
}

fn content(settings: &Settings, layout: &Layout, forest: &Forest) -> Result<Superblock, RequestError> {
    let top = |tree| forest.tops.get(&tree).copied().unwrap_or_default();
    let (root, chunk_root) = (top(TreeId::Root), top(TreeId::Chunk));
    let flags = settings.flags();
    let generation = GENERATION.get().into();
    let mut block = Superblock::new_zeroed();
    block.fsid = settings.fsid.into_bytes();
    block.flags = SUPERBLOCK_WRITTEN.into();
    block.magic = MAGIC;
    block.generation = generation;
    block.root = root.logical.get().into();
    block.chunk_root = chunk_root.logical.get().into();
    block.total_bytes = settings.total_size.into();
    block.bytes_used = forest.bytes_used.into();
    block.root_dir_objectid = ROOT_TREE_DIR.into();
    block.num_devices = wide(settings.devices.len()).into();
    block.sectorsize = settings.sector_size.into();
    block.nodesize = settings.node_size.into();
    block.leafsize = settings.node_size.into();
    block.stripesize = settings.sector_size.into();
    block.chunk_root_generation = generation;
    block.compat_ro_flags = flags.compat_ro.into();
    block.incompat_flags = flags.incompat.into();
    block.csum_type = settings.checksum.on_disk().into();
    block.nr_global_roots = u64::from(settings.global_roots.unwrap_or(0)).into();
    if settings.features.has(Feature::RemapTree) {
        let remap = top(TreeId::Remap);
        block.remap_root = remap.logical.get().into();
        block.remap_root_generation = generation;
        block.remap_root_level = remap.level;
    }
    block.root_level = root.level;
    block.chunk_root_level = chunk_root.level;
    // The last byte stays zero: labels have at most 255.
    for (to, from) in block.label.iter_mut().take(LABEL_SIZE.saturating_sub(1)).zip(settings.label.bytes()) {
        *to = from;
    }
    let cached = settings.features.has(Feature::FreeSpaceTree);
    block.cache_generation = (if cached { 0 } else { u64::MAX }).into();
    // The UUID tree is whole: without this the first mount would scan for subvolumes.
    block.uuid_tree_generation = generation;
    let array = system_chunk_array(settings, layout)?;
    for (to, from) in block.sys_chunk_array.iter_mut().zip(&array) {
        *to = *from;
    }
    block.sys_chunk_array_size = u32::try_from(array.len()).unwrap_or(u32::MAX).into();
    if let Some(first) = block.super_roots.first_mut() {
        *first = backup(settings, forest, top);
    }
    Ok(block)
}

/// Keys and items of the system chunks, which lead to the chunk tree and through it to all else.
fn system_chunk_array(settings: &Settings, layout: &Layout) -> Result<Vec<u8>, RequestError> {
    let mut array = Vec::new();
    for system in layout.chunks().iter().filter(|chunk| chunk.kind == ChunkKind::System) {
        array.extend_from_slice(DiskKey::from(chunk::chunk_key(system)).as_bytes());
        array.extend_from_slice(&chunk::chunk_item(settings, system));
    }
    if array.len() > SYSTEM_CHUNK_ARRAY_SIZE {
        let systems = || layout.chunks().iter().filter(|chunk| chunk.kind == ChunkKind::System);
        return Err(RequestError::SystemChunkArray {
            chunks: wide(systems().count()),
            stripes: systems().map(|chunk| wide(chunk.stripes.len())).max().unwrap_or(0),
            needed: wide(array.len()),
            room: wide(SYSTEM_CHUNK_ARRAY_SIZE),
        });
    }
    Ok(array)
}

/// The roots of the only transaction; there are no older ones to fall back to.
fn backup(settings: &Settings, forest: &Forest, top: impl Fn(TreeId) -> Top) -> BackupRoot {
    let generation = GENERATION.get().into();
    let mut backup = BackupRoot::new_zeroed();
    let (root, chunk, extent) = (top(TreeId::Root), top(TreeId::Chunk), top(TreeId::Extent));
    let (fs, dev, csum) = (top(TreeId::Fs), top(TreeId::Dev), top(TreeId::Csum));
    backup.tree_root = root.logical.get().into();
    backup.tree_root_gen = generation;
    backup.chunk_root = chunk.logical.get().into();
    backup.chunk_root_gen = generation;
    // Where there are several of a tree, none is remembered.
    if !settings.features.has(Feature::ExtentTreeV2) {
        backup.extent_root = extent.logical.get().into();
        backup.extent_root_gen = generation;
        backup.extent_root_level = extent.level;
        backup.csum_root = csum.logical.get().into();
        backup.csum_root_gen = generation;
        backup.csum_root_level = csum.level;
    }
    backup.fs_root = fs.logical.get().into();
    backup.fs_root_gen = generation;
    backup.dev_root = dev.logical.get().into();
    backup.dev_root_gen = generation;
    backup.total_bytes = settings.total_size.into();
    backup.bytes_used = forest.bytes_used.into();
    backup.num_devices = wide(settings.devices.len()).into();
    backup.tree_root_level = root.level;
    backup.chunk_root_level = chunk.level;
    backup.fs_root_level = fs.level;
    backup.dev_root_level = dev.level;
    backup
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Request;
    use crate::request::{DeviceFacts, Profile};
    use alloc::string::ToString;
    use std::vec;

    fn layout(devices: usize, metadata: Profile) -> (Settings, Layout) {
        let facts = DeviceFacts::described(1 << 40);
        let request = Request { metadata: Some(metadata), ..Request::new(vec![facts; devices], "array", 0) };
        let settings = Settings::resolve(&request).unwrap();
        let layout = Layout::new(&settings).unwrap();
        (settings, layout)
    }

    /// The array has room for one of the widest system chunks, or for many narrow ones, and says so where it is full. A
    /// second chunk takes a chunk tree of more than 400,000 devices.
    #[test]
    fn the_array_of_system_chunks_can_be_full() {
        for (devices, metadata, fit, bytes) in [
            (1, Profile::Single, 21, 97),
            (1, Profile::Dup, 15, 129),
            (2, Profile::Raid1, 15, 129),
            (4, Profile::Raid1c4, 10, 193),
            (6, Profile::Raid10, 7, 257),
            (58, Profile::Raid0, 1, 1921),
            (70, Profile::Raid6, 1, 1921),
        ] {
            let (settings, mut layout) = layout(devices, metadata);
            for chunks in 1..=fit {
                let array = system_chunk_array(&settings, &layout).unwrap();
                assert_eq!(array.len(), chunks * bytes, "{metadata}");
                layout.allocate(ChunkKind::System, metadata).unwrap();
            }
            let error = system_chunk_array(&settings, &layout).unwrap_err();
            let said = error.to_string();
            assert!(matches!(error, RequestError::SystemChunkArray { room: 2048, .. }), "{said}");
            assert!(said.contains("has room for 2048") && said.contains("32 for each of its stripes"), "{said}");
            assert!(error.hint().is_some());
        }
    }
}
