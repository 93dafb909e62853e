//! The root tree: where every other tree starts, how subvolumes hang together, and which is the default.

use super::inodes::{Entry, Target, each_name};
use super::reader::Reader;
use super::superblock::{BLOCK_GROUP_TREE, EXTENT_TREE_V2, FREE_SPACE_TREE, MAX_LEVEL, RAID_STRIPE_TREE, REMAP_TREE};
use super::walk::{Leaf, Top, is_subvolume};
use super::{Code, Place, Scope};
use crate::disk::directory::{DIRECTORY_TYPE, name_hash};
use crate::disk::inode::{FIRST_FREE_OBJECTID, InodeItem, InodeRef};
use crate::disk::key::{ItemType, Key};
use crate::disk::root::{ROOT_TREE_DIR, RootItem, RootRef, TreeId};
use crate::units::wide;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use zerocopy::FromBytes;

/// Bytes of a root item before it had UUIDs and times.
const OLD_ROOT_ITEM: usize = 239;
/// Object ids below this, counted from the end, are those of special things.
const SPECIAL: u64 = u64::MAX - 255;
/// The trees of which there are several with extent-tree-v2.
const GLOBAL: [TreeId; 3] = [TreeId::Extent, TreeId::Csum, TreeId::FreeSpace];
/// Root flags: read-only, and being removed.
const KNOWN_FLAGS: u64 = 1 | 1 << 48;

/// What the root tree says.
#[derive(Debug, Default)]
pub(super) struct Roots {
    pub(super) roots: BTreeMap<u64, Root>,
    /// With extent-tree-v2, the trees beyond the first of each kind, by number and index.
    more: Vec<(u64, u64, Root)>,
    /// Subvolume names by parent and child.
    forth: BTreeMap<(u64, u64), Name>,
    /// The same, from child to parent.
    back: BTreeMap<(u64, u64), Name>,
    /// What the root directory's inode, name and entry came to.
    directory: Directory,
}

/// A tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) place: Place,
    pub(super) item: RootItem,
}

/// A subvolume's name in its parent.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    place: Place,
    directory: u64,
    index: u64,
    name: Vec<u8>,
}

#[derive(Debug, Default)]
struct Directory {
    inode: bool,
    named: bool,
    default: Option<u64>,
    /// Whether the default subvolume knows its name there.
    referred: bool,
}

impl Roots {
    /// Takes an item of the root tree. False where it is of another type.
    pub(super) fn item(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>, slot: u32, key: Key, data: &[u8]) -> bool {
        let place = leaf.place(slot, key);
        match key.item_type {
            ItemType::ROOT_ITEM => self.root(reader, place, key, data),
            ItemType::ROOT_REF | ItemType::ROOT_BACKREF => match RootRef::read_from_prefix(data) {
                Ok((item, name)) if usize::from(item.name_len.get()) == name.len() => {
                    let (directory, index) = (item.dirid.get(), item.sequence.get());
                    let name = Name { place, directory, index, name: name.to_vec() };
                    if key.item_type == ItemType::ROOT_REF {
                        self.forth.insert((key.objectid, key.offset), name);
                    } else {
                        self.back.insert((key.offset, key.objectid), name);
                    }
                }
                _ => reader.findings.add(Code::RootReference, place, "18 bytes and a name", data.len()),
            },
            _ if key.objectid == ROOT_TREE_DIR => self.directory(reader, place, key, data),
            ItemType::INODE_REF if key.offset == ROOT_TREE_DIR && is_subvolume(key.objectid) => {
                let named = InodeRef::read_from_prefix(data).is_ok_and(|(item, name)| {
                    name == b"default" && usize::from(item.name_len.get()) == name.len() && item.index.get() == 0
                });
                self.directory.referred = true;
                if !named {
                    reader.findings.add(Code::RootDirectory, place, "the name 'default'", "another");
                }
            }
            ItemType::ORPHAN_ITEM | ItemType::TEMPORARY_ITEM => {}
            // The old cache of free space: its files' inodes, contents and heads.
            ItemType::INODE_ITEM | ItemType::EXTENT_DATA => {}
            ItemType(0) if key.objectid >= SPECIAL => {}
            _ => return false,
        }
        true
    }

