//! `btrfs-plan show`: a plan for people, and what people ask of it for programs.

use super::terminal::Look;
use crate::document::{self, Place};
use crate::exit::Failure;
use crate::size;
use btrfs_planner::Plan;
use btrfs_planner::audit::audit_plan;
use btrfs_planner::view::{self, BlockView, DeviceDetail, NotThere, Overview, SuperblockView, TreeView, text};
use std::path::PathBuf;

/// Show a plan: what it makes, what will be lost, what is done to every device
///
/// Without options: everything at a glance, with a map of every device. The others go deeper, down to the single field
/// of a tree block, or give the same as a document.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Examples:
  btrfs-plan show plan.json                      everything at a glance
  btrfs-plan show --device 2 plan.json           every range and every write of device 2
  btrfs-plan show --tree extent plan.json        the extent tree, item by item
  btrfs-plan show --block 30408704 plan.json     a tree block, field by field, with its bytes
  btrfs-plan show --html -o plan.html plan.json  a report for a change request

Nothing is written to any device, and the seal is checked before anything is shown.
Exit codes: 0 shown; 2 wrong usage; 3 no such part in the plan, or not a plan.")]
pub(crate) struct Args {
    /// The plan ("-": standard input)
    plan: PathBuf,

    /// One tree in full: root, extent, chunk, dev, fs, csum, quota, uuid, free-space, block-group or data-reloc
    #[arg(long, value_name = "NAME", group = "part")]
    tree: Option<String>,

    /// The tree block at a logical address, field by field, with its bytes and the places of its copies
    #[arg(long, value_name = "LOGICAL", group = "part", value_parser = address)]
    block: Option<u64>,

    /// One device in full: extents, ranges, writes
    #[arg(long, value_name = "DEVID", group = "part")]
    device: Option<u64>,

    /// The primary superblock of a device, field by field, with its bytes
    #[arg(long, value_name = "DEVID", group = "part")]
    superblock: Option<u64>,

    /// A document instead of text: what is shown, not the plan itself
    #[arg(long, group = "form")]
    json: bool,

    /// The device map as SVG
    #[arg(long, group = "form", conflicts_with = "part")]
    svg: bool,

    /// A report as HTML, in one file that loads nothing, with the findings of an audit
    #[arg(long, group = "form", conflicts_with = "part")]
    html: bool,

    /// The plan itself, uncompressed, a line for every part
    #[arg(long = "plan", group = "form", conflicts_with = "part")]
    itself: bool,

    #[command(flatten)]
    look: Look,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let plan = document::read_plan(&Place::from(args.plan.as_path()))?;
    if args.itself {
        return args.look.put(&plan.to_json());
    }
    if let Some(name) = &args.tree {
        return put(args, &found(TreeView::of(&plan, name))?, text::tree);
    }
    if let Some(logical) = args.block {
        return put(args, &found(BlockView::of(&plan, logical))?, text::block);
    }
    if let Some(devid) = args.device {
        return put(args, &found(DeviceDetail::of(&plan, devid))?, text::device);
    }
    if let Some(devid) = args.superblock {
        return put(args, &found(SuperblockView::of(&plan, devid))?, text::superblock);
    }
    overview(args, &plan)
}

fn overview(args: &Args, plan: &Plan) -> Result<(), Failure> {
    let overview = Overview::of(plan);
    if args.svg {
        return args.look.put(&view::svg(&overview));
    }
    if args.html {
        return args.look.put(&view::html(&overview, Some(&audit_plan(plan))));
    }
    put(args, &overview, text::overview)
}

fn put<V: serde::Serialize>(args: &Args, view: &V, text: fn(&V, text::Style) -> String) -> Result<(), Failure> {
    if args.json { args.look.put_json(view) } else { args.look.put(&text(view, args.look.style())) }
}

fn found<T>(view: Result<T, NotThere>) -> Result<T, Failure> {
    view.map_err(Failure::refused_with(NotThere::hint))
}

/// An address as it is shown anywhere: in decimal, with 0x in front in hexadecimal, or as a size.
fn address(text: &str) -> Result<u64, String> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).map_err(|error| error.to_string()),
        None => size::parse(text).map_err(|error| error.to_string()),
    }
}
