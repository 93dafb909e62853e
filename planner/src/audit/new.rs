//! What holds of a filesystem that nobody has used yet, beyond what holds of any: it was made by one transaction, and
//! whatever is not in use is zero.

use super::filesystem::Contents;
use super::reader::Reader;
use super::{Code, Place};
use crate::disk::inode::{DIRECTORY_MODE, InodeItem, ROOT_ITEM_INIT, Timespec};
use crate::disk::root::TreeId;
use crate::units::wide;
use alloc::collections::BTreeMap;
use alloc::format;
use zerocopy::IntoBytes;

/// Checks the times of a new filesystem against the one at which it was made.
pub(super) fn times(reader: &mut Reader<'_>, contents: &Contents, time: u64) {
    let (made, none) = (Timespec::from_seconds(time), Timespec::default());
    for (tree, _, root) in contents.roots.all() {
        let expected = if tree == TreeId::Fs.objectid() { made } else { none };
        if root.item.ctime != expected || root.item.otime != expected {
            reader.findings.add(Code::NewRoot, root.place, "the time of creation", "another");
        }
    }
    let generation = reader.filesystem.superblock.generation;
    for (place, item) in core::mem::take(&mut reader.directories) {
        let expected = InodeItem {
            generation,
            size: item.size,
            nbytes: u64::from(reader.filesystem.node_size).into(),
            nlink: 1.into(),
            mode: DIRECTORY_MODE.into(),
            atime: made,
            ctime: made,
            mtime: made,
            otime: made,
            ..InodeItem::default()
        };
        if item.as_bytes() != expected.as_bytes() {
            reader.findings.add(Code::NewDirectory, place, "a root directory as it is in a new filesystem", "another");
        }
    }
}

/// Checks it.
pub(super) fn check(reader: &mut Reader<'_>, contents: &Contents) {
    superblock(reader);
    roots(reader, contents);
    let generation = reader.filesystem.superblock.generation.get();
    for (logical, block) in &reader.blocks {
        let place = Place::block(block.tree, *logical);
        reader.findings.equal(Code::NewGeneration, place, generation, block.generation);
    }
}

fn superblock(reader: &mut Reader<'_>) {
    let block = reader.filesystem.superblock;
    let place = Place::filesystem();
    let findings = &mut reader.findings;
    let generation = block.generation.get();
    findings.equal(Code::NewGeneration, place, generation, block.chunk_root_generation.get());
    findings.equal(Code::SuperblockUuidTree, place, generation, block.uuid_tree_generation.get());
    let cache = if reader.filesystem.compat_ro(super::superblock::FREE_SPACE_TREE) { 0 } else { u64::MAX };
    findings.equal(Code::SuperblockCache, place, cache, block.cache_generation.get());
    let unused = [
        block.metadata_uuid.as_bytes(),
        block.reserved.as_bytes(),
        block.padding.as_bytes(),
        block.log_root.as_bytes(),
        block.log_root_transid.as_bytes(),
        block.log_root_level.as_bytes(),
        block.compat_flags.as_bytes(),
    ];
    if unused.iter().any(|bytes| bytes.iter().any(|byte| *byte != 0)) {
        findings.add(Code::SuperblockUnused, place, "zeros in fields that are not in use", "something else");
    }
}

fn roots(reader: &mut Reader<'_>, contents: &Contents) {
    let generation = reader.filesystem.superblock.generation.get();
    let node_size = u64::from(reader.filesystem.node_size);
    // The first of each kind has nearly all blocks; of the others, each has one.
    let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
    for block in reader.blocks.values().filter(|block| block.index == 0) {
        let size = sizes.entry(block.tree).or_default();
        *size = size.saturating_add(node_size);
    }
    for (tree, index, root) in contents.roots.all() {
        let (place, item) = (root.place, root.item);
        let size = if index == 0 { sizes.get(&tree).copied().unwrap_or(0) } else { node_size };
        let findings = &mut reader.findings;
        findings.equal(Code::NewRoot, place, size, item.bytes_used.get());
        findings.equal(Code::NewGeneration, place, generation, item.generation.get());
        let subvolume = tree == TreeId::Fs.objectid();
        if subvolume == (item.uuid == [0; 16]) {
            findings.add(Code::NewRoot, place, "a UUID exactly if it is a subvolume", hex::encode(item.uuid));
        }
        if place.key.is_none_or(|key| key.offset != index) {
            findings.add(Code::NewRoot, place, format!("a key with the offset {index}"), "another");
        }
        let has_files = item.root_dirid.get() != 0;
        let inode = InodeItem {
            generation: generation.into(),
            size: 3.into(),
            nbytes: u64::from(reader.filesystem.node_size).into(),
            nlink: 1.into(),
            mode: DIRECTORY_MODE.into(),
            flags: (if has_files { ROOT_ITEM_INIT } else { 0 }).into(),
            ..InodeItem::default()
        };
        if item.inode.as_bytes() != inode.as_bytes() {
            findings.add(Code::NewRoot, place, "the embedded inode of every new tree", "another");
        }
        let unused = [
            item.last_snapshot.as_bytes(),
            item.flags.as_bytes(),
            item.drop_progress.as_bytes(),
            item.drop_level.as_bytes(),
            item.parent_uuid.as_bytes(),
            item.received_uuid.as_bytes(),
            item.ctransid.as_bytes(),
            item.otransid.as_bytes(),
            item.stransid.as_bytes(),
            item.rtransid.as_bytes(),
            item.stime.as_bytes(),
            item.rtime.as_bytes(),
            item.reserved.as_bytes(),
        ];
        if unused.iter().any(|bytes| bytes.iter().any(|byte| *byte != 0)) {
            findings.add(Code::NewRoot, place, "zeros in fields that are not in use", "something else");
        }
    }
    let count = wide(contents.roots.roots.len());
    if count == 0 {
        reader.findings.add(Code::RootMissing, Place::tree(TreeId::Root.objectid()), "trees", "none");
    }
}
