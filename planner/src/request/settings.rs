//! A request after every rule: nothing optional, nothing contradictory.

use super::{DeviceFacts, DiscardStrategy, Feature, FeatureBit, Features, Profile, Requirements, Zones};
use crate::disk::checksum::ChecksumType;
use crate::disk::superblock::BIG_METADATA;
use crate::units::DevId;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What will be built, decided to the last option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Checksum of metadata and data.
    pub checksum: ChecksumType,
    /// UUID of the chunk tree.
    pub chunk_tree_uuid: Uuid,
    /// Data profile.
    pub data: Profile,
    /// The devices, by devid from 1.
    pub devices: Vec<SettingsDevice>,
    /// How much is discarded.
    pub discard: DiscardStrategy,
    /// What is on.
    pub features: Features,
    /// UUID of the top-level subvolume.
    pub fs_tree_uuid: Uuid,
    /// UUID of the filesystem.
    pub fsid: Uuid,
    /// How many extent trees there are, where there may be several (extent-tree-v2).
    pub global_roots: Option<u16>,
    /// The label.
    pub label: String,
    /// Metadata and system profile.
    pub metadata: Profile,
    /// Bytes of a tree block.
    pub node_size: u32,
    /// Page size of the target machine.
    pub page_size: u32,
    /// What a machine needs to mount it.
    pub requires: Requirements,
    /// Bytes of a data sector.
    pub sector_size: u32,
    /// Seconds since 1970-01-01 UTC.
    pub time: u64,
    /// Sum of the planned sizes, in bytes.
    pub total_size: u64,
    /// What the requester should know.
    pub warnings: Vec<Warning>,
    /// Whether whole devices are used: a byte count leaves the end of every device alone.
    pub whole_devices: bool,
    /// Bytes of a zone, where the filesystem is zoned.
    pub zone_size: Option<u64>,
}

/// A device of the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsDevice {
    /// Its number.
    pub devid: DevId,
    /// What is known of it.
    pub facts: DeviceFacts,
    /// Planned bytes.
    pub size: u64,
    /// UUID in the filesystem.
    pub uuid: Uuid,
    /// Whether the filesystem sees zones on it.
    pub zoning: Zoning,
}

/// The zones that a filesystem sees on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Zoning {
    /// None.
    Regular,
    /// The device's own.
    Real,
    /// None of the device's own, but a zoned filesystem must see some.
    Emulated(Zones),
}

impl SettingsDevice {
    /// The zones that the filesystem sees.
    #[must_use]
    pub const fn zones(&self) -> Option<&Zones> {
        match &self.zoning {
            Zoning::Regular => None,
            Zoning::Real => self.facts.zones.as_ref(),
            Zoning::Emulated(zones) => Some(zones),
        }
    }

    /// The zones that the device itself has and the filesystem sees.
    #[must_use]
    pub const fn real_zones(&self) -> Option<&Zones> {
        match &self.zoning {
            Zoning::Real => self.facts.zones.as_ref(),
            Zoning::Regular | Zoning::Emulated(_) => None,
        }
    }
}

impl Settings {
    /// Whether data and metadata share block groups.
    #[must_use]
    pub const fn mixed(&self) -> bool {
        self.features.has(Feature::MixedBg)
    }

    /// The superblock's feature bits.
    #[must_use]
    pub fn flags(&self) -> Flags {
        let mut flags = Flags { compat_ro: 0, incompat: 0 };
        for feature in self.features.iter() {
            match feature.traits().bit {
                FeatureBit::Incompat(bits) => flags.incompat |= bits,
                FeatureBit::CompatRo(bits) => flags.compat_ro |= bits,
                FeatureBit::Items => {}
            }
        }
        if self.node_size > self.page_size {
            flags.incompat |= BIG_METADATA;
        }
        flags
    }
}

/// The superblock's feature bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Flags {
    /// `compat_ro_flags`.
    pub compat_ro: u64,
    /// `incompat_flags`.
    pub incompat: u64,
}

/// The profile of each kind of block group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Profiles {
    /// File contents.
    pub data: Profile,
    /// Every tree but the chunk tree.
    pub metadata: Profile,
    /// The chunk tree.
    pub system: Profile,
}

/// Something the requester should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Warning {
    /// A stable name for programs.
    pub code: String,
    /// A sentence for people.
    pub message: String,
}
