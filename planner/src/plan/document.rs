//! The types of the document.

use super::{Payload, Seal};
use crate::disk::checksum::ChecksumType;
use crate::layout::Chunk;
use crate::request::{DeviceFacts, DiscardStrategy, Flags, Profiles, Requirements, Warning};
use crate::schedule::{ByteRange, DiscardCounts, ResetCounts, WriteAt};
use crate::units::{DevId, Generation, Logical};
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The value of a plan's `format`.
pub const FORMAT: &str = "btrfs-plan/1";

/// A new filesystem to the byte, and everything that will be done to every device to make it.
///
/// Built by [`plan()`](crate::plan()) or read by [`Plan::from_json`]; both leave it sealed. Its [`Serialize`] writes the
/// whole document; [`Plan::to_json`] does so for people and machines.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Every tree block, ascending: the index into the filesystem for readers.
    pub blocks: Vec<Block>,
    /// Every chunk, ascending.
    pub chunks: Vec<Chunk>,
    /// Every device, by devid from 1, and what is done to it.
    pub devices: Vec<Device>,
    /// What the filesystem will be.
    pub filesystem: Filesystem,
    /// Always [`FORMAT`].
    pub format: String,
    /// The bytes that writes refer to, each once.
    pub payloads: Vec<Payload>,
    /// What made the plan.
    pub planner: PlannerVersion,
    /// SHA-256 of the canonical form of all the rest.
    pub seal: Seal,
    /// What the plan costs, and what it saves.
    pub statistics: Statistics,
    /// What the requester should know; nothing here stops an executor.
    pub warnings: Vec<Warning>,
}

/// Name and version of what made a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PlannerVersion {
    /// The crate's name.
    pub name: String,
    /// The crate's version.
    pub version: String,
}

/// What the filesystem will be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Filesystem {
    /// Bytes of tree blocks, counted once however many copies there are.
    pub bytes_used: u64,
    /// Checksum of metadata and data.
    pub checksum: ChecksumType,
    /// The discard strategy of the schedule.
    pub discard: DiscardStrategy,
    /// Names of the features that are on, oldest first.
    pub features: Vec<String>,
    /// The superblock's feature bits.
    pub flags: Flags,
    /// UUID of the filesystem.
    #[serde(with = "strict_uuid")]
    #[cfg_attr(feature = "schema", schemars(with = "Uuid"))]
    pub fsid: Uuid,
    /// The only transaction.
    pub generation: Generation,
    /// The label; empty for none.
    pub label: String,
    /// Bytes of a tree block.
    pub node_size: u32,
    /// Page size of the machine the filesystem is planned for.
    pub page_size: u32,
    /// Block group profiles.
    pub profiles: Profiles,
    /// What a machine needs to mount it.
    pub requires: Requirements,
    /// Bytes of a data sector.
    pub sector_size: u32,
    /// Creation time, in seconds since 1970-01-01 UTC.
    pub time: u64,
    /// Sum of the planned sizes of the devices, in bytes.
    pub total_size: u64,
    /// Bytes of a zone, where the filesystem is zoned, whether devices have zones or not.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::request::present")]
    pub zone_size: Option<u64>,
}

/// One device: who it is, what was found on it, and its schedule.
///
/// An executor takes the steps of all devices in this order, each device in a thread of its own: `wipe`, also of the places
/// of `commit` where they are not zero, and flush (only where there was something to wipe). When all devices have come so
/// far: `discard`, `reset_zones`, `zero`, `writes`, flush. When all have come that far: `commit` of every device but the last
/// write of the first device's, flush; then that last one, flush.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Device {
    /// The writes that make the filesystem exist, in order: superblock copies, the primary one last.
    pub commit: Vec<WriteAt>,
    /// Its number in the filesystem.
    pub devid: DevId,
    /// Ranges to discard, ascending and apart.
    pub discard: Vec<ByteRange>,
    /// What the planner was told of the device, and what an executor must find again.
    pub found: DeviceFacts,
    /// No step touches a byte at or beyond this: the device's end, or the byte count.
    pub limit: u64,
    /// Ranges of whole zones to reset, ascending and apart.
    pub reset_zones: Vec<ByteRange>,
    /// Bytes of the device that the filesystem uses.
    pub size: u64,
    /// UUID of the device in the filesystem.
    #[serde(with = "strict_uuid")]
    #[cfg_attr(feature = "schema", schemars(with = "Uuid"))]
    pub uuid: Uuid,
    /// Sectors of old signatures, to be overwritten with zeros before anything else on any device; or sequential zones that
    /// hold some, to be reset. Ascending and apart.
    pub wipe: Vec<ByteRange>,
    /// Writes, by ascending offset, apart from each other.
    pub writes: Vec<WriteAt>,
    /// Ranges that must read as zeros afterwards and that nothing else writes; ascending and apart.
    pub zero: Vec<ByteRange>,
}

/// Where to find one tree block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Items of a leaf, or pointers of a node.
    pub items: u32,
    /// Height above the leaves.
    pub level: u8,
    /// Logical address.
    pub logical: Logical,
    /// Index of its bytes in the plan's payloads.
    pub payload: u32,
    /// The tree's name: `root`, `extent`, `chunk`, `dev`, `fs`, `csum`, ...
    pub tree: String,
}

/// What the plan costs, and what it saves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Statistics {
    /// Bytes that writes and commits put on all devices.
    pub bytes_written: u64,
    /// Discard requests, three ways.
    pub discard: DiscardCounts,
    /// Write calls: writes to neighbouring places go out together.
    pub writes: u64,
    /// Zone resets, two ways.
    pub zone_resets: ResetCounts,
}

/// UUIDs in exactly one notation, so that no two documents say the same.
pub(super) mod strict_uuid {
    use alloc::string::String;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use uuid::Uuid;

    pub(crate) fn serialize<S: Serializer>(uuid: &Uuid, serializer: S) -> Result<S::Ok, S::Error> {
        uuid.hyphenated().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uuid, D::Error> {
        let text = String::deserialize(deserializer)?;
        let uuid = Uuid::try_parse(&text).map_err(D::Error::custom)?;
        let mut buffer = Uuid::encode_buffer();
        if *uuid.hyphenated().encode_lower(&mut buffer) == *text {
            Ok(uuid)
        } else {
            Err(D::Error::custom("a UUID in a plan is written in lower case with hyphens"))
        }
    }
}
