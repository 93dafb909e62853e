//! The command line.

use super::{audit, capacity, diff, minimum, show};
use crate::cli::options::Options;
use crate::cli::request::Asked;
use crate::target::Target;
use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Plan a new btrfs filesystem.
///
/// The plan goes to standard output, a summary for people to standard error. Nothing else is written: run the plan
/// with btrfs-exec.
#[derive(Debug, Parser)]
#[command(
    name = "btrfs-plan",
    version,
    args_override_self = true,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Devices: block devices, image files, or descriptions of devices that are not here, such as
    /// size=10T,sector=4096,rotational,discard=1m, or one with zones: size=14T,zone=256M,conventional=524. All keys: size,
    /// sector, physical, rotational, discard, model, serial, path, zone, capacity, conventional, active, open
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<Target>,

    #[command(flatten)]
    pub(crate) options: Options,

    #[command(flatten)]
    pub(crate) output: Output,

    /// Plan from a saved request instead of options and targets ("-": standard input)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["Options", "targets"])]
    pub(crate) request: Option<PathBuf>,

    /// Print the request instead of the plan
    #[arg(long)]
    pub(crate) print_request: bool,
}

/// Where the plan goes, and how much is said.
#[derive(Debug, clap::Args)]
pub(crate) struct Output {
    /// Write the plan to FILE ("-": standard output; *.zst: compressed)
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Compress the plan with zstd
    #[arg(long)]
    pub(crate) compress: bool,

    /// No summary and no warnings; of this and --verbose the last one counts
    #[arg(short, long, overrides_with = "verbose")]
    pub(crate) quiet: bool,

    /// Say more: what was found on the devices
    #[arg(short, long, action = ArgAction::Count, overrides_with = "quiet")]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Show(show::Args),
    Audit(audit::Args),
    Diff(diff::Args),
    // As large as the options of planning.
    Capacity(Box<capacity::Args>),
    Minimum(Box<minimum::Args>),
    /// Print the JSON Schema of plans or requests
    Schema {
        /// Of which document
        #[arg(default_value = "plan")]
        of: Document,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Document {
    /// What btrfs-exec runs
    Plan,
    /// What the planner is asked
    Request,
}

impl Args {
    /// What of it concerns the request.
    pub(crate) fn asked(&self) -> Asked<'_> {
        let Output { quiet, verbose, .. } = self.output;
        Asked {
            targets: &self.targets,
            options: &self.options,
            saved: self.request.as_deref(),
            quiet,
            verbose: verbose > 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::request::Profile;

    #[test]
    fn texts_may_start_with_a_hyphen() {
        let args = Args::try_parse_from(["btrfs-plan", "-L", "-home", "--seed", "-d x", "size=1G"]).unwrap();
        assert_eq!(args.options.label.as_deref(), Some("-home"));
        assert_eq!(args.options.seed.as_deref(), Some("-d x"));
    }

    #[test]
    fn the_last_one_wins_and_lists_add_up() {
        let line = "btrfs-plan -d raid0 -d RAID1 -O quota,^no-holes -O squota -R free-space-tree -b 1g -b 2g x y";
        let args = Args::try_parse_from(line.split(' ')).unwrap();
        assert_eq!(args.options.data, Some(Profile::Raid1));
        assert_eq!(args.options.features, ["quota", "^no-holes", "squota"]);
        assert_eq!(args.options.byte_count, Some(2 << 30));
        assert_eq!(args.targets.len(), 2);
    }

    #[test]
    fn a_request_says_everything() {
        for line in [
            "btrfs-plan --request r -d single",
            "btrfs-plan --request r x",
            "btrfs-plan -n 1e x",
            "btrfs-plan -d raid7 x",
        ] {
            assert!(Args::try_parse_from(line.split(' ')).is_err(), "{line}");
        }
        assert!(Args::try_parse_from("btrfs-plan --request r -q -o p.zst --compress".split(' ')).is_ok());
    }
}