    fn root(&mut self, reader: &mut Reader<'_>, place: Place, key: Key, data: &[u8]) {
        let mut bytes = [0; size_of::<RootItem>()];
        if data.len() != bytes.len() && data.len() != OLD_ROOT_ITEM {
            reader.findings.add(Code::RootItem, place, "439 bytes", data.len());
            return;
        }
        for (to, from) in bytes.iter_mut().zip(data) {
            *to = *from;
        }
        let Ok(item) = RootItem::read_from_bytes(&bytes) else { return };
        let findings = &mut reader.findings;
        let newest = reader.filesystem.superblock.generation.get();
        if item.generation.get() > newest {
            findings.add(Code::RootItem, place, format!("generation {newest} at most"), item.generation);
        }
        if data.len() == bytes.len() {
            findings.equal(Code::RootItem, place, item.generation.get(), item.generation_v2.get());
        }
        let directory = if is_subvolume(key.objectid) || key.objectid == TreeId::DataReloc.objectid() {
            FIRST_FREE_OBJECTID
        } else {
            0
        };
        findings.equal(Code::RootItem, place, directory, item.root_dirid.get());
        findings.equal(Code::RootItem, place, 0, item.byte_limit.get());
        if item.flags.get() & !KNOWN_FLAGS != 0 {
            findings.add(Code::RootItem, place, "known flags", format!("{:#x}", item.flags));
        }
        match item.refs.get() {
            1 => {}
            0 if is_subvolume(key.objectid) => findings.add(Code::RootRemoved, place, "1 reference", 0),
            // mkfs.btrfs before 6.19 counts none for the quota tree.
            0 if reader.scope == Scope::Grown => {}
            count => findings.add(Code::RootItem, place, "1 reference", count),
        }
        if item.level >= MAX_LEVEL {
            findings.add(Code::RootItem, place, "a level below 8", item.level);
            return;
        }
        let several = reader.filesystem.incompat(EXTENT_TREE_V2)
            && GLOBAL.iter().any(|tree| tree.objectid() == key.objectid)
            && key.offset != 0;
        let root = Root { place, item };
        if several {
            // Keys ascend, or that is found elsewhere, so that none is there twice.
            self.more.push((key.objectid, key.offset, root));
        } else if self.roots.insert(key.objectid, root).is_some() {
            findings.add(Code::RootItem, place, "one root item for a tree", "two");
        }
    }

    /// The directory that names the default subvolume.
    fn directory(&mut self, reader: &mut Reader<'_>, place: Place, key: Key, data: &[u8]) {
        let good = match key.item_type {
            ItemType::INODE_ITEM => {
                self.directory.inode = true;
                let item = InodeItem::read_from_bytes(data).ok();
                if let (Some(item), Scope::New) = (item, reader.scope) {
                    reader.directories.push((place, item));
                }
                item.is_some_and(|item| item.mode.get() >> 12 == 4 && item.nlink.get() == 1)
            }
            ItemType::INODE_REF => {
                self.directory.named = key.offset == ROOT_TREE_DIR;
                let item = InodeRef::read_from_prefix(data);
                item.is_ok_and(|(item, name)| name == b".." && item.name_len.get() == 2 && item.index.get() == 0)
            }
            ItemType::DIR_ITEM => each_name(data, |item, name| {
                let location = Key::from(item.location);
                if name == b"default" {
                    self.directory.default = Some(location.objectid);
                }
                let newest = reader.filesystem.superblock.generation;
                let new = reader.scope == Scope::New;
                u64::from(name_hash(name)) == key.offset
                    && item.entry_type == DIRECTORY_TYPE
                    && location.item_type == ItemType::ROOT_ITEM
                    && (!new || location.offset == u64::MAX && item.transid == newest)
            }),
            _ => false,
        };
        if !good {
            reader.findings.add(Code::RootDirectory, place, "an item of the root directory", "something else");
        }
    }

    /// Where the trees start that the root tree leads to, by number.
    pub(super) fn tops(&self) -> Vec<(Place, Top)> {
        let top = |(tree, index, root): (u64, u64, &Root)| {
            let (logical, generation) = (root.item.bytenr.get(), root.item.generation.get());
            (root.place, Top { tree, index, logical, level: root.item.level, generation })
        };
        self.all().map(top).collect()
    }

    /// Every tree: number, index and root.
    pub(super) fn all(&self) -> impl Iterator<Item = (u64, u64, &Root)> {
        let first = self.roots.iter().map(|(tree, root)| (*tree, 0, root));
        first.chain(self.more.iter().map(|(tree, index, root)| (*tree, *index, root)))
    }

    /// Whether a subvolume is being removed: some of its blocks may be gone.
    pub(super) fn removed(&self, tree: u64) -> bool {
        is_subvolume(tree) && self.roots.get(&tree).is_some_and(|root| root.item.refs.get() == 0)
    }

