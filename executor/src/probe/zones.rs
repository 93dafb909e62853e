//! A zoned device's report becomes runs of like zones.

pub use crate::ioctl::zones::ReportedZone;
use crate::ioctl::zones::{Reporter, zone_size};
use btrfs_planner::request::{ZoneModel, ZoneRun, ZoneState, Zones};
use std::fs::File;
use std::io;

/// A report that no device should give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReportProblem {
    /// A gap, an overlap, or a zone of another size that is not the last.
    #[error("the zone reported at {0} is not where the next one belongs")]
    Place(u64),
    /// A kind or condition that is not known.
    #[error("the zone at {start} has kind {kind} and condition {condition:#x}, which are not known")]
    Unknown {
        /// Its first byte.
        start: u64,
        /// Its kind.
        kind: u8,
        /// Its condition.
        condition: u8,
    },
    /// The report ends before the device does.
    #[error("the zone report ends at {end} of {size} bytes")]
    Short {
        /// The byte behind the last zone.
        end: u64,
        /// The device's size.
        size: u64,
    },
}

/// What sysfs says of a zoned device, as far as it does.
pub(super) struct Queue {
    /// How it wants its zones written.
    pub(super) model: Option<String>,
    pub(super) max_active: Option<u32>,
    pub(super) max_open: Option<u32>,
}

/// The zones of a block device with `device` bytes, or that it has none.
pub(super) fn zones(file: &File, device: u64, queue: impl FnOnce() -> Queue) -> io::Result<Option<Zones>> {
    let size = zone_size(file)?;
    if size == 0 {
        // Most devices: sysfs need not be asked.
        return Ok(None);
    }
    let Queue { model, max_active, max_open } = queue();
    let model = match model.as_deref() {
        Some("none") => return Ok(None),
        Some("host-aware") => ZoneModel::HostAware,
        // Without a word from sysfs too: whoever writes in order is right with either.
        _ => ZoneModel::HostManaged,
    };
    let mut runs = Runs::new(size);
    let mut reporter = Reporter::new();
    loop {
        let before = runs.end;
        for zone in reporter.report(file, before)? {
            runs.push(zone).map_err(io::Error::other)?;
        }
        if runs.end == before || runs.end >= device {
            break;
        }
    }
    if runs.end < device {
        return Err(io::Error::other(ReportProblem::Short { end: runs.end, size: device }));
    }
    let (max_active, max_open) = (max_active.unwrap_or(0), max_open.unwrap_or(0));
    Ok(Some(Zones { max_active, max_open, model, runs: runs.runs, size }))
}

/// The runs of a report's zones, of `size` bytes each but perhaps the last.
pub fn runs_of_report(size: u64, zones: impl IntoIterator<Item = ReportedZone>) -> Result<Vec<ZoneRun>, ReportProblem> {
    let mut runs = Runs::new(size);
    zones.into_iter().try_for_each(|zone| runs.push(zone))?;
    Ok(runs.runs)
}

/// Runs, built zone by zone: a device of millions of zones needs no list of them.
#[derive(Debug)]
struct Runs {
    size: u64,
    end: u64,
    runs: Vec<ZoneRun>,
}

impl Runs {
    /// No zone yet, of so many bytes each.
    fn new(size: u64) -> Self {
        Self { size, end: 0, runs: Vec::new() }
    }

    /// One more zone: to the last run if it is like that, else to a new one.
    fn push(&mut self, zone: ReportedZone) -> Result<(), ReportProblem> {
        // Only the last zone may be shorter: behind it, no other starts at a multiple of the size.
        let follows = zone.start == self.end && zone.start.is_multiple_of(self.size);
        let end = zone.start.checked_add(zone.length).filter(|_| follows && (1..=self.size).contains(&zone.length));
        self.end = end.ok_or(ReportProblem::Place(zone.start))?;
        let state = state(&zone)?;
        let capacity = if state == ZoneState::Conventional { zone.length } else { zone.capacity.min(zone.length) };
        let run = ZoneRun {
            count: 1,
            state,
            capacity: (capacity != self.size).then_some(capacity),
            write_pointer: state.active().then(|| zone.write_pointer.saturating_sub(zone.start).min(zone.length)),
        };
        match self.runs.last_mut() {
            Some(last) if (ZoneRun { count: 1, ..*last }) == run => last.count = last.count.saturating_add(1),
            _ => self.runs.push(run),
        }
        Ok(())
    }
}

