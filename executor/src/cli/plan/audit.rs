//! `btrfs-plan audit`: whether a plan, or the filesystem on devices, is what it should be.

use crate::audit::{DisksError, FileDisks};
use crate::cli::print::print;
use crate::console;
use crate::document::{self, Place};
use crate::exit::{ExitStatus, Failure};
use crate::findings;
use btrfs_planner::audit::{Report, audit_disks, audit_plan};
use btrfs_planner::plan::Seal;
use serde::Serialize;
use std::path::PathBuf;

/// Audit a plan, or what is on devices.
///
/// Reads what a plan would write as if it were found on disks, and works out a second time what it does to its devices:
/// a plan is clean if both are what they should be. With --device, reads the filesystem that is there. Nothing is
/// written. Exit codes: 0 clean (warnings may be there); 2 wrong usage; 3 not clean, or not readable.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The plan ("-": standard input)
    #[arg(required_unless_present = "device")]
    plan: Option<PathBuf>,

    /// Audit the filesystem on these devices or image files instead: all that it has
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "plan")]
    device: Vec<PathBuf>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// A report as a document.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    seal: Option<Seal>,
    clean: bool,
    #[serde(flatten)]
    report: &'a Report,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    match &args.plan {
        Some(path) => {
            let plan = document::read_plan(&Place::from(path.as_path()))?;
            tell(args, "the plan", Some(plan.seal), &audit_plan(&plan))
        }
        None => {
            let disks = FileDisks::open(&args.device).map_err(Failure::refused_with(DisksError::hint))?;
            for (path, by) in disks.in_use() {
                console::warning(&format!("'{}' {by}: what is read may be half written", path.display()));
            }
            tell(args, "the filesystem", None, &audit_disks(&disks))
        }
    }
}

fn tell(args: &Args, what: &str, seal: Option<Seal>, report: &Report) -> Result<(), Failure> {
    if args.json {
        let told = Told { seal, clean: report.is_clean(), report };
        // String keys and no fallible parts: serialization into memory cannot fail.
        let mut text = serde_json::to_string_pretty(&told).unwrap_or_default();
        text.push('\n');
        print(text.as_bytes())?;
    } else {
        let seal = seal.map(|seal| format!("seal: {seal}\n")).unwrap_or_default();
        print(format!("{seal}{}", findings::text(report)).as_bytes())?;
    }
    if report.is_clean() {
        return Ok(());
    }
    Err(Failure {
        status: ExitStatus::Refused,
        message: format!("{what} is not clean: {}", findings::verdict(report)),
        hint: Some("docs/findings.md says what each code means".to_string()),
    })
}
