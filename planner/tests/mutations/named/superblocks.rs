//! Changes to superblocks, with every checksum mended.

use super::Expect::Any;
use super::Mutation;
use crate::edit;

pub(crate) const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "superblocks: generation",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.generation = 2.into());
        },
    },
    Mutation {
        name: "superblocks: root",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.root = (block.root.get() + 16384).into());
        },
    },
    Mutation {
        name: "superblocks: chunk root",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.chunk_root = (block.chunk_root.get() + 16384).into());
        },
    },
    Mutation {
        name: "superblocks: log root",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.log_root = (1 << 20).into());
        },
    },
    Mutation {
        name: "superblocks: total bytes",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.total_bytes = (block.total_bytes.get() + 4096).into());
        },
    },
    Mutation {
        name: "superblocks: bytes used",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.bytes_used = (block.bytes_used.get() + 16384).into());
        },
    },
    Mutation {
        name: "superblocks: device count",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.num_devices = 9.into());
        },
    },
    Mutation {
        name: "superblocks: root directory",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.root_dir_objectid = 7.into());
        },
    },
    Mutation {
        name: "superblocks: stripe size",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.stripesize = 8192.into());
        },
    },
    Mutation {
        name: "superblocks: leaf size",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.leafsize = 4096.into());
        },
    },
    Mutation {
        name: "superblocks: system chunk array",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.sys_chunk_array[40] ^= 1);
        },
    },
    Mutation {
        name: "superblocks: length of the system chunk array",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.sys_chunk_array_size = 16.into());
        },
    },
    Mutation {
        name: "superblocks: incompat flags",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.incompat_flags = (block.incompat_flags.get() ^ (1 << 9)).into());
        },
    },
    Mutation {
        name: "superblocks: checksum type",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.csum_type = 3.into());
        },
    },
    Mutation {
        name: "superblocks: root level",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.root_level ^= 1);
        },
    },
    Mutation {
        name: "superblocks: device size",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| {
                block.dev_item.total_bytes = (block.dev_item.total_bytes.get() + 4096).into()
            });
        },
    },
    Mutation {
        name: "superblocks: bytes used of a device",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| {
                block.dev_item.bytes_used = (block.dev_item.bytes_used.get() + 65536).into()
            });
        },
    },
    Mutation {
        name: "superblocks: label",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.label[0] ^= 1);
        },
    },
    Mutation {
        name: "superblocks: cache generation",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.cache_generation = 5.into());
        },
    },
    Mutation {
        name: "superblocks: UUID tree generation",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.uuid_tree_generation = 5.into());
        },
    },
    Mutation {
        name: "superblocks: a reserved field",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.reserved[3] = 1);
        },
    },
    Mutation {
        name: "superblocks: backup root",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| {
                block.super_roots[0].tree_root = (block.super_roots[0].tree_root.get() + 16384).into()
            });
        },
    },
    Mutation {
        name: "superblocks: fsid",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.fsid[0] ^= 1);
        },
    },
    Mutation {
        name: "superblocks: flags",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.flags = 3.into());
        },
    },
    Mutation {
        name: "one superblock copy: label",
        plans: &["dup", "raid1", "large"],
        expect: Any,
        change: |plan| {
            let payload = plan.devices[0].commit[0].payload;
            edit::superblock(plan, payload, |block| block.label[0] ^= 1);
        },
    },
];
