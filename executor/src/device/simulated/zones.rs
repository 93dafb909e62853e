//! The zones of a simulated device: what a zoned device lets pass, and what it refuses.

use btrfs_planner::request::{ZoneModel, ZoneState, Zones};
use nix::libc::{EINVAL, EIO, EOVERFLOW};

/// A zone.
#[derive(Clone, Copy, Debug)]
struct Zone {
    state: ZoneState,
    /// Bytes that can be written.
    capacity: u64,
    /// Bytes that are written.
    written: u64,
    /// A write came out of order: the kernel refuses every other one until it is sure of the write pointer again.
    broken: bool,
}

/// All zones of a device.
#[derive(Clone, Debug)]
pub(super) struct ZoneTable {
    zones: Vec<Zone>,
    size: u64,
    device: u64,
    model: ZoneModel,
    max_active: u32,
    max_open: u32,
}

impl ZoneTable {
    /// The zones of a device with `device` bytes as they are reported.
    pub(super) fn new(zones: &Zones, device: u64) -> Self {
        let mut all = Vec::new();
        for run in &zones.runs {
            let capacity = run.capacity.unwrap_or(zones.size);
            let written = match run.state {
                ZoneState::Full => capacity,
                state if state.active() => run.write_pointer.unwrap_or(0),
                _ => 0,
            };
            let zone = Zone { state: run.state, capacity, written, broken: false };
            all.extend((0..run.count).map(|_| zone));
        }
        let Zones { size, model, max_active, max_open, .. } = *zones;
        Self { zones: all, size, device, model, max_active, max_open }
    }

    /// Takes a write of `length` bytes, or says with which error it fails.
    pub(super) fn write(&mut self, mut offset: u64, length: u64) -> Result<(), i32> {
        let end = offset + length;
        while offset < end {
            let (index, within) = ((offset / self.size) as usize, offset % self.size);
            let part = (self.size - within).min(end - offset);
            self.write_zone(index, within, part)?;
            offset += part;
        }
        Ok(())
    }

    fn write_zone(&mut self, index: usize, within: u64, length: u64) -> Result<(), i32> {
        let active = self.zones.iter().filter(|zone| zone.state.active()).count() as u64;
        let zone = self.zones.get_mut(index).ok_or(EIO)?;
        match zone.state {
            ZoneState::Conventional => return Ok(()),
            ZoneState::ReadOnly | ZoneState::Offline => return Err(EIO),
            _ if self.model == ZoneModel::HostAware => {}
            _ if zone.broken || zone.written != within || within + length > zone.capacity => {
                zone.broken = true;
                return Err(EIO);
            }
            ZoneState::Empty if self.max_active != 0 && active >= u64::from(self.max_active) => return Err(EOVERFLOW),
            _ => {}
        }
        zone.written = zone.written.max(within + length);
        zone.state = if zone.written >= zone.capacity { ZoneState::Full } else { ZoneState::Open };
        self.close_beyond_limit(index);
        Ok(())
    }

    /// Too many open zones close by themselves.
    fn close_beyond_limit(&mut self, keep: usize) {
        let mut open = self.zones.iter().filter(|zone| zone.state == ZoneState::Open).count() as u64;
        for (index, zone) in self.zones.iter_mut().enumerate() {
            if self.max_open != 0 && open > u64::from(self.max_open) && index != keep && zone.state == ZoneState::Open {
                zone.state = ZoneState::Closed;
                open -= 1;
            }
        }
    }

    /// Resets the zones of a range; the answer is which bytes are gone now, and the error if there was one.
    pub(super) fn reset(&mut self, start: u64, length: u64) -> (Vec<(u64, u64)>, Result<(), i32>) {
        let Some(end) = start.checked_add(length).filter(|end| length > 0 && *end <= self.device) else {
            return (Vec::new(), Err(EINVAL));
        };
        if !start.is_multiple_of(self.size) || !(end.is_multiple_of(self.size) || end == self.device) {
            return (Vec::new(), Err(EINVAL));
        }
        let whole = start == 0 && end == self.device;
        let (mut gone, mut result) = (Vec::new(), Ok(()));
        let zones = (start / self.size) as usize..end.div_ceil(self.size) as usize;
        for (zone, index) in self.zones.iter_mut().zip(0_u64..).take(zones.end).skip(zones.start) {
            if zone.state == ZoneState::Conventional || !zone.state.usable() {
                if !whole {
                    result = Err(EIO);
                }
                continue;
            }
            *zone = Zone { state: ZoneState::Empty, written: 0, broken: false, ..*zone };
            gone.push((index * self.size, (index + 1) * self.size));
        }
        (gone, result)
    }

    /// What is in every zone now.
    pub(super) fn states(&self) -> Vec<ZoneState> {
        self.zones.iter().map(|zone| zone.state).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::request::ZoneRun;

    const ZONE: u64 = 4 << 20;

    fn table(limit: u32) -> ZoneTable {
        let sequential = ZoneRun { capacity: Some(3 << 20), ..ZoneRun::new(7, ZoneState::Empty) };
        let runs = vec![ZoneRun::new(1, ZoneState::Conventional), sequential];
        ZoneTable::new(&Zones { runs, max_active: limit, ..Zones::described(8 * ZONE, ZONE, None, 0) }, 8 * ZONE)
    }

    #[test]
    fn sequential_zones_are_written_at_their_pointer_or_not_at_all() {
        let mut table = table(0);
        assert_eq!(table.write(8192, 4096), Ok(()), "conventional");
        assert_eq!(table.write(ZONE, 4096), Ok(()));
        assert_eq!(table.write(ZONE + 8192, 4096), Err(EIO));
        assert_eq!(table.write(ZONE + 4096, 4096), Err(EIO), "in order, but nobody is sure any more");
        assert_eq!(table.reset(ZONE, ZONE).1, Ok(()));
        assert_eq!(table.write(ZONE, 3 << 20), Ok(()));
        assert_eq!(table.states()[1], ZoneState::Full);
        assert_eq!(table.write(2 * ZONE, (3 << 20) + 4096), Err(EIO), "beyond the capacity");
    }

    #[test]
    fn active_zones_are_counted() {
        let mut table = table(2);
        assert_eq!(table.write(ZONE, 4096), Ok(()));
        assert_eq!(table.write(2 * ZONE, 4096), Ok(()));
        assert_eq!(table.write(3 * ZONE, 4096), Err(EOVERFLOW));
        assert_eq!(table.write(ZONE + 4096, (3 << 20) - 4096), Ok(()), "full ones do not count");
        assert_eq!(table.write(3 * ZONE, 4096), Ok(()));
    }

    #[test]
    fn resets_spare_conventional_zones() {
        let mut table = table(0);
        table.write(ZONE, 4096).unwrap();
        assert_eq!(table.reset(0, 2 * ZONE).1, Err(EIO));
        assert_eq!(table.states()[1], ZoneState::Empty, "reset all the same");
        assert_eq!(
            table.reset(0, 8 * ZONE),
            ((1..8).map(|index| (index * ZONE, (index + 1) * ZONE)).collect(), Ok(()))
        );
        for (start, length) in [(ZONE, 0), (ZONE, 4096), (4096, ZONE), (7 * ZONE, 2 * ZONE)] {
            assert_eq!(table.reset(start, length).1, Err(EINVAL));
        }
    }
}
