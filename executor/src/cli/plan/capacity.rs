//! `btrfs-plan capacity`: how much a filesystem can hold, and what it survives.

use super::terminal::Look;
use crate::cli::options::Options;
use crate::cli::request::{self, Asked};
use crate::document::{self, Place};
use crate::exit::Failure;
use crate::target::Target;
use btrfs_planner::Plan;
use btrfs_planner::units::SizeOverflow;
use btrfs_planner::view::{CapacityView, text};
use std::path::PathBuf;

/// The sizes are beyond reason.
#[derive(Debug, thiserror::Error)]
#[error("the capacity cannot be worked out")]
struct Unreasonable(#[source] SizeOverflow);

/// Tell how much data these devices can hold, and which losses of devices that survives
///
/// Takes the options and targets of planning, or a saved request, or a plan. Chunks are added as the kernel would add
/// them until no data chunk fits. Two numbers come out: with data chunks only, and with metadata chunks for the
/// checksums of that data. Files, directories and snapshots take metadata of their own: plan with some room.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  btrfs-plan capacity -d raid1 size=4T size=8T size=8T    devices that are not here
  btrfs-plan capacity -d raid6 -m raid1c3 /dev/sd[b-g]    devices that are
  btrfs-plan capacity --plan plan.json --json             a plan, as a document")]
pub(crate) struct Args {
    /// Take the filesystem of a plan ("-": standard input)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["Options", "targets", "request"])]
    plan: Option<PathBuf>,

    /// Take a saved request ("-": standard input)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["Options", "targets"])]
    request: Option<PathBuf>,

    /// A document instead of text
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    look: Look,

    /// Devices, as for planning
    #[arg(value_name = "TARGET")]
    targets: Vec<Target>,

    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let plan = match &args.plan {
        Some(path) => document::read_plan(&Place::from(path.as_path()))?,
        None => planned(args)?,
    };
    let view = CapacityView::of(&plan).map_err(|error| Failure::refused(Unreasonable(error)))?;
    if args.json { args.look.put_json(&view) } else { args.look.put(&text::capacity(&view, args.look.style())) }
}

fn planned(args: &Args) -> Result<Plan, Failure> {
    let asked = Asked {
        targets: &args.targets,
        options: &args.options,
        saved: args.request.as_deref(),
        quiet: true,
        verbose: false,
    };
    request::planned(&asked)
}
