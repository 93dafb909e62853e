//! Changes to what the document says of the filesystem.

use super::Expect::Any;
use super::Mutation;
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::plan::{ChunkKind, KernelVersion, Profile};
use btrfs_planner::units::{Generation, Logical, Physical};
use uuid::Uuid;

pub(crate) const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "stripes swapped",
        plans: &["dup", "raid10", "raid5"],
        expect: Any,
        change: |plan| {
            plan.chunks.last_mut().unwrap().stripes.reverse();
            let first = &mut plan.chunks[0];
            first.stripes.reverse();
        },
    },
    Mutation {
        name: "a stripe less",
        plans: &["dup", "raid1", "raid5"],
        expect: Any,
        change: |plan| {
            plan.chunks[0].stripes.pop();
        },
    },
    Mutation {
        name: "a stripe that moves",
        plans: &["dup", "raid0", "raid6"],
        expect: Any,
        change: |plan| {
            let stripe = &mut plan.chunks.last_mut().unwrap().stripes[0];
            stripe.offset = Physical::new(stripe.offset.get() + 65536);
        },
    },
    Mutation {
        name: "a stripe on another device",
        plans: &["raid1c3", "raid10"],
        expect: Any,
        change: |plan| {
            let stripes = &mut plan.chunks.last_mut().unwrap().stripes;
            let other = stripes[1].devid;
            stripes[0].devid = other;
        },
    },
    Mutation {
        name: "a chunk less",
        plans: &["dup", "raid0"],
        expect: Any,
        change: |plan| {
            plan.chunks.pop();
        },
    },
    Mutation {
        name: "a shorter chunk",
        plans: &["dup", "raid10"],
        expect: Any,
        change: |plan| {
            plan.chunks.last_mut().unwrap().length -= 65536 * 4;
        },
    },
    Mutation {
        name: "a chunk of another kind",
        plans: &["dup", "mixed"],
        expect: Any,
        change: |plan| {
            plan.chunks.last_mut().unwrap().kind = ChunkKind::System;
        },
    },
    Mutation {
        name: "a chunk of another profile",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.chunks.last_mut().unwrap().profile = Profile::Raid0;
        },
    },
    Mutation {
        name: "a chunk elsewhere",
        plans: &["dup", "raid6"],
        expect: Any,
        change: |plan| {
            let chunk = plan.chunks.last_mut().unwrap();
            chunk.logical = Logical::new(chunk.logical.get() + 65536);
        },
    },
    Mutation {
        name: "filesystem: fsid",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.fsid = Uuid::from_u128(7);
        },
    },
    Mutation {
        name: "filesystem: label",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.label.push('x');
        },
    },
    Mutation {
        name: "filesystem: checksum",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.checksum = if plan.filesystem.checksum == ChecksumType::Sha256 {
                ChecksumType::Blake2b
            } else {
                ChecksumType::Sha256
            };
        },
    },
    Mutation {
        name: "filesystem: generation",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.generation = Generation::new(2);
        },
    },
    Mutation {
        name: "filesystem: node size",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            plan.filesystem.node_size *= 2;
        },
    },
    Mutation {
        name: "filesystem: sector size",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.sector_size *= 2;
        },
    },
    Mutation {
        name: "filesystem: total size",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.total_size += 4096;
        },
    },
    Mutation {
        name: "filesystem: bytes used",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.bytes_used += 16384;
        },
    },
    Mutation {
        name: "filesystem: an older kernel will do",
        plans: &["dup", "emulated", "stripe tree"],
        expect: Any,
        change: |plan| plan.filesystem.requires.kernel = KernelVersion::new(4, 19, 0),
    },
    Mutation {
        name: "filesystem: an older kernel can read it",
        plans: &["dup", "zoned"],
        expect: Any,
        change: |plan| plan.filesystem.requires.kernel_read_only = KernelVersion::new(2, 6, 31),
    },
    Mutation {
        name: "filesystem: pages on which it cannot be mounted",
        plans: &["dup"],
        expect: Any,
        change: |plan| plan.filesystem.requires.page_sizes[0].page_size = 2048,
    },
    Mutation {
        name: "filesystem: any kernel mounts it",
        plans: &["stripe tree", "zoned stripe tree"],
        expect: Any,
        change: |plan| plan.filesystem.requires.experimental = false,
    },
    Mutation {
        name: "filesystem: zones of another size",
        plans: &["emulated", "small zones", "zoned"],
        expect: Any,
        change: |plan| plan.filesystem.zone_size = Some(8 << 20),
    },
    Mutation {
        name: "filesystem: no zone size",
        plans: &["emulated", "zoned"],
        expect: Any,
        change: |plan| plan.filesystem.zone_size = None,
    },
    Mutation {
        name: "filesystem: a zone size without zones",
        plans: &["dup"],
        expect: Any,
        change: |plan| plan.filesystem.zone_size = Some(256 << 20),
    },
    Mutation {
        name: "filesystem: features",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.features.pop();
        },
    },
    Mutation {
        name: "filesystem: incompat flags",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.flags.incompat ^= 1 << 9;
        },
    },
    Mutation {
        name: "filesystem: compat_ro flags",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.flags.compat_ro ^= 1;
        },
    },
    Mutation {
        name: "filesystem: data profile",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.profiles.data = Profile::Raid1c4;
        },
    },
    Mutation {
        name: "filesystem: metadata profile",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.profiles.metadata = Profile::Raid1c4;
        },
    },
    Mutation {
        name: "filesystem: system profile",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.profiles.system = Profile::Raid1c4;
        },
    },
    Mutation {
        name: "filesystem: time",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.time += 1;
        },
    },
    Mutation {
        name: "filesystem: page size",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.filesystem.page_size = 65536;
        },
    },
    Mutation {
        name: "device: uuid",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            plan.devices[0].uuid = Uuid::from_u128(9);
        },
    },
    Mutation {
        name: "device: size",
        plans: &["bridge", "raid10"],
        expect: Any,
        change: |plan| {
            plan.devices[0].size -= 65536;
        },
    },
    Mutation {
        name: "block: items",
        plans: &["dup", "files"],
        expect: Any,
        change: |plan| {
            plan.blocks[0].items += 1;
        },
    },
    Mutation {
        name: "block: level",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            plan.blocks[0].level += 1;
        },
    },
    Mutation {
        name: "block: tree",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            plan.blocks[0].tree = "csum".into();
        },
    },
];
