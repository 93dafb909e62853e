//! What a plan does and makes, computed once for every way to show it: text, JSON, SVG and HTML.

use super::map::{Span, spans};
use crate::plan::{ByteRange, Device, Filesystem, Plan, PlannerVersion, Seal, Statistics, Warning};
use crate::request::{DeviceFacts, ZoneState, Zones};
use crate::schedule::WriteAt;
use crate::units::{DevId, Logical, wide};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::Serialize;
use uuid::Uuid;

/// How many ranges of a step are named where not all are.
const FIRST: usize = 4;

/// A plan at a glance. In documents: the object that `btrfs-plan show --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Overview {
    /// The chunks, by ascending logical address.
    pub chunks: Vec<ChunkView>,
    /// The devices, by devid.
    pub devices: Vec<DeviceView>,
    /// How few discard requests it takes, and what other ways would.
    pub discard: DiscardLadder,
    /// What the filesystem will be.
    pub filesystem: Filesystem,
    /// What made the plan.
    pub planner: PlannerVersion,
    /// The plan's seal.
    pub seal: Seal,
    /// What the plan costs.
    pub statistics: Statistics,
    /// The trees, in the order of their first block.
    pub trees: Vec<TreeSummary>,
    /// Always `overview`.
    pub view: &'static str,
    /// What the requester should know.
    pub warnings: Vec<Warning>,
}

/// A device at a glance.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceView {
    /// Bytes that chunks take.
    pub allocated: u64,
    /// Its number in the filesystem.
    pub devid: DevId,
    /// What was found at planning: path, model, serial number, and the signatures that will be lost.
    pub found: DeviceFacts,
    /// No step touches a byte at or beyond this.
    pub limit: u64,
    /// Who holds each part of the device afterwards, and what happens to it.
    pub map: Vec<Span>,
    /// Bytes of the device that the filesystem uses.
    pub size: u64,
    /// What is done, in order.
    pub steps: Steps,
    /// Its UUID in the filesystem.
    pub uuid: Uuid,
    /// Its zones, if it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<ZoneCounts>,
}

/// The steps of a device's schedule, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Steps {
    /// Sectors of signatures, overwritten with zeros.
    pub wipe: Step,
    /// Ranges discarded.
    pub discard: Step,
    /// Zones reset.
    pub reset_zones: Step,
    /// Ranges that must read as zeros.
    pub zero: Step,
    /// Bytes written.
    pub write: Step,
    /// Superblocks.
    pub commit: Step,
}

impl Steps {
    /// The steps with their names, in order.
    #[must_use]
    pub const fn named(&self) -> [(&'static str, &Step); 6] {
        [
            ("wipe", &self.wipe),
            ("discard", &self.discard),
            ("reset zones", &self.reset_zones),
            ("make zero", &self.zero),
            ("write", &self.write),
            ("commit", &self.commit),
        ]
    }
}

/// What one step comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    /// Bytes of all its ranges.
    pub bytes: u64,
    /// How many ranges there are; neighbouring writes count as one.
    pub count: u64,
    /// The first few.
    pub first: Vec<ByteRange>,
}

/// A device's zones in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ZoneCounts {
    /// Conventional zones.
    pub conventional: u64,
    /// Sequential zones that are not empty.
    pub not_empty: u64,
    /// Bytes of a zone.
    pub size: u64,
    /// All zones.
    pub total: u64,
    /// Zones that can be written no more.
    pub unusable: u64,
}

/// A chunk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChunkView {
    /// Bytes on all devices.
    pub allocated: u64,
    /// The chunk as the plan has it.
    #[serde(flatten)]
    pub chunk: crate::layout::Chunk,
    /// Bytes of each device extent.
    pub stripe_length: u64,
    /// Bytes of tree blocks in it.
    pub used: u64,
}

/// A tree in numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TreeSummary {
    /// Its blocks.
    pub blocks: u64,
    /// Items of its leaves.
    pub items: u64,
    /// Levels: 1 where its top block is a leaf.
    pub levels: u64,
    /// Its name.
    pub name: String,
    /// Logical address of its top block.
    pub top: Logical,
}

/// Discard requests: as planned, and three ways to do without such planning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiscardLadder {
    /// Merged, and gaps that the plan writes anyway bridged.
    pub bridged: u64,
    /// A request for each free range of each block group on each of its stripes.
    pub hole_by_hole: u64,
    /// The same ranges, merged.
    pub merged: u64,
    /// As planned.
    pub planned: u64,
}

impl Overview {
    /// The overview of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let counts = plan.statistics.discard;
        let planned = plan.devices.iter().fold(0_u64, |sum, device| sum.saturating_add(wide(device.discard.len())));
        Self {
            chunks: chunks(plan),
            devices: plan.devices.iter().map(|device| DeviceView::of(plan, device)).collect(),
            discard: DiscardLadder {
                bridged: counts.bridged,
                hole_by_hole: counts.hole_by_hole,
                merged: counts.merged,
                planned,
            },
            filesystem: plan.filesystem.clone(),
            planner: plan.planner.clone(),
            seal: plan.seal,
            statistics: plan.statistics,
            trees: trees(plan),
            view: "overview",
            warnings: plan.warnings.clone(),
        }
    }
}

