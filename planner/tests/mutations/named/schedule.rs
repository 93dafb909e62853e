//! Changes to what is done to devices.

use super::Expect::{Code, Refused};
use super::{Mutation, insert, range};
use crate::edit;
use btrfs_planner::plan::{DiscardStrategy, Payload, WriteAt, ZoneState};
use btrfs_planner::units::{Logical, Physical};

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
