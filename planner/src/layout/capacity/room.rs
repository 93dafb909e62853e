//! What one device still has room for.

use super::policy::Policy;
use super::{DeviceFilled, Reason};
use crate::disk::superblock::SUPERBLOCK_OFFSETS;
use crate::layout::DeviceSpace;
use crate::units::{Checked, DevId, SizeOverflow, wide};
use alloc::vec::Vec;

/// One step takes no more than this part of a piece of free space: very many chunks on the same devices are added at
/// once, but the devices with the most room are looked for again and again, and near the end for every chunk.
const PART: u64 = 64;

/// The free space of a device.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub(super) devid: DevId,
    space: Space,
    /// Bytes that chunks take.
    used: u64,
    size: u64,
    /// Bytes of chunks behind their zones' capacity.
    tails: u64,
    /// Free bytes at the start.
    usable: u64,
}

#[derive(Clone, Debug)]
enum Space {
    /// Free ranges, as start and end, ascending.
    Ranges(Vec<(u64, u64)>),
    /// Free zones of equal capacity, as count and capacity, in reverse order.
    Zones { runs: Vec<(u64, u64)>, size: u64 },
}

/// What was taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// Superblock copies within it.
    pub(super) superblocks: u64,
    /// The least capacity of its zones.
    pub(super) capacity: Option<u64>,
}

impl Room {
    pub(super) fn new(devid: DevId, device: &DeviceSpace, zone_size: Option<u64>) -> Result<Self, SizeOverflow> {
        let space = match zone_size {
            None => Space::Ranges(device.free()?),
            Some(size) => {
                let mut runs: Vec<(u64, u64)> = device.free_zones().filter(|(count, _)| *count > 0).collect();
                runs.reverse();
                Space::Zones { runs, size }
            }
        };
        let tails = device.extents().iter().try_fold(0_u64, |sum, extent| {
            sum.plus(extent.length.saturating_sub(device.capacity(extent.start, extent.length)))
        })?;
        let mut room = Self { devid, space, used: device.used()?, size: device.size(), tails, usable: 0 };
        room.usable = room.left();
        Ok(room)
    }

    /// Bytes of the device that no chunk takes: what the kernel goes by.
    pub(super) const fn free(&self) -> u64 {
        self.size.saturating_sub(self.used)
    }

    /// Bytes that chunks could take, in one piece or not.
    fn left(&self) -> u64 {
        match &self.space {
            Space::Ranges(ranges) => {
                ranges.iter().fold(0, |sum, (start, end)| sum.saturating_add(end.saturating_sub(*start)))
            }
            Space::Zones { runs, size } => {
                runs.iter().fold(0, |sum, (count, _)| sum.saturating_add(count.saturating_mul(*size)))
            }
        }
    }

    /// The bytes of the piece that a chunk would be given: `wanted`, or the longest there is.
    pub(super) fn piece(&self, wanted: u64) -> u64 {
        match &self.space {
            Space::Ranges(_) => self.place(wanted).map_or(0, |(_, start, end)| end.saturating_sub(start).min(wanted)),
            Space::Zones { .. } => self.left().min(wanted),
        }
    }

    /// The first range of the wanted length, or else the first of the longest ones.
    fn place(&self, wanted: u64) -> Option<(usize, u64, u64)> {
        let Space::Ranges(ranges) = &self.space else { return None };
        let mut longest: Option<(usize, u64, u64)> = None;
        for (index, (start, end)) in ranges.iter().enumerate() {
            let length = end.saturating_sub(*start);
            if length >= wanted {
                return Some((index, *start, *end));
            }
            if longest.is_none_or(|(_, start, end)| end.saturating_sub(start) < length) {
                longest = Some((index, *start, *end));
            }
        }
        longest
    }

    /// How many chunks that take `bytes` each may be added at once.
    pub(super) fn repeats(&self, bytes: u64, wanted: u64) -> u64 {
        let piece = match &self.space {
            Space::Ranges(_) => self.place(wanted).map_or(0, |(_, start, end)| end.saturating_sub(start)),
            Space::Zones { runs, size } => runs.last().map_or(0, |(count, _)| count.saturating_mul(*size)),
        };
        (piece / PART).checked_div(bytes).unwrap_or(1)
    }

    /// Takes so many bytes, of the piece that [`Room::piece`] says.
    pub(super) fn take(&mut self, bytes: u64, wanted: u64, on_each: u64) -> Result<Taken, SizeOverflow> {
        let place = self.place(wanted);
        self.used = self.used.plus(bytes)?;
        match &mut self.space {
            Space::Ranges(ranges) => {
                let Some((index, start, end)) = place else { return Err(SizeOverflow) };
                let taken = start.plus(bytes)?;
                if taken >= end {
                    ranges.remove(index);
                } else if let Some(range) = ranges.get_mut(index) {
                    range.0 = taken;
                }
                let within = SUPERBLOCK_OFFSETS.iter().filter(|offset| (start..taken).contains(offset)).count();
                Ok(Taken { superblocks: wide(within), capacity: None })
            }
            Space::Zones { runs, size } => {
                let mut zones = bytes.checked_div(*size).unwrap_or(0).max(on_each);
                let mut least = *size;
                while zones > 0 {
                    let Some((count, capacity)) = runs.last_mut() else { return Err(SizeOverflow) };
                    let taken = zones.min(*count);
                    least = least.min(*capacity);
                    self.tails = self.tails.plus(size.saturating_sub(*capacity).times(taken)?)?;
                    zones = zones.minus(taken)?;
                    *count = count.minus(taken)?;
                    if *count == 0 {
                        runs.pop();
                    }
                }
                Ok(Taken { superblocks: 0, capacity: Some(least) })
            }
        }
    }

    /// The device when nothing fits any more.
    pub(super) fn filled(&self, device: &DeviceSpace, policy: &Policy) -> DeviceFilled {
        let left = self.left();
        let before = device.used().unwrap_or(0);
        let reserved = self.size.saturating_sub(before).saturating_sub(self.usable);
        let reason = if self.piece(policy.wanted) >= policy.least { Reason::NoPartner } else { Reason::TooSmall };
        DeviceFilled {
            allocated: self.used.saturating_sub(self.tails),
            devid: self.devid,
            left,
            reason: (left > 0).then_some(reason),
            reserved,
            size: self.size,
            tails: self.tails,
        }
    }
}
