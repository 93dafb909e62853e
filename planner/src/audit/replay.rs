//! A plan's own writes as disks.
//!
//! Nobody knows what a device holds where the plan writes nothing, so such bytes read as [`UNKNOWN`], not as zeros: a
//! filesystem that is right only on blank devices is not right.

use super::{Disks, ReadFailed, Zone};
use crate::plan::{ByteRange, Device, Payload, Plan, ZoneState};
use crate::units::{in_memory, wide};
use alloc::vec::Vec;
use core::ops::Range;
use rangemap::RangeMap;

/// What a byte reads as that the plan neither writes nor makes zero.
pub const UNKNOWN: u8 = 0xa5;

/// The disks of a plan, as they are when it has run.
#[derive(Debug)]
pub struct Replay<'a> {
    plan: &'a Plan,
    disks: Vec<RangeMap<u64, Source>>,
}

/// Where bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// They are zeros.
    Zeros,
    /// A payload that starts at this byte of the disk.
    Payload { index: u32, start: u64 },
}

impl<'a> Replay<'a> {
    /// Runs a plan's steps in their order: the last write to a byte wins. Steps that make no sense do nothing.
    #[must_use]
    pub fn new(plan: &'a Plan) -> Self {
        // A payload that makes no sense stands for nothing.
        let length = |payload: &Payload| payload.check().map_or(0, |()| payload.length);
        let lengths: Vec<u64> = plan.payloads.iter().map(length).collect();
        let disks = plan.devices.iter().map(|device| run(device, &lengths)).collect();
        Self { plan, disks }
    }
}

fn run(device: &Device, lengths: &[u64]) -> RangeMap<u64, Source> {
    let mut disk = RangeMap::new();
    for range in ranges(&device.wipe) {
        disk.insert(range, Source::Zeros);
    }
    for range in ranges(&device.discard) {
        // What is discarded may read as anything.
        disk.remove(range);
    }
    for range in ranges(&device.reset_zones).chain(ranges(&device.zero)) {
        disk.insert(range, Source::Zeros);
    }
    for write in device.writes.iter().chain(&device.commit) {
        let start = write.offset.get();
        let length = usize::try_from(write.payload).ok().and_then(|index| lengths.get(index));
        let end = start.saturating_add(length.copied().unwrap_or(0));
        if start < end {
            disk.insert(start..end, Source::Payload { index: write.payload, start });
        }
    }
    disk
}

/// The ranges of a list that are not empty.
fn ranges(list: &[ByteRange]) -> impl Iterator<Item = Range<u64>> {
    list.iter().map(|range| range.start..range.start.saturating_add(range.length)).filter(|range| !range.is_empty())
}

impl Disks for Replay<'_> {
    fn count(&self) -> usize {
        self.disks.len()
    }

    fn size(&self, disk: usize) -> u64 {
        self.plan.devices.get(disk).map_or(0, |device| device.found.size)
    }

    fn read(&self, disk: usize, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        let end = offset.checked_add(wide(buffer.len())).ok_or(ReadFailed)?;
        let written = self.disks.get(disk).ok_or(ReadFailed)?;
        if end > self.size(disk) {
            return Err(ReadFailed);
        }
        let mut at = offset;
        let mut rest = buffer;
        for (range, source) in written.overlapping(offset..end) {
            let (from, to) = (range.start.max(offset), range.end.min(end));
            let (gap, behind) = split(rest, from.saturating_sub(at))?;
            gap.fill(UNKNOWN);
            let (here, behind) = split(behind, to.saturating_sub(from))?;
            match source {
                Source::Zeros => here.fill(0),
                Source::Payload { index, start } => {
                    let payload = usize::try_from(*index).ok().and_then(|index| self.plan.payloads.get(index));
                    let skip = from.saturating_sub(*start);
                    payload.ok_or(ReadFailed)?.read(skip, here).map_err(|_| ReadFailed)?;
                }
            }
            (at, rest) = (to, behind);
        }
        rest.fill(UNKNOWN);
        Ok(())
    }

    fn zone(&self, disk: usize, offset: u64) -> Option<Zone> {
        let zones = self.plan.devices.get(disk)?.found.zones.as_ref()?;
        let number = offset.checked_div(zones.size)?;
        let mut first = 0_u64;
        for run in &zones.runs {
            let behind = first.saturating_add(run.count);
            if number < behind {
                return Some(Zone {
                    start: number.saturating_mul(zones.size),
                    length: zones.size,
                    capacity: run.capacity.unwrap_or(zones.size),
                    sequential: run.state != ZoneState::Conventional,
                    usable: !matches!(run.state, ZoneState::Offline | ZoneState::ReadOnly),
                });
            }
            first = behind;
        }
        None
    }
}

fn split(buffer: &mut [u8], at: u64) -> Result<(&mut [u8], &mut [u8]), ReadFailed> {
    buffer.split_at_mut_checked(in_memory(at).map_err(|_| ReadFailed)?).ok_or(ReadFailed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::DeviceFacts;
    use crate::{Request, plan};

    #[test]
    fn the_last_step_that_touches_a_byte_wins() {
        let mut plan = plan(&Request::new([DeviceFacts::described(10 << 30)].into(), "replay", 0)).unwrap();
        let primary = plan.devices[0].commit.last().copied().unwrap();
        let device = &mut plan.devices[0];
        let range = |start, length| ByteRange { start, length };
        device.wipe = [range(0, 4096), range(8192, 4096)].into();
        device.discard = [range(0, 4096)].into();
        device.zero = [range(65536, 4096), range(1 << 20, 4096)].into();
        let replay = Replay::new(&plan);
        let byte = |offset| {
            let mut byte = [0];
            replay.read(0, offset, &mut byte).map(|()| byte[0])
        };
        assert_eq!(byte(0), Ok(UNKNOWN), "discarded after it was wiped");
        assert_eq!(byte(8192), Ok(0), "wiped");
        assert_eq!(byte(1 << 20), Ok(0), "made zero");
        let payload = plan.payloads[primary.payload as usize].expand().unwrap();
        let mut buffer = std::vec![0; 4096 + 16];
        replay.read(0, 65536 - 8, &mut buffer).unwrap();
        assert_eq!(buffer[..8], [UNKNOWN; 8]);
        assert_eq!(buffer[8..4104], payload[..], "written");
        assert_eq!(buffer[4104..], [UNKNOWN; 8]);
        assert_eq!(byte(10 << 30), Err(ReadFailed));
        assert_eq!(replay.read(0, u64::MAX, &mut [0; 2]), Err(ReadFailed));
        assert_eq!(replay.read(1, 0, &mut [0; 2]), Err(ReadFailed));
    }
}
