//! All trees of a filesystem, and the fixed point in which some of them describe their own blocks.

use super::block::{bytes_of, first_keys};
use super::extent::BlockRecord;
use super::placement::{Placement, place};
use super::{Items, Shape, TreeBlock, block, block_group, chunk, dev, extent, free_space, fs, quota, root, uuid};
use crate::disk::key::{ItemType, Key};
use crate::disk::root::TreeId;
use crate::layout::Layout;
use crate::request::{Feature, RequestError, Settings};
use crate::units::{Checked, Logical};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// What a filesystem holds beyond its empty trees.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Items of the top-level subvolume, with keys above those of its empty root directory.
    pub fs: Items,
    /// Bytes of the names in the root directory, twice: what btrfs counts as a directory's size.
    pub root_directory_size: u64,
}

/// Where a tree starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Top {
    /// Bytes of all its blocks.
    pub bytes: u64,
    /// Level of its top block.
    pub level: u8,
    /// Logical address of its top block.
    pub logical: Logical,
}

/// Every tree block of a filesystem.
#[derive(Clone, Debug)]
pub struct Forest {
    /// By ascending logical address.
    pub blocks: Vec<TreeBlock>,
    /// Bytes of all blocks, counted once however many copies there are.
    pub bytes_used: u64,
    /// Where blocks stand, and what they leave free.
    pub placement: Placement,
    /// Where each tree starts.
    pub tops: BTreeMap<TreeId, Top>,
}

/// A tree's items and the blocks they take.
struct Tree {
    items: Items,
    shape: Shape,
}

type Trees = BTreeMap<TreeId, Tree>;

impl Forest {
    /// Builds all trees. The layout grows where its metadata or system chunks are too small.
    ///
    /// Extent, free space and block group tree have items for blocks and free ranges, so their size depends on the
    /// place of every block, which depends on their size. Each round places as many blocks as were last needed and
    /// counts what the trees need then. The leaves of a tree never become fewer from round to round (one that needs
    /// fewer than it was given spreads its items), and devices have room for so many only; so the rounds end, with
    /// every tree exactly as many blocks as were placed for it.
    pub fn plant(settings: &Settings, layout: &mut Layout, contents: &Contents) -> Result<Self, RequestError> {
        let node_size = settings.node_size;
        let mut trees = independent(settings, contents)?;
        let mut leaves: BTreeMap<TreeId, usize> = trees.iter().map(|(id, tree)| (*id, tree.shape.leaves())).collect();
        loop {
            let dependent =
                [(TreeId::Chunk, chunk::items(settings, layout)?), (TreeId::Dev, dev::items(settings, layout))];
            fit(&mut trees, &mut leaves, node_size, dependent)?;
            let chunks = layout.chunks().len();
            let placement = place(settings, layout, &levels(&leaves, node_size))?;
            if layout.chunks().len() != chunks {
                continue;
            }
            let records = records(&placement, &leaves, node_size);
            let mut describing = Vec::from([(TreeId::Extent, extent::items(settings, layout, &placement, &records))]);
            if settings.features.has(Feature::FreeSpaceTree) {
                describing.push((TreeId::FreeSpace, free_space::items(layout, &placement)));
            }
            if settings.features.has(Feature::BlockGroupTree) {
                describing.push((TreeId::BlockGroup, block_group::items(settings, layout, &placement)));
            }
            if fit(&mut trees, &mut leaves, node_size, describing)? {
                return Self::write(settings, layout, trees, placement);
            }
        }
    }

    /// Writes out trees that have settled.
    fn write(
        settings: &Settings,
        layout: &Layout,
        mut trees: Trees,
        placement: Placement,
    ) -> Result<Self, RequestError> {
        let places = |id: &TreeId| placement.trees.get(id).map(Vec::as_slice).unwrap_or_default();
        let mut tops = BTreeMap::new();
        let mut records = Vec::new();
        for (id, tree) in &trees {
            let logical = places(id).last().copied().unwrap_or_default();
            let bytes = bytes_of(settings, tree.shape.blocks())?;
            tops.insert(*id, Top { bytes, level: tree.shape.height(), logical });
            let levels =
                tree.shape.levels().iter().zip(0_u8..).flat_map(|(blocks, level)| blocks.iter().map(move |_| level));
            let keys = first_keys(&tree.items, &tree.shape);
            let blocks = places(id).iter().zip(levels).zip(keys);
            records.extend(blocks.map(|((logical, level), first_key)| BlockRecord {
                logical: *logical,
                level,
                tree: *id,
                first_key,
            }));
        }
        records.sort_unstable_by_key(|record| record.logical);
        // Their sizes and order were known all along; only now is what they say.
        for (id, items) in [
            (TreeId::Root, root::items(settings, &tops)),
            (TreeId::Extent, extent::items(settings, layout, &placement, &records)),
        ] {
            if let Some(tree) = trees.get_mut(&id) {
                tree.items = items;
            }
        }
        let mut blocks = Vec::with_capacity(records.len());
        for (id, tree) in &trees {
            blocks.extend(block::write(settings, *id, &tree.items, &tree.shape, places(id))?);
        }
        blocks.sort_unstable_by_key(|block| block.logical);
        let bytes_used = placement.groups.iter().try_fold(0_u64, |sum, group| sum.plus(group.used))?;
        Ok(Self { blocks, bytes_used, placement, tops })
    }
}