impl DeviceView {
    /// One device of a plan.
    #[must_use]
    pub fn of(plan: &Plan, device: &Device) -> Self {
        let extents = plan.chunks.iter().flat_map(|chunk| {
            let length = crate::layout::Geometry::new(chunk).stripe_length();
            chunk.stripes.iter().filter(|stripe| stripe.devid == device.devid).map(move |_| length)
        });
        Self {
            allocated: extents.fold(0, u64::saturating_add),
            devid: device.devid,
            found: device.found.clone(),
            limit: device.limit,
            map: spans(plan, device),
            size: device.size,
            steps: Steps {
                wipe: Step::of(device.wipe.iter().copied()),
                discard: Step::of(device.discard.iter().copied()),
                reset_zones: Step::of(device.reset_zones.iter().copied()),
                zero: Step::of(device.zero.iter().copied()),
                write: Step::of(written(plan, &device.writes)),
                commit: Step::of(written(plan, &device.commit)),
            },
            uuid: device.uuid,
            zones: device.found.zones.as_ref().map(ZoneCounts::of),
        }
    }
}

impl ZoneCounts {
    /// A zone report in numbers.
    #[must_use]
    pub fn of(zones: &Zones) -> Self {
        // A plan that could be read has no more zones than a number can count.
        let count = |which: fn(ZoneState) -> bool| zones.count_of(which).unwrap_or(u64::MAX);
        Self {
            conventional: count(|state| state == ZoneState::Conventional),
            not_empty: count(ZoneState::needs_reset),
            size: zones.size,
            total: count(|_| true),
            unusable: count(|state| !state.usable()),
        }
    }
}

impl Step {
    fn of(ranges: impl Iterator<Item = ByteRange>) -> Self {
        let mut step = Self { bytes: 0, count: 0, first: Vec::new() };
        let mut end = None;
        for range in ranges {
            step.bytes = step.bytes.saturating_add(range.length);
            if end == Some(range.start) {
                if let (Some(last), true) = (step.first.last_mut(), step.count <= wide(FIRST)) {
                    last.length = last.length.saturating_add(range.length);
                }
            } else {
                if step.first.len() < FIRST {
                    step.first.push(range);
                }
                step.count = step.count.saturating_add(1);
            }
            end = range.end();
        }
        step
    }
}

/// The ranges that writes fill, in order. Writes without a payload, which no plan that could be read has, are left out.
pub(super) fn written<'a>(plan: &'a Plan, writes: &'a [WriteAt]) -> impl Iterator<Item = ByteRange> {
    writes.iter().filter_map(|write| {
        let payload = usize::try_from(write.payload).ok().and_then(|index| plan.payloads.get(index))?;
        Some(ByteRange { start: write.offset.get(), length: payload.length })
    })
}

/// The chunks of a plan, by ascending logical address.
#[must_use]
pub fn chunks(plan: &Plan) -> Vec<ChunkView> {
    let node_size = u64::from(plan.filesystem.node_size);
    let mut blocks = plan.blocks.iter().peekable();
    let view = |chunk: &crate::layout::Chunk| {
        let end = chunk.logical.get().saturating_add(chunk.length);
        while blocks.next_if(|block| block.logical < chunk.logical).is_some() {}
        let mut used = 0_u64;
        while blocks.next_if(|block| block.logical.get() < end).is_some() {
            used = used.saturating_add(node_size);
        }
        let stripe_length = crate::layout::Geometry::new(chunk).stripe_length();
        let allocated = stripe_length.saturating_mul(wide(chunk.stripes.len()));
        ChunkView { allocated, chunk: chunk.clone(), stripe_length, used }
    };
    plan.chunks.iter().map(view).collect()
}

/// The trees of a plan in numbers, in the order of their first block.
#[must_use]
pub fn trees(plan: &Plan) -> Vec<TreeSummary> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut trees: Vec<TreeSummary> = Vec::new();
    for block in &plan.blocks {
        let place = *places.entry(&block.tree).or_insert(trees.len());
        if place == trees.len() {
            let name = block.tree.to_string();
            trees.push(TreeSummary { blocks: 0, items: 0, levels: 0, name, top: block.logical });
        }
        let Some(tree) = trees.get_mut(place) else { continue };
        tree.blocks = tree.blocks.saturating_add(1);
        let levels = u64::from(block.level).saturating_add(1);
        if levels > tree.levels {
            (tree.levels, tree.top) = (levels, block.logical);
        }
        if block.level == 0 {
            tree.items = tree.items.saturating_add(u64::from(block.items));
        }
    }
    trees
}
