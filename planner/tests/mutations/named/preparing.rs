//! Changes to what is done to devices before anything is written: wipes, discards, zone resets, zeros.

use super::Expect::Code;
use super::{Mutation, insert, range};
use btrfs_planner::plan::{DiscardStrategy, ZoneState};
use btrfs_planner::units::Physical;

pub(crate) const MUTATIONS: &[Mutation] = &[
    Mutation {
        name: "a signature that is not wiped",
        plans: &["exact", "keep"],
        expect: Code("wipe-missing"),
        change: |plan| {
            plan.devices[0].wipe.remove(0);
        },
    },
    Mutation {
        name: "the last sector not wiped, and not made zero",
        plans: &["keep"],
        expect: Code("signature-survives"),
        change: |plan| {
            plan.devices[0].wipe.pop();
            plan.devices[0].zero.last_mut().unwrap().length -= 512;
        },
    },
    Mutation {
        name: "a wipe where nothing was",
        plans: &["dup", "raid6"],
        expect: Code("wipe-needless"),
        change: |plan| {
            plan.devices[0].wipe.push(range(1 << 30, 4096));
        },
    },
    Mutation {
        name: "a wipe that was moved",
        plans: &["exact"],
        expect: Code("wipe-missing"),
        change: |plan| {
            plan.devices[0].wipe[1].start += 512;
        },
    },
    Mutation {
        name: "a wipe of a sequential zone",
        plans: &["zoned"],
        expect: Code("zone-random"),
        change: |plan| {
            plan.devices[0].wipe.push(range(1 << 30, 4096));
        },
    },
    Mutation {
        name: "a discard less",
        plans: &["exact", "exact raid5", "raid1"],
        expect: Code("discard-missing"),
        change: |plan| {
            plan.devices[0].discard.remove(0);
        },
    },
    Mutation {
        name: "a shorter discard",
        plans: &["bridge", "raid10"],
        expect: Code("discard-missing"),
        change: |plan| {
            plan.devices[0].discard[0].length -= 4096;
        },
    },
    Mutation {
        name: "a discard where nothing is to be discarded",
        plans: &["keep"],
        expect: Code("discard-needless"),
        change: |plan| {
            plan.devices[0].discard.push(range(512, 8192));
        },
    },
    Mutation {
        name: "a discard of tree blocks",
        plans: &["exact"],
        expect: Code("discard-needless"),
        change: |plan| {
            plan.devices[0].discard = plan.devices[0]
                .discard
                .first()
                .zip(plan.devices[0].discard.last())
                .map(|(first, last)| vec![range(first.start, last.end().unwrap() - first.start)])
                .unwrap();
        },
    },
    Mutation {
        name: "a discard of half a granule",
        plans: &["exact"],
        expect: Code("discard-granularity"),
        change: |plan| {
            plan.devices[0].discard[0].length += 512;
        },
    },
    Mutation {
        name: "a discard on a device that has none",
        plans: &["bridge"],
        expect: Code("discard-unsupported"),
        change: |plan| {
            plan.devices[0].found.discard = None;
        },
    },
    Mutation {
        name: "another strategy",
        plans: &["exact"],
        expect: Code("discard-missing"),
        change: |plan| {
            plan.filesystem.discard = DiscardStrategy::Bridge;
        },
    },
    Mutation {
        name: "no strategy",
        plans: &["bridge"],
        expect: Code("discard-needless"),
        change: |plan| {
            plan.filesystem.discard = DiscardStrategy::None;
        },
    },
    Mutation {
        name: "a discard of a row with parity",
        plans: &["exact raid5"],
        expect: Code("discard-needless"),
        change: |plan| {
            let start = plan.devices[0].writes[0].offset.get();
            insert(&mut plan.devices[0].discard, range(start, 4096));
        },
    },
    Mutation {
        name: "a discard of a sequential zone",
        plans: &["zoned"],
        expect: Code("zone-random"),
        change: |plan| {
            plan.devices[0].discard.push(range(1 << 30, 4096));
        },
    },
    Mutation {
        name: "a reset less",
        plans: &["zoned", "zoned raid1", "full zones"],
        expect: Code("reset-missing"),
        change: |plan| {
            plan.devices[0].reset_zones.remove(0);
        },
    },
    Mutation {
        name: "a reset of a conventional zone",
        plans: &["zoned"],
        expect: Code("reset-state"),
        change: |plan| {
            insert(&mut plan.devices[0].reset_zones, range(0, 64 << 20));
        },
    },
    Mutation {
        name: "a reset up to a read-only zone",
        plans: &["zoned"],
        expect: Code("reset-state"),
        change: |plan| {
            let zone = 64 << 20;
            plan.devices[0].reset_zones.last_mut().unwrap().start -= zone;
            plan.devices[0].reset_zones.last_mut().unwrap().length += zone;
        },
    },
    Mutation {
        name: "a reset of half a zone",
        plans: &["zoned"],
        expect: Code("reset-partial"),
        change: |plan| {
            plan.devices[0].reset_zones[0].length -= 1 << 20;
        },
    },
    Mutation {
        name: "a reset of empty zones",
        plans: &["zoned"],
        expect: Code("reset-needless"),
        change: |plan| {
            plan.devices[0].reset_zones.push(range(60 * (64 << 20), 64 << 20));
        },
    },
    Mutation {
        name: "a reset without zones",
        plans: &["dup", "emulated"],
        expect: Code("reset-no-zones"),
        change: |plan| {
            plan.devices[0].reset_zones.push(range(0, 1 << 28));
        },
    },
    Mutation {
        name: "a zone that is written and not reset",
        plans: &["zoned"],
        expect: Code("reset-missing"),
        change: |plan| {
            plan.devices[0].found.zones.as_mut().unwrap().runs[1].state = ZoneState::Full;
        },
    },
    Mutation {
        name: "a write to a zone that is offline",
        plans: &["zoned"],
        expect: Code("zone-dead"),
        change: |plan| {
            plan.devices[0].found.zones.as_mut().unwrap().runs[1].state = ZoneState::Offline;
        },
    },
    Mutation {
        name: "a gap in a sequential zone",
        plans: &["zoned"],
        expect: Code("zone-gap"),
        change: |plan| {
            let last = plan.devices[0].writes.len() - 1;
            let node = u64::from(plan.filesystem.node_size);
            let write = &mut plan.devices[0].writes[last];
            write.offset = Physical::new(write.offset.get() + node);
        },
    },
    Mutation {
        name: "a zone that holds less",
        plans: &["zoned"],
        expect: Code("zone-capacity"),
        change: |plan| {
            plan.devices[0].found.zones.as_mut().unwrap().runs[1].capacity = Some(65536);
        },
    },
    Mutation {
        name: "fewer active zones",
        plans: &["zoned"],
        expect: Code("zone-active"),
        change: |plan| {
            plan.devices[0].found.zones.as_mut().unwrap().max_active = 3;
        },
    },
    Mutation {
        name: "zones that do not fill the device",
        plans: &["zoned"],
        expect: Code("zone-report"),
        change: |plan| {
            plan.devices[0].found.zones.as_mut().unwrap().runs.last_mut().unwrap().count += 3;
        },
    },
    Mutation {
        name: "zeros in a sequential zone",
        plans: &["zoned"],
        expect: Code("zone-random"),
        change: |plan| {
            plan.devices[0].zero.push(range(1 << 30, 4096));
        },
    },
    Mutation {
        name: "the first MiB is not made zero",
        plans: &["dup", "raid1"],
        expect: Code("zero-missing"),
        change: |plan| {
            plan.devices[0].zero.remove(0);
        },
    },
    Mutation {
        name: "the end is not made zero",
        plans: &["dup", "keep", "raid5"],
        expect: Code("zero-missing"),
        change: |plan| {
            plan.devices[0].zero.pop();
        },
    },
    Mutation {
        name: "zeros that move",
        plans: &["dup", "raid10"],
        expect: Code("zero-missing"),
        change: |plan| {
            plan.devices[0].zero.last_mut().unwrap().start -= 4096;
        },
    },
    Mutation {
        name: "zeros where nothing has to be",
        plans: &["dup", "keep"],
        expect: Code("zero-needless"),
        change: |plan| {
            insert(&mut plan.devices[0].zero, range(3 << 30, 4096));
        },
    },
    Mutation {
        name: "what parity counts as zeros is left",
        plans: &["raid5", "raid6", "exact raid5"],
        expect: Code("zero-missing"),
        change: |plan| {
            let index = plan.devices.iter().position(|device| device.zero.len() > 2).unwrap();
            plan.devices[index].zero.remove(1);
        },
    },
    Mutation {
        name: "the place of a superblock copy is left, since zones have theirs elsewhere",
        plans: &["zoned"],
        expect: Code("zero-missing"),
        change: |plan| {
            plan.devices[0].zero.retain(|range| range.start != 64 << 20);
        },
    },
];
