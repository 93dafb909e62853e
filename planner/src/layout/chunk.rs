//! Chunks: what a layout is made of.

use crate::request::Profile;
use crate::units::{DevId, Logical, Physical};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ChunkKind {
    /// File contents.
    #[serde(rename = "data")]
    Data,
    /// File contents and trees (mixed block groups).
    #[serde(rename = "data+metadata")]
    Mixed,
    /// Every tree that has no chunks of its own.
    #[serde(rename = "metadata")]
    Metadata,
    /// The remap tree.
    #[serde(rename = "remap")]
    Remap,
    /// The chunk tree.
    #[serde(rename = "system")]
    System,
}

impl ChunkKind {
    /// The name in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Mixed => "data+metadata",
            Self::Metadata => "metadata",
            Self::Remap => "remap",
            Self::System => "system",
        }
    }
}

impl core::fmt::Display for ChunkKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// A chunk: a range of logical addresses, and the device extents that hold it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Chunk {
    /// What it holds.
    pub kind: ChunkKind,
    /// Bytes of logical address space.
    pub length: u64,
    /// Logical address of its first byte.
    pub logical: Logical,
    /// How the bytes are spread.
    pub profile: Profile,
    /// The device extents, in stripe order.
    pub stripes: Vec<Stripe>,
}

/// One device extent of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Stripe {
    /// The device.
    pub devid: DevId,
    /// Byte offset on the device.
    pub offset: Physical,
}
