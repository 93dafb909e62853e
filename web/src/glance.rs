//! A plan at a glance: what the page shows of every plan, and no more, since it is made anew with every keystroke.

use btrfs_planner::Plan;
use btrfs_planner::plan::{Filesystem, Statistics, Warning};
use btrfs_planner::units::DevId;
use btrfs_planner::view::{ChunkView, TreeSummary, ZoneCounts, chunks, trees};
use serde::Serialize;
use std::collections::BTreeMap;

/// A plan at a glance.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Glance {
    /// The chunks, by ascending logical address.
    pub chunks: Vec<ChunkView>,
    /// The devices, by devid.
    pub devices: Vec<DeviceGlance>,
    /// Discard requests of all devices, as planned.
    pub discards: u64,
    /// What the filesystem will be.
    pub filesystem: Filesystem,
    /// What the plan costs.
    pub statistics: Statistics,
    /// The trees, in the order of their first block.
    pub trees: Vec<TreeSummary>,
    /// What the requester should know.
    pub warnings: Vec<Warning>,
    /// Whether any place is made zero.
    pub zeroed: bool,
}

/// A device at a glance. What it was found to be stands in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceGlance {
    /// Bytes that chunks take.
    pub allocated: u64,
    /// Its number in the filesystem.
    pub devid: DevId,
    /// No step touches a byte at or beyond this.
    pub limit: u64,
    /// Bytes of the device that the filesystem uses.
    pub size: u64,
    /// Its zones, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<ZoneCounts>,
}

impl Glance {
    /// A glance at a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let chunks = chunks(plan);
        let mut allocated: BTreeMap<DevId, u64> = BTreeMap::new();
        for ChunkView { chunk, stripe_length, .. } in &chunks {
            for stripe in &chunk.stripes {
                let bytes = allocated.entry(stripe.devid).or_default();
                *bytes = bytes.saturating_add(*stripe_length);
            }
        }
        let discards = plan.devices.iter().flat_map(|device| &device.discard).count();
        Self {
            chunks,
            devices: plan
                .devices
                .iter()
                .map(|device| DeviceGlance {
                    allocated: allocated.get(&device.devid).copied().unwrap_or(0),
                    devid: device.devid,
                    limit: device.limit,
                    size: device.size,
                    zones: device.found.zones.as_ref().map(ZoneCounts::of),
                })
                .collect(),
            discards: u64::try_from(discards).unwrap_or(u64::MAX),
            filesystem: plan.filesystem.clone(),
            statistics: plan.statistics,
            trees: trees(plan),
            warnings: plan.warnings.clone(),
            zeroed: plan.devices.iter().any(|device| !device.zero.is_empty()),
        }
    }
}
