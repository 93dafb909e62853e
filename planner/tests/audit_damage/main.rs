//! Every code of the audit is found: a table of damages, one for each, done to the filesystems of good plans.

// A test may fail by panicking.
#![allow(clippy::arithmetic_side_effects, clippy::as_conversions, clippy::indexing_slicing, clippy::unwrap_used)]

mod damage;
mod file;

use btrfs_planner::audit::{Code, Disks, ReadFailed, Replay, Report, Subject, audit_disks, audit_plan};
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::disk::key::{ItemType as Type, Key};
use btrfs_planner::plan::Payload;
use btrfs_planner::request::{DeviceFacts, KernelVersion, Profile};
use btrfs_planner::{Plan, Request, plan};
use damage::{add, block, bytes, header, item, items, of_tree, one_copy, payload, remove, superblock, superblocks};
use file::with_file;
use std::collections::BTreeSet;

fn make(devices: usize, profile: Option<Profile>, features: &[&str]) -> Plan {
    let mut request = Request::new(vec![DeviceFacts::described(10 << 30); devices], "damage", 1_700_000_000);
    request.metadata = profile;
    request.features = features.iter().map(|name| name.parse().unwrap()).collect();
    plan(&request).unwrap()
}

fn default() -> Plan {
    make(1, None, &[])
}

fn two() -> Plan {
    make(2, None, &[])
}

fn quota() -> Plan {
    make(1, None, &["quota"])
}

fn full_items() -> Plan {
    make(1, None, &["^skinny-metadata"])
}

fn parity() -> Plan {
    make(3, Some(Profile::Raid5), &[])
}

/// A filesystem with an experimental feature.
fn experiment(features: &[&str]) -> Plan {
    let mut request = Request::new(vec![DeviceFacts::described(10 << 30); 2], "damage", 1_700_000_000);
    request.features = features.iter().map(|name| name.parse().unwrap()).collect();
    (request.experimental, request.data) = (true, Some(Profile::Raid1));
    plan(&request).unwrap()
}

fn stripe_tree() -> Plan {
    experiment(&["raid-stripe-tree"])
}

fn zoned_stripe_tree() -> Plan {
    experiment(&["zoned"])
}

/// A filesystem with a remap tree.
fn remap() -> Plan {
    experiment(&["remap-tree"])
}

/// A filesystem with two extent trees.
fn several() -> Plan {
    let mut request = Request::new(vec![DeviceFacts::described(10 << 30); 2], "damage", 1_700_000_000);
    request.features = vec!["extent-tree-v2".parse().unwrap()];
    (request.experimental, request.global_roots) = (true, Some(2));
    plan(&request).unwrap()
}

/// An item for the first bytes of the data chunk, at these places of the two devices.
fn add_strides(plan: &mut Plan, key: Key, places: &[(u64, u64)]) {
    let strides: Vec<u8> =
        places.iter().flat_map(|(devid, offset)| [devid.to_le_bytes(), offset.to_le_bytes()].concat()).collect();
    add(plan, "raid-stripe", key, &strides);
}

fn data_chunk(plan: &Plan) -> u64 {
    plan.chunks.iter().find(|chunk| chunk.kind.name() == "data").unwrap().logical.get()
}

fn with_holes() -> Plan {
    with_file(make(1, None, &["^no-holes", "^block-group-tree"]))
}

fn file() -> Plan {
    with_file(default())
}

/// A code, a good plan, and what is done to it.
type Damage = (Code, fn() -> Plan, fn(&mut Plan));

const BG: Type = Type::BLOCK_GROUP_ITEM;

