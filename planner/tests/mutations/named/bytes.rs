//! Changes to the bytes of superblocks and tree blocks, with every checksum mended.

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
    Mutation {
        name: "bytes between an item's head and its data",
        plans: &["dup"],
        expect: Any,
        change: |plan| {
            edit::leaf(plan, "csum", |bytes| bytes[1000] = 1);
        },
    },
];
