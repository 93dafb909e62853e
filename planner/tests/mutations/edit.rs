//! Ways to change a plan that leave every checksum right.

use btrfs_planner::Plan;
use btrfs_planner::disk::key::Key;
use btrfs_planner::disk::superblock::Superblock;
use btrfs_planner::disk::tree_block::{HEADER_SIZE, Header, ITEM_SIZE, ItemHeader};
use btrfs_planner::plan::Payload;
use std::ops::Range;
use zerocopy::{FromBytes, IntoBytes};

/// The payload of a tree's first block.
pub(crate) fn payload_of(plan: &Plan, tree: &str) -> u32 {
    plan.blocks.iter().find(|block| block.tree == tree && block.level == 0).expect("the plan has the tree").payload
}

/// Changes bytes of a payload and mends their checksum.
pub(crate) fn payload(plan: &mut Plan, index: u32, change: impl FnOnce(&mut [u8])) {
    let old = &plan.payloads[index as usize];
    let mut bytes = old.expand().unwrap();
    change(&mut bytes);
    plan.filesystem.checksum.seal(&mut bytes);
    plan.payloads[index as usize] = Payload::new(&bytes);
}

/// Changes the first leaf of a tree, in all its copies.
pub(crate) fn leaf(plan: &mut Plan, tree: &str, change: impl FnOnce(&mut [u8])) {
    let index = payload_of(plan, tree);
    payload(plan, index, change);
}

/// Gives the first write of a payload, on the last device that has it, a payload of its own.
pub(crate) fn split_copy(plan: &mut Plan, index: u32) -> u32 {
    let copy = u32::try_from(plan.payloads.len()).unwrap();
    let bytes = plan.payloads[index as usize].clone();
    let writes = plan.devices.iter_mut().rev().flat_map(|device| device.writes.iter_mut().chain(&mut device.commit));
    if let Some(write) = writes.into_iter().find(|write| write.payload == index) {
        write.payload = copy;
        plan.payloads.push(bytes);
        return copy;
    }
    index
}

/// Changes one copy of the first leaf of a tree.
pub(crate) fn one_copy(plan: &mut Plan, tree: &str, change: impl FnOnce(&mut [u8])) {
    let index = payload_of(plan, tree);
    let copy = split_copy(plan, index);
    payload(plan, copy, change);
}

/// Changes all superblock copies of all devices.
pub(crate) fn superblocks(plan: &mut Plan, change: impl Fn(&mut Superblock)) {
    let all: Vec<u32> =
        plan.devices.iter().flat_map(|device| device.commit.iter().map(|write| write.payload)).collect();
    for index in all {
        superblock(plan, index, &change);
    }
}

/// Changes one superblock copy.
pub(crate) fn superblock(plan: &mut Plan, index: u32, change: impl Fn(&mut Superblock)) {
    payload(plan, index, |bytes| {
        let mut block = Superblock::read_from_bytes(bytes).unwrap();
        change(&mut block);
        bytes.copy_from_slice(block.as_bytes());
    });
}

/// Changes the header of a block.
pub(crate) fn header(bytes: &mut [u8], change: impl FnOnce(&mut Header)) {
    change(Header::mut_from_prefix(bytes).unwrap().0);
}

/// The items of a leaf: number, key, and where its data stands.
pub(crate) fn items(bytes: &[u8]) -> Vec<(usize, Key, Range<usize>)> {
    let count = Header::read_from_prefix(bytes).unwrap().0.nritems.get() as usize;
    let item = |index: usize| {
        let head = ItemHeader::read_from_prefix(&bytes[HEADER_SIZE + index * ITEM_SIZE..]).unwrap().0;
        let start = HEADER_SIZE + head.offset.get() as usize;
        (index, Key::from(head.key), start..start + head.size.get() as usize)
    };
    (0..count).map(item).collect()
}

/// Changes the head of an item.
pub(crate) fn head(bytes: &mut [u8], index: usize, change: impl FnOnce(&mut ItemHeader)) {
    change(ItemHeader::mut_from_prefix(&mut bytes[HEADER_SIZE + index * ITEM_SIZE..]).unwrap().0);
}

/// Changes the data of the first item of a type.
pub(crate) fn data(bytes: &mut [u8], item_type: u8, change: impl FnOnce(&mut [u8])) {
    let (_, _, place) =
        items(bytes).into_iter().find(|(_, key, _)| key.item_type.0 == item_type).expect("an item of the type");
    change(&mut bytes[place]);
}

/// Adds to the little-endian number of 64 bits at an offset.
pub(crate) fn add(bytes: &mut [u8], at: usize, amount: u64) {
    let field: [u8; 8] = bytes[at..at + 8].try_into().unwrap();
    let sum = u64::from_le_bytes(field).wrapping_add(amount);
    bytes[at..at + 8].copy_from_slice(&sum.to_le_bytes());
}

/// Takes an item out of a leaf; its data stays as a gap.
pub(crate) fn drop_item(bytes: &mut [u8], index: usize) {
    let count = items(bytes).len();
    let heads = HEADER_SIZE + index * ITEM_SIZE..HEADER_SIZE + count * ITEM_SIZE;
    bytes.copy_within(heads.start + ITEM_SIZE..heads.end, heads.start);
    bytes[heads.end - ITEM_SIZE..heads.end].fill(0);
    header(bytes, |header| header.nritems = (header.nritems.get() - 1).into());
}
