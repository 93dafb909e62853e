//! A device of a plan, with what its lists say and what the filesystem needs there.

use super::spans::Spans;
use super::striping::{Needs, Places};
use super::zones::{self, PlacedRun};
use crate::plan::{Device, Plan, WriteAt, ZoneModel, ZoneState};
use alloc::vec::Vec;

/// Bit 12 of `incompat_flags`: zones are written in order.
const ZONED: u64 = 1 << 12;

/// A device of a plan.
pub(super) struct Slot<'a> {
    pub(super) device: &'a Device,
    pub(super) devid: u64,
    pub(super) sector: u64,
    /// Bytes that `writes` fills.
    pub(super) written: Spans,
    /// Bytes that `commit` fills.
    pub(super) committed: Spans,
    /// Both.
    pub(super) kept: Spans,
    /// Blocks and parity that belong here.
    pub(super) needed: Spans,
    /// What that parity counts as zeros.
    pub(super) zero_for_parity: Spans,
    /// Rows of parity chunks that hold blocks.
    pub(super) rows: Spans,
    /// The zones, where they are written in order.
    pub(super) zones: Option<Vec<PlacedRun>>,
    /// What can be written at any place.
    pub(super) anywhere: Spans,
}

impl<'a> Slot<'a> {
    pub(super) fn new(plan: &'a Plan, device: &'a Device, needs: &Needs) -> Self {
        let devid = device.devid.get();
        let (written, committed) = (filled(plan, &device.writes), filled(plan, &device.commit));
        let of = |places: &Places| Spans::of(places.get(&devid).into_iter().flatten().copied());
        let zoned = plan.filesystem.flags.incompat & ZONED != 0;
        let zones = device.found.zones.as_ref().filter(|zones| zoned || zones.model == ZoneModel::HostManaged);
        let zones = zones.map(zones::placed);
        let anywhere = zones.as_ref().map_or_else(
            || Spans::one(0, device.limit),
            |runs| zones::spans(runs, |state| state == ZoneState::Conventional).within(&Spans::one(0, device.limit)),
        );
        Self {
            device,
            devid,
            sector: u64::from(device.found.logical_sector),
            kept: written.with(&committed),
            written,
            committed,
            needed: of(&needs.written),
            zero_for_parity: of(&needs.zero),
            rows: of(&needs.rows),
            zones,
            anywhere,
        }
    }

    /// The end of the last whole sector of the device.
    pub(super) fn end(&self) -> u64 {
        let size = self.device.found.size;
        size.saturating_sub(size.checked_rem(self.sector).unwrap_or(0))
    }
}

/// Bytes that writes fill.
fn filled(plan: &Plan, writes: &[WriteAt]) -> Spans {
    Spans::of(writes.iter().map(|write| {
        let start = write.offset.get();
        (start, start.saturating_add(length(plan, write.payload)))
    }))
}

/// Bytes of a payload.
fn length(plan: &Plan, payload: u32) -> u64 {
    let payload = usize::try_from(payload).ok().and_then(|index| plan.payloads.get(index));
    payload.map_or(0, |payload| payload.length)
}
