//! Changes to schedules that no reader takes.

use super::Expect::{Code, Refused};
use super::{Mutation, insert, range};

pub(crate) const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "a wipe beyond the limit",
        plans: &["exact", "byte count"],
        expect: Refused,
        change: |plan| {
            let limit = plan.devices[0].limit;
            plan.devices[0].wipe.push(range(limit, 512));
        },
    },
    Mutation {
        name: "a write of half a sector",
        plans: &["unlike sectors"],
        expect: Refused,
        change: |plan| {
            plan.devices[1].found.logical_sector = 32768;
        },
    },
    Mutation {
        name: "zeros over a write",
        plans: &["dup"],
        expect: Refused,
        change: |plan| {
            let start = plan.devices[0].writes[0].offset.get();
            insert(&mut plan.devices[0].zero, range(start, 4096));
        },
    },
    Mutation {
        name: "writes in another order",
        plans: &["dup", "zoned"],
        expect: Refused,
        change: |plan| {
            plan.devices[0].writes.swap(0, 1);
        },
    },
    Mutation {
        name: "a device without commit",
        plans: &["raid1"],
        expect: Refused,
        change: |plan| {
            plan.devices[1].commit.clear();
        },
    },
    Mutation {
        name: "a discard beyond the device",
        plans: &["exact"],
        expect: Refused,
        change: |plan| {
            plan.devices[0].discard.last_mut().unwrap().length += 1 << 20;
        },
    },
    Mutation {
        name: "devices swapped",
        plans: &["raid1", "raid5"],
        expect: Refused,
        change: |plan| {
            plan.devices.swap(0, 1);
        },
    },
    Mutation {
        name: "a lower limit",
        plans: &["dup", "raid10"],
        expect: Code("schedule-limit"),
        change: |plan| {
            plan.devices[0].limit -= 4096;
            plan.devices[0].zero.last_mut().unwrap().length -= 4096;
            plan.devices[0].discard.last_mut().unwrap().length -= 4096;
        },
    },
    Mutation {
        name: "half a sector more of a device",
        plans: &["byte count"],
        expect: Code("schedule-size"),
        change: |plan| {
            plan.devices[0].size += 512;
            plan.devices[0].limit += 512;
        },
    },
    Mutation {
        name: "a device that is larger than it was found",
        plans: &["bridge"],
        expect: Code("zero-needless"),
        change: |plan| {
            plan.devices[0].found.size += 1 << 20;
        },
    },
    Mutation {
        name: "nodes of 128 KiB",
        plans: &["dup"],
        expect: Code("schedule-node-size"),
        change: |plan| {
            plan.filesystem.node_size = 131_072;
        },
    },
];
