//! The order of reading: superblocks, chunks, the root tree, every other tree, and then what must hold between them.

use super::block_groups::BlockGroups;
use super::checksums::Checksums;
use super::devices::Devices;
use super::extents::Extents;
use super::free_space::FreeSpace;
use super::geometry::Chunks;
use super::inodes::{Entry, FileExtent, Files, Target};
use super::quotas::Quotas;
use super::reader::Reader;
use super::roots::Roots;
use super::stripes::Stripes;
use super::superblock::{EXTENT_TREE_V2, FREE_SPACE_TREE, FREE_SPACE_TREE_VALID, ZONED};
use super::uuids::Uuids;
use super::walk::{Leaf, Top, is_subvolume};
use super::{Code, Counts, Disks, Findings, Place, Report, Scope};
use super::{backup_roots, chunks, new, parity, references, superblock};
use crate::disk::inode::FIRST_FREE_OBJECTID;
use crate::disk::key::{ItemType, Key};
use crate::disk::root::TreeId;
use crate::units::wide;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

/// Blocks that snapshots share are read again for each of them, so many times in all.
const VISITS: u64 = 100_000;

/// Everything that the trees say.
#[derive(Default)]
pub(super) struct Contents {
    pub(super) chunks: Chunks,
    pub(super) devices: Devices,
    pub(super) roots: Roots,
    pub(super) extents: Extents,
    pub(super) groups: BlockGroups,
    pub(super) free_space: FreeSpace,
    pub(super) checksums: Checksums,
    pub(super) stripes: Stripes,
    pub(super) uuids: Uuids,
    pub(super) quotas: Quotas,
    pub(super) quota_tree: bool,
    pub(super) files: Vec<FileExtent>,
    pub(super) subvolume_entries: Vec<(u64, Entry)>,
    /// Whether block groups were moved, so that addresses mean what the remap tree says.
    pub(super) moved: bool,
}

