//! What an earlier run of the same plan may have left on a device: signatures that it wiped, and its own.
//!
//! A run that was stopped half-way is run again, with the plan as it is. So a device whose signatures are not those of the
//! plan is still the one that was planned if every difference is the plan's own doing. This knows nothing of what the
//! signatures mean: it compares the sectors they stand in with what the plan writes there.

use btrfs_planner::Plan;
use btrfs_planner::plan::{Device as Slot, WriteAt};
use btrfs_planner::request::Signature;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The most bytes of the sectors of one signature: magics are short.
const MOST: u64 = 1 << 20;

/// Whether every difference between the signatures that were planned and those that are there now is what a run of this
/// plan does: one that is gone left zeros or the plan's bytes, and one that is new is in the plan's bytes.
pub(super) fn explain(
    plan: &Plan,
    slot: &Slot,
    file: &File,
    planned: &[Signature],
    found: &[Signature],
) -> io::Result<bool> {
    for gone in planned.iter().filter(|signature| !found.contains(signature)) {
        let Some(place) = Place::new(slot, gone) else { return Ok(false) };
        let now = place.read(file)?;
        let (own, _) = place.planned(plan, slot);
        if now.iter().any(|byte| *byte != 0) && now != own {
            return Ok(false);
        }
    }
    for new in found.iter().filter(|signature| !planned.contains(signature)) {
        let Some(place) = Place::new(slot, new) else { return Ok(false) };
        let (own, whole) = place.planned(plan, slot);
        if !whole || place.read(file)? != own {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The sectors that a signature stands in.
struct Place {
    start: u64,
    length: usize,
}

impl Place {
    /// `None` where no signature is.
    fn new(slot: &Slot, signature: &Signature) -> Option<Self> {
        let sector = u64::from(slot.found.logical_sector);
        let start = signature.offset.checked_sub(signature.offset.checked_rem(sector)?)?;
        let end = signature.offset.checked_add(signature.length)?.checked_next_multiple_of(sector)?;
        let length = end.checked_sub(start).filter(|length| (1..=MOST).contains(length))?;
        Some(Self { start, length: usize::try_from(length).ok()? })
    }

    /// What is there now; zeros behind the end of a file.
    fn read(&self, file: &File) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; self.length];
        let mut done = 0;
        while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
            let offset = self.start.saturating_add(u64::try_from(done).unwrap_or(u64::MAX));
            match file.read_at(rest, offset) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(bytes)
    }

    /// What the plan puts there, and whether that is all of it.
    fn planned(&self, plan: &Plan, slot: &Slot) -> (Vec<u8>, bool) {
        let mut bytes = vec![0; self.length];
        let mut covered = 0;
        for write in slot.writes.iter().chain(&slot.commit) {
            covered += self.overlay(plan, *write, &mut bytes);
        }
        // Writes of a sound plan do not meet.
        (bytes, covered == self.length)
    }

    /// Puts what a write has for this place into `bytes`; the answer is how many they are.
    fn overlay(&self, plan: &Plan, write: WriteAt, bytes: &mut [u8]) -> usize {
        let payload = usize::try_from(write.payload).ok().and_then(|index| plan.payloads.get(index));
        let Some(payload) = payload else { return 0 };
        let (start, offset) = (i128::from(self.start), i128::from(write.offset.get()));
        let end = offset + i128::from(payload.length);
        if end <= start || offset >= start + i128::try_from(bytes.len()).unwrap_or(0) {
            return 0;
        }
        let Ok(source) = payload.expand() else { return 0 };
        let place = |at: i128| usize::try_from((at - start).max(0)).unwrap_or(usize::MAX).min(bytes.len());
        let range = place(offset)..place(end);
        let skipped = usize::try_from((start - offset).max(0)).unwrap_or(usize::MAX);
        let (Some(to), Some(from)) = (bytes.get_mut(range), source.get(skipped..)) else { return 0 };
        let count = to.len().min(from.len());
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::Request;
    use btrfs_planner::request::DeviceFacts;

    const SIZE: u64 = 256 << 20;

    fn signature(kind: &str, offset: u64, length: u64) -> Signature {
        Signature { kind: kind.into(), label: None, length, offset, usage: "filesystem".into(), uuid: None }
    }

    /// The plan's own superblock is at `0x10000`; nothing of the plan is at 1080.
    #[test]
    fn only_the_plans_own_doing_explains_a_difference() {
        let facts = DeviceFacts { signatures: vec![signature("ext4", 1080, 2)], ..DeviceFacts::described(SIZE) };
        let request = Request { force: true, ..Request::new(vec![facts], "traces", 0) };
        let plan = btrfs_planner::plan(&request).unwrap();
        let slot = &plan.devices[0];
        let (old, own) = (signature("ext4", 1080, 2), signature("btrfs", 65600, 8));
        let file = tempfile::tempfile().unwrap();
        file.set_len(SIZE).unwrap();
        let explained =
            |planned: &[Signature], found: &[Signature]| explain(&plan, slot, &file, planned, found).unwrap();
        assert!(explained(std::slice::from_ref(&old), &[]), "wiped");
        file.write_all_at(&[1], 1030).unwrap();
        assert!(!explained(std::slice::from_ref(&old), &[]), "another device, on which something else is");
        file.write_all_at(&[0], 1030).unwrap();

        let superblock = slot.commit.iter().find(|write| write.offset.get() == 65536).unwrap();
        let bytes = plan.payloads[superblock.payload as usize].expand().unwrap();
        file.write_all_at(&bytes, 65536).unwrap();
        assert!(explained(std::slice::from_ref(&old), std::slice::from_ref(&own)), "wiped and committed");
        assert!(explained(&[old.clone(), own.clone()], std::slice::from_ref(&own)));
        assert!(!explained(&[], &[signature("xfs", 0, 4)]), "nothing of the plan is there");
        assert!(!explained(&[], &[signature("btrfs", u64::MAX, 8)]));
        assert!(!explained(&[], &[signature("btrfs", 65600, 64 << 20)]));
        // The generation: it was used since.
        file.write_all_at(&[9], 65536 + 0x48).unwrap();
        assert!(!explained(&[old], &[own]));
    }
}
