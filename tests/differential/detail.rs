//! What the golden layouts leave out: the data of every item, but for what two filesystems never have in common, and for
//! what docs/differences.md tells of every filesystem.

use btrfs_plan_tests::contents::{Contents, Item};
use btrfs_planner::disk::block_group::BlockGroupFlags;
use btrfs_planner::disk::key::ItemType;
use btrfs_planner::disk::root::TreeId;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Trees whose items depend on where blocks stand.
const SCATTERED: [TreeId; 2] = [TreeId::Extent, TreeId::FreeSpace];
/// Trees that are made late, whose root items are filled in less.
const LATE: [TreeId; 3] = [TreeId::Uuid, TreeId::DataReloc, TreeId::Quota];

/// The data of items, by tree and number; of trees whose items depend on where blocks stand, how many there are of a type.
pub(crate) fn details(contents: &Contents) -> Map<String, Value> {
    let mut details = Map::new();
    for (id, items) in &contents.trees {
        let scattered = SCATTERED.iter().any(|tree| tree.objectid() == *id);
        let value = if scattered { counts(items) } else { items.iter().map(masked).collect::<Vec<_>>().into() };
        if !items.is_empty() {
            details.insert(format!("tree {id}"), value);
        }
    }
    details
}

fn counts(items: &[Item]) -> Value {
    let mut counts: BTreeMap<u8, usize> = BTreeMap::new();
    // How many pieces free space is in depends on where blocks stand, too.
    let counted = items.iter().filter(|item| item.key.item_type != ItemType::FREE_SPACE_EXTENT);
    counted.for_each(|item| *counts.entry(item.key.item_type.0).or_default() += 1);
    json!(counts)
}

/// The type of an item and its data, in hex; what may differ is `..`.
fn masked(item: &Item) -> Value {
    let different = ranges(item);
    let byte = |(index, byte): (usize, &u8)| {
        if different.iter().any(|range| (range.0..range.1).contains(&index)) {
            "..".to_owned()
        } else {
            format!("{byte:02x}")
        }
    };
    json!([item.key.item_type.0, item.data.iter().enumerate().map(byte).collect::<String>()])
}

/// The bytes that may differ: generations, times, UUIDs, addresses of tree blocks.
fn ranges(item: &Item) -> Vec<(usize, usize)> {
    const INODE: [(usize, usize); 2] = [(0, 16), (112, 160)];
    match item.key.item_type {
        ItemType::INODE_ITEM => INODE.to_vec(),
        ItemType::ROOT_ITEM => {
            // generation, bytenr, bytes_used; generation_v2, UUIDs, transactions, times
            let always = [INODE.as_slice(), &[(160, 168), (176, 184), (192, 200), (239, 375)]].concat();
            let late = LATE.iter().any(|tree| tree.objectid() == item.key.objectid);
            if late { [always.as_slice(), &[(0, 160), (216, 220)]].concat() } else { always }
        }
        ItemType::DIR_ITEM => vec![(17, 25)],
        ItemType::DEV_ITEM => vec![(66, 98)],
        ItemType::DEV_EXTENT => vec![(32, 48)],
        ItemType::CHUNK_ITEM => {
            let uuids = (0..item.data.len() / 32).map(|stripe| (64 + 32 * stripe, 80 + 32 * stripe));
            // io_align, io_width and sub_stripes are those of a temporary filesystem.
            let first = item.data.get(24..32) == Some(&BlockGroupFlags::SYSTEM.bits().to_le_bytes());
            uuids.chain(if first { vec![(32, 40), (46, 48)] } else { Vec::new() }).collect()
        }
        // The generation from which on quota groups are counted holds recycled bytes, there.
        ItemType::QGROUP_STATUS => vec![(8, 16), (32, 40)],
        ItemType::QGROUP_INFO => vec![(0, 8)],
        // Recycled bytes of older blocks, there.
        ItemType::QGROUP_LIMIT => vec![(0, item.data.len())],
        _ => Vec::new(),
    }
}
