//! What every device is put through: signatures wiped, space discarded, places made zero, blocks written, superblocks
//! committed. All of it is plain ranges and bytes; mirrors and parity are resolved here.

mod comparison;
mod discard;
mod parity;
mod ranges;
mod writes;
mod zero;
mod zones;

pub use comparison::{DiscardRequests, discard_requests};
pub use discard::DiscardCounts;
pub use ranges::{ByteRange, Ranges};
pub use writes::WriteAt;
pub use zones::ResetCounts;

use crate::layout::Layout;
use crate::request::{DeviceKind, DiscardStrategy, RequestError, Settings, SettingsDevice};
use crate::trees::{Forest, Superblocks};
use crate::units::{Checked, SizeOverflow, round_down, wide};
use alloc::vec::Vec;
use discard::Ways;
use writes::{Resolved, Writes};
use zones::ZoneSteps;

/// The schedules of all devices.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// What writes refer to. The first are the forest's blocks, in its order.
    pub payloads: Vec<Vec<u8>>,
    /// By devid from 1.
    pub devices: Vec<DeviceSchedule>,
    /// Bytes that writes and commits put on all devices.
    pub bytes_written: u64,
    /// Write calls: neighbouring writes go out together.
    pub write_calls: u64,
    /// Discard requests, three ways.
    pub discard: DiscardCounts,
    /// Zone resets, two ways.
    pub resets: ResetCounts,
}

/// The schedule of one device, in the order of its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceSchedule {
    /// No step touches a byte at or beyond this.
    pub limit: u64,
    /// Sectors of old signatures, and zones that hold some.
    pub wipe: Ranges,
    /// What is discarded.
    pub discard: Ranges,
    /// Zones that are reset.
    pub reset_zones: Ranges,
    /// What must read as zeros.
    pub zero: Ranges,
    /// Tree blocks and parity, by ascending offset.
    pub writes: Vec<WriteAt>,
    /// Superblocks, the primary one last.
    pub commit: Vec<WriteAt>,
}

impl Schedule {
    /// The schedule that makes `forest` on `layout`.
    pub fn new(settings: &Settings, layout: &Layout, forest: &Forest) -> Result<Self, RequestError> {
        let Resolved { mut payloads, devices: resolved } = writes::resolve(settings, layout, &forest.blocks)?;
        let mut schedule = Self {
            payloads: Vec::new(),
            devices: Vec::with_capacity(resolved.len()),
            bytes_written: 0,
            write_calls: 0,
            discard: DiscardCounts::default(),
            resets: ResetCounts::default(),
        };
        let copies = Superblocks::new(settings, layout, forest)?;
        let limits: Vec<u64> = settings.devices.iter().map(|device| limit(settings, device)).collect();
        let free = discard::free(layout, forest, &limits)?;
        let spaces = settings.devices.iter().zip(layout.devices()).zip(free);
        for (((device, space), free), Writes { writes, zero }) in spaces.zip(resolved) {
            let mut commit = Vec::new();
            for (offset, bytes) in copies.of_device(device, space)? {
                // Mirrors first; the primary one, which comes first here, goes to the end.
                commit.insert(0, WriteAt { offset, payload: index(payloads.len())? });
                payloads.push(bytes);
            }
            let blocks = written(&payloads, &writes)?;
            let superblocks = written(&payloads, &commit)?;
            schedule.write_calls = schedule.write_calls.plus(wide(blocks.len()).plus(wide(superblocks.len()))?)?;
            let kept = blocks.union(&superblocks);
            schedule.bytes_written = schedule.bytes_written.plus(kept.bytes()?)?;
            let steps = schedule.prepare(settings, device, free, &kept, &zero)?;
            schedule.devices.push(DeviceSchedule { writes, commit, ..steps });
        }
        schedule.payloads = payloads;
        Ok(schedule)
    }

    /// The steps of a device before the plan's own writes, which will fill `kept`. Of the rest `free` is not needed, and
    /// `parity_zero` must be zero.
    fn prepare(
        &mut self,
        settings: &Settings,
        device: &SettingsDevice,
        free: Vec<ByteRange>,
        kept: &Ranges,
        parity_zero: &Ranges,
    ) -> Result<DeviceSchedule, SizeOverflow> {
        let limit = limit(settings, device);
        let ZoneSteps { reset, dirty, wipe: zones_to_wipe, conventional } = ZoneSteps::new(device, limit)?;
        // Sequential zones are reset: that wipes, discards and makes zero in one.
        let anywhere = conventional.unwrap_or_else(|| Ranges::one(0, limit));
        let wipe = zero::signatures(device, limit)?.intersection(&anywhere);
        let Ways { bridged, exact, hole_by_hole } = Ways::new(free, kept, &anywhere)?;
        self.discard.hole_by_hole = self.discard.hole_by_hole.plus(wide(hole_by_hole.len()))?;
        let discard = match settings.discard {
            // What is only described may turn out to have it; what was asked knows.
            _ if device.facts.kind == DeviceKind::Block && device.facts.discard.is_none() => Ranges::default(),
            DiscardStrategy::Exact => exact.clone(),
            DiscardStrategy::Bridge => bridged.clone(),
            DiscardStrategy::None => Ranges::default(),
        };
        self.discard.merged = self.discard.merged.plus(wide(exact.len()))?;
        self.discard.bridged = self.discard.bridged.plus(wide(bridged.len()))?;
        self.resets.ranges = self.resets.ranges.plus(wide(reset.len()))?;
        self.resets.zone_by_zone = self.resets.zone_by_zone.plus(dirty)?;
        let zero = zero::ranges(device, limit, &wipe).union(parity_zero).intersection(&anywhere).difference(kept);
        Ok(DeviceSchedule {
            limit,
            discard: discard::aligned(device, &discard)?,
            reset_zones: reset,
            zero,
            wipe: wipe.union(&zones_to_wipe),
            ..DeviceSchedule::default()
        })
    }
}

/// How far the schedule may reach: the whole device, in logical sectors, or the byte count.
fn limit(settings: &Settings, device: &SettingsDevice) -> u64 {
    if settings.whole_devices {
        round_down(device.facts.size, u64::from(device.facts.logical_sector)).max(device.size)
    } else {
        device.size
    }
}

fn index(payload: usize) -> Result<u32, SizeOverflow> {
    u32::try_from(payload).map_err(|_| SizeOverflow)
}

fn length(payloads: &[Vec<u8>], write: &WriteAt) -> u64 {
    let payload = usize::try_from(write.payload).ok().and_then(|index| payloads.get(index));
    payload.map_or(0, |bytes| wide(bytes.len()))
}

/// The bytes that writes fill, in whatever order they stand.
fn written(payloads: &[Vec<u8>], writes: &[WriteAt]) -> Result<Ranges, SizeOverflow> {
    let range = |write: &WriteAt| ByteRange { start: write.offset.get(), length: length(payloads, write) };
    Ranges::from_unordered(writes.iter().map(range).collect())
}
