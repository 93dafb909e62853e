//! Changing one thing of a plan's filesystem and mending its checksum.

use btrfs_planner::Plan;
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::disk::key::{ItemType, Key};
use btrfs_planner::disk::superblock::Superblock;
use btrfs_planner::disk::tree_block::{HEADER_SIZE, Header, ITEM_SIZE, ItemHeader};
use btrfs_planner::plan::{Payload, WriteAt};
use btrfs_planner::units::Physical;
use zerocopy::{FromBytes, IntoBytes};

/// Items of a leaf.
pub(crate) type Items = Vec<(Key, Vec<u8>)>;

/// Changes the bytes of a payload, and mends the checksum at its start.
pub(crate) fn payload(plan: &mut Plan, index: usize, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = plan.payloads[index].expand().unwrap();
    change(&mut bytes);
    plan.filesystem.checksum.seal(&mut bytes);
    plan.payloads[index] = Payload::new(&bytes);
}

/// The payload of a tree's only block.
pub(crate) fn of_tree(plan: &Plan, tree: &str) -> usize {
    plan.blocks.iter().find(|block| block.tree == tree && block.level == 0).unwrap().payload as usize
}

/// Changes a tree's block.
pub(crate) fn block(plan: &mut Plan, tree: &str, change: impl FnOnce(&mut Vec<u8>)) {
    payload(plan, of_tree(plan, tree), change);
}

/// Changes the header of a tree's block.
pub(crate) fn header(plan: &mut Plan, tree: &str, change: impl FnOnce(&mut Header)) {
    block(plan, tree, |bytes| change(Header::mut_from_prefix(bytes).unwrap().0));
}

/// Changes the items of a tree's only leaf, whatever their number and sizes become.
pub(crate) fn items(plan: &mut Plan, tree: &str, change: impl FnOnce(&mut Items)) {
    block(plan, tree, |bytes| {
        let mut header = Header::read_from_prefix(bytes).unwrap().0;
        let mut items: Items = (0..header.nritems.get() as usize)
            .map(|slot| {
                let item = ItemHeader::read_from_prefix(&bytes[HEADER_SIZE + slot * ITEM_SIZE..]).unwrap().0;
                let start = HEADER_SIZE + item.offset.get() as usize;
                (item.key.into(), bytes[start..start + item.size.get() as usize].to_vec())
            })
            .collect();
        change(&mut items);
        let size = bytes.len();
        bytes[HEADER_SIZE..].fill(0);
        let mut end = size;
        for (slot, (key, data)) in items.iter().enumerate() {
            end -= data.len();
            bytes[end..end + data.len()].copy_from_slice(data);
            let (offset, size) = ((end - HEADER_SIZE) as u32, data.len() as u32);
            let item = ItemHeader { key: (*key).into(), offset: offset.into(), size: size.into() };
            bytes[HEADER_SIZE + slot * ITEM_SIZE..][..ITEM_SIZE].copy_from_slice(item.as_bytes());
        }
        header.nritems = (items.len() as u32).into();
        bytes[..HEADER_SIZE].copy_from_slice(header.as_bytes());
    });
    let count = {
        let bytes = plan.payloads[of_tree(plan, tree)].expand().unwrap();
        Header::read_from_prefix(&bytes).unwrap().0.nritems.get()
    };
    plan.blocks.iter_mut().find(|block| block.tree == tree).unwrap().items = count;
}

/// The number of the first item of a type.
pub(crate) fn first(items: &Items, kind: ItemType) -> usize {
    items.iter().position(|(key, _)| key.item_type == kind).unwrap()
}

/// Changes the first item of a type.
pub(crate) fn item(plan: &mut Plan, tree: &str, kind: ItemType, change: impl FnOnce(&mut Key, &mut Vec<u8>)) {
    items(plan, tree, |items| {
        let index = first(items, kind);
        let (key, data) = &mut items[index];
        change(key, data);
    });
}

/// Overwrites bytes of the first item of a type.
pub(crate) fn bytes(plan: &mut Plan, tree: &str, kind: ItemType, at: usize, with: &[u8]) {
    item(plan, tree, kind, |_, data| data[at..at + with.len()].copy_from_slice(with));
}

/// Removes the first item of a type.
pub(crate) fn remove(plan: &mut Plan, tree: &str, kind: ItemType) {
    items(plan, tree, |items| drop(items.remove(first(items, kind))));
}

/// Adds an item where it belongs.
pub(crate) fn add(plan: &mut Plan, tree: &str, key: Key, data: &[u8]) {
    items(plan, tree, |items| {
        items.push((key, data.to_vec()));
        items.sort_by_key(|(key, _)| *key);
    });
}

/// Changes every superblock.
pub(crate) fn superblocks(plan: &mut Plan, change: impl Fn(&mut Superblock)) {
    for device in 0..plan.devices.len() {
        for copy in 0..plan.devices[device].commit.len() {
            superblock(plan, device, copy, &change);
        }
    }
}

/// Changes one superblock: mirrors first, the primary one last.
pub(crate) fn superblock(plan: &mut Plan, device: usize, copy: usize, change: impl FnOnce(&mut Superblock)) {
    let index = plan.devices[device].commit[copy].payload as usize;
    let mut bytes = plan.payloads[index].expand().unwrap();
    let block = Superblock::mut_from_bytes(&mut bytes).unwrap();
    change(block);
    let kind = ChecksumType::from_on_disk(block.csum_type.get()).unwrap_or_default();
    kind.seal(&mut bytes);
    plan.payloads[index] = Payload::new(&bytes);
}

/// Writes other bytes instead of the first write of a payload.
pub(crate) fn one_copy(plan: &mut Plan, index: usize, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = plan.payloads[index].expand().unwrap();
    change(&mut bytes);
    let new = plan.payloads.len() as u32;
    plan.payloads.push(Payload::new(&bytes));
    let write = plan.devices[0].writes.iter_mut().find(|write| write.payload as usize == index).unwrap();
    write.payload = new;
}

/// Writes more.
pub(crate) fn write(plan: &mut Plan, offset: u64, bytes: &[u8]) {
    let payload = plan.payloads.len() as u32;
    plan.payloads.push(Payload::new(bytes));
    plan.devices[0].writes.push(WriteAt { offset: Physical::new(offset), payload });
    plan.devices[0].writes.sort_by_key(|write| write.offset);
}
