//! The command line.

use crate::audit;
use crate::capacity;
use crate::diff;
use crate::request::Asked;
use crate::show;
use btrfs_executor::size;
use btrfs_executor::target::Target;
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::request::{DiscardStrategy, Profile};
use clap::{ArgAction, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use uuid::Uuid;

/// Plan a new btrfs filesystem.
///
/// The plan goes to standard output, a summary for people to standard error. Nothing else is written: run the plan
/// with btrfs-exec.
#[derive(Debug, Parser)]
#[command(version, args_override_self = true, args_conflicts_with_subcommands = true, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) options: Options,

    #[command(flatten)]
    pub(crate) output: Output,

    /// Plan from a saved request instead of options and targets ("-": standard input)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["Options"])]
    pub(crate) request: Option<PathBuf>,

    /// Print the request instead of the plan
    #[arg(long)]
    pub(crate) print_request: bool,
}

/// What is asked of the planner.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Devices: block devices, image files, or descriptions of devices that are not here, such as
    /// size=10T,sector=4096,rotational,discard=1m, or one with zones: size=14T,zone=256M,conventional=524. All keys: size,
    /// sector, physical, rotational, discard, model, serial, path, zone, capacity, conventional, active, open
    #[arg(value_name = "TARGET")]
    pub(crate) targets: Vec<Target>,

    /// Use SIZE of every device
    #[arg(short = 'b', long, value_name = "SIZE", value_parser = size::parse)]
    pub(crate) byte_count: Option<u64>,

    /// Checksum: crc32c, xxhash64, sha256 or blake2b
    #[arg(long, visible_alias = "csum", value_name = "KIND", value_parser = checksum)]
    pub(crate) checksum: Option<ChecksumType>,

    /// Profile of data: single, dup, raid0, raid1, raid1c3, raid1c4, raid10, raid5 or raid6
    #[arg(short, long, value_name = "PROFILE", value_parser = profile)]
    pub(crate) data: Option<Profile>,

    /// Profile of metadata, as for data
    #[arg(short, long, value_name = "PROFILE", value_parser = profile)]
    pub(crate) metadata: Option<Profile>,

    /// Data and metadata share block groups
    #[arg(short = 'M', long)]
    pub(crate) mixed: bool,

    /// Bytes of a tree block
    #[arg(short, long, value_name = "SIZE", value_parser = small_size)]
    pub(crate) nodesize: Option<u32>,

    /// Bytes of a sector
    #[arg(short, long, value_name = "SIZE", value_parser = small_size)]
    pub(crate) sectorsize: Option<u32>,

    /// The label, at most 255 bytes
    #[arg(short = 'L', long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) label: Option<String>,

    /// Features, separated by commas; ^ switches one off; list-all shows them
    #[arg(short = 'O', long, value_name = "LIST", value_delimiter = ',', action = ArgAction::Append)]
    pub(crate) features: Vec<String>,

    /// Deprecated: the same as -O
    #[arg(short = 'R', long, value_name = "LIST", value_delimiter = ',', action = ArgAction::Append)]
    pub(crate) runtime_features: Vec<String>,

    /// UUID of the filesystem
    #[arg(short = 'U', long, value_name = "UUID")]
    pub(crate) uuid: Option<Uuid>,

    /// UUID of the first device; repeated, of the next one
    #[arg(long, value_name = "UUID", action = ArgAction::Append)]
    pub(crate) device_uuid: Vec<Uuid>,

    /// Discard nothing
    #[arg(short = 'K', long)]
    pub(crate) nodiscard: bool,

    /// How to discard: bridge (everything in one request), exact (only what is not written), none
    #[arg(long, value_name = "HOW", value_parser = discard)]
    pub(crate) discard: Option<DiscardStrategy>,

    /// Plan over what is on the devices; the plan names it, and it will be lost
    #[arg(short, long)]
    pub(crate) force: bool,

    /// What UUIDs are derived from; random unless given
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) seed: Option<String>,

    /// Creation time in seconds since 1970; SOURCE_DATE_EPOCH or now unless given
    #[arg(long, value_name = "SECONDS")]
    pub(crate) time: Option<u64>,

    /// Page size of the machine that will mount it; this machine's unless given
    #[arg(long, value_name = "SIZE", value_parser = small_size)]
    pub(crate) page_size: Option<u32>,
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

    /// No summary and no warnings
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Say more: what was found on the devices
    #[arg(short, long, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Show(show::Args),
    Audit(audit::Args),
    Diff(diff::Args),
    // As large as the options of planning.
    Capacity(Box<capacity::Args>),
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
        Asked { options: &self.options, saved: self.request.as_deref(), quiet, verbose: verbose > 0 }
    }
}

impl Options {
    pub(crate) fn lists_features(&self) -> bool {
        self.features.iter().chain(&self.runtime_features).any(|name| name == "list-all")
    }
}

fn profile(text: &str) -> Result<Profile, String> {
    let names = || Profile::ALL.map(Profile::name).join(", ");
    Profile::from_name(text).ok_or_else(|| format!("no such profile; there are {}", names()))
}

fn checksum(text: &str) -> Result<ChecksumType, String> {
    let names = || ChecksumType::ALL.map(ChecksumType::name).join(", ");
    ChecksumType::from_name(text).ok_or_else(|| format!("no such checksum; there are {}", names()))
}

fn discard(text: &str) -> Result<DiscardStrategy, String> {
    match text {
        "bridge" => Ok(DiscardStrategy::Bridge),
        "exact" => Ok(DiscardStrategy::Exact),
        "none" => Ok(DiscardStrategy::None),
        _ => Err("it is one of bridge, exact, none".to_string()),
    }
}

fn small_size(text: &str) -> Result<u32, String> {
    let bytes = size::parse(text).map_err(|error| error.to_string())?;
    u32::try_from(bytes).map_err(|_| format!("{bytes} is far too large"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

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
        assert_eq!(args.options.targets.len(), 2);
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
