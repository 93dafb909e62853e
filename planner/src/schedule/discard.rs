//! What is discarded, and what other ways of doing it would cost.

use super::{ByteRange, Ranges};
use crate::layout::{Geometry, Layout, device_index};
use crate::request::SettingsDevice;
use crate::trees::Forest;
use crate::units::{Checked, SizeOverflow};
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Discard requests for the same filesystem, three ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DiscardCounts {
    /// Merged, and gaps that the plan writes anyway bridged.
    pub bridged: u64,
    /// A request for each free range of each block group on each of its stripes, and each unallocated range; zones that are
    /// reset count elsewhere.
    pub hole_by_hole: u64,
    /// The same ranges queued per device, merged and ascending.
    pub merged: u64,
}

/// What remains when ranges shrink to whole granules of the device.
pub(super) fn aligned(device: &SettingsDevice, ranges: &Ranges) -> Result<Ranges, SizeOverflow> {
    let sector = u64::from(device.facts.logical_sector);
    match device.facts.discard {
        Some(limits) => ranges.shrunk_to(limits.granularity.max(1), limits.alignment)?.shrunk_to(sector, 0),
        None => ranges.shrunk_to(sector, 0),
    }
}

/// What is free on every device, by devid from 1: the physical runs of what block groups have free, and what belongs to
/// no chunk. In no order, and not merged where they touch: a formatter that discards hole by hole, mirror by mirror,
/// meets them so. `limits`: how far each device may be touched.
pub(super) fn free(layout: &Layout, forest: &Forest, limits: &[u64]) -> Result<Vec<Vec<ByteRange>>, SizeOverflow> {
    let mut runs: Vec<Vec<ByteRange>> = vec![Vec::new(); limits.len()];
    for (chunk, group) in layout.chunks().iter().zip(&forest.placement.groups) {
        let geometry = Geometry::new(chunk);
        for (start, length) in &group.free {
            for (place, length) in geometry.runs(*start, *length)? {
                if let Some(runs) = device_index(&place).and_then(|index| runs.get_mut(index)) {
                    runs.push(ByteRange { start: place.offset.get(), length });
                }
            }
        }
    }
    for ((runs, device), limit) in runs.iter_mut().zip(layout.devices()).zip(limits) {
        let taken = device.extents().iter().map(|extent| (extent.start.get(), extent.length).into()).collect();
        let unallocated = Ranges::one(0, *limit).difference(&Ranges::from_unordered(taken)?);
        runs.extend(unallocated.iter());
    }
    Ok(runs)
}

/// The discard requests of a device, three ways, before they are cut to granules.
pub(super) struct Ways {
    /// Merged, and gaps that are written anyway bridged.
    pub(super) bridged: Ranges,
    /// What is free, merged.
    pub(super) exact: Ranges,
    /// Requests for the free runs one by one, in their order.
    pub(super) hole_by_hole: Vec<ByteRange>,
}

impl Ways {
    /// `free`: the device's runs; `kept`: what the plan writes; `anywhere`: where discard may go.
    pub(super) fn new(free: Vec<ByteRange>, kept: &Ranges, anywhere: &Ranges) -> Result<Self, SizeOverflow> {
        let mut hole_by_hole = Vec::with_capacity(free.len());
        for run in &free {
            let end = run.start.plus(run.length)?;
            hole_by_hole.extend(Ranges::one(run.start, end).intersection(anywhere).difference(kept).iter());
        }
        let exact = Ranges::from_unordered(free)?.intersection(anywhere).difference(kept);
        let bridged = anywhere.shrunk_around(&exact);
        Ok(Self { bridged, exact, hole_by_hole })
    }
}
