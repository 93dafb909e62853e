//! The plan document, format `btrfs-plan/1`: types, canonical form, seal, reading and writing.
//!
//! The fields of every type stand in alphabetical order, since that is the order of the canonical form: a document as
//! written, without white space and without its seal, *is* its canonical form. `docs/plan-format.md` explains the
//! parts in the order of a reader's interest.

mod assemble;
mod bytes;
mod check;
mod document;
mod draft;
mod read;
#[cfg(feature = "schema")]
mod schema;
mod seal;
mod write;

pub use bytes::{Part, Payload, PayloadError};
pub use check::{Place, PlanProblem};
pub use document::{Block, Device, FORMAT, Filesystem, Plan, PlannerVersion, Statistics};
pub use draft::Draft;
pub use read::ReadError;
#[cfg(feature = "schema")]
pub use schema::{plan_schema, request_schema};
pub use seal::{NotASeal, Seal};

pub use crate::layout::{Chunk, ChunkKind, Stripe};
pub use crate::request::{
    DeviceKind, DiscardStrategy, Flags, KernelVersion, PageRequirement, Profile, Profiles, Requirements, Warning,
    ZoneModel, ZoneRun, ZoneState, Zones,
};
pub use crate::schedule::{ByteRange, DiscardCounts, ResetCounts, WriteAt};
