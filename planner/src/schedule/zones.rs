//! Which zones are reset, in how few requests, and what is left for a device's other steps.

use super::Ranges;
use crate::disk::superblock::LOG_OFFSETS;
use crate::request::{SettingsDevice, ZoneState, Zones};
use crate::units::{Checked, SizeOverflow, round_down};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Zone resets for the same filesystem, two ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ResetCounts {
    /// Requests as planned: ranges, or whole devices.
    pub ranges: u64,
    /// A request for each zone that is not empty.
    pub zone_by_zone: u64,
}

/// What zones mean for one device's schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ZoneSteps {
    /// Ranges to reset.
    pub(super) reset: Ranges,
    /// Zones that are not empty and will be reset.
    pub(super) dirty: u64,
    /// Those of them that hold what was recognised: they go first, and for certain, before any other is reset.
    pub(super) wipe: Ranges,
    /// What can be written anywhere; the rest is sequential, or cannot be written at all. `None`: all of the device.
    pub(super) conventional: Option<Ranges>,
}

impl ZoneSteps {
    /// The steps of a device of which `limit` bytes may be touched.
    pub(super) fn new(device: &SettingsDevice, limit: u64) -> Result<Self, SizeOverflow> {
        let Some(zones) = device.real_zones() else {
            return Ok(Self::default());
        };
        let dirty = spans(zones, limit, ZoneState::needs_reset)?;
        let count = dirty.bytes()?.div_ceil(zones.size);
        let conventional = spans(zones, limit, |state| state == ZoneState::Conventional)?;
        let wipe = signatures(device, zones)?.intersection(&dirty);
        let reset = reset(device, zones, limit, &dirty)?;
        Ok(Self { reset, dirty: count, wipe, conventional: Some(conventional) })
    }
}

/// The requests that reset `dirty` zones.
///
/// Empty zones between them are bridged: resetting one does no harm, another request costs time. A range with any other
/// zone in it fails, but for the one from the first byte of the device to its last: that is a single command, which
/// leaves conventional zones as they are.
fn reset(device: &SettingsDevice, zones: &Zones, limit: u64, dirty: &Ranges) -> Result<Ranges, SizeOverflow> {
    let few = dirty.bytes()? <= zones.size;
    let lost = zones.runs.iter().any(|run| !run.state.usable());
    if !few && !lost && limit == device.facts.size {
        return Ok(Ranges::one(0, limit));
    }
    let empty = spans(zones, limit, |state| state == ZoneState::Empty)?;
    Ok(dirty.union(&empty).shrunk_around(dirty))
}

/// The zones of the signatures that were found. A btrfs has logs of superblocks, of two zones each: a log with one zone
/// lost is still a log, of an older state.
fn signatures(device: &SettingsDevice, zones: &Zones) -> Result<Ranges, SizeOverflow> {
    let mut starts = Vec::new();
    for signature in &device.facts.signatures {
        starts.push(round_down(signature.offset, zones.size));
        if signature.kind == "btrfs" {
            for log in LOG_OFFSETS {
                let first = round_down(log, zones.size);
                starts.extend([first, first.plus(zones.size)?]);
            }
        }
    }
    Ranges::from_unordered(starts.into_iter().map(|start| (start, zones.size).into()).collect())
}

/// The zones below `limit` in states that `which` picks.
fn spans(zones: &Zones, limit: u64, which: impl Fn(ZoneState) -> bool) -> Result<Ranges, SizeOverflow> {
    let mut spans = Vec::new();
    for placed in zones.placed() {
        let placed = placed?;
        let end = placed.end.min(limit);
        if which(placed.run.state) && placed.start < end {
            spans.push((placed.start, end.minus(placed.start)?).into());
        }
    }
    Ranges::from_unordered(spans)
}