/// The trees whose size depends neither on the layout nor on the place of any block; and those that do, empty as yet.
fn independent(settings: &Settings, contents: &Contents) -> Result<Trees, RequestError> {
    let has = |feature| settings.features.has(feature);
    let mut subvolume = fs::items(settings, contents.root_directory_size);
    subvolume.append(&contents.fs);
    if !subvolume.sorted() {
        return Err(RequestError::ContentsOrder);
    }
    let fs_bytes = bytes_of(settings, Shape::pack(subvolume.sizes(), settings.node_size, 1)?.blocks())?;

    let mut items = BTreeMap::from([
        (TreeId::Extent, Items::new()),
        (TreeId::Fs, subvolume),
        (TreeId::Csum, Items::new()),
        (TreeId::Uuid, uuid::items(settings)),
    ]);
    for index in 1..settings.global_roots.unwrap_or(1) {
        // A new filesystem is small: the first of each tree has it all.
        for part in [TreeId::ExtentPart(index), TreeId::CsumPart(index), TreeId::FreeSpacePart(index)] {
            items.insert(part, Items::new());
        }
    }
    if has(Feature::RemapTree) {
        // It says where block groups were moved to, of which there are none. Data is moved without the other tree.
        items.insert(TreeId::Remap, Items::new());
    } else {
        items.insert(TreeId::DataReloc, fs::items(settings, 0));
    }
    if has(Feature::Quota) || has(Feature::SimpleQuota) {
        items.insert(TreeId::Quota, quota::items(settings, fs_bytes));
    }
    if has(Feature::FreeSpaceTree) {
        items.insert(TreeId::FreeSpace, Items::new());
    }
    if has(Feature::BlockGroupTree) {
        items.insert(TreeId::BlockGroup, Items::new());
    }
    if has(Feature::RaidStripeTree) {
        // It says where data lies, of which there is none.
        items.insert(TreeId::RaidStripe, Items::new());
    }
    // The root tree has an item for each of the others; where they start is not known yet.
    let tops = items.keys().chain([&TreeId::Dev]).map(|id| (*id, Top::default())).collect();
    items.insert(TreeId::Root, root::items(settings, &tops));

    let pack = |(id, items): (TreeId, Items)| {
        let shape = Shape::pack(items.sizes(), settings.node_size, 1)?;
        Ok((id, Tree { items, shape }))
    };
    items.into_iter().map(pack).collect()
}

/// Gives trees new items. False if one of them needs more leaves than it has, which it is given for the next round.
fn fit(
    trees: &mut Trees,
    leaves: &mut BTreeMap<TreeId, usize>,
    node_size: u32,
    new: impl IntoIterator<Item = (TreeId, Items)>,
) -> Result<bool, RequestError> {
    let mut settled = true;
    for (id, items) in new {
        let has = leaves.entry(id).or_insert(1);
        let mut shape = Shape::pack(items.sizes(), node_size, 1)?;
        if shape.leaves() > *has {
            *has = shape.leaves();
            settled = false;
        } else if shape.leaves() < *has {
            shape = Shape::pack(items.sizes(), node_size, *has)?;
        }
        trees.insert(id, Tree { items, shape });
    }
    Ok(settled)
}

/// How many blocks each tree has on each level.
fn levels(leaves: &BTreeMap<TreeId, usize>, node_size: u32) -> BTreeMap<TreeId, Vec<usize>> {
    leaves.iter().map(|(id, leaves)| (*id, Shape::level_sizes(*leaves, node_size))).collect()
}

/// Every block that has a place, by ascending address, its first key still unknown.
fn records(placement: &Placement, leaves: &BTreeMap<TreeId, usize>, node_size: u32) -> Vec<BlockRecord> {
    let mut records = Vec::new();
    for (tree, sizes) in levels(leaves, node_size) {
        let levels = sizes.iter().zip(0_u8..).flat_map(|(count, level)| core::iter::repeat_n(level, *count));
        let places = placement.trees.get(&tree).map(Vec::as_slice).unwrap_or_default();
        records.extend(places.iter().zip(levels).map(|(logical, level)| BlockRecord {
            logical: *logical,
            level,
            tree,
            first_key: Key::new(0, ItemType(0), 0),
        }));
    }
    records.sort_unstable_by_key(|record| record.logical);
    records
}
