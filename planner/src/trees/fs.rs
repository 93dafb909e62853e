//! A subvolume's root directory: all there is of an empty one, and of the data relocation tree.

use super::{GENERATION, Items};
use crate::disk::inode::{DIRECTORY_MODE, FIRST_FREE_OBJECTID, InodeItem, InodeRef, Timespec};
use crate::disk::key::{ItemType, Key};
use crate::request::Settings;
use zerocopy::IntoBytes;

/// The name by which a root directory refers to itself.
const SELF_NAME: &[u8] = b"..";

/// `size`: bytes of the names in the directory, twice.
pub(super) fn items(settings: &Settings, size: u64) -> Items {
    let mut items = Items::new();
    push_directory(settings, &mut items, FIRST_FREE_OBJECTID, size);
    items
}

/// Adds a directory that is its own parent.
pub(super) fn push_directory(settings: &Settings, items: &mut Items, inode: u64, size: u64) {
    items.push(Key::new(inode, ItemType::INODE_ITEM, 0), &[directory(settings, size).as_bytes()]);
    push_name(items, Key::new(inode, ItemType::INODE_REF, inode), SELF_NAME);
}

/// Adds the name of an inode in a directory, as entry 0.
pub(super) fn push_name(items: &mut Items, key: Key, name: &[u8]) {
    let name_len = u16::try_from(name.len()).unwrap_or(u16::MAX);
    items.push(key, &[InodeRef { index: 0.into(), name_len: name_len.into() }.as_bytes(), name]);
}

fn directory(settings: &Settings, size: u64) -> InodeItem {
    let time = Timespec::from_seconds(settings.time);
    InodeItem {
        generation: GENERATION.get().into(),
        size: size.into(),
        nbytes: u64::from(settings.node_size).into(),
        nlink: 1.into(),
        mode: DIRECTORY_MODE.into(),
        atime: time,
        ctime: time,
        mtime: time,
        otime: time,
        ..InodeItem::default()
    }
}
