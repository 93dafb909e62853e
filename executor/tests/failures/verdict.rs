//! What is on disks after a crash, as a kernel or a rescuer would see it.

use crate::medium::Medium;
use crate::scenes::Scene;
use btrfs_planner::audit::{Disks, ReadFailed, Zone, audit_disks};
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::disk::superblock::{LOG_OFFSETS, MAGIC, SUPERBLOCK_OFFSETS, Superblock};
use btrfs_planner::request::ZoneState;
use zerocopy::FromBytes;

/// What the disks hold. Nothing else may ever be on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    /// The old filesystem: some or all of its superblocks, and every other byte of it.
    Old,
    /// No superblock that is whole, on no device, neither the first one nor a copy.
    Nothing,
    /// Some superblocks of the new filesystem, but not the one that is written last, and every other byte of it: no kernel
    /// mounts it as a whole, and whoever restores the missing superblock from a copy gets the complete filesystem.
    Committing,
    /// The new filesystem, complete.
    New,
}

/// Disks to be audited.
struct Media<'a>(&'a [Medium]);

impl Disks for Media<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn size(&self, disk: usize) -> u64 {
        self.0.get(disk).map_or(0, Medium::size)
    }

    fn read(&self, disk: usize, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        let medium = self.0.get(disk).ok_or(ReadFailed)?;
        let end = offset.checked_add(buffer.len() as u64).ok_or(ReadFailed)?;
        if end > medium.size() {
            return Err(ReadFailed);
        }
        medium.read_into(offset, buffer);
        Ok(())
    }

    fn zone(&self, disk: usize, offset: u64) -> Option<Zone> {
        let zones = self.0.get(disk)?.zones()?;
        let start = offset / zones.size * zones.size;
        Some(Zone {
            start,
            length: zones.size,
            capacity: zones.size,
            sequential: zones.state_at(offset)? != ZoneState::Conventional,
            usable: true,
        })
    }
}

/// A superblock copy that is whole: whose filesystem, and whether it is the one that a kernel looks at.
struct Copy {
    fsid: [u8; 16],
    device: usize,
    primary: bool,
}

/// A scene with what its verdicts need, worked out once.
pub(crate) struct Judge<'a> {
    scene: &'a Scene,
    new_fsid: [u8; 16],
    /// Bytes of the plan beside superblocks, by device.
    writes: Vec<Vec<(u64, Vec<u8>)>>,
    /// Superblocks by device.
    commits: Vec<Vec<(u64, Vec<u8>)>>,
    /// Places that a run may change while the old filesystem is still there.
    wiped: Vec<Vec<(u64, u64)>>,
}

impl<'a> Judge<'a> {
    pub(crate) fn new(scene: &'a Scene) -> Self {
        let plan = &scene.plan;
        let expand = |writes: &[btrfs_planner::plan::WriteAt]| -> Vec<(u64, Vec<u8>)> {
            let one = |write: &btrfs_planner::plan::WriteAt| {
                (write.offset.get(), plan.payloads[write.payload as usize].expand().unwrap())
            };
            writes.iter().map(one).collect()
        };
        let mut wiped = Vec::new();
        for slot in &plan.devices {
            let mut places: Vec<(u64, u64)> =
                slot.wipe.iter().map(|range| (range.start, range.start + range.length)).collect();
            // The superblock that a signature is in is only worth something as a whole.
            places.extend(slot.commit.iter().map(|write| (write.offset.get(), write.offset.get() + 4096)));
            wiped.push(places);
        }
        Self {
            scene,
            new_fsid: plan.filesystem.fsid.into_bytes(),
            writes: plan.devices.iter().map(|slot| expand(&slot.writes)).collect(),
            commits: plan.devices.iter().map(|slot| expand(&slot.commit)).collect(),
            wiped,
        }
    }