const DAMAGES: &[Damage] = &[
    (Code::DeviceCount, default, |p| superblocks(p, |it| it.num_devices = 2.into())),
    (Code::DeviceTwice, two, |p| (0..2).for_each(|copy| superblock(p, 1, copy, |it| it.dev_item.devid = 1.into()))),
    (Code::SuperblockMissing, default, |p| superblock(p, 0, 0, |it| it.magic = [0; 8])),
    (Code::SuperblockChecksum, default, |p| {
        let index = p.devices[0].commit[0].payload as usize;
        let mut bytes = p.payloads[index].expand().unwrap();
        bytes[0] ^= 1;
        p.payloads[index] = Payload::new(&bytes);
    }),
    (Code::SuperblockChecksumType, default, |p| superblocks(p, |it| it.csum_type = 9.into())),
    (Code::SuperblockPlace, default, |p| superblock(p, 0, 0, |it| it.bytenr = 65536.into())),
    (Code::SuperblocksDiffer, default, |p| superblock(p, 0, 0, |it| it.label[0] = b'x')),
    (Code::SuperblocksDiffer, two, |p| (0..2).for_each(|copy| superblock(p, 1, copy, |it| it.label[0] = b'x'))),
    (Code::SuperblockSizes, default, |p| superblocks(p, |it| it.leafsize = 4096.into())),
    (Code::SuperblockSizes, default, |p| superblocks(p, |it| it.nodesize = 12288.into())),
    (Code::SuperblockFlags, default, |p| superblocks(p, |it| it.flags = 3.into())),
    (Code::SuperblockFeatures, default, |p| superblocks(p, |it| it.incompat_flags = (1 << 40).into())),
    (Code::SuperblockRoots, default, |p| superblocks(p, |it| it.root = 1.into())),
    (Code::SuperblockRoots, default, |p| superblocks(p, |it| it.root_level = 8)),
    (Code::SuperblockRootDirectory, default, |p| superblocks(p, |it| it.root_dir_objectid = 7.into())),
    (Code::SuperblockLabel, default, |p| superblocks(p, |it| it.label = [b'x'; 256])),
    (Code::SuperblockUuidTree, default, |p| superblocks(p, |it| it.uuid_tree_generation = u64::MAX.into())),
    (Code::SuperblockCache, default, |p| superblocks(p, |it| it.cache_generation = 5.into())),
    (Code::SuperblockUnused, default, |p| superblocks(p, |it| it.reserved[3] = 1)),
    (Code::SystemChunkArray, default, |p| superblocks(p, |it| it.sys_chunk_array[17 + 48] = 9)),
    (Code::SystemChunkArray, default, |p| superblocks(p, |it| it.sys_chunk_array[2047] = 9)),
    (Code::BackupRoots, default, |p| superblocks(p, |it| it.super_roots[0].fs_root = 4096.into())),
    (Code::TotalBytes, default, |p| superblocks(p, |it| it.total_bytes = 4096.into())),
    (Code::BytesUsed, default, |p| superblocks(p, |it| it.bytes_used = 4096.into())),
    (Code::LogTree, default, |p| superblocks(p, |it| it.log_root = 4096.into())),
    (Code::ChunkItem, default, |p| bytes(p, "chunk", Type::CHUNK_ITEM, 8, &[9])),
    (Code::ChunkFlags, default, |p| bytes(p, "chunk", Type::CHUNK_ITEM, 24, &[0xff, 0xff])),
    (Code::ChunkFlags, zoned_stripe_tree, |p| superblocks(p, |it| it.incompat_flags = 0x1361.into())),
    (Code::ChunkFlags, parity, |p| superblocks(p, |it| it.incompat_flags = 0x13e1.into())),
    (Code::ChunkStripes, default, |p| bytes(p, "chunk", Type::CHUNK_ITEM, 24, &[1 << 4 | 1])),
    (Code::ChunkRange, default, |p| bytes(p, "chunk", Type::CHUNK_ITEM, 0, &[1])),
    (Code::ChunkDevice, default, |p| bytes(p, "chunk", Type::CHUNK_ITEM, 48 + 16, &[1; 16])),
    (Code::ChunksOverlap, default, |p| bytes(p, "chunk", Type::CHUNK_ITEM, 0, &(16_u64 << 20).to_le_bytes())),
    (Code::DeviceItem, default, |p| bytes(p, "chunk", Type::DEV_ITEM, 36, &[1])),
    (Code::DeviceSuperblock, default, |p| bytes(p, "chunk", Type::DEV_ITEM, 44, &[1])),
    (Code::DeviceSize, default, |p| bytes(p, "chunk", Type::DEV_ITEM, 8, &(1_u64 << 40).to_le_bytes())),
    (Code::DeviceUsed, default, |p| bytes(p, "chunk", Type::DEV_ITEM, 16, &[1])),
    (Code::DeviceErrors, default, |p| bytes(p, "dev", Type::PERSISTENT_ITEM, 16, &[1])),
    (Code::DeviceExtent, default, |p| bytes(p, "dev", Type::DEV_EXTENT, 0, &[9])),
    (Code::DeviceExtentOverlap, default, |p| bytes(p, "dev", Type::DEV_EXTENT, 24, &(16_u64 << 20).to_le_bytes())),
    (Code::DeviceExtentBeyond, default, |p| bytes(p, "dev", Type::DEV_EXTENT, 24, &(1_u64 << 50).to_le_bytes())),
    (Code::DeviceExtentReserved, default, |p| item(p, "dev", Type::DEV_EXTENT, |key, _| key.offset = 4096)),
    (Code::DeviceExtentChunk, default, |p| bytes(p, "dev", Type::DEV_EXTENT, 16, &[1])),
    (Code::DeviceExtentChunk, default, |p| remove(p, "dev", Type::DEV_EXTENT)),
    (Code::Parity, parity, |p| {
        let index = p.blocks.len();
        let mut bytes = p.payloads[index].expand().unwrap();
        bytes[7] ^= 1;
        p.payloads[index] = Payload::new(&bytes);
    }),
    (Code::BlockPlace, default, |p| bytes(p, "root", Type::ROOT_ITEM, 176, &(1_u64 << 50).to_le_bytes())),
    (Code::BlockChecksum, default, |p| {
        let index = of_tree(p, "fs");
        let mut bytes = p.payloads[index].expand().unwrap();
        bytes[200] ^= 1;
        p.payloads[index] = Payload::new(&bytes);
    }),
    (Code::BlockChecksum, default, |p| one_copy(p, of_tree(p, "fs"), |bytes| bytes[200] ^= 1)),
    (Code::BlockCopiesDiffer, default, |p| {
        one_copy(p, of_tree(p, "fs"), |bytes| {
            bytes[200] ^= 1;
            ChecksumType::Crc32c.seal(bytes);
        });
    }),
    (Code::BlockOnSuperblock, default, |p| {
        let (metadata, stripe) = (p.chunks[2].logical.get(), p.chunks[2].stripes[0].offset.get());
        let there = metadata + (64 << 20) - stripe;
        bytes(p, "root", Type::ROOT_ITEM, 176, &there.to_le_bytes());
    }),
    (Code::BlockAddress, default, |p| header(p, "fs", |it| it.bytenr = 4096.into())),
    (Code::BlockUuid, default, |p| header(p, "fs", |it| it.fsid = [1; 16])),
    (Code::BlockUuid, default, |p| header(p, "fs", |it| it.chunk_tree_uuid = [1; 16])),
    (Code::BlockFlags, default, |p| header(p, "fs", |it| it.flags = 0.into())),
    (Code::BlockGeneration, default, |p| header(p, "fs", |it| it.generation = 77.into())),
    (Code::BlockLevel, default, |p| header(p, "fs", |it| it.level = 1)),
    (Code::BlockOwner, default, |p| header(p, "fs", |it| it.owner = 257.into())),
    (Code::BlockItems, default, |p| header(p, "fs", |it| it.nritems = 5000.into())),
    (Code::BlockItems, default, |p| block(p, "fs", |bytes| bytes[101 + 17] ^= 1)),
    (Code::BlockGap, default, |p| block(p, "fs", |bytes| bytes[4000] = 1)),
    (Code::BlockTwice, default, |p| {
        items(p, "root", |items| {
            let roots: Vec<usize> = (0..items.len()).filter(|at| items[*at].0.item_type == Type::ROOT_ITEM).collect();
            let other = items[roots[0]].1[176..184].to_vec();
            items[roots[1]].1[176..184].copy_from_slice(&other);
        })
    }),
    (Code::KeyOrder, default, |p| items(p, "fs", |items| items.swap(0, 1))),
    (Code::ItemUnknown, default, |p| add(p, "fs", Key::new(256, Type(77), 0), &[1])),
    (Code::TreeUnknown, default, |p| {
        items(p, "root", |items| {
            let last = items.iter().rposition(|(key, _)| key.item_type == Type::ROOT_ITEM).unwrap();
            items[last].0.objectid = 200;
        })
    }),
    (Code::ExtentItem, default, |p| item(p, "extent", Type::METADATA_ITEM, |_, data| data.truncate(30))),
    (Code::ExtentRange, default, |p| item(p, "extent", Type::METADATA_ITEM, |key, _| key.objectid += 512)),
    (Code::ExtentGeneration, default, |p| bytes(p, "extent", Type::METADATA_ITEM, 8, &[0])),
    (Code::ExtentLevel, default, |p| item(p, "extent", Type::METADATA_ITEM, |key, _| key.offset = 3)),
    (Code::ExtentKey, full_items, |p| bytes(p, "extent", Type::EXTENT_ITEM, 24, &[77])),
    (Code::ExtentMissing, default, |p| remove(p, "extent", Type::METADATA_ITEM)),
    (Code::ExtentUnused, default, |p| {
        items(p, "extent", |items| {
            let (mut key, data) = items.last().cloned().unwrap();
            key.objectid += 16384;
            items.push((key, data));
        })
    }),
    (Code::ExtentReferences, default, |p| bytes(p, "extent", Type::METADATA_ITEM, 25, &[9])),
    (Code::ExtentCount, default, |p| bytes(p, "extent", Type::METADATA_ITEM, 0, &[2])),
    (Code::BlockGroupItem, default, |p| bytes(p, "block-group", BG, 8, &[9])),
    (Code::BlockGroupUsed, default, |p| bytes(p, "block-group", BG, 0, &[9])),
    (Code::BlockGroupFlags, default, |p| bytes(p, "block-group", BG, 16, &[4])),
    (Code::BlockGroupChunk, default, |p| remove(p, "block-group", BG)),
    (Code::BlockGroupChunk, default, |p| item(p, "block-group", BG, |key, _| key.offset += 4096)),
    (Code::FreeSpaceItem, default, |p| bytes(p, "free-space", Type::FREE_SPACE_INFO, 4, &[4])),
    (Code::FreeSpaceItem, default, |p| bytes(p, "free-space", Type::FREE_SPACE_INFO, 4, &[1])),
    (Code::FreeSpaceGroup, default, |p| remove(p, "free-space", Type::FREE_SPACE_INFO)),
    (Code::FreeSpaceStale, default, |p| {
        add(p, "free-space", Key::new(1 << 20, Type::FREE_SPACE_INFO, 1 << 20), &[0; 8]);
    }),
    (Code::FreeSpaceCount, default, |p| bytes(p, "free-space", Type::FREE_SPACE_INFO, 0, &[9])),
    (Code::FreeSpaceRange, default, |p| item(p, "free-space", Type::FREE_SPACE_EXTENT, |key, _| key.offset -= 4096)),
    (Code::FreeSpaceRange, default, |p| remove(p, "free-space", Type::FREE_SPACE_EXTENT)),
    (Code::RootItem, default, |p| bytes(p, "root", Type::ROOT_ITEM, 239, &[9])),
    (Code::RootMissing, default, |p| remove(p, "root", Type::ROOT_ITEM)),
    (Code::RootRemoved, default, |p| {
        items(p, "root", |items| {
            let fs = items.iter_mut().find(|(key, _)| *key == Key::new(5, Type::ROOT_ITEM, 0)).unwrap();
            fs.1[216] = 0;
        })
    }),
    (Code::RootDirectory, default, |p| remove(p, "root", Type::DIR_ITEM)),
    (Code::RootReference, default, |p| {
        let mut data = vec![0; 18];
        (data[0], data[1], data[16]) = (0, 1, 1);
        data.push(b'x');
        add(p, "root", Key::new(5, Type::ROOT_REF, 300), &data);
    }),
    (Code::UuidItem, default, |p| item(p, "uuid", Type::UUID_KEY_SUBVOL, |key, _| key.offset ^= 1)),
    (Code::InodeItem, default, |p| item(p, "fs", Type::INODE_REF, |_, data| data.truncate(11))),
    (Code::InodeMissing, default, |p| remove(p, "fs", Type::INODE_ITEM)),
    (Code::InodeMode, default, |p| bytes(p, "fs", Type::INODE_ITEM, 52, &[0; 4])),
    (Code::InodeLinks, default, |p| bytes(p, "fs", Type::INODE_ITEM, 40, &[5])),
    (Code::InodeBytes, file, |p| {
        items(p, "fs", |items| {
            items.iter_mut().find(|(key, _)| *key == Key::new(257, Type::INODE_ITEM, 0)).unwrap().1[24] = 1;
        })
    }),
    (Code::DirectorySize, default, |p| bytes(p, "fs", Type::INODE_ITEM, 16, &[7])),
    (Code::DirectoryEntry, file, |p| remove(p, "fs", Type::DIR_INDEX)),
    (Code::DirectoryEntry, file, |p| bytes(p, "fs", Type::DIR_ITEM, 29, &[2])),
    (Code::NameHash, file, |p| item(p, "fs", Type::DIR_ITEM, |key, _| key.offset ^= 1)),
    (Code::FileExtent, file, |p| bytes(p, "fs", Type::EXTENT_DATA, 45, &[1])),
    (Code::FileExtentLength, file, |p| bytes(p, "fs", Type::EXTENT_DATA, 29, &8192_u64.to_le_bytes())),
    (Code::FileHole, with_holes, |p| {
        items(p, "fs", |items| {
            items.iter_mut().find(|(key, _)| *key == Key::new(257, Type::INODE_ITEM, 0)).unwrap().1[18] = 1;
        })
    }),
    (Code::ExtentMissing, file, |p| remove(p, "extent", Type::EXTENT_ITEM)),
    (Code::ExtentReferences, file, |p| bytes(p, "extent", Type::EXTENT_ITEM, 25 + 8, &[9])),
    (Code::ChecksumItem, file, |p| item(p, "csum", Type::EXTENT_CSUM, |_, data| data.truncate(3))),
    (Code::ChecksumMissing, file, |p| remove(p, "csum", Type::EXTENT_CSUM)),
    (Code::ChecksumUnused, file, |p| item(p, "csum", Type::EXTENT_CSUM, |key, _| key.offset += 4096)),
    (Code::DataChecksum, file, |p| bytes(p, "csum", Type::EXTENT_CSUM, 0, &[0; 4])),
    (Code::RootMissing, stripe_tree, |p| superblocks(p, |it| it.incompat_flags = 0x361.into())),
    (Code::RootMissing, default, |p| superblocks(p, |it| it.incompat_flags = 0x4361.into())),
    (Code::StripeExtent, stripe_tree, |p| {
        let key = Key::new(data_chunk(p), Type::RAID_STRIPE, 65536);
        add_strides(p, key, &[(1, 1 << 30), (2, 1 << 30)]);
    }),
    (Code::StripeExtent, stripe_tree, |p| add_strides(p, Key::new(1 << 20, Type::RAID_STRIPE, 4096), &[(1, 1 << 30)])),
    (Code::StripeExtent, stripe_tree, |p| add(p, "raid-stripe", Key::new(1 << 20, Type::RAID_STRIPE, 4096), &[7; 15])),
    (Code::StripesUnread, zoned_stripe_tree, |p| {
        let key = Key::new(data_chunk(p), Type::RAID_STRIPE, 65536);
        add_strides(p, key, &[(1, 1 << 30), (2, 1 << 30)]);
    }),
    (Code::RootMissing, remap, |p| superblocks(p, |it| it.incompat_flags = 0x361.into())),
    (Code::RootMissing, default, |p| superblocks(p, |it| it.incompat_flags = 0x2_0361.into())),
    (Code::SuperblockRoots, default, |p| superblocks(p, |it| it.remap_root = 4096.into())),
    (Code::SuperblockRoots, remap, |p| superblocks(p, |it| it.remap_root = 0.into())),
    (Code::SuperblockRoots, remap, |p| superblocks(p, |it| it.remap_root_generation = 0.into())),
    (Code::SuperblockRoots, remap, |p| superblocks(p, |it| it.remap_root_level = 1)),
    (Code::SuperblockFeatures, remap, |p| superblocks(p, |it| it.incompat_flags = 0x2_0161.into())),
    (Code::SuperblockFeatures, remap, |p| superblocks(p, |it| it.incompat_flags = 0x2_0365.into())),
    (Code::SuperblockFeatures, remap, |p| superblocks(p, |it| it.compat_ro_flags = 0x3.into())),
    (Code::ChunkFlags, remap, |p| {
        // The last chunk is that of the remap tree.
        items(p, "chunk", |items| items.last_mut().unwrap().1[24] |= 1);
    }),
    (Code::ChunkFlags, default, |p| bytes(p, "chunk", Type::CHUNK_ITEM, 24, &[0, 1 << 4])),
    (Code::BlockGroupItem, remap, |p| item(p, "block-group", BG, |_, data| data.truncate(24))),
    (Code::BlockGroupItem, default, |p| item(p, "block-group", BG, |_, data| data.resize(36, 0))),
    (Code::BlockGroupItem, remap, |p| bytes(p, "block-group", BG, 24, &[1])),
    (Code::BlockGroupItem, remap, |p| bytes(p, "block-group", BG, 32, &[1])),
    (Code::ItemUnknown, remap, |p| add(p, "remap", Key::new(data_chunk(p), Type(235), 65536), &[0; 8])),
    (Code::ExtentRange, remap, |p| {
        let logical = p.blocks.iter().find(|block| block.tree == "remap").unwrap().logical.get();
        let mut data = vec![0; 33];
        (data[0], data[8], data[16], data[24], data[25]) = (1, 1, 2, 176, 13);
        add(p, "extent", Key::new(logical, Type::METADATA_ITEM, 0), &data);
    }),
    (Code::RemapUnread, remap, |p| bytes(p, "chunk", Type::CHUNK_ITEM, 25, &[1 << 3])),
    (Code::IndexFilesystem, remap, |p| p.filesystem.requires.experimental = false),
    (Code::RootMissing, several, |p| superblocks(p, |it| it.nr_global_roots = 3.into())),
    (Code::RootMissing, several, |p| superblocks(p, |it| it.nr_global_roots = 1.into())),
    (Code::RootMissing, several, |p| {
        items(p, "root", |items| items.retain(|(key, _)| *key != Key::new(7, Type::ROOT_ITEM, 1)));
    }),
    (Code::RootMissing, several, |p| {
        items(p, "root", |items| {
            items.iter_mut().find(|(key, _)| *key == Key::new(10, Type::ROOT_ITEM, 1)).unwrap().0.offset = 2;
        });
    }),
    (Code::RootItem, several, |p| superblocks(p, |it| it.incompat_flags = 0x361.into())),
    (Code::SuperblockFeatures, several, |p| superblocks(p, |it| it.nr_global_roots = 0.into())),
    (Code::SuperblockFeatures, default, |p| superblocks(p, |it| it.nr_global_roots = 1.into())),
    (Code::SuperblockFeatures, several, |p| superblocks(p, |it| it.compat_ro_flags = 0x3.into())),
    (Code::SuperblockFeatures, several, |p| superblocks(p, |it| it.incompat_flags = 0x3361.into())),
    (Code::BackupRoots, several, |p| superblocks(p, |it| it.super_roots[0].extent_root = 4096.into())),
    (Code::BlockGroupItem, several, |p| bytes(p, "block-group", BG, 8, &[2])),
    (Code::BlockGroupItem, default, |p| bytes(p, "block-group", BG, 8, &[0, 0])),
    // Nothing is in the first block group but its free space.
    (Code::GlobalRoot, several, |p| bytes(p, "block-group", BG, 8, &[1])),
    (Code::IndexFilesystem, several, |p| p.filesystem.requires.experimental = false),
    (Code::QuotaItem, quota, |p| bytes(p, "quota", Type::QGROUP_STATUS, 0, &[9])),
    (Code::QuotaCount, quota, |p| bytes(p, "quota", Type::QGROUP_INFO, 8, &[9])),
    (Code::NewGeneration, default, |p| superblocks(p, |it| it.chunk_root_generation = 0.into())),
    (Code::NewRoot, default, |p| bytes(p, "root", Type::ROOT_ITEM, 192, &[9])),
    (Code::NewRoot, default, |p| bytes(p, "root", Type::ROOT_ITEM, 44, &[9])),
    (Code::NewRoot, default, |p| p.filesystem.time += 1),
    (Code::NewDirectory, default, |p| bytes(p, "fs", Type::INODE_ITEM, 44, &[9])),
    (Code::NewInode, default, |p| bytes(p, "fs", Type::INODE_ITEM, 80, &[9])),
    (Code::NewOdd, default, |p| bytes(p, "dev", Type::PERSISTENT_ITEM, 16, &[1])),
    (Code::DocumentFormat, default, |p| p.format.push('x')),
    (Code::DocumentPageSize, default, |p| p.filesystem.page_size = 4097),
    (Code::IndexFilesystem, default, |p| p.filesystem.features.clear()),
    (Code::IndexFilesystem, default, |p| p.filesystem.page_size = 65536),
    (Code::IndexFilesystem, default, |p| p.filesystem.requires.kernel = KernelVersion::new(6, 0, 0)),
    (Code::IndexFilesystem, default, |p| p.filesystem.requires.kernel_read_only = KernelVersion::new(3, 4, 0)),
    (Code::IndexFilesystem, default, |p| p.filesystem.requires.page_sizes.clear()),
    (Code::IndexFilesystem, stripe_tree, |p| p.filesystem.requires.experimental = false),
    (Code::IndexFilesystem, default, |p| p.filesystem.zone_size = Some(256 << 20)),
    (Code::IndexFilesystem, zoned_stripe_tree, |p| p.filesystem.zone_size = Some(128 << 20)),
    (Code::IndexFilesystem, zoned_stripe_tree, |p| p.filesystem.zone_size = None),
    (Code::IndexFilesystem, default, |p| p.filesystem.profiles.data = Profile::Dup),
    (Code::IndexBlock, default, |p| p.blocks[0].items += 1),
    (Code::IndexBlock, default, |p| drop(p.blocks.pop())),
    (Code::IndexChunk, default, |p| p.chunks[0].length += 4096),
    (Code::IndexDevice, default, |p| p.devices[0].uuid = p.filesystem.fsid),
    (Code::IndexFilesystem, default, |p| p.filesystem.label = "other".into()),
    (Code::IndexFilesystem, default, |p| p.filesystem.bytes_used += 1),
];