    /// Whether all trees are there that must be, and none that must not.
    pub(super) fn check(&self, reader: &mut Reader<'_>, entries: &[(u64, Entry)]) {
        let filesystem = &reader.filesystem;
        let (own_groups, free_space) = (filesystem.compat_ro(BLOCK_GROUP_TREE), filesystem.compat_ro(FREE_SPACE_TREE));
        let (stripes, remap) = (filesystem.incompat(RAID_STRIPE_TREE), filesystem.incompat(REMAP_TREE));
        let new = reader.scope == Scope::New;
        for (tree, needed, allowed) in [
            (TreeId::Extent, true, true),
            (TreeId::Dev, true, true),
            (TreeId::Fs, true, true),
            (TreeId::Csum, true, true),
            (TreeId::Uuid, new, true),
            // Data is moved without it where there is a remap tree, and kernels refuse both at once.
            (TreeId::DataReloc, new && !remap, !remap),
            (TreeId::FreeSpace, free_space, free_space),
            (TreeId::BlockGroup, own_groups, own_groups),
            (TreeId::RaidStripe, stripes, stripes),
            (TreeId::Remap, remap, remap),
            (TreeId::Root, false, false),
            (TreeId::Chunk, false, false),
        ] {
            let there = self.roots.contains_key(&tree.objectid());
            if needed && !there || !allowed && there {
                let (expected, found) = if there { ("no root item", "one") } else { ("a root item", "none") };
                reader.findings.add(Code::RootMissing, Place::tree(tree.objectid()), expected, found);
            }
        }
        self.remap(reader);
        if reader.filesystem.incompat(EXTENT_TREE_V2) {
            // Indices are different keys, so that as many as there should be and no higher one are all of them.
            let count = reader.filesystem.superblock.nr_global_roots.get();
            for tree in GLOBAL {
                let indices = || self.more.iter().filter(|it| it.0 == tree.objectid()).map(|it| it.1);
                let found = wide(indices().count()).saturating_add(1);
                if found != count || indices().max().unwrap_or(0) >= count {
                    let place = Place::tree(tree.objectid());
                    reader.findings.add(
                        Code::RootMissing,
                        place,
                        format!("trees 0 to {count}"),
                        format!("{found} trees"),
                    );
                }
            }
        }
        let place = Place::tree(TreeId::Root.objectid());
        let Directory { inode, named, default, referred } = self.directory;
        if !inode || !named || default.is_none() || new && !referred {
            let found = format!("inode: {inode}, its name: {named}, entry: {}", default.is_some());
            reader.findings.add(Code::RootDirectory, place, "a directory with the entry 'default'", found);
        }
        if let Some(tree) = default.filter(|tree| !self.roots.contains_key(tree) || !is_subvolume(*tree)) {
            reader.findings.add(Code::RootDirectory, place, "a default subvolume that is there", tree);
        }
        self.subvolumes(reader, entries);
    }

    /// The superblock leads to the remap tree as well, since addresses mean nothing without it.
    fn remap(&self, reader: &mut Reader<'_>) {
        let block = reader.filesystem.superblock;
        let say = |root, generation, level| format!("the remap tree at {root}, generation {generation}, level {level}");
        let root = self.roots.get(&TreeId::Remap.objectid()).map(|root| root.item);
        let expected =
            root.map_or_else(|| say(0, 0, 0), |item| say(item.bytenr.get(), item.generation.get(), item.level));
        let found = say(block.remap_root.get(), block.remap_root_generation.get(), block.remap_root_level);
        reader.findings.equal(Code::SuperblockRoots, Place::filesystem(), expected, found);
    }

    /// Every subvolume has its name in its parent: in the root tree both ways, and as an entry of a directory.
    fn subvolumes(&self, reader: &mut Reader<'_>, entries: &[(u64, Entry)]) {
        for (both, name) in &self.forth {
            let back = self.back.get(both);
            if back
                .is_none_or(|back| (back.directory, back.index, &back.name) != (name.directory, name.index, &name.name))
            {
                reader.findings.add(Code::RootReference, name.place, "the same from child to parent", "nothing");
            }
            let entry = entries.iter().any(|(tree, entry)| {
                *tree == both.0
                    && entry.target == Target::Subvolume(both.1)
                    && entry.directory == name.directory
                    && entry.name == name.name
            });
            if !entry && !reader.incomplete && !reader.tired {
                reader.findings.add(Code::RootReference, name.place, "an entry in the directory", "none");
            }
            if !self.roots.contains_key(&both.1) {
                reader.findings.add(Code::RootReference, name.place, "a subvolume that is there", both.1);
            }
        }
        for (both, name) in self.back.iter().filter(|(both, _)| !self.forth.contains_key(both)) {
            let found = format!("none from {}", both.0);
            reader.findings.add(Code::RootReference, name.place, "the same from parent to child", found);
        }
        for (tree, root) in self.roots.iter().filter(|(tree, _)| is_subvolume(**tree) && !self.removed(**tree)) {
            let named = self.back.keys().any(|(_, child)| child == tree);
            if *tree != TreeId::Fs.objectid() && !named {
                reader.findings.add(Code::RootReference, root.place, "a name somewhere", "none");
            }
        }
    }
}
