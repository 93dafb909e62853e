//! One tree, one block, one superblock or one device of a plan, in full.

use super::decode::{self, DecodedBlock};
use super::overview::DeviceView;
use crate::layout::{Chunk, ChunkKind, Geometry};
use crate::plan::{Block, Device, Plan};
use crate::request::Profile;
use crate::schedule::{ByteRange, WriteAt};
use crate::units::{DevId, Logical, Physical};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use serde::Serialize;

/// What was asked for is not in the plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotThere {
    /// No such tree.
    #[error("the plan has no tree '{name}'")]
    Tree {
        /// What was asked for.
        name: String,
        /// The trees there are.
        trees: Vec<String>,
    },
    /// No block starts here.
    #[error("no tree block of the plan starts at {logical}")]
    Block {
        /// What was asked for.
        logical: u64,
        /// The last block that starts before it.
        before: Option<u64>,
        /// The first block behind it.
        after: Option<u64>,
    },
    /// No such device.
    #[error("the plan has no device {devid}, only 1 to {count}")]
    Device {
        /// What was asked for.
        devid: u64,
        /// How many there are.
        count: usize,
    },
    /// The bytes of a block cannot be made out.
    #[error("the payload of the block at {logical} cannot be expanded")]
    Payload {
        /// Where the block stands.
        logical: u64,
    },
}

impl NotThere {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Tree { trees, .. } => Some(alloc::format!("there are {}", trees.join(", "))),
            Self::Block { before: Some(before), after: Some(after), .. } => Some(alloc::format!(
                "the nearest ones start at {before} and at {after}; --tree NAME lists those of a tree"
            )),
            Self::Block { before, after, .. } => {
                before.or(*after).map(|near| alloc::format!("the nearest one starts at {near}"))
            }
            Self::Device { .. } | Self::Payload { .. } => None,
        }
    }
}

/// A tree: its blocks, top block first, and what is in them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TreeView {
    /// The blocks, from the top level down, and by ascending address within a level.
    pub blocks: Vec<BlockView>,
    /// The tree's name.
    pub tree: String,
    /// Always `tree`.
    pub view: &'static str,
}

/// A block with all its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlockView {
    /// Its entry in the plan's index.
    pub block: Block,
    /// The chunk it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk: Option<ChunkOf>,
    /// Where it stands on the devices, and the parity that protects it.
    pub copies: Vec<Place>,
    /// What its bytes mean.
    pub decoded: DecodedBlock,
    /// The bytes, in hexadecimal in documents.
    #[serde(serialize_with = "as_hex")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub bytes: Vec<u8>,
    /// Always `block`.
    pub view: &'static str,
}

/// What chunk something is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChunkOf {
    /// What it holds.
    pub kind: ChunkKind,
    /// Its logical address.
    pub logical: Logical,
    /// How it is spread.
    pub profile: Profile,
}

/// A place on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "BlockPlace"))]
pub struct Place {
    /// The device.
    pub devid: DevId,
    /// Byte offset on it.
    pub offset: Physical,
    /// What stands there.
    pub role: Role,
    /// Whether the plan has a write that starts there: the block's own bytes, or the parity.
    pub written: bool,
}

/// What stands at a place that belongs to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The block.
    Copy,
    /// Parity over the block's row.
    Parity,
}

/// A superblock with all its fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuperblockView {
    /// The bytes, in hexadecimal in documents.
    #[serde(serialize_with = "as_hex")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub bytes: Vec<u8>,
    /// What they mean.
    pub decoded: DecodedBlock,
    /// The device.
    pub devid: DevId,
    /// Byte offset on it.
    pub offset: Physical,
    /// Always `superblock`.
    pub view: &'static str,
}

/// A device with every range and every write.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceDetail {
    /// Superblocks, in the order in which they are written.
    pub commit: Vec<PlannedWrite>,
    /// Ranges to discard.
    pub discard: Vec<ByteRange>,
    /// The chunks' extents, ascending.
    pub extents: Vec<Extent>,
    /// The device at a glance.
    pub overview: DeviceView,
    /// Ranges of zones to reset.
    pub reset_zones: Vec<ByteRange>,
    /// Always `device`.
    pub view: &'static str,
    /// Sectors of old signatures.
    pub wipe: Vec<ByteRange>,
    /// Writes, ascending.
    pub writes: Vec<PlannedWrite>,
    /// Ranges that must read as zeros.
    pub zero: Vec<ByteRange>,
}

/// A part of a device that a chunk has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Extent {
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub length: u64,
    /// Logical address of the chunk.
    pub chunk: Logical,
    /// Which of the chunk's stripes it is, from 0.
    pub stripe: u64,
    /// What the chunk holds.
    pub kind: ChunkKind,
    /// How it is spread.
    pub profile: Profile,
}

/// A write and what is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlannedWrite {
    /// Bytes.
    pub length: u64,
    /// First byte.
    pub offset: Physical,
    /// Index of the payload.
    pub payload: u32,
    /// The tree and the block's logical address, where a tree block is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<(String, Logical)>,
}

fn as_hex<S: serde::Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hex::encode(bytes))
}

impl TreeView {
    /// One tree of a plan.
    pub fn of(plan: &Plan, name: &str) -> Result<Self, NotThere> {
        let mut blocks: Vec<&Block> = plan.blocks.iter().filter(|block| block.tree == name).collect();
        if blocks.is_empty() {
            let names: BTreeSet<&str> = plan.blocks.iter().map(|block| block.tree.as_str()).collect();
            let trees = names.into_iter().map(String::from).collect();
            return Err(NotThere::Tree { name: name.into(), trees });
        }
        blocks.sort_by_key(|block| (core::cmp::Reverse(block.level), block.logical));
        let places = Places::of(plan);
        let blocks: Result<Vec<BlockView>, NotThere> =
            blocks.into_iter().map(|block| BlockView::new(plan, block, &places)).collect();
        Ok(Self { blocks: blocks?, tree: name.into(), view: "tree" })
    }
}

