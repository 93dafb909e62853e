//! The JSON Schema of everything that crosses between Rust and the page.

use crate::{Choices, Commands, Glance, Imported, Problem, Resilience, Window, ZoneView};
use btrfs_planner::audit::Report;
use btrfs_planner::plan::Block;
use btrfs_planner::schedule::DiscardRequests;
use btrfs_planner::view::{BlockView, CapacityView, DeviceDetail, Diff, SuperblockView};
use btrfs_planner::{Plan, Request};
use schemars::{JsonSchema, schema_for};

/// One of each: what has a schema of its own here is exported under its name.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is of interest")]
struct Everything {
    block: BlockView,
    blocks: Vec<Block>,
    capacity: CapacityView,
    choices: Choices,
    commands: Commands,
    device: DeviceDetail,
    diff: Diff,
    discard_requests: DiscardRequests,
    glance: Glance,
    imported: Imported,
    plan: Plan,
    problem: Problem,
    report: Report,
    request: Request,
    resilience: Resilience,
    superblock: SuperblockView,
    window: Window,
    zones: Vec<ZoneView>,
}

/// The schema, as JSON.
#[must_use]
pub fn everything() -> String {
    // A schema is plain JSON: serialization into memory cannot fail.
    serde_json::to_string_pretty(&schema_for!(Everything)).unwrap_or_default()
}
