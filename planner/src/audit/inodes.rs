//! The files of one subvolume: inodes, names, directories and where contents stand.

use super::reader::Reader;
use super::superblock::NO_HOLES;
use super::walk::Leaf;
use super::{Code, Findings, Place, Scope, directories, new_inodes};
use crate::disk::directory::{DirItem, name_hash};
use crate::disk::file_extent::{FileExtentHead, FileExtentPlace, INLINE, PREALLOCATED};
use crate::disk::inode::{FIRST_FREE_OBJECTID, InodeExtref, InodeItem, InodeRef, NODATASUM};
use crate::disk::key::{ItemType, Key};
use crate::disk::root::TreeId;
use crate::units::{round_up, wide};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;
use zerocopy::FromBytes;

/// Object id of orphans: inodes to be removed.
const ORPHANS: u64 = u64::MAX - 4;
/// What a directory entry says is an extended attribute.
const XATTR_TYPE: u8 = 8;

/// A part of a file that stands in a data extent.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileExtent {
    pub(super) place: Place,
    /// The leaf with the item, and the tree that it belongs to.
    pub(super) leaf: u64,
    pub(super) owner: u64,
    pub(super) inode: u64,
    /// Where in the file the extent's first byte would be; less than nothing wraps.
    pub(super) origin: u64,
    /// The data extent.
    pub(super) start: u64,
    pub(super) length: u64,
    pub(super) generation: u64,
    /// The part of it whose checksums must be there, if any.
    pub(super) summed: Option<(u64, u64)>,
}

/// A name in a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) directory: u64,
    pub(super) name: Vec<u8>,
    pub(super) target: Target,
    /// Its number in the directory; entries by hash have none.
    pub(super) index: Option<u64>,
    /// The type that it says its target has; names of inodes do not say.
    pub(super) kind: Option<u8>,
}

/// What a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    Inode(u64),
    Subvolume(u64),
}

/// One subvolume as it is read, item by item in the order of keys.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) tree: u64,
    current: Option<Inode>,
    /// Inodes that have an item, ascending: number and type.
    pub(super) inodes: Vec<(u64, u32)>,
    /// Names by the hash of the name, by index, and as inodes know them.
    pub(super) by_hash: Vec<Entry>,
    pub(super) by_index: Vec<Entry>,
    pub(super) by_inode: Vec<Entry>,
    /// Bytes of names in each directory, twice.
    orphans: BTreeSet<u64>,
    /// Inodes without a name; only orphans may be.
    nameless: Vec<(u64, Place)>,
    /// Parts of files; to be taken by whoever checks references.
    pub(super) extents: Vec<FileExtent>,
}

/// The inode that is being read.
#[derive(Debug)]
struct Inode {
    number: u64,
    place: Place,
    item: Option<InodeItem>,
    names: u64,
    /// Bytes of its entries' names, by hash and by index.
    entries: u64,
    /// Bytes of its contents on disk.
    bytes: u64,
    /// Where its last part ends.
    end: u64,
    /// Where the last part ends that was written, or is a hole.
    hole: Option<u64>,
}

impl Files {
    /// Of a tree.
    pub(super) fn new(tree: u64) -> Self {
        Self { tree, ..Self::default() }
    }

    /// Takes an item. False where it is of an unknown type.
    pub(super) fn item(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>, slot: u32, key: Key, data: &[u8]) -> bool {
        let place = leaf.place(slot, key);
        if key.objectid == ORPHANS {
            self.orphans.insert(key.offset);
            return key.item_type == ItemType::ORPHAN_ITEM;
        }
        if self.current.as_ref().is_none_or(|inode| inode.number != key.objectid) {
            self.finish(reader);
            self.current = Some(Inode {
                number: key.objectid,
                place,
                item: None,
                names: 0,
                entries: 0,
                bytes: 0,
                end: 0,
                hole: None,
            });
        }
        let good = match key.item_type {
            ItemType::INODE_ITEM => self.inode(key, data),
            ItemType::INODE_REF => self.names(key, data),
            ItemType::INODE_EXTREF => self.more_names(key, data),
            ItemType::DIR_ITEM => self.entries_by_hash(reader, place, key, data),
            ItemType::DIR_INDEX => self.entry_by_index(key, data),
            ItemType::XATTR_ITEM => {
                each_name(data, |item, name| u64::from(name_hash(name)) == key.offset && item.entry_type == XATTR_TYPE)
            }
            ItemType::EXTENT_DATA => self.content(reader, leaf, place, key, data),
            ItemType::VERITY_DESCRIPTOR | ItemType::VERITY_MERKLE => true,
            _ => return false,
        };
        if !good {
            reader.findings.add(
                Code::InodeItem,
                place,
                "an item of its type",
                format!("{} bytes that are none", data.len()),
            );
        }
        true
    }

    fn inode(&mut self, key: Key, data: &[u8]) -> bool {
        let Ok(item) = InodeItem::read_from_bytes(data) else { return false };
        let Some(current) = &mut self.current else { return false };
        current.item = Some(item);
        self.inodes.push((key.objectid, item.mode.get() >> 12));
        key.offset == 0
    }

