//! A file whose content stands in a data extent, put by hand into a planned filesystem.

use super::damage::{add, bytes, item, superblocks, write};
use btrfs_planner::Plan;
use btrfs_planner::disk::directory::{DirItem, name_hash};
use btrfs_planner::disk::extent::{EXTENT_DATA, ExtentDataRef, ExtentItem};
use btrfs_planner::disk::file_extent::{FileExtentHead, FileExtentPlace, REGULAR};
use btrfs_planner::disk::inode::{InodeItem, InodeRef};
use btrfs_planner::disk::key::{DiskKey, ItemType as Type, Key};
use zerocopy::IntoBytes;

/// Bytes of the file.
const SIZE: u64 = 4096;
/// Its name.
const NAME: &[u8] = b"file";

/// The same plan with a file of one sector, at the start of the data chunk.
pub(crate) fn with_file(mut plan: Plan) -> Plan {
    let plan_ref = &mut plan;
    let data = plan_ref.chunks[0].clone();
    let start = data.logical.get();
    let generation = plan_ref.filesystem.generation.get();

    let inode = InodeItem {
        generation: generation.into(),
        transid: generation.into(),
        size: SIZE.into(),
        nbytes: SIZE.into(),
        nlink: 1.into(),
        mode: 0o100_644.into(),
        ..InodeItem::default()
    };
    add(plan_ref, "fs", Key::new(257, Type::INODE_ITEM, 0), inode.as_bytes());
    let name = InodeRef { index: 2.into(), name_len: 4.into() };
    add(plan_ref, "fs", Key::new(257, Type::INODE_REF, 256), &[name.as_bytes(), NAME].concat());
    let entry = DirItem {
        location: DiskKey::from(Key::new(257, Type::INODE_ITEM, 0)),
        transid: generation.into(),
        data_len: 0.into(),
        name_len: 4.into(),
        entry_type: 1,
    };
    let entry = [entry.as_bytes(), NAME].concat();
    add(plan_ref, "fs", Key::new(256, Type::DIR_ITEM, u64::from(name_hash(NAME))), &entry);
    add(plan_ref, "fs", Key::new(256, Type::DIR_INDEX, 2), &entry);
    bytes(plan_ref, "fs", Type::INODE_ITEM, 16, &[8]);
    let head = FileExtentHead {
        generation: generation.into(),
        ram_bytes: SIZE.into(),
        compression: 0,
        encryption: 0,
        other_encoding: 0.into(),
        extent_type: REGULAR,
    };
    let place = FileExtentPlace {
        disk_bytenr: start.into(),
        disk_num_bytes: SIZE.into(),
        offset: 0.into(),
        num_bytes: SIZE.into(),
    };
    add(plan_ref, "fs", Key::new(257, Type::EXTENT_DATA, 0), &[head.as_bytes(), place.as_bytes()].concat());

    let extent = ExtentItem { refs: 1.into(), generation: generation.into(), flags: EXTENT_DATA.into() };
    let reference = ExtentDataRef { root: 5.into(), objectid: 257.into(), offset: 0.into(), count: 1.into() };
    let extent = [extent.as_bytes(), &[Type::EXTENT_DATA_REF.0], reference.as_bytes()].concat();
    add(plan_ref, "extent", Key::new(start, Type::EXTENT_ITEM, SIZE), &extent);

    let content = [0x42; SIZE as usize];
    let sum = plan_ref.filesystem.checksum.of(&content);
    add(
        plan_ref,
        "csum",
        Key::new(u64::MAX - 9, Type::EXTENT_CSUM, start),
        &sum[..plan_ref.filesystem.checksum.size()],
    );
    write(plan_ref, data.stripes[0].offset.get(), &content);

    // The data block group is the first.
    let groups = if plan_ref.blocks.iter().any(|block| block.tree == "block-group") { "block-group" } else { "extent" };
    bytes(plan_ref, groups, Type::BLOCK_GROUP_ITEM, 0, &SIZE.to_le_bytes());
    item(plan_ref, "free-space", Type::FREE_SPACE_EXTENT, |key, _| {
        key.objectid += SIZE;
        key.offset -= SIZE;
    });
    let used = plan_ref.filesystem.bytes_used + SIZE;
    plan_ref.filesystem.bytes_used = used;
    superblocks(plan_ref, |it| {
        it.bytes_used = used.into();
        it.super_roots[0].bytes_used = used.into();
    });
    plan
}