    /// What is on the disks, or what is wrong with that.
    pub(crate) fn judge(&self, media: &[Medium]) -> Result<Verdict, String> {
        let copies = superblocks(media);
        let (old, new) = (self.scene.old_fsid, self.new_fsid);
        if let Some(other) = copies.iter().find(|copy| copy.fsid != old && copy.fsid != new) {
            return Err(format!("a superblock of nobody on device {}", other.device + 1));
        }
        let is_there = |fsid| copies.iter().any(|copy| copy.fsid == fsid);
        match (is_there(old), is_there(new)) {
            (true, true) => Err("superblocks of both filesystems".to_owned()),
            (true, false) => self.old_is_whole(media).map(|()| Verdict::Old),
            (false, false) => Ok(Verdict::Nothing),
            (false, true) => {
                self.new_is_whole(media)?;
                if copies.iter().any(|copy| copy.primary && copy.device == 0) {
                    self.superblocks_are_whole(media)?;
                    let report = audit_disks(&Media(media));
                    if report.is_clean() { Ok(Verdict::New) } else { Err(format!("{:?}", report.findings)) }
                } else {
                    Ok(Verdict::Committing)
                }
            }
        }
    }

    /// What is on the disks during a second run of the same plan: the filesystem, whole as the first run left it or as the
    /// second one made it, or none.
    pub(crate) fn judge_second(&self, media: &[Medium]) -> Result<(), String> {
        let copies = superblocks(media);
        if copies.iter().any(|copy| copy.fsid != self.new_fsid) {
            return Err("a superblock of another filesystem".to_owned());
        }
        if copies.is_empty() { Ok(()) } else { self.new_is_whole(media) }
    }

    fn old_is_whole(&self, media: &[Medium]) -> Result<(), String> {
        for (device, (before, now)) in self.scene.before.iter().zip(media).enumerate() {
            for (start, page) in before.pages() {
                if now.page(start) == Some(page) {
                    continue;
                }
                let sectors = (start..).step_by(512).zip(page.chunks(512));
                for (at, sector) in sectors {
                    let may_change = self.wiped[device].iter().any(|(from, to)| *from < at + 512 && at < *to);
                    if !may_change && now.read(at, 512) != sector {
                        return Err(format!(
                            "the old filesystem has a superblock, and its bytes at {at} of device {} are gone",
                            device + 1
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    fn new_is_whole(&self, media: &[Medium]) -> Result<(), String> {
        for (device, (slot, now)) in self.scene.plan.devices.iter().zip(media).enumerate() {
            for (offset, bytes) in &self.writes[device] {
                if !now.holds(*offset, bytes) {
                    return Err(format!(
                        "the new filesystem has a superblock, and its bytes at {offset} of device {} are missing",
                        device + 1
                    ));
                }
            }
            for range in &slot.zero {
                if !now.is_zero(range.start, range.start + range.length) {
                    return Err(format!("what must be zero at {} of device {} is not", range.start, device + 1));
                }
            }
        }
        Ok(())
    }

    /// All but the primary one of device 1, of which only the flush may be missing.
    fn superblocks_are_whole(&self, media: &[Medium]) -> Result<(), String> {
        for (device, now) in media.iter().enumerate() {
            for (offset, bytes) in &self.commits[device] {
                if !now.holds(*offset, bytes) {
                    return Err(format!(
                        "the filesystem is there without the superblock at {offset} of device {}",
                        device + 1
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Every superblock that is whole: its magic, its own address and its checksum are right. On zoned devices these are the
/// entries of the logs.
fn superblocks(media: &[Medium]) -> Vec<Copy> {
    let mut copies = Vec::new();
    for (device, medium) in media.iter().enumerate() {
        for (index, bytenr) in SUPERBLOCK_OFFSETS.into_iter().enumerate() {
            for place in places(medium, index) {
                if place + 4096 > medium.size() {
                    continue;
                }
                let bytes = medium.read(place, 4096);
                let block = Superblock::read_from_bytes(&bytes).unwrap();
                let kind = ChecksumType::from_on_disk(block.csum_type.get());
                if block.magic == MAGIC && block.bytenr.get() == bytenr && kind.is_some_and(|kind| kind.holds(&bytes)) {
                    copies.push(Copy { fsid: block.fsid, device, primary: index == 0 });
                }
            }
        }
    }
    copies
}

/// Where the entries of a superblock's copy may stand.
fn places(medium: &Medium, index: usize) -> Vec<u64> {
    match medium.zones() {
        None => vec![SUPERBLOCK_OFFSETS[index]],
        Some(zones) => {
            let first = LOG_OFFSETS[index] / zones.size * zones.size;
            let entries = |zone: u64| (0..4).map(move |entry| zone + entry * 4096);
            entries(first).chain(entries(first + zones.size)).collect()
        }
    }
}
