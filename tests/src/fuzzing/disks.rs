//! Disks that hold good filesystems, damaged on purpose; checksums are put right again, so that damage goes deep.

use super::{MIB, good_requests};
use btrfs_planner::audit::{Disks, ReadFailed, Replay};
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::{Plan, plan};
use std::sync::LazyLock;

/// A place that holds something: disk, offset, length.
type Place = (usize, u64, usize);

/// Plans, and where on their disks there is something to damage.
static PLANS: LazyLock<Vec<(Plan, Vec<Place>)>> = LazyLock::new(|| {
    let plans = good_requests().into_iter().filter_map(|request| plan(&request).ok());
    let places = |plan: &Plan| {
        let mut places = Vec::new();
        for (disk, device) in plan.devices.iter().enumerate() {
            for write in device.writes.iter().chain(&device.commit) {
                let payload = usize::try_from(write.payload).ok().and_then(|index| plan.payloads.get(index));
                let length = payload.and_then(|payload| usize::try_from(payload.length).ok()).unwrap_or(0);
                places.push((disk, write.offset.get(), length));
            }
        }
        places
    };
    plans.map(|plan| (places(&plan), plan)).map(|(places, plan)| (plan, places)).collect()
});

/// A filesystem's disks, with some bytes that are not as they were.
pub(super) struct Damaged {
    replay: Replay<'static>,
    blocks: Vec<(Place, Vec<u8>)>,
    /// All disks end here.
    end: u64,
}

/// The first byte chooses a filesystem, the second one the size of its disks; eight each are for a change.
pub(super) fn damaged(data: &[u8]) -> Option<Damaged> {
    let (head, edits) = data.split_at_checked(2)?;
    let (plan, places) = PLANS.get(usize::from(head[0]) % PLANS.len().max(1))?;
    let end = if head[1] < 0x80 { u64::MAX } else { u64::from(head[1]) * 2 * MIB };
    let mut disks = Damaged { replay: Replay::new(plan), blocks: Vec::new(), end };
    for edit in edits.chunks_exact(8).take(32) {
        let place = places[usize::from(u16::from_le_bytes([edit[0], edit[1]])) % places.len()];
        let (disk, offset, length) = place;
        let mut bytes = vec![0; length];
        disks.read(disk, offset, &mut bytes).ok()?;
        let at = usize::from(u16::from_le_bytes([edit[2], edit[3]])) % length.max(1);
        // Most of a block's meaning is at its start, and of a leaf's at its end.
        let at = match edit[4] & 3 {
            0 => at % 256,
            1 => length.saturating_sub(1 + at % 512),
            _ => at,
        };
        let value = [edit[5], edit[6], edit[7], edit[5], edit[6], edit[7], edit[5], edit[6]];
        let width = 1 << ((edit[4] >> 2) & 3);
        for (to, from) in bytes.iter_mut().skip(at).zip(value).take(width) {
            *to = from;
        }
        if edit[4] & 0x80 == 0 {
            ChecksumType::Crc32c.seal(&mut bytes);
        }
        disks.blocks.push((place, bytes));
    }
    Some(disks)
}

impl Disks for Damaged {
    fn count(&self) -> usize {
        self.replay.count()
    }

    fn size(&self, disk: usize) -> u64 {
        self.replay.size(disk).min(self.end)
    }

    fn read(&self, disk: usize, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        let end = offset.checked_add(buffer.len() as u64).filter(|end| *end <= self.size(disk)).ok_or(ReadFailed)?;
        self.replay.read(disk, offset, buffer)?;
        for ((_, start, _), bytes) in self.blocks.iter().filter(|((other, ..), _)| *other == disk) {
            let (from, to) = ((*start).max(offset), (start + bytes.len() as u64).min(end));
            if from < to {
                let place = |at: u64, base: u64| usize::try_from(at - base).map_err(|_| ReadFailed);
                let source = &bytes[place(from, *start)?..place(to, *start)?];
                buffer[place(from, offset)?..place(to, offset)?].copy_from_slice(source);
            }
        }
        Ok(())
    }
}
