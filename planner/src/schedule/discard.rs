//! What is discarded, and what other ways of doing it would cost.

use super::Ranges;
use crate::disk::chunk::STRIPE_LENGTH;
use crate::layout::{Geometry, Layout};
use crate::request::{RequestError, SettingsDevice};
use crate::trees::Forest;
use crate::units::{Checked, SizeOverflow, wide};
use serde::{Deserialize, Serialize};

/// Discard requests for the same filesystem, three ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DiscardCounts {
    /// Merged, and gaps that the plan writes anyway bridged.
    pub bridged: u64,
    /// A request for each free range of each block group on each of its stripes, and each unallocated range.
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

/// Requests of a formatter that discards every hole, mirror by mirror.
pub(super) fn hole_by_hole(layout: &Layout, forest: &Forest) -> Result<u64, RequestError> {
    let mut requests = 0_u64;
    for (chunk, group) in layout.chunks().iter().zip(&forest.placement.groups) {
        let columns = Geometry::new(chunk).columns();
        let copies = wide(chunk.stripes.len()).checked_div(columns).unwrap_or(1);
        for (_, length) in &group.free {
            // A short range lies on as many columns as it has elements.
            let elements = length.div_ceil(STRIPE_LENGTH).min(columns);
            requests = requests.plus(elements.times(copies)?)?;
        }
    }
    for device in layout.devices() {
        let taken = device.extents().iter().map(|extent| (extent.start.get(), extent.length).into()).collect();
        let free = Ranges::one(0, device.size()).difference(&Ranges::from_unordered(taken)?);
        requests = requests.plus(wide(free.len()))?;
    }
    Ok(requests)
}