    fn name(&mut self, inode: u64, directory: u64, index: u64, name: &[u8]) {
        if let Some(current) = &mut self.current {
            current.names = current.names.saturating_add(1);
        }
        let (target, name) = (Target::Inode(inode), name.to_vec());
        self.by_inode.push(Entry { directory, name, target, index: Some(index), kind: None });
    }

    fn names(&mut self, key: Key, mut data: &[u8]) -> bool {
        // A subvolume's root directory calls itself "..".
        if key.objectid == key.offset {
            if let Some(current) = &mut self.current {
                current.names = current.names.saturating_add(1);
            }
            let item = InodeRef::read_from_prefix(data);
            return item.is_ok_and(|(item, name)| {
                key.objectid == FIRST_FREE_OBJECTID
                    && name == b".."
                    && item.name_len.get() == 2
                    && item.index.get() == 0
            });
        }
        while !data.is_empty() {
            let Ok((item, rest)) = InodeRef::read_from_prefix(data) else { return false };
            let Some((name, rest)) = rest.split_at_checked(item.name_len.get().into()) else { return false };
            if name.is_empty() {
                return false;
            }
            self.name(key.objectid, key.offset, item.index.get(), name);
            data = rest;
        }
        true
    }

    fn more_names(&mut self, key: Key, mut data: &[u8]) -> bool {
        while !data.is_empty() {
            let Ok((item, rest)) = InodeExtref::read_from_prefix(data) else { return false };
            let Some((name, rest)) = rest.split_at_checked(item.name_len.get().into()) else { return false };
            self.name(key.objectid, item.parent.get(), item.index.get(), name);
            data = rest;
        }
        true
    }

    fn entry(&mut self, key: Key, item: &DirItem, name: &[u8], index: Option<u64>) -> bool {
        let location = Key::from(item.location);
        let target = match location.item_type {
            ItemType::INODE_ITEM => Target::Inode(location.objectid),
            ItemType::ROOT_ITEM => Target::Subvolume(location.objectid),
            _ => return false,
        };
        if let Some(current) = &mut self.current {
            current.entries = current.entries.saturating_add(wide(name.len()));
        }
        let entry =
            Entry { directory: key.objectid, name: name.to_vec(), target, index, kind: Some(item.entry_type & 0x7f) };
        if index.is_some() { &mut self.by_index } else { &mut self.by_hash }.push(entry);
        let plain = location.item_type == ItemType::ROOT_ITEM || location.offset == 0;
        plain && !name.is_empty() && item.data_len.get() == 0
    }

    fn entries_by_hash(&mut self, reader: &mut Reader<'_>, place: Place, key: Key, data: &[u8]) -> bool {
        let findings = &mut reader.findings;
        each_name(data, |item, name| {
            findings.equal(Code::NameHash, place, u64::from(name_hash(name)), key.offset);
            self.entry(key, item, name, None)
        })
    }

    fn entry_by_index(&mut self, key: Key, data: &[u8]) -> bool {
        let mut count = 0_u32;
        let good = each_name(data, |item, name| {
            count = count.saturating_add(1);
            self.entry(key, item, name, Some(key.offset))
        });
        good && count == 1
    }

    fn content(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>, place: Place, key: Key, data: &[u8]) -> bool {
        let Ok((head, rest)) = FileExtentHead::read_from_prefix(data) else { return false };
        let sector = u64::from(reader.filesystem.sector_size);
        let Some(current) = &mut self.current else { return false };
        let encoded = head.encryption != 0 || head.other_encoding.get() != 0 || head.compression > 3;
        if encoded || head.extent_type > PREALLOCATED {
            return false;
        }
        let mut bad = |expected: &str, found: &dyn core::fmt::Display| {
            reader.findings.add(Code::FileExtent, place, expected, found);
        };
        if key.offset < current.end {
            bad("content behind the part before", &key.offset);
        }
        current.hole = current.hole.or((key.offset > current.end).then_some(current.end));
        if head.extent_type == INLINE {
            current.bytes = current.bytes.saturating_add(head.ram_bytes.get());
            current.end = round_up(head.ram_bytes.get(), sector).unwrap_or(u64::MAX);
            let plain = head.compression == 0 && wide(rest.len()) != head.ram_bytes.get();
            if key.offset != 0 || plain || head.ram_bytes.get() > sector {
                bad("inline content at the start, no longer than a sector", &head.ram_bytes);
            }
            return true;
        }
        let Ok(part) = FileExtentPlace::read_from_bytes(rest) else { return false };
        let (start, length) = (part.disk_bytenr.get(), part.disk_num_bytes.get());
        let (offset, bytes) = (part.offset.get(), part.num_bytes.get());
        let aligned = [key.offset, start, length, offset, bytes].iter().all(|it| it.checked_rem(sector) == Some(0));
        if !aligned || bytes == 0 || key.offset.checked_add(bytes).is_none() {
            bad("whole sectors within 64 bits", &format_args!("{bytes} at {}", key.offset));
        }
        current.end = key.offset.saturating_add(bytes);
        if start == 0 {
            return true;
        }
        current.bytes = current.bytes.saturating_add(bytes);
        if offset.checked_add(bytes).is_none_or(|end| end > head.ram_bytes.get()) {
            bad("a part of the extent", &format_args!("{bytes} from {offset} of {}", head.ram_bytes));
        }
        let compressed = head.compression != 0;
        let wants = current.item.is_some_and(|item| item.flags.get() & NODATASUM == 0);
        let summed = match head.extent_type {
            PREALLOCATED => None,
            _ if compressed => Some((start, start.saturating_add(length))),
            _ => Some((start.saturating_add(offset), start.saturating_add(offset).saturating_add(bytes))),
        };
        if leaf.first {
            self.extents.push(FileExtent {
                place,
                leaf: leaf.block.logical,
                owner: leaf.block.header.owner.get(),
                inode: key.objectid,
                origin: key.offset.wrapping_sub(offset),
                start,
                length,
                generation: head.generation.get(),
                summed: summed.filter(|_| wants),
            });
        }
        true
    }

