//! Changes to the items of trees, with every checksum mended.

use super::Expect::Any;
use super::Mutation;
use crate::edit;

pub(crate) const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "an extent dropped",
        plans: &["dup", "raid1", "fat metadata"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "extent", |bytes| edit::drop_item(bytes, 2));
        },
    },
    Mutation {
        name: "an extent's references",
        plans: &["dup", "fat metadata"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "extent", |bytes| {
                let (_, _, place) = edit::items(bytes)[0].clone();
                edit::add(bytes, place.start, 1);
            });
        },
    },
    Mutation {
        name: "an extent of another tree",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "extent", |bytes| {
                let (_, _, place) = edit::items(bytes)[0].clone();
                edit::add(bytes, place.end - 8, 1);
            });
        },
    },
    Mutation {
        name: "a block group's used bytes",
        plans: &["dup", "raid5 of two"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "block-group", |bytes| edit::data(bytes, 192, |item| edit::add(item, 0, 16384)));
        },
    },
    Mutation {
        name: "a block group's flags",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "block-group", |bytes| edit::data(bytes, 192, |item| edit::add(item, 16, 8)));
        },
    },
    Mutation {
        name: "a block group in the extent tree",
        plans: &["no block group tree"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "extent", |bytes| edit::data(bytes, 192, |item| edit::add(item, 0, 16384)));
        },
    },
    Mutation {
        name: "a free range less",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "free-space", |bytes| edit::drop_item(bytes, 1));
        },
    },
    Mutation {
        name: "a free range that is shorter",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "free-space", |bytes| {
                edit::head(bytes, 1, |head| head.key.offset = (head.key.offset.get() - 4096).into())
            });
        },
    },
    Mutation {
        name: "the number of free ranges",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "free-space", |bytes| edit::data(bytes, 198, |item| item[0] += 1));
        },
    },
    Mutation {
        name: "a chunk's length",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "chunk", |bytes| edit::data(bytes, 228, |item| edit::add(item, 0, 65536)));
        },
    },
    Mutation {
        name: "a chunk's stripe",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "chunk", |bytes| edit::data(bytes, 228, |item| edit::add(item, 56, 65536)));
        },
    },
    Mutation {
        name: "a chunk's type",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "chunk", |bytes| edit::data(bytes, 228, |item| edit::add(item, 24, 8)));
        },
    },
    Mutation {
        name: "a device item's size",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "chunk", |bytes| edit::data(bytes, 216, |item| edit::add(item, 8, 4096)));
        },
    },
    Mutation {
        name: "a device item's used bytes",
        plans: &["dup", "raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "chunk", |bytes| edit::data(bytes, 216, |item| edit::add(item, 16, 65536)));
        },
    },
    Mutation {
        name: "a device item less",
        plans: &["raid1"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "chunk", |bytes| edit::drop_item(bytes, 0));
        },
    },
    Mutation {
        name: "a device extent's chunk",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "dev", |bytes| edit::data(bytes, 204, |item| edit::add(item, 16, 65536)));
        },
    },
    Mutation {
        name: "a device extent's length",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "dev", |bytes| edit::data(bytes, 204, |item| edit::add(item, 24, 65536)));
        },
    },
    Mutation {
        name: "a device extent less",
        plans: &["dup", "raid10"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "dev", |bytes| {
                let last = edit::items(bytes).len() - 1;
                edit::drop_item(bytes, last);
            });
        },
    },
    Mutation {
        name: "error counters of a device",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "dev", |bytes| edit::data(bytes, 249, |item| item[0] = 1));
        },
    },
    Mutation {
        name: "a tree's address",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "root", |bytes| edit::data(bytes, 132, |item| edit::add(item, 176, 16384)));
        },
    },
    Mutation {
        name: "a tree's level",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "root", |bytes| edit::data(bytes, 132, |item| item[238] = 1));
        },
    },
    Mutation {
        name: "a tree's generation",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "root", |bytes| edit::data(bytes, 132, |item| edit::add(item, 160, 1)));
        },
    },
    Mutation {
        name: "a tree's references",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "root", |bytes| edit::data(bytes, 132, |item| item[216] = 0));
        },
    },
    Mutation {
        name: "a tree less",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "root", |bytes| edit::drop_item(bytes, 0));
        },
    },
    Mutation {
        name: "the default subvolume",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "root", |bytes| edit::data(bytes, 84, |item| item[0] = 9));
        },
    },
    Mutation {
        name: "the root directory's mode",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "fs", |bytes| edit::data(bytes, 1, |item| item[53] = 0x81));
        },
    },
    Mutation {
        name: "the root directory's links",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "fs", |bytes| edit::data(bytes, 1, |item| item[40] = 2));
        },
    },
    Mutation {
        name: "the root directory's size",
        plans: &["files"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "fs", |bytes| edit::data(bytes, 1, |item| edit::add(item, 16, 1)));
        },
    },
    Mutation {
        name: "the root directory's name",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "fs", |bytes| edit::drop_item(bytes, 1));
        },
    },
    Mutation {
        name: "a file's name",
        plans: &["files"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "fs", |bytes| edit::data(bytes, 84, |item| item[30] = b'x'));
        },
    },
    Mutation {
        name: "a file's directory entry",
        plans: &["files"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "fs", |bytes| edit::data(bytes, 84, |item| item[0] ^= 1));
        },
    },
    Mutation {
        name: "the UUID of the subvolume",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "uuid", |bytes| edit::data(bytes, 251, |item| item[0] = 6));
        },
    },
    Mutation {
        name: "quota counters",
        plans: &["quota", "squota"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "quota", |bytes| edit::data(bytes, 242, |item| edit::add(item, 8, 4096)));
        },
    },
    Mutation {
        name: "quota state",
        plans: &["quota", "squota"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "quota", |bytes| edit::data(bytes, 240, |item| edit::add(item, 0, 1)));
        },
    },
];
