//! Names: a directory has each twice, by hash and by index, and the inode has it once more.

use super::inodes::{Entry, Files, Target};
use super::{Code, Findings, Place};
use crate::disk::key::{ItemType, Key};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;

/// Compares the three.
pub(super) fn check(findings: &mut Findings, files: &mut Files) {
    let order = |left: &Entry, right: &Entry| (left.directory, &left.name).cmp(&(right.directory, &right.name));
    for list in [&mut files.by_hash, &mut files.by_index, &mut files.by_inode] {
        list.sort_by(order);
    }
    let Files { tree, inodes, by_hash, by_index, by_inode, .. } = files;
    let place = |entry: &Entry| Place::tree(*tree).key(Key::new(entry.directory, ItemType::DIR_ITEM, 0));
    let kind_of = |number: u64| {
        let index = inodes.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        inodes.get(index).map(|(_, kind)| *kind)
    };
    both(by_hash, by_index, &mut |hash, index| match (hash, index) {
        (Some(hash), Some(index)) if (hash.target, hash.kind) == (index.target, index.kind) => {}
        (Some(entry), _) => findings.add(Code::DirectoryEntry, place(entry), say(entry), "another by index, or none"),
        (None, Some(entry)) => findings.add(Code::DirectoryEntry, place(entry), say(entry), "none by hash"),
        (None, None) => {}
    });
    let mut seen = BTreeSet::new();
    both(by_index, by_inode, &mut |index, inode| match (index, inode) {
        (Some(index), Some(inode)) if (index.target, index.index) == (inode.target, inode.index) => {}
        // A subvolume's name stands in the root tree.
        (Some(index), None) if matches!(index.target, Target::Subvolume(_)) => {}
        (Some(entry), _) => {
            findings.add(Code::DirectoryEntry, place(entry), say(entry), "another at the inode, or none")
        }
        (None, Some(entry)) => findings.add(Code::DirectoryEntry, place(entry), say(entry), "none in the directory"),
        (None, None) => {}
    });
    for entry in by_index.iter() {
        if !seen.insert((entry.directory, entry.index)) {
            findings.add(Code::DirectoryEntry, place(entry), "an index of its own", say(entry));
        }
        if kind_of(entry.directory) != Some(4) {
            findings.add(Code::DirectoryEntry, place(entry), "a directory that holds the entry", "none");
        }
        let kind = match entry.target {
            Target::Inode(number) => kind_of(number),
            Target::Subvolume(_) => Some(4),
        };
        // The types of entries: file, directory, character device, block device, pipe, socket, link.
        let expected = kind.and_then(|kind| match kind {
            8 => Some(1),
            4 => Some(2),
            2 => Some(3),
            6 => Some(4),
            1 => Some(5),
            12 => Some(6),
            10 => Some(7),
            _ => None,
        });
        if expected != entry.kind {
            let expected = format!("an inode of the entry's type {:?}", entry.kind);
            findings.add(Code::DirectoryEntry, place(entry), expected, format!("{kind:?}"));
        }
    }
}

/// Walks two lists in the order of directories and names.
fn both(left: &[Entry], right: &[Entry], call: &mut dyn FnMut(Option<&Entry>, Option<&Entry>)) {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return,
            (Some(_), None) => core::cmp::Ordering::Less,
            (None, Some(_)) => core::cmp::Ordering::Greater,
            (Some(left), Some(right)) => (left.directory, &left.name).cmp(&(right.directory, &right.name)),
        };
        let first = if order.is_le() { left.next() } else { None };
        let second = if order.is_ge() { right.next() } else { None };
        call(first, second);
    }
}

fn say(entry: &Entry) -> String {
    format!("'{}' to {:?}", String::from_utf8_lossy(&entry.name).escape_debug(), entry.target)
}
