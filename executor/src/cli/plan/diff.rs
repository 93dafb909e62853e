//! `btrfs-plan diff`: what changed from one plan to another.

use super::terminal::Look;
use crate::document::{self, Place};
use crate::exit::{ExitStatus, Failure};
use btrfs_planner::view::{self, text};
use std::path::PathBuf;

/// Both plans cannot come from one stream.
#[derive(Debug, thiserror::Error)]
#[error("only one of the plans can come from standard input")]
struct OneStream;

/// Tell what changed from one plan to another, by meaning
///
/// Devices, layout, trees, schedule, identity, features and cost. What follows from another change is not told again: a
/// new UUID changes every tree block, and that is one change.
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 the plans are the same; 1 they differ; 2 wrong usage; 3 one of them cannot be read."
)]
pub(crate) struct Args {
    /// The first plan ("-": standard input)
    before: PathBuf,

    /// The second plan
    after: PathBuf,

    /// A document instead of text
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    look: Look,
}

pub(crate) fn run(args: &Args) -> Result<ExitStatus, Failure> {
    let places = [&args.before, &args.after].map(|path| Place::from(path.as_path()));
    if places == [Place::Standard, Place::Standard] {
        return Err(Failure::usage(OneStream));
    }
    let [before, after] = places.map(|place| document::read_plan(&place));
    let diff = view::diff(&before?, &after?);
    if args.json {
        args.look.put_json(&diff)?;
    } else {
        args.look.put(&text::diff(&diff, args.look.style()))?;
    }
    Ok(if diff.same { ExitStatus::Done } else { ExitStatus::Failed })
}
