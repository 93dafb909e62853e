//! Changes to what every tree block has, with every checksum mended.

use super::Expect::Any;
use super::Mutation;
use crate::edit;

pub(crate) const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "header: fsid",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "fs", |bytes| edit::header(bytes, |header| header.fsid[0] ^= 1));
        },
    },
    Mutation {
        name: "header: address",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "fs", |bytes| {
                edit::header(bytes, |header| header.bytenr = (header.bytenr.get() + 4096).into())
            });
        },
    },
    Mutation {
        name: "header: generation",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "dev", |bytes| edit::header(bytes, |header| header.generation = 2.into()));
        },
    },
    Mutation {
        name: "header: owner",
        plans: &["dup", "files"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "csum", |bytes| edit::header(bytes, |header| header.owner = 5.into()));
        },
    },
    Mutation {
        name: "header: level",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "uuid", |bytes| edit::header(bytes, |header| header.level = 1));
        },
    },
    Mutation {
        name: "header: item count",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "root", |bytes| {
                edit::header(bytes, |header| header.nritems = (header.nritems.get() + 1).into())
            });
        },
    },
    Mutation {
        name: "header: flags",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "root", |bytes| edit::header(bytes, |header| header.flags = 0.into()));
        },
    },
    Mutation {
        name: "header: UUID of the chunk tree",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "fs", |bytes| edit::header(bytes, |header| header.chunk_tree_uuid[0] ^= 1));
        },
    },
    Mutation {
        name: "one copy of a block differs",
        plans: &["dup", "raid1", "raid1c3", "raid1c4", "raid10", "files raid10"],
        expect: Any,
        change: |plan| {
            edit::one_copy(plan, "extent", |bytes| {
                let last = bytes.len() - 1;
                bytes[last] ^= 1;
            });
        },
    },
    Mutation {
        name: "an item's data outside of the block",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "root", |bytes| edit::head(bytes, 0, |head| head.offset = 60000.into()));
        },
    },
    Mutation {
        name: "an item's data overlaps another's",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "extent", |bytes| {
                edit::head(bytes, 1, |head| head.offset = (head.offset.get() + 1).into())
            });
        },
    },
    Mutation {
        name: "keys in another order",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "extent", |bytes| {
                let left = bytes[101..118].to_vec();
                bytes.copy_within(126..143, 101);
                bytes[126..143].copy_from_slice(&left);
            });
        },
    },
    Mutation {
        name: "bytes between an item's head and its data",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "csum", |bytes| bytes[1000] = 1);
        },
    },
];
