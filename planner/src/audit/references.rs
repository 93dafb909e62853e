//! References forth and back: what trees and files refer to, against what the extent tree says of it.

use super::extents::{Extents, From, Reference};
use super::inodes::FileExtent;
use super::reader::Reader;
use super::superblock::SKINNY_METADATA;
use super::{Code, Place, Scope};
use crate::disk::key::ItemType;
use alloc::format;
use alloc::vec::Vec;

/// Compares every tree block and every file extent with the extent tree.
pub(super) fn check(reader: &mut Reader<'_>, extents: &Extents, files: &[FileExtent]) {
    blocks(reader, extents);
    if reader.incomplete {
        // Whatever refers to an extent may stand in what could not be read.
        return;
    }
    let mut expected: Vec<Reference> = Vec::new();
    for reference in &reader.references {
        let from = match reference.parent {
            None => From::Tree(reference.tree),
            Some(node) if extents.get(node).is_some_and(|extent| extent.full_backref) => From::Node(node),
            Some(node) => From::Tree(reader.blocks.get(&node).map_or(reference.tree, |node| node.owner)),
        };
        expected.push(Reference { extent: reference.block, from, count: 1 });
    }
    for file in files {
        let from = if extents.get(file.leaf).is_some_and(|extent| extent.full_backref) {
            From::Leaf(file.leaf)
        } else {
            From::File(file.owner, file.inode, file.origin)
        };
        expected.push(Reference { extent: file.start, from, count: 1 });
        match extents.get(file.start) {
            Some(extent) if extent.data => {
                reader.findings.equal(Code::FileExtentLength, file.place, extent.length, file.length);
                if file.generation > extent.generation.max(reader.filesystem.superblock.generation.get()) {
                    reader.findings.add(Code::ExtentGeneration, file.place, extent.generation, file.generation);
                }
            }
            _ => {
                reader.findings.add(Code::ExtentMissing, file.place, "a data extent", format!("none at {}", file.start))
            }
        }
    }
    let (expected, found) = (merged(expected), merged(extents.references.clone()));
    difference(reader, extents, &expected, &found);
    for extent in &extents.extents {
        let first = found.partition_point(|reference| reference.extent < extent.start);
        let of_extent = found.iter().skip(first).take_while(|reference| reference.extent == extent.start);
        let count = of_extent.fold(0_u64, |sum, reference| sum.saturating_add(reference.count));
        reader.findings.equal(Code::ExtentCount, extent.place, count, extent.references);
    }
}

/// Every tree block has its extent item, and every extent item of a tree block its block.
fn blocks(reader: &mut Reader<'_>, extents: &Extents) {
    let skinny = reader.filesystem.incompat(SKINNY_METADATA);
    let newest = reader.filesystem.superblock.generation.get();
    for (logical, block) in &reader.blocks {
        let place = Place::block(block.tree, *logical);
        let Some(extent) = extents.get(*logical).filter(|extent| !extent.data) else {
            reader.findings.add(Code::ExtentMissing, place, "an item in the extent tree", "none");
            continue;
        };
        reader.findings.equal(Code::ExtentLevel, extent.place, block.level, extent.level);
        reader.findings.equal(Code::ExtentGeneration, extent.place, block.generation, extent.generation);
        // Another key may be left from what the block held before.
        if reader.scope == Scope::New && extent.key.is_some() {
            let first = block.first_key.unwrap_or(crate::disk::key::Key::new(0, ItemType(0), 0));
            if extent.key != Some(first) {
                reader.findings.add(Code::ExtentKey, extent.place, "the block's first key", "another");
            }
        }
        if extent.unlisted {
            continue;
        }
        let is_skinny = extent.place.key.is_some_and(|key| key.item_type == ItemType::METADATA_ITEM);
        if is_skinny && !skinny {
            reader.findings.add(Code::ExtentItem, extent.place, "a key with the length", "a key with the level");
        } else if !is_skinny && skinny && extent.generation == newest && reader.scope == Scope::New {
            reader.findings.add(Code::ExtentItem, extent.place, "a key with the level", "a key with the length");
        }
    }
    if reader.incomplete {
        return;
    }
    for extent in extents.extents.iter().filter(|extent| !extent.data && !reader.blocks.contains_key(&extent.start)) {
        reader.findings.add(Code::ExtentUnused, extent.place, "a tree block that something refers to", "none");
    }
}

/// Sorted, with one entry for each place that refers.
fn merged(mut references: Vec<Reference>) -> Vec<Reference> {
    references.sort_unstable();
    references.dedup_by(|next, kept| {
        let same = (next.extent, next.from) == (kept.extent, kept.from);
        if same {
            kept.count = kept.count.saturating_add(next.count);
        }
        same
    });
    references
}

/// Reports what only one of two sorted lists has.
fn difference(reader: &mut Reader<'_>, extents: &Extents, expected: &[Reference], found: &[Reference]) {
    let place = |reference: &Reference| {
        extents.get(reference.extent).map_or(Place::logical(reference.extent), |extent| extent.place)
    };
    let say = |reference: &Reference| format!("{} from {}", reference.count, reference.from);
    let (mut expected, mut found) = (expected.iter().peekable(), found.iter().peekable());
    loop {
        let order = match (expected.peek(), found.peek()) {
            (None, None) => return,
            (Some(_), None) => core::cmp::Ordering::Less,
            (None, Some(_)) => core::cmp::Ordering::Greater,
            (Some(left), Some(right)) => (left.extent, left.from).cmp(&(right.extent, right.from)),
        };
        let (left, right) = match order {
            core::cmp::Ordering::Less => (expected.next(), None),
            core::cmp::Ordering::Greater => (None, found.next()),
            core::cmp::Ordering::Equal => (expected.next(), found.next()),
        };
        match (left, right) {
            (Some(left), Some(right)) if left.count == right.count => {}
            (Some(left), Some(right)) => {
                reader.findings.add(Code::ExtentReferences, place(left), say(left), say(right));
            }
            (Some(left), None) => reader.findings.add(Code::ExtentReferences, place(left), say(left), "none"),
            (None, Some(right)) => reader.findings.add(Code::ExtentReferences, place(right), "none", say(right)),
            (None, None) => {}
        }
    }
}
