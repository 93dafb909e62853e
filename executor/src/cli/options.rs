//! What can be asked of the planner, whichever program asks.

use super::compatibility::{self, Parameter};
use crate::size;
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::request::{Defaults, DiscardStrategy, KernelVersion, Profile};
use clap::ArgAction;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use uuid::Uuid;

/// What asks for the table of features instead of naming one.
pub(crate) const LIST_ALL: &str = "list-all";

/// What is asked of the planner.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Use SIZE of every device
    #[arg(short = 'b', long, value_name = "SIZE", value_parser = size::parse, allow_hyphen_values = true)]
    pub(crate) byte_count: Option<u64>,

    /// Checksum of metadata and data
    #[arg(long, visible_alias = "csum", value_name = "KIND", value_parser = checksum(), ignore_case = true)]
    pub(crate) checksum: Option<ChecksumType>,

    /// Profile of data
    #[arg(short, long, value_name = "PROFILE", value_parser = profile(), ignore_case = true)]
    pub(crate) data: Option<Profile>,

    /// Profile of metadata
    #[arg(short, long, value_name = "PROFILE", value_parser = profile(), ignore_case = true)]
    pub(crate) metadata: Option<Profile>,

    /// Data and metadata share block groups
    #[arg(short = 'M', long)]
    pub(crate) mixed: bool,

    /// Bytes of a tree block
    #[arg(short, long, value_name = "SIZE", value_parser = small_size, allow_hyphen_values = true)]
    pub(crate) nodesize: Option<u32>,

    /// Bytes of a sector
    #[arg(short, long, value_name = "SIZE", value_parser = small_size, allow_hyphen_values = true)]
    pub(crate) sectorsize: Option<u32>,

    /// The label, at most 255 bytes
    #[arg(short = 'L', long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) label: Option<String>,

    /// Features, separated by commas; ^ switches one off; list-all shows them
    #[arg(short = 'O', long, value_name = "LIST", value_delimiter = ',', action = ArgAction::Append)]
    pub(crate) features: Vec<String>,

    /// Deprecated: the same as -O, for quota and free-space-tree
    #[arg(short = 'R', long, value_name = "LIST", value_delimiter = ',', action = ArgAction::Append)]
    pub(crate) runtime_features: Vec<String>,

    /// UUID of the filesystem; a new one unless given, or if it is empty
    #[arg(short = 'U', long, value_name = "UUID", value_parser = uuid)]
    pub(crate) uuid: Option<Given>,

    /// UUID of the first device; repeated, of the next one
    #[arg(long, value_name = "UUID", action = ArgAction::Append, value_parser = uuid)]
    pub(crate) device_uuid: Vec<Given>,

    /// Discard nothing
    #[arg(short = 'K', long)]
    pub(crate) nodiscard: bool,

    /// How to discard
    #[arg(long, value_name = "HOW", value_parser = discard())]
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

    /// Which features are on unasked: those of mkfs.btrfs 6.19, those of 5.15 to 6.18, or compat: what everything that
    /// reads btrfs has known for years
    #[arg(long, value_name = "SET", value_parser = compatibility::defaults)]
    pub(crate) defaults: Option<Defaults>,

    /// The oldest kernel that must be able to mount it and write to it, such as 6.1; features it does not have are refused
    #[arg(long, value_name = "VERSION")]
    pub(crate) target_kernel: Option<KernelVersion>,

    /// Switch features off that the target kernel does not have, instead of refusing them
    #[arg(long, requires = "target_kernel")]
    pub(crate) drop_unsupported: bool,

    /// Allow what mkfs.btrfs offers only where it was built for experiments: no ordinary kernel mounts it
    #[arg(long)]
    pub(crate) experimental: bool,

    /// An experimental parameter: zone-size=SIZE, the size of the zones that -O zoned emulates where there are none
    #[arg(long, value_name = "KEY=VALUE", value_parser = compatibility::parameter, action = ArgAction::Append)]
    pub(crate) param: Vec<Parameter>,

    /// With -O extent-tree-v2: how many extent trees, checksum trees and free space trees; as many as this machine has
    /// processors unless given
    #[arg(long, value_name = "COUNT")]
    pub(crate) num_global_roots: Option<u64>,
}

impl Options {
    pub(crate) fn lists_features(&self) -> bool {
        self.features.iter().chain(&self.runtime_features).any(|name| name == LIST_ALL)
    }
}

fn profile() -> impl TypedValueParser<Value = Profile> {
    PossibleValuesParser::new(Profile::ALL.map(Profile::name))
        .try_map(|name| Profile::from_name(&name).ok_or("no such profile"))
}

fn checksum() -> impl TypedValueParser<Value = ChecksumType> {
    let value = |kind: ChecksumType| {
        let value = PossibleValue::new(kind.name());
        if let Some(alias) = kind.alias() { value.alias(alias) } else { value }
    };
    PossibleValuesParser::new(ChecksumType::ALL.map(value))
        .try_map(|name| ChecksumType::from_name(&name).ok_or("no such checksum"))
}

fn discard() -> impl TypedValueParser<Value = DiscardStrategy> {
    let value = |strategy: DiscardStrategy| {
        PossibleValue::new(strategy.name()).help(match strategy {
            DiscardStrategy::Bridge => "everything in one request a device",
            DiscardStrategy::Exact => "only what is not written",
            DiscardStrategy::None => "nothing",
        })
    };
    PossibleValuesParser::new(DiscardStrategy::ALL.map(value)).try_map(|name| {
        let found = DiscardStrategy::ALL.into_iter().find(|strategy| strategy.name() == name);
        found.ok_or("no such way")
    })
}

/// A UUID, or nothing where a script's variable was empty.
pub(crate) type Given = Option<Uuid>;

fn uuid(text: &str) -> Result<Given, uuid::Error> {
    if text.is_empty() { Ok(None) } else { text.parse().map(Some) }
}

fn small_size(text: &str) -> Result<u32, String> {
    let bytes = size::parse(text).map_err(|error| error.to_string())?;
    u32::try_from(bytes).map_err(|_| format!("{bytes} is far too large"))
}
