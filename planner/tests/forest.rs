//! The fixed point, read back by other code than built it: whatever the contents, the trees describe exactly their own
//! blocks.

// A test may fail by panicking.
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::indexing_slicing, clippy::unwrap_used)]

use btrfs_planner::disk::block_group::BlockGroupItem;
use btrfs_planner::disk::key::{ItemType, Key};
use btrfs_planner::disk::root::{RootItem, TreeId};
use btrfs_planner::disk::tree_block::{HEADER_SIZE, Header, ITEM_SIZE, ItemHeader, KeyPointer, POINTER_SIZE};
use btrfs_planner::layout::{ChunkKind, Layout};
use btrfs_planner::request::{DeviceFacts, FeatureSwitch, Profile};
use btrfs_planner::trees::{Contents, Forest, Items, TreeBlock};
use btrfs_planner::{Request, Settings};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use zerocopy::FromBytes;

/// Items of random sizes, from a seed; keys as of many inodes.
fn contents(count: u64, seed: u64) -> Contents {
    let mut state = seed | 1;
    let mut fs = Items::new();
    let data = [0x5a; 256];
    for inode in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let size = (state >> 33) as usize % 200;
        fs.push(Key::new(1000 + inode, ItemType::INODE_ITEM, 0), &[&data[..size]]);
    }
    Contents { fs, ..Contents::default() }
}

fn read<T: FromBytes>(bytes: &[u8], at: usize) -> T {
    T::read_from_bytes(&bytes[at..at + size_of::<T>()]).unwrap()
}

/// A forest as a reader meets it.
struct Reader<'a> {
    settings: &'a Settings,
    blocks: BTreeMap<u64, &'a TreeBlock>,
    seen: BTreeSet<u64>,
}

impl Reader<'_> {
    /// The items of a tree by key, reached from its top block; every block on the way checked.
    fn items(&mut self, tree: TreeId, logical: u64, level: u8, items: &mut Vec<(Key, Vec<u8>)>) {
        let block = self.blocks[&logical];
        assert!(self.seen.insert(logical), "{logical} is referenced twice");
        let bytes = &block.bytes;
        assert!(self.settings.checksum.holds(bytes));
        let header: Header = read(bytes, 0);
        assert_eq!((header.bytenr.get(), header.owner.get(), header.level), (logical, tree.objectid(), level));
        let count = header.nritems.get() as usize;
        if level == 0 {
            let mut end = bytes.len() - HEADER_SIZE;
            for index in 0..count {
                let item: ItemHeader = read(bytes, HEADER_SIZE + index * ITEM_SIZE);
                let (offset, size) = (item.offset.get() as usize, item.size.get() as usize);
                assert_eq!(offset + size, end, "data stands back to back from the end");
                end = offset;
                items.push((item.key.into(), bytes[HEADER_SIZE + offset..][..size].to_vec()));
            }
            assert!(HEADER_SIZE + count * ITEM_SIZE <= HEADER_SIZE + end, "heads and data do not meet");
        } else {
            assert!(count > 0, "a node has children");
            for index in 0..count {
                let pointer: KeyPointer = read(bytes, HEADER_SIZE + index * POINTER_SIZE);
                let first = items.len();
                self.items(tree, pointer.blockptr.get(), level - 1, items);
                assert_eq!(items[first].0, pointer.key.into(), "a pointer has its child's first key");
            }
        }
    }
}

