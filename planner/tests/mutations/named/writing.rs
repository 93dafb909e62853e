//! Changes to writes, to the commit and to what is said of them.

use super::Expect::Code;
use super::Mutation;
use crate::edit;
use btrfs_planner::plan::{Payload, WriteAt};
use btrfs_planner::units::{Logical, Physical};

pub(crate) const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "a lost mirror",
        plans: &["dup", "raid1", "raid1c3", "raid10"],
        expect: Code("write-missing"),
        change: |plan| {
            let last = plan.devices.len() - 1;
            plan.devices[last].writes.pop();
        },
    },
    Mutation {
        name: "a device without its mirror",
        plans: &["raid1", "raid1c4"],
        expect: Code("write-missing"),
        change: |plan| {
            plan.devices.iter_mut().rev().find(|device| !device.writes.is_empty()).unwrap().writes.clear();
        },
    },
    Mutation {
        name: "parity that is not written",
        plans: &["raid5", "raid6", "raid6 of three"],
        expect: Code("write-missing"),
        change: |plan| {
            let index = plan.devices.len() - 1;
            plan.devices[index].writes.remove(0);
        },
    },
    Mutation {
        name: "a copy that moves",
        plans: &["dup", "raid1"],
        expect: Code("write-needless"),
        change: |plan| {
            let last = plan.devices.len() - 1;
            let write = plan.devices[last].writes.last_mut().unwrap();
            write.offset = Physical::new(write.offset.get() + (1 << 20));
        },
    },
    Mutation {
        name: "a block once more",
        plans: &["dup", "files"],
        expect: Code("write-needless"),
        change: |plan| {
            let payload = plan.blocks[0].payload;
            let offset = plan.devices[0].limit - (1 << 20);
            plan.devices[0].writes.push(WriteAt { offset: Physical::new(offset), payload });
        },
    },
    Mutation {
        name: "a superblock before its time",
        plans: &["dup", "raid1"],
        expect: Code("write-superblock"),
        change: |plan| {
            let first = plan.devices[0].commit.remove(0);
            let at = plan.devices[0].writes.partition_point(|write| write.offset < first.offset);
            plan.devices[0].writes.insert(at, first);
        },
    },
    Mutation {
        name: "bytes that nothing writes",
        plans: &["dup", "raid6"],
        expect: Code("payload-unused"),
        change: |plan| {
            plan.payloads.push(Payload::new(b"surplus"));
        },
    },
    Mutation {
        name: "two blocks swapped on one device",
        plans: &["dup", "raid10", "raid1c3"],
        expect: Code("block-payload"),
        change: |plan| {
            let last = plan.devices.len() - 1;
            let writes = &mut plan.devices[last].writes;
            let end = writes.len() - 1;
            let (left, right) = (writes[end - 1].payload, writes[end].payload);
            (writes[end - 1].payload, writes[end].payload) = (right, left);
        },
    },
    Mutation {
        name: "the index shows other bytes than are written",
        plans: &["dup", "files"],
        expect: Code("block-payload"),
        change: |plan| {
            plan.blocks[0].payload = plan.blocks[1].payload;
        },
    },
    Mutation {
        name: "a block less in the index",
        plans: &["dup", "raid5"],
        expect: Code("write-needless"),
        change: |plan| {
            plan.blocks.pop();
        },
    },
    Mutation {
        name: "the index in another order",
        plans: &["dup"],
        expect: Code("block-order"),
        change: |plan| {
            plan.blocks.swap(0, 1);
        },
    },
    Mutation {
        name: "a block outside of all chunks",
        plans: &["dup"],
        expect: Code("block-unmapped"),
        change: |plan| {
            plan.blocks.last_mut().unwrap().logical = Logical::new(1 << 40);
        },
    },
    Mutation {
        name: "a superblock copy less",
        plans: &["dup", "raid1", "large"],
        expect: Code("commit-missing"),
        change: |plan| {
            plan.devices[0].commit.remove(0);
        },
    },
    Mutation {
        name: "the primary superblock first",
        plans: &["dup", "raid1", "large"],
        expect: Code("commit-order"),
        change: |plan| {
            plan.devices[0].commit.rotate_right(1);
        },
    },
    Mutation {
        name: "a superblock elsewhere",
        plans: &["dup", "unlike"],
        expect: Code("commit-place"),
        change: |plan| {
            let write = &mut plan.devices[0].commit[0];
            write.offset = Physical::new(write.offset.get() + 4096);
        },
    },
    Mutation {
        name: "superblocks of two devices swapped",
        plans: &["raid1", "raid10"],
        expect: Code("commit-content"),
        change: |plan| {
            let (left, right) = plan.devices.split_at_mut(1);
            core::mem::swap(&mut left[0].commit, &mut right[0].commit);
        },
    },
    Mutation {
        name: "a tree block committed as superblock",
        plans: &["4 KiB nodes"],
        expect: Code("commit-content"),
        change: |plan| {
            plan.devices[0].commit[0].payload = plan.blocks[0].payload;
        },
    },
    Mutation {
        name: "superblock copies in each other's place",
        plans: &["dup", "large"],
        expect: Code("commit-content"),
        change: |plan| {
            let commit = &mut plan.devices[0].commit;
            let (left, right) = (commit[0].payload, commit[1].payload);
            (commit[0].payload, commit[1].payload) = (right, left);
        },
    },
    Mutation {
        name: "a superblock with an older magic",
        plans: &["dup", "raid1"],
        expect: Code("commit-content"),
        change: |plan| {
            edit::superblocks(plan, |block| block.magic = *b"!BHRfS_M");
        },
    },
    Mutation {
        name: "statistics: bytes written",
        plans: &["dup", "raid5", "zoned"],
        expect: Code("statistics"),
        change: |plan| {
            plan.statistics.bytes_written += 1;
        },
    },
    Mutation {
        name: "statistics: writes",
        plans: &["dup", "raid5", "zoned"],
        expect: Code("statistics"),
        change: |plan| {
            plan.statistics.writes += 1;
        },
    },
    Mutation {
        name: "statistics: discard.bridged",
        plans: &["dup", "raid5", "zoned"],
        expect: Code("statistics"),
        change: |plan| {
            plan.statistics.discard.bridged += 1;
        },
    },
    Mutation {
        name: "statistics: discard.merged",
        plans: &["dup", "raid5", "zoned"],
        expect: Code("statistics"),
        change: |plan| {
            plan.statistics.discard.merged += 1;
        },
    },
    Mutation {
        name: "statistics: discard.hole by hole",
        plans: &["dup", "raid5", "zoned"],
        expect: Code("statistics"),
        change: |plan| {
            plan.statistics.discard.hole_by_hole += 1;
        },
    },
    Mutation {
        name: "statistics: zone resets.ranges",
        plans: &["dup", "raid5", "zoned"],
        expect: Code("statistics"),
        change: |plan| {
            plan.statistics.zone_resets.ranges += 1;
        },
    },
    Mutation {
        name: "statistics: zone resets.zone by zone",
        plans: &["dup", "raid5", "zoned"],
        expect: Code("statistics"),
        change: |plan| {
            plan.statistics.zone_resets.zone_by_zone += 1;
        },
    },
];
