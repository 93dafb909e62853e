//! The superblock's backup roots: where the trees were at the last four transactions.

use super::reader::Reader;
use super::roots::Roots;
use super::superblock::{EXTENT_TREE_V2, MAX_LEVEL};
use super::{Code, Place, Scope};
use crate::disk::root::TreeId;
use crate::disk::superblock::BackupRoot;
use alloc::format;
use zerocopy::IntoBytes;

/// Checks every slot that is in use, and the one of the last transaction against the trees.
pub(super) fn check(reader: &mut Reader<'_>, roots: &Roots) {
    let superblock = reader.filesystem.superblock;
    let (newest, place) = (superblock.generation.get(), Place::filesystem());
    let mut current = 0_u32;
    for (number, backup) in (0_u32..).zip(&superblock.super_roots) {
        if backup.as_bytes().iter().all(|byte| *byte == 0) {
            continue;
        }
        let generations = [backup.tree_root_gen, backup.chunk_root_gen, backup.dev_root_gen];
        let levels = [backup.tree_root_level, backup.chunk_root_level, backup.extent_root_level, backup.fs_root_level];
        if generations.iter().any(|generation| generation.get() > newest) || levels.iter().any(|it| *it >= MAX_LEVEL) {
            let expected = format!("generations up to {newest} and levels below 8 in slot {number}");
            reader.findings.add(Code::BackupRoots, place, expected, "others");
        }
        if backup.tree_root_gen.get() == newest {
            current = current.saturating_add(1);
            newest_slot(reader, roots, number, backup);
        } else if reader.scope == Scope::New {
            reader.findings.add(
                Code::BackupRoots,
                place,
                "roots of the only transaction",
                format!("others in slot {number}"),
            );
        }
    }
    if reader.scope == Scope::New && current != 1 {
        reader.findings.add(Code::BackupRoots, place, "one slot in use", format!("{current}"));
    }
}

/// Compares the slot of the last transaction with what it was written from.
fn newest_slot(reader: &mut Reader<'_>, roots: &Roots, number: u32, backup: &BackupRoot) {
    let superblock = reader.filesystem.superblock;
    let root = |tree: TreeId| {
        let item = roots.roots.get(&tree.objectid()).map(|root| root.item);
        item.map_or((0, 0, 0), |item| (item.bytenr.get(), item.generation.get(), item.level))
    };
    // Where there may be several of a tree, none is remembered.
    let one = |tree: TreeId| if reader.filesystem.incompat(EXTENT_TREE_V2) { (0, 0, 0) } else { root(tree) };
    let of_superblock = (superblock.root.get(), superblock.generation.get(), superblock.root_level);
    let chunk = (superblock.chunk_root.get(), superblock.chunk_root_generation.get(), superblock.chunk_root_level);
    for (tree, expected, found) in [
        (TreeId::Root, of_superblock, (backup.tree_root, backup.tree_root_gen, backup.tree_root_level)),
        (TreeId::Chunk, chunk, (backup.chunk_root, backup.chunk_root_gen, backup.chunk_root_level)),
        (TreeId::Extent, one(TreeId::Extent), (backup.extent_root, backup.extent_root_gen, backup.extent_root_level)),
        (TreeId::Fs, root(TreeId::Fs), (backup.fs_root, backup.fs_root_gen, backup.fs_root_level)),
        (TreeId::Dev, root(TreeId::Dev), (backup.dev_root, backup.dev_root_gen, backup.dev_root_level)),
        (TreeId::Csum, one(TreeId::Csum), (backup.csum_root, backup.csum_root_gen, backup.csum_root_level)),
    ] {
        let found = (found.0.get(), found.1.get(), found.2);
        if expected != found {
            let say = |(logical, generation, level)| format!("{logical}, generation {generation}, level {level}");
            let expected = format!("the top of the tree in slot {number}: {}", say(expected));
            reader.findings.add(Code::BackupRoots, Place::tree(tree.objectid()), expected, say(found));
        }
    }
    for (expected, found) in [
        (superblock.total_bytes, backup.total_bytes),
        (superblock.bytes_used, backup.bytes_used),
        (superblock.num_devices, backup.num_devices),
    ] {
        reader.findings.equal(Code::BackupRoots, Place::filesystem(), expected.get(), found.get());
    }
    let unused = backup.unused.as_bytes().iter().chain(&backup.unused_bytes);
    if reader.scope == Scope::New && unused.into_iter().any(|byte| *byte != 0) {
        reader.findings.add(Code::BackupRoots, Place::filesystem(), "zeros where nothing is", "something else");
    }
}