fn check(request: &Request, contents: &Contents) {
    let settings = Settings::resolve(request).unwrap();
    let mut layout = Layout::new(&settings).unwrap();
    let forest = Forest::plant(&settings, &mut layout, contents).unwrap();
    let node_size = u64::from(settings.node_size);
    let blocks = forest.blocks.iter().map(|block| (block.logical.get(), block)).collect();
    let mut reader = Reader { settings: &settings, blocks, seen: BTreeSet::new() };

    let mut trees = BTreeMap::new();
    for (tree, top) in &forest.tops {
        let mut items = Vec::new();
        reader.items(*tree, top.logical.get(), top.level, &mut items);
        assert!(items.is_sorted_by(|left, right| left.0 < right.0), "{tree}: keys ascend");
        trees.insert(*tree, items);
    }
    assert_eq!(reader.seen.len(), forest.blocks.len(), "every block is referenced");
    assert!(trees[&TreeId::Fs].iter().skip(2).map(|(key, data)| (*key, &data[..])).eq(contents.fs.iter()));

    // Root items lead to the tops.
    for (key, data) in trees[&TreeId::Root].iter().filter(|(key, _)| key.item_type == ItemType::ROOT_ITEM) {
        let tree = TreeId::ALL.into_iter().find(|tree| tree.objectid() == key.objectid).unwrap();
        let item: RootItem = read(data, 0);
        let top = forest.tops[&tree];
        assert_eq!((item.bytenr.get(), item.level, item.bytes_used.get()), (top.logical.get(), top.level, top.bytes));
    }
    // The extent tree names every block once and nothing else.
    let is_extent = |key: &Key| [ItemType::METADATA_ITEM, ItemType::EXTENT_ITEM].contains(&key.item_type);
    let extents: Vec<u64> = trees[&TreeId::Extent]
        .iter()
        .map(|(key, _)| key)
        .filter(|key| is_extent(key))
        .map(|key| key.objectid)
        .collect();
    assert!(extents.iter().eq(&reader.seen));
    // No block lies on a superblock, none outside the chunks of its kind, and block groups count them.
    let groups = trees.get(&TreeId::BlockGroup).unwrap_or(&trees[&TreeId::Extent]);
    let groups: BTreeMap<u64, BlockGroupItem> = groups
        .iter()
        .filter(|(key, _)| key.item_type == ItemType::BLOCK_GROUP_ITEM)
        .map(|(key, data)| (key.objectid, read(data, 0)))
        .collect();
    assert_eq!(groups.len(), layout.chunks().len());
    let mut in_chunks = 0;
    for chunk in layout.chunks() {
        let (start, end) = (chunk.logical.get(), chunk.logical.get() + chunk.length);
        let inside: Vec<u64> = reader.seen.range(start..end).copied().collect();
        in_chunks += inside.len();
        assert_eq!(groups[&start].used.get(), inside.len() as u64 * node_size);
        for logical in &inside {
            assert_eq!(chunk.kind == ChunkKind::System, reader.blocks[logical].tree == TreeId::Chunk);
            for (reserved, length) in chunk.reserved().unwrap() {
                assert!(logical + node_size <= reserved.get() || *logical >= reserved.get() + length);
            }
        }
        // The free space tree has the exact complement.
        if let Some(items) = trees.get(&TreeId::FreeSpace) {
            let mut free = start;
            let mut expected = Vec::new();
            for logical in inside.iter().copied().chain([end]) {
                if logical > free {
                    expected.push((free, logical - free));
                }
                free = logical + node_size;
            }
            let of_chunk = items.iter().map(|(key, _)| key).filter(|key| (start..end).contains(&key.objectid));
            let extents = of_chunk.filter(|key| key.item_type == ItemType::FREE_SPACE_EXTENT);
            assert!(extents.map(|key| (key.objectid, key.offset)).eq(expected));
        }
    }
    assert_eq!(in_chunks, reader.seen.len(), "every block is in a chunk");
    assert_eq!(forest.bytes_used, reader.seen.len() as u64 * node_size);
}

fn request(devices: usize, profile: Profile, node_size: u32, features: &[&str]) -> Request {
    let device = DeviceFacts::described(40 << 30);
    let mut request = Request::new(vec![device; devices], "forest", 0);
    request.metadata = Some(profile);
    request.node_size = Some(node_size);
    request.features = features.iter().map(|name| name.parse::<FeatureSwitch>().unwrap()).collect();
    request
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Numbers of items spread evenly over their magnitudes; small ones meet the edges of the first blocks.
    #[test]
    fn trees_describe_themselves(
        magnitude in 0u32..17, fraction in 0u64..1 << 17, seed: u64,
        node_size in prop::sample::select(vec![4096u32, 8192, 16384, 32768, 65536]),
        (profile, devices) in prop::sample::select(vec![
            (Profile::Single, 1usize), (Profile::Dup, 1), (Profile::Raid0, 3), (Profile::Raid1, 2), (Profile::Raid10, 5),
            (Profile::Raid5, 4), (Profile::Raid6, 6), (Profile::Raid1c4, 4),
        ]),
        features in prop::sample::select(vec![
            &[][..], &["^block-group-tree"], &["^skinny-metadata"], &["^free-space-tree"], &["quota"],
            &["^skinny-metadata", "^block-group-tree", "squota"],
        ]),
    ) {
        let count = (1 << magnitude) - 1 + fraction % (1 << magnitude);
        check(&request(devices, profile, node_size, features), &contents(count, seed));
    }
}

/// A million items in the smallest blocks, in chunks of 8 MiB: many chunks, tall trees.
#[test]
fn a_million_items() {
    check(&request(1, Profile::Single, 4096, &[]), &contents(1_000_000, 7));
}

/// Chunk and device tree grow with the devices; so must the system chunk's share.
#[test]
fn a_thousand_devices() {
    for node_size in [4096, 65536] {
        check(&request(1000, Profile::Raid0, node_size, &[]), &contents(0, 0));
    }
}

/// Around the number of items at which another block, another chunk becomes necessary, every count is tried.
#[test]
fn every_count_around_a_full_block() {
    for features in [&[][..], &["^block-group-tree", "^skinny-metadata"]] {
        for count in 0..400 {
            check(&request(1, Profile::Dup, 4096, features), &contents(count, count));
        }
    }
}