/// Codes that no damage of a small plan brings about, and why.
const ELSEWHERE: [Code; 2] = [
    // Needs a disk that fails: the test below.
    Code::ReadFailed,
    // Needs more shared blocks than can be put by hand: a kernel makes them in the suite `audit`.
    Code::SnapshotsUnread,
];

/// What both audits find: of a new filesystem, and of one that may have been used.
fn found(plan: &Plan) -> BTreeSet<Code> {
    let of = |report: Report| report.findings.into_iter().map(|finding| finding.code);
    of(audit_plan(plan)).chain(of(audit_disks(&Replay::new(plan)))).collect()
}

#[test]
fn every_damage_is_found() {
    let mut wrong = Vec::new();
    for (number, (code, make, damage)) in DAMAGES.iter().enumerate() {
        let mut plan = make();
        damage(&mut plan);
        let found = found(&plan);
        if !found.contains(code) {
            wrong.push(format!(
                "{number}: {code} is not among {:?}",
                found.iter().map(|it| it.name()).collect::<Vec<_>>()
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_code_has_its_damage() {
    let tested: BTreeSet<Code> = DAMAGES.iter().map(|(code, ..)| *code).chain(ELSEWHERE).collect();
    let untested: Vec<&Code> =
        Code::ALL.iter().filter(|code| code.subject() != Subject::Schedule && !tested.contains(code)).collect();
    assert!(untested.is_empty(), "{untested:?}");
}

/// The plans that damage is done to are good.
#[test]
fn undamaged_filesystems_are_clean() {
    for make in [default, two, quota, full_items, parity, stripe_tree, zoned_stripe_tree, remap, several] {
        let report = audit_plan(&make());
        assert!(report.findings.is_empty(), "{:?}", report.findings);
    }
    for make in [file, with_holes] {
        let report = audit_disks(&Replay::new(&make()));
        assert!(report.findings.is_empty(), "{:#?}", report.findings);
        assert!(report.read.blocks > 8 && report.read.items > 20 && report.read.superblocks == 2, "{:?}", report.read);
    }
}

/// A disk on which nothing can be read from some byte on.
struct Failing<'a>(Replay<'a>, u64);

impl Disks for Failing<'_> {
    fn count(&self) -> usize {
        self.0.count()
    }
    fn size(&self, disk: usize) -> u64 {
        self.0.size(disk)
    }
    fn read(&self, disk: usize, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        if offset + buffer.len() as u64 > self.1 { Err(ReadFailed) } else { self.0.read(disk, offset, buffer) }
    }
}

#[test]
fn what_cannot_be_read_is_said() {
    let plan = default();
    for from in [0, 65536, 1 << 20, 30 << 20, 40 << 20, 65 << 20] {
        let report = audit_disks(&Failing(Replay::new(&plan), from));
        assert!(report.findings.iter().any(|finding| finding.code == Code::ReadFailed), "{from}");
    }
    let nothing = audit_disks(&Failing(Replay::new(&plan), 0));
    assert_eq!(nothing.read.blocks, 0);
    assert!(!nothing.is_clean());
}

/// Whatever a block holds, its audit ends; bytes are spread evenly over what is not zero.
#[test]
fn any_byte_of_any_block_may_be_anything() {
    let good = file();
    let mut state = 1_u64;
    for index in 0..good.payloads.len() {
        for _ in 0..40 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut plan = good.clone();
            payload(&mut plan, index, |bytes| {
                let used: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
                bytes[used[(state >> 33) as usize % used.len()]] = (state >> 56) as u8;
            });
            let _ = found(&plan);
        }
    }
}
