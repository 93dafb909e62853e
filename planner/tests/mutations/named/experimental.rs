//! Changes to the trees and items of features that kernels know only where they were built for experiments.

use super::Expect::Any;
use super::Mutation;
use crate::edit;

pub(crate) const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "raid stripe tree: the bit goes",
        plans: &["stripe tree", "zoned stripe tree"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.incompat_flags = (block.incompat_flags.get() ^ (1 << 14)).into());
            plan.filesystem.flags.incompat ^= 1 << 14;
        },
    },
    Mutation {
        name: "raid stripe tree: the bit comes",
        plans: &["dup", "emulated"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.incompat_flags = (block.incompat_flags.get() ^ (1 << 14)).into());
            plan.filesystem.flags.incompat ^= 1 << 14;
        },
    },
    Mutation {
        name: "raid stripe tree: another owner",
        plans: &["stripe tree", "zoned stripe tree"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "raid-stripe", |bytes| edit::header(bytes, |header| header.owner = 11.into()));
        },
    },
    Mutation {
        name: "raid stripe tree: an item",
        plans: &["stripe tree", "zoned stripe tree"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "raid-stripe", |bytes| edit::header(bytes, |header| header.nritems = 1.into()));
        },
    },
    Mutation {
        name: "remap tree: the bit goes",
        plans: &["remap tree", "remap tree raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.incompat_flags = (block.incompat_flags.get() ^ (1 << 17)).into());
            plan.filesystem.flags.incompat ^= 1 << 17;
        },
    },
    Mutation {
        name: "remap tree: the bit comes",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.incompat_flags = (block.incompat_flags.get() ^ (1 << 17)).into());
            plan.filesystem.flags.incompat ^= 1 << 17;
        },
    },
    Mutation {
        name: "remap tree: another owner",
        plans: &["remap tree", "remap tree raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "remap", |bytes| edit::header(bytes, |header| header.owner = 12.into()));
        },
    },
    Mutation {
        name: "remap tree: an item",
        plans: &["remap tree", "remap tree raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "remap", |bytes| edit::header(bytes, |header| header.nritems = 1.into()));
        },
    },
    Mutation {
        name: "remap tree: another place in the superblock",
        plans: &["remap tree", "remap tree raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.remap_root = (block.remap_root.get() + 16384).into());
        },
    },
    Mutation {
        name: "remap tree: none in the superblock",
        plans: &["remap tree", "remap tree raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.remap_root = 0.into());
        },
    },
    Mutation {
        name: "remap tree: another generation in the superblock",
        plans: &["remap tree", "remap tree raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.remap_root_generation = 2.into());
        },
    },
    Mutation {
        name: "remap tree: another level in the superblock",
        plans: &["remap tree", "remap tree raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.remap_root_level = 1);
        },
    },
    Mutation {
        name: "remap tree: a place in a superblock without one",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.remap_root = (64 << 20).into());
        },
    },
    Mutation {
        name: "remap tree: bytes moved into a block group",
        plans: &["remap tree", "remap tree raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "block-group", |bytes| edit::data(bytes, 192, |item| edit::add(item, 24, 4096)));
        },
    },
    Mutation {
        name: "remap tree: a range left behind in a block group",
        plans: &["remap tree", "remap tree raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "block-group", |bytes| edit::data(bytes, 192, |item| item[32] = 1));
        },
    },
    Mutation {
        name: "remap tree: a chunk that was moved",
        plans: &["remap tree", "remap tree raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "chunk", |bytes| edit::data(bytes, 228, |item| item[25] |= 1 << 3));
        },
    },
    Mutation {
        name: "remap tree: a chunk for it of another kind",
        plans: &["remap tree", "remap tree raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "chunk", |bytes| edit::data(bytes, 228, |item| (item[24], item[25]) = (0, 1 << 4)));
        },
    },
    Mutation {
        name: "extent trees: the bit goes",
        plans: &["extent trees"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.incompat_flags = (block.incompat_flags.get() ^ (1 << 13)).into());
            plan.filesystem.flags.incompat ^= 1 << 13;
        },
    },
    Mutation {
        name: "extent trees: the bit comes",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.incompat_flags = (block.incompat_flags.get() ^ (1 << 13)).into());
            plan.filesystem.flags.incompat ^= 1 << 13;
        },
    },
    Mutation {
        name: "extent trees: 0 of them",
        plans: &["extent trees"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.nr_global_roots = 0.into());
        },
    },
    Mutation {
        name: "extent trees: 2 of them",
        plans: &["extent trees"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.nr_global_roots = 2.into());
        },
    },
    Mutation {
        name: "extent trees: 4 of them",
        plans: &["extent trees"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.nr_global_roots = 4.into());
        },
    },
    Mutation {
        name: "extent trees: a number where there is one",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.nr_global_roots = 1.into());
        },
    },
    Mutation {
        name: "extent trees: another for a block group",
        plans: &["extent trees"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "block-group", |bytes| edit::data(bytes, 192, |item| edit::add(item, 8, 1)));
        },
    },
    Mutation {
        name: "extent trees: none for a block group",
        plans: &["extent trees"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "block-group", |bytes| edit::data(bytes, 192, |item| edit::add(item, 8, 256)));
        },
    },
    Mutation {
        name: "extent trees: a backup root",
        plans: &["extent trees"],
        expect: Any,
        change: |plan| {
            edit::superblocks(plan, |block| block.super_roots[0].csum_root = (64 << 20).into());
        },
    },
];