fn state(zone: &ReportedZone) -> Result<ZoneState, ReportProblem> {
    const CONVENTIONAL: u8 = 1;
    const SEQUENTIAL_REQUIRED: u8 = 2;
    const SEQUENTIAL_PREFERRED: u8 = 3;
    let ReportedZone { start, kind, condition, .. } = *zone;
    match (kind, condition) {
        // Whatever its kind.
        (CONVENTIONAL..=SEQUENTIAL_PREFERRED, 0xd) => Ok(ZoneState::ReadOnly),
        (CONVENTIONAL..=SEQUENTIAL_PREFERRED, 0xf) => Ok(ZoneState::Offline),
        (CONVENTIONAL, _) => Ok(ZoneState::Conventional),
        (SEQUENTIAL_REQUIRED | SEQUENTIAL_PREFERRED, 1) => Ok(ZoneState::Empty),
        // Open by itself, open by command, and (in reports from the kernel's memory) one of those or closed.
        (SEQUENTIAL_REQUIRED | SEQUENTIAL_PREFERRED, 2 | 3 | 0xff) => Ok(ZoneState::Open),
        (SEQUENTIAL_REQUIRED | SEQUENTIAL_PREFERRED, 4) => Ok(ZoneState::Closed),
        (SEQUENTIAL_REQUIRED | SEQUENTIAL_PREFERRED, 0xe) => Ok(ZoneState::Full),
        _ => Err(ReportProblem::Unknown { start, kind, condition }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 4 << 20;

    fn zone(index: u64, kind: u8, condition: u8) -> ReportedZone {
        let start = index * SIZE;
        ReportedZone { start, length: SIZE, capacity: SIZE, write_pointer: start, kind, condition }
    }

    fn runs(zones: impl IntoIterator<Item = ReportedZone>) -> Result<Vec<ZoneRun>, ReportProblem> {
        runs_of_report(SIZE, zones)
    }

    #[test]
    fn like_neighbours_merge() {
        let at = |index, condition, written| {
            let zone = zone(index, 2, condition);
            ReportedZone { write_pointer: zone.start + written, ..zone }
        };
        let zones = [
            zone(0, 1, 0),
            zone(1, 1, 0),
            zone(2, 2, 1),
            // The write pointer of a full zone is anything.
            ReportedZone { write_pointer: u64::MAX, ..zone(3, 2, 0xe) },
            at(4, 0xe, SIZE),
            at(5, 2, 8192),
            at(6, 3, 8192),
            at(7, 3, 4096),
            at(8, 4, 4096),
            zone(9, 2, 0xd),
            zone(10, 1, 0xf),
        ];
        let open = ZoneRun { write_pointer: Some(8192), ..ZoneRun::new(2, ZoneState::Open) };
        let expected = [
            ZoneRun::new(2, ZoneState::Conventional),
            ZoneRun::new(1, ZoneState::Empty),
            ZoneRun::new(2, ZoneState::Full),
            open,
            ZoneRun { count: 1, write_pointer: Some(4096), ..open },
            ZoneRun { count: 1, write_pointer: Some(4096), state: ZoneState::Closed, ..open },
            ZoneRun::new(1, ZoneState::ReadOnly),
            ZoneRun::new(1, ZoneState::Offline),
        ];
        assert_eq!(runs(zones).unwrap(), expected);
    }

    #[test]
    fn capacities_and_a_short_last_zone_are_kept() {
        let capacity = 3 << 20;
        let zones = (0..3).map(|index| ReportedZone { capacity, ..zone(index, 2, 1) });
        let last = ReportedZone { length: 1 << 20, capacity: 1 << 20, ..zone(3, 2, 1) };
        let small = ZoneRun { capacity: Some(capacity), ..ZoneRun::new(3, ZoneState::Empty) };
        let expected = [small, ZoneRun { count: 1, capacity: Some(1 << 20), ..small }];
        assert_eq!(runs(zones.chain([last])).unwrap(), expected);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let short = ReportedZone { length: SIZE / 2, ..zone(0, 2, 1) };
        let behind = ReportedZone { start: SIZE / 2, ..zone(1, 2, 1) };
        assert_eq!(runs([short, behind]), Err(ReportProblem::Place(SIZE / 2)));
        assert_eq!(runs([zone(1, 2, 1)]), Err(ReportProblem::Place(SIZE)));
        assert_eq!(runs([ReportedZone { length: 0, ..zone(0, 2, 1) }]), Err(ReportProblem::Place(0)));
        for (kind, condition) in [(4, 1), (2, 0), (2, 5), (0, 1)] {
            assert_eq!(runs([zone(0, kind, condition)]), Err(ReportProblem::Unknown { start: 0, kind, condition }));
        }
    }

    #[test]
    fn five_million_zones_are_one_run() {
        let all = runs((0..5_000_000).map(|index| zone(index, 2, 1))).unwrap();
        assert_eq!(all, [ZoneRun::new(5_000_000, ZoneState::Empty)]);
    }
}
