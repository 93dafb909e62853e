//! What is asked: devices, options, identity and time; and every rule a request must meet.

mod defaults;
mod device;
mod error;
mod feature;
mod feature_set;
mod field;
mod identity;
mod kernel;
mod minimum;
mod profile;
mod rules;
mod settings;
mod switch;
mod target;
mod warnings;
mod zoned;
mod zones;

pub use defaults::Defaults;
pub(crate) use device::present;
pub use device::{DeviceFacts, DeviceKind, DiscardLimits, Signature};
pub use error::RequestError;
pub use feature::{Feature, FeatureBit, FeatureStatus, FeatureTraits};
pub use feature_set::Features;
pub use identity::Identity;
pub use kernel::{KernelVersion, NotAKernel};
pub use minimum::{minimum_device_size, minimum_zones};
pub use profile::{OnZones, Profile, ProfileTraits};
pub use rules::MOST_GLOBAL_ROOTS;
pub use settings::{Flags, Profiles, Settings, SettingsDevice, Warning, Zoning};
pub use switch::{FeatureSwitch, UnknownFeature};
pub use target::{PageRequirement, Requirements};
pub use zones::{EMULATED_ZONE_SIZE, PlacedRun, ZoneModel, ZoneRun, ZoneState, Zones};

use crate::disk::checksum::ChecksumType;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The value of a request's `format`.
pub const FORMAT: &str = "btrfs-request/1";

/// How much of a device is discarded before writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DiscardStrategy {
    /// Just what the plan does not write.
    Exact,
    /// The same, and gaps that the plan writes anyway: one request a device.
    #[default]
    Bridge,
    /// Nothing (`-K`).
    None,
}

impl DiscardStrategy {
    /// Every strategy, the default first.
    pub const ALL: [Self; 3] = [Self::Bridge, Self::Exact, Self::None];

    /// The name in documents and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Bridge => "bridge",
            Self::None => "none",
        }
    }
}

/// A request for a plan. Everything a plan depends on is in it.
///
/// In documents fields with defaults may be left out; unknown fields are refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Use this many bytes of every device (`-b`); the whole device where absent or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte_count: Option<u64>,
    /// Checksum of metadata and data.
    #[serde(default)]
    pub checksum: ChecksumType,
    /// Data profile (`-d`); single where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Profile>,
    /// Which features are on unasked: those of mkfs.btrfs 6.19 where absent.
    #[serde(default, skip_serializing_if = "is_default")]
    pub defaults: Defaults,
    /// The devices, in the order of their devids.
    pub devices: Vec<DeviceFacts>,
    /// How much is discarded.
    #[serde(default)]
    pub discard: DiscardStrategy,
    /// Switch features off that the target kernel does not have, instead of refusing the request.
    #[serde(default, skip_serializing_if = "is_default")]
    pub drop_unsupported: bool,
    /// Bytes of the zones that `zoned` emulates on devices that have none; 256 MiB where absent. An experimental option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emulated_zone_size: Option<u64>,
    /// Allow what mkfs.btrfs offers only where it was built for experiments.
    #[serde(default, skip_serializing_if = "is_default")]
    pub experimental: bool,
    /// Features switched on or off (`-O`), later ones overriding earlier ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<FeatureSwitch>,
    /// Plan over signatures that were found (`-f`).
    #[serde(default)]
    pub force: bool,
    /// Always [`FORMAT`].
    #[serde(default = "format")]
    pub format: String,
    /// Extent trees of extent-tree-v2, and checksum trees and free space trees with them (`--num-global-roots`); one of each
    /// where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_roots: Option<u64>,
    /// UUIDs, or what to derive them from.
    pub identity: Identity,
    /// The label (`-L`), at most 255 bytes; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Metadata and system profile (`-m`); dup on one device, raid1 on several, single when mixed, where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Profile>,
    /// Data and metadata share block groups (`-M`).
    #[serde(default)]
    pub mixed: bool,
    /// Bytes of a tree block (`-n`); 16384 or the sector size, whichever is larger, where absent or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_size: Option<u32>,
    /// Page size of the machine that will mount the filesystem; it decides one feature bit and a warning.
    #[serde(default = "page_size")]
    pub page_size: u32,
    /// Bytes of a data sector (`-s`); 4096 where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sector_size: Option<u32>,
    /// The oldest kernel that must be able to mount the filesystem and write to it; any where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_kernel: Option<KernelVersion>,
    /// Creation time, in seconds since 1970-01-01 UTC.
    pub time: u64,
}

fn format() -> String {
    FORMAT.to_string()
}

/// Whether a field may be left out.
fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

const fn page_size() -> u32 {
    4096
}

impl Request {
    /// A request with every default, for these devices, this seed and this time.
    #[must_use]
    pub fn new(devices: Vec<DeviceFacts>, seed: &str, time: u64) -> Self {
        Self {
            byte_count: None,
            checksum: ChecksumType::default(),
            data: None,
            defaults: Defaults::default(),
            devices,
            discard: DiscardStrategy::default(),
            drop_unsupported: false,
            emulated_zone_size: None,
            experimental: false,
            features: Vec::new(),
            force: false,
            format: format(),
            global_roots: None,
            identity: Identity { seed: seed.to_string(), ..Identity::default() },
            label: String::new(),
            metadata: None,
            mixed: false,
            node_size: None,
            page_size: page_size(),
            sector_size: None,
            target_kernel: None,
            time,
        }
    }

    /// Whether a feature is switched on or off, if it is: what comes later counts.
    #[must_use]
    pub fn switch(&self, feature: Feature) -> Option<bool> {
        self.features.iter().rev().find(|switch| switch.feature == feature).map(|switch| switch.on)
    }

    /// Whether a feature is asked for and may be dropped all the same, and with it what belongs to it.
    fn may_lose(&self, feature: Feature) -> bool {
        self.drop_unsupported && self.switch(feature) == Some(true)
    }

    /// Reads a saved request. Shape is checked here, sense by [`plan()`](crate::plan()).
    pub fn from_json(text: &[u8]) -> Result<Self, RequestError> {
        /// The one field that decides how to read the others.
        #[derive(Deserialize)]
        struct Header {
            #[serde(default = "format")]
            format: String,
        }

        let unreadable = |error: serde_json::Error| RequestError::Unreadable(error.to_string());
        let header: Header = serde_json::from_slice(text).map_err(unreadable)?;
        if header.format != FORMAT {
            return Err(RequestError::Format(header.format));
        }
        serde_json::from_slice(text).map_err(unreadable)
    }

    /// The request as a document.
    #[must_use]
    pub fn to_json(&self) -> String {
        // String keys and no fallible parts: serialization into memory cannot fail.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}