/// Who writes what where.
struct Places(BTreeSet<(DevId, Physical)>);

impl Places {
    fn of(plan: &Plan) -> Self {
        let places = plan.devices.iter().flat_map(|device| {
            let places = device.writes.iter().chain(&device.commit);
            places.map(|write| (device.devid, write.offset))
        });
        Self(places.collect())
    }
}

impl BlockView {
    /// The block that starts at a logical address.
    pub fn of(plan: &Plan, logical: u64) -> Result<Self, NotThere> {
        match plan.blocks.iter().find(|block| block.logical.get() == logical) {
            Some(block) => Self::new(plan, block, &Places::of(plan)),
            None => {
                let starts = || plan.blocks.iter().map(|block| block.logical.get());
                let before = starts().filter(|start| *start < logical).max();
                let after = starts().filter(|start| *start > logical).min();
                Err(NotThere::Block { logical, before, after })
            }
        }
    }

    fn new(plan: &Plan, block: &Block, places: &Places) -> Result<Self, NotThere> {
        let logical = block.logical;
        let bytes = payload(plan, block.payload).ok_or(NotThere::Payload { logical: logical.get() })?;
        let inside = |chunk: &&Chunk| logical.distance_from(chunk.logical).is_ok_and(|delta| delta < chunk.length);
        let chunk = plan.chunks.iter().find(inside);
        Ok(Self {
            block: block.clone(),
            chunk: chunk.map(|chunk| ChunkOf { kind: chunk.kind, logical: chunk.logical, profile: chunk.profile }),
            copies: chunk.map(|chunk| copies(chunk, logical, places)).unwrap_or_default(),
            decoded: decode::block(&bytes, plan.filesystem.checksum),
            bytes,
            view: "block",
        })
    }
}

fn payload(plan: &Plan, index: u32) -> Option<Vec<u8>> {
    let payload = usize::try_from(index).ok().and_then(|index| plan.payloads.get(index))?;
    payload.expand().ok()
}

fn copies(chunk: &Chunk, logical: Logical, places: &Places) -> Vec<Place> {
    let geometry = Geometry::new(chunk);
    let Ok(position) = geometry.position(logical) else { return Vec::new() };
    let copies = geometry.copies(position).unwrap_or_default().into_iter().map(|place| (place, Role::Copy));
    let parity = geometry.parity(position.row, position.within).unwrap_or_default();
    let all = copies.chain(parity.into_iter().map(|place| (place, Role::Parity)));
    all.map(|(place, role)| Place {
        devid: place.devid,
        offset: place.offset,
        role,
        written: places.0.contains(&(place.devid, place.offset)),
    })
    .collect()
}

impl SuperblockView {
    /// The primary superblock of a device.
    pub fn of(plan: &Plan, devid: u64) -> Result<Self, NotThere> {
        let device = device(plan, devid)?;
        let write = device.commit.iter().min_by_key(|write| write.offset);
        let bytes = write.and_then(|write| payload(plan, write.payload));
        let (Some(write), Some(bytes)) = (write, bytes) else {
            return Err(NotThere::Payload { logical: 0 });
        };
        let decoded = decode::superblock(&bytes, plan.filesystem.checksum);
        Ok(Self { bytes, decoded, devid: device.devid, offset: write.offset, view: "superblock" })
    }
}

fn device(plan: &Plan, devid: u64) -> Result<&Device, NotThere> {
    let found = plan.devices.iter().find(|device| device.devid.get() == devid);
    found.ok_or(NotThere::Device { devid, count: plan.devices.len() })
}

impl DeviceDetail {
    /// One device of a plan.
    pub fn of(plan: &Plan, devid: u64) -> Result<Self, NotThere> {
        let device = device(plan, devid)?;
        let mut extents = Vec::new();
        for chunk in &plan.chunks {
            let length = Geometry::new(chunk).stripe_length();
            for (stripe, place) in (0_u64..).zip(&chunk.stripes) {
                if place.devid == device.devid {
                    let (kind, profile) = (chunk.kind, chunk.profile);
                    extents.push(Extent {
                        start: place.offset.get(),
                        length,
                        chunk: chunk.logical,
                        stripe,
                        kind,
                        profile,
                    });
                }
            }
        }
        extents.sort_unstable();
        let blocks: BTreeMap<u32, &Block> = plan.blocks.iter().map(|block| (block.payload, block)).collect();
        let writes = |writes: &[WriteAt]| {
            let write = |write: &WriteAt| {
                let length = usize::try_from(write.payload).ok().and_then(|index| plan.payloads.get(index));
                PlannedWrite {
                    length: length.map_or(0, |payload| payload.length),
                    offset: write.offset,
                    payload: write.payload,
                    block: blocks.get(&write.payload).map(|block| (block.tree.clone(), block.logical)),
                }
            };
            writes.iter().map(write).collect()
        };
        Ok(Self {
            commit: writes(&device.commit),
            discard: device.discard.clone(),
            extents,
            overview: DeviceView::of(plan, device),
            reset_zones: device.reset_zones.clone(),
            view: "device",
            wipe: device.wipe.clone(),
            writes: writes(&device.writes),
            zero: device.zero.clone(),
        })
    }
}
