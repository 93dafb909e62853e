//! The root tree: where every other tree starts, and the name of the default subvolume.

use super::fs::{push_directory, push_name};
use super::{GENERATION, Items, Top};
use crate::disk::directory::{DIRECTORY_TYPE, DirItem, name_hash};
use crate::disk::inode::{DIRECTORY_MODE, FIRST_FREE_OBJECTID, InodeItem, ROOT_ITEM_INIT, Timespec};
use crate::disk::key::{DiskKey, ItemType, Key};
use crate::disk::root::{ROOT_TREE_DIR, RootItem, TreeId};
use crate::request::Settings;
use alloc::collections::BTreeMap;
use zerocopy::IntoBytes;

/// The name of the default subvolume's entry.
const DEFAULT: &[u8] = b"default";

/// `tops`: where each tree starts. Root and chunk tree have no item: the superblock names them.
pub(super) fn items(settings: &Settings, tops: &BTreeMap<TreeId, Top>) -> Items {
    let mut items = Items::new();
    for (tree, top) in tops.iter().filter(|(tree, _)| !matches!(tree, TreeId::Root | TreeId::Chunk)) {
        if *tree == TreeId::Csum {
            // Object id 6 stands before 7.
            push_default(settings, &mut items);
        }
        if *tree == TreeId::Fs {
            push_name(&mut items, Key::new(tree.objectid(), ItemType::INODE_REF, ROOT_TREE_DIR), DEFAULT);
        }
        let key = Key::new(tree.objectid(), ItemType::ROOT_ITEM, tree.index());
        items.push(key, &[root_item(settings, *tree, top).as_bytes()]);
    }
    items
}

/// The directory that names the default subvolume, and its one entry.
fn push_default(settings: &Settings, items: &mut Items) {
    push_directory(settings, items, ROOT_TREE_DIR, 0);
    let entry = DirItem {
        location: DiskKey::from(Key::new(TreeId::Fs.objectid(), ItemType::ROOT_ITEM, u64::MAX)),
        transid: GENERATION.get().into(),
        data_len: 0.into(),
        name_len: u16::try_from(DEFAULT.len()).unwrap_or(u16::MAX).into(),
        entry_type: DIRECTORY_TYPE,
    };
    let key = Key::new(ROOT_TREE_DIR, ItemType::DIR_ITEM, u64::from(name_hash(DEFAULT)));
    items.push(key, &[entry.as_bytes(), DEFAULT]);
}

fn root_item(settings: &Settings, tree: TreeId, top: &Top) -> RootItem {
    let subvolume = matches!(tree, TreeId::Fs | TreeId::DataReloc);
    let time = Timespec::from_seconds(if tree == TreeId::Fs { settings.time } else { 0 });
    let generation = GENERATION.get().into();
    RootItem {
        inode: InodeItem {
            generation,
            size: 3.into(),
            nbytes: u64::from(settings.node_size).into(),
            nlink: 1.into(),
            mode: DIRECTORY_MODE.into(),
            flags: (if subvolume { ROOT_ITEM_INIT } else { 0 }).into(),
            ..InodeItem::default()
        },
        generation,
        root_dirid: (if subvolume { FIRST_FREE_OBJECTID } else { 0 }).into(),
        bytenr: top.logical.get().into(),
        byte_limit: 0.into(),
        bytes_used: top.bytes.into(),
        last_snapshot: 0.into(),
        flags: 0.into(),
        refs: 1.into(),
        drop_progress: DiskKey::default(),
        drop_level: 0,
        level: top.level,
        generation_v2: generation,
        uuid: if tree == TreeId::Fs { settings.fs_tree_uuid.into_bytes() } else { [0; 16] },
        parent_uuid: [0; 16],
        received_uuid: [0; 16],
        ctransid: 0.into(),
        otransid: 0.into(),
        stransid: 0.into(),
        rtransid: 0.into(),
        ctime: time,
        otime: time,
        stime: Timespec::default(),
        rtime: Timespec::default(),
        reserved: [0.into(); 8],
    }
}