/// Reads and checks the filesystem on the disks; `compare` has the last word.
pub(super) fn read(
    disks: &dyn Disks,
    scope: Scope,
    mut findings: Findings,
    compare: impl FnOnce(&mut Reader<'_>, &Contents),
) -> Report {
    let mut counts = Counts { devices: wide(disks.count()), ..Counts::default() };
    let before = findings.errors();
    let Some(filesystem) = superblock::read(disks, scope, &mut findings, &mut counts) else {
        if findings.errors() == before {
            findings.add(Code::SuperblockMissing, Place::filesystem(), "a disk with a superblock", "none");
        }
        return Report::new(findings, counts);
    };
    let array = chunks::of_superblock(&filesystem, scope, &mut findings);
    let mut reader = Reader {
        disks,
        scope,
        findings,
        counts,
        filesystem,
        chunks: array.clone(),
        chunk_tree_uuid: None,
        blocks: BTreeMap::new(),
        references: Vec::new(),
        incomplete: false,
        visits: VISITS,
        tired: false,
        directories: Vec::new(),
    };
    let mut contents = Contents::default();
    contents.read(&mut reader, &array);
    contents.check(&mut reader);
    compare(&mut reader, &contents);
    Report::new(reader.findings, reader.counts)
}

impl Contents {
    fn read(&mut self, reader: &mut Reader<'_>, array: &Chunks) {
        let superblock = reader.filesystem.superblock;
        let chunk_top = Top {
            tree: TreeId::Chunk.objectid(),
            index: 0,
            logical: superblock.chunk_root.get(),
            level: superblock.chunk_root_level,
            generation: superblock.chunk_root_generation.get(),
        };
        if reader.walk(chunk_top, &mut |reader, leaf| self.chunk_tree(reader, leaf)) {
            chunks::compare(&mut reader.findings, array, &self.chunks);
        }
        if self.moved {
            return;
        }
        reader.chunks = core::mem::take(&mut self.chunks);
        for (logical, chunk) in &array.0 {
            if reader.chunks.overlapping(*logical, chunk.end()).is_none() {
                reader.chunks.0.insert(*logical, chunk.clone());
            }
        }
        let root_top = Top {
            tree: TreeId::Root.objectid(),
            index: 0,
            logical: superblock.root.get(),
            level: superblock.root_level,
            generation: superblock.generation.get(),
        };
        let mut cache = Files::new(TreeId::Root.objectid());
        reader.walk(root_top, &mut |reader, leaf| {
            for (slot, key, data) in leaf.block.items() {
                if !self.roots.item(reader, leaf, slot, key, data) {
                    unknown(reader, leaf, slot, key);
                }
                // Files of the older cache of free space, which have no names.
                if key.objectid >= FIRST_FREE_OBJECTID
                    && matches!(key.item_type, ItemType::INODE_ITEM | ItemType::EXTENT_DATA)
                {
                    cache.item(reader, leaf, slot, key, data);
                }
            }
        });
        self.files.append(&mut cache.extents);
        for (place, top) in self.roots.tops() {
            let removed = self.roots.removed(top.tree);
            if removed {
                reader.incomplete = true;
                continue;
            }
            let _ = place;
            if is_subvolume(top.tree) || top.tree == TreeId::DataReloc.objectid() {
                self.subvolume(reader, top);
            } else {
                self.tree(reader, top);
            }
        }
    }

    fn chunk_tree(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>) {
        for (slot, key, data) in leaf.block.items() {
            let place = leaf.place(slot, key);
            match key.item_type {
                ItemType::DEV_ITEM => self.devices.device(reader, place, key, data),
                ItemType::CHUNK_ITEM if chunks::moved(&reader.filesystem, reader.scope, data) => {
                    self.moved = true;
                    let found = "one that was moved";
                    reader.findings.add(Code::RemapUnread, place, "a block group where its chunk says", found);
                }
                ItemType::CHUNK_ITEM => {
                    let chunk = chunks::parse(&reader.filesystem, reader.scope, &mut reader.findings, place, key, data);
                    if let Some(chunk) = chunk {
                        chunks::add(&mut self.chunks, &mut reader.findings, place, chunk);
                    }
                }
                _ => unknown(reader, leaf, slot, key),
            }
        }
    }

    /// Reads a tree that holds no files.
    fn tree(&mut self, reader: &mut Reader<'_>, top: Top) {
        let is = |tree: TreeId| top.tree == tree.objectid();
        let known = TreeId::ALL.into_iter().find(|tree| is(*tree));
        self.free_space.there |= is(TreeId::FreeSpace);
        self.quota_tree |= is(TreeId::Quota);
        reader.walk(top, &mut |reader, leaf| {
            for (slot, key, data) in leaf.block.items() {
                let taken = match known {
                    Some(TreeId::Extent | TreeId::BlockGroup) if key.item_type == ItemType::BLOCK_GROUP_ITEM => {
                        self.groups.item(reader, leaf, slot, key, data);
                        true
                    }
                    Some(TreeId::Extent) => self.extents.item(reader, leaf, slot, key, data),
                    Some(TreeId::Dev) => self.devices.item(reader, leaf, slot, key, data),
                    Some(TreeId::Csum) => self.checksums.item(reader, leaf, slot, key, data),
                    Some(TreeId::RaidStripe) => self.stripes.item(reader, leaf, slot, key, data),
                    Some(TreeId::FreeSpace) => self.free_space.item(reader, leaf, slot, key, data),
                    Some(TreeId::Uuid) => self.uuids.item(reader, leaf, slot, key, data),
                    Some(TreeId::Quota) => self.quotas.item(reader, leaf, slot, key, data),
                    _ => false,
                };
                if !taken {
                    unknown(reader, leaf, slot, key);
                }
            }
        });
        if known.is_none() {
            reader.findings.add(Code::TreeUnknown, Place::tree(top.tree), "a tree that the audit knows", "another");
        }
    }

    fn subvolume(&mut self, reader: &mut Reader<'_>, top: Top) {
        let mut files = Files::new(top.tree);
        let tired = core::mem::replace(&mut reader.tired, false);
        let whole = reader.walk(top, &mut |reader, leaf| {
            for (slot, key, data) in leaf.block.items() {
                if !files.item(reader, leaf, slot, key, data) {
                    unknown(reader, leaf, slot, key);
                }
            }
        });
        if whole && !reader.tired {
            files.check(reader);
        }
        reader.tired |= tired;
        self.files.append(&mut files.extents);
        let subvolumes = files.by_index.into_iter().filter(|entry| matches!(entry.target, Target::Subvolume(_)));
        self.subvolume_entries.extend(subvolumes.map(|entry| (top.tree, entry)));
    }

    fn check(&mut self, reader: &mut Reader<'_>) {
        if self.moved {
            return;
        }
        if reader.filesystem.incompat(EXTENT_TREE_V2) {
            self.extents.sort();
            self.free_space.sort();
            self.checksums.sort(reader);
            self.global_roots(reader);
        }
        self.extents.add_unlisted(reader);
        let chunks = core::mem::take(&mut reader.chunks);
        self.extents.check(reader, &chunks);
        reader.chunks = chunks;
        references::check(reader, &self.extents, &self.files);
        self.groups.check(reader, &self.extents);
        let valid = FREE_SPACE_TREE | FREE_SPACE_TREE_VALID;
        if self.free_space.there && reader.filesystem.superblock.compat_ro_flags.get() & valid == valid {
            self.free_space.check(reader, &self.groups, &self.extents);
        }
        self.devices.check(reader);
        self.roots.check(reader, &self.subvolume_entries);
        backup_roots::check(reader, &self.roots);
        self.stripes.check(reader);
        let appended = self.stripes.say_where() && reader.filesystem.incompat(ZONED);
        if appended {
            let found = "a tree that says where it was";
            reader.findings.add(Code::StripesUnread, Place::tree(TreeId::RaidStripe.objectid()), "no data", found);
        }
        self.checksums.check(reader, &self.extents, &self.files, !appended);
        let node_size = u64::from(reader.filesystem.node_size);
        let blocks: Vec<u64> = reader.blocks.keys().copied().collect();
        let blocks = blocks.into_iter().map(|block| (block, block.saturating_add(node_size)));
        parity::check(reader, blocks.chain(self.checksums.ranges()));
        self.uuids.check(reader, &self.roots);
        if self.quota_tree {
            self.quotas.check(reader);
        }
        if reader.scope == Scope::New {
            new::check(reader, self);
        }
    }
}

impl Contents {
    /// Where there are several extent trees, an item is in the one that its block group names, and what goes with extents
    /// is in the tree of the same index.
    fn global_roots(&self, reader: &mut Reader<'_>) {
        let mut all: Vec<(Place, u64, u64)> = self.extents.indexed().collect();
        all.extend(self.free_space.indexed());
        all.extend(self.checksums.indexed());
        for (place, start, index) in all {
            let expected = self.groups.root_of(start);
            if expected != Some(index) {
                let expected = expected.map_or_else(|| "none".into(), |root| format!("tree {root} of its kind"));
                reader.findings.add(Code::GlobalRoot, place, expected, format!("tree {index}"));
            }
        }
    }
}

fn unknown(reader: &mut Reader<'_>, leaf: &Leaf<'_>, slot: u32, key: Key) {
    let found = format!("type {}", key.item_type.0);
    reader.findings.add(
        Code::ItemUnknown,
        leaf.place(slot, key),
        "an item of a type that belongs into this tree",
        found,
    );
}