    /// Checks the inode whose last item was taken.
    fn finish(&mut self, reader: &mut Reader<'_>) {
        let Some(inode) = self.current.take() else { return };
        // Some of its items may be in blocks that were not read again.
        if reader.tired {
            return;
        }
        let Some(item) = inode.item else {
            reader.findings.add(Code::InodeMissing, inode.place, "an inode item first", "none");
            return;
        };
        let no_holes = reader.filesystem.incompat(NO_HOLES);
        let sector = u64::from(reader.filesystem.sector_size);
        let newest = reader.filesystem.superblock.generation.get();
        if inode.names == 0 || item.nlink.get() == 0 {
            self.nameless.push((inode.number, inode.place));
        }
        // The root tree's files are found by other items than names.
        let named = self.tree != TreeId::Root.objectid();
        check_inode(&mut reader.findings, &inode, &item, newest, named);
        let kind = item.mode.get() >> 12;
        if kind == 8 && item.nlink.get() > 0 && !no_holes {
            let size = round_up(item.size.get(), sector).unwrap_or(u64::MAX);
            let hole = inode.hole.or((inode.end < size).then_some(inode.end)).filter(|hole| *hole < size);
            if let Some(hole) = hole {
                reader.findings.add(Code::FileHole, inode.place, "an item for every hole", format!("none at {hole}"));
            }
        }
        if reader.scope == Scope::New && inode.number == FIRST_FREE_OBJECTID {
            reader.directories.push((inode.place, item));
        }
        if reader.scope == Scope::New {
            new_inodes::check(reader, inode.place, &item);
        }
    }

    /// Checks what only the whole of the subvolume shows.
    pub(super) fn check(&mut self, reader: &mut Reader<'_>) {
        self.finish(reader);
        for (inode, place) in &self.nameless {
            if !self.orphans.contains(inode) {
                reader.findings.add(Code::InodeLinks, *place, "a name, or an entry among the orphans", "neither");
            }
        }
        if self.inodes.binary_search_by_key(&FIRST_FREE_OBJECTID, |(number, _)| *number).is_err() {
            reader.findings.add(Code::InodeMissing, Place::tree(self.tree), "a root directory", "none");
        }
        directories::check(&mut reader.findings, self);
    }
}

fn check_inode(findings: &mut Findings, inode: &Inode, item: &InodeItem, newest: u64, named: bool) {
    let place = inode.place;
    let kind = item.mode.get() >> 12;
    // Pipe, character device, directory, block device, file, link, socket.
    if ![1, 2, 4, 6, 8, 10, 12].contains(&kind) {
        findings.add(Code::InodeMode, place, "a type of file", format!("mode {:o}", item.mode));
    }
    if item.generation.get() > newest.saturating_add(1) || item.transid.get() > newest.saturating_add(1) {
        let found = format!("{} and {}", item.generation, item.transid);
        findings.add(Code::InodeItem, place, format!("generations up to {newest}"), found);
    }
    if named && u64::from(item.nlink.get()) != inode.names && item.nlink.get() != 0 {
        findings.add(Code::InodeLinks, place, format!("{} links, as many as names", inode.names), item.nlink);
    }
    if kind == 4 {
        // Every name counts twice: by hash and by index.
        findings.equal(Code::DirectorySize, place, inode.entries, item.size.get());
        return;
    }
    findings.equal(Code::InodeBytes, place, inode.bytes, item.nbytes.get());
    if kind == 10 && item.size.get() > inode.end {
        findings.add(Code::InodeBytes, place, "a link's target", "none");
    }
}

/// Calls for every entry of a directory item with its head and its name. False if an entry is cut off or a call says
/// so.
pub(super) fn each_name(mut data: &[u8], mut call: impl FnMut(&DirItem, &[u8]) -> bool) -> bool {
    let mut good = !data.is_empty();
    while !data.is_empty() {
        let Ok((item, rest)) = DirItem::read_from_prefix(data) else { return false };
        let Some((name, rest)) = rest.split_at_checked(item.name_len.get().into()) else { return false };
        let Some((_, rest)) = rest.split_at_checked(item.data_len.get().into()) else { return false };
        good &= call(&item, name);
        data = rest;
    }
    good
}
