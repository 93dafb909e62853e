//! A plan for people.
//!
//! What is shown is computed once ([`Overview`] and, in full, [`TreeView`], [`BlockView`], [`SuperblockView`],
//! [`DeviceDetail`]) and then put into text ([`text`]), SVG ([`svg()`]) or HTML ([`html()`]); as they are, they serialize
//! to documents for programs.

mod capacity;
mod date;
pub mod decode;
mod detail;
mod diff;
mod escape;
mod features;
mod html;
mod map;
mod markup;
mod minimum;
mod overview;
mod size;
mod summary;
mod svg;
pub mod text;

pub use capacity::CapacityView;
pub use date::utc;
pub use detail::{
    BlockView, ChunkOf, DeviceDetail, Extent, NotThere, Place, PlannedWrite, Role, SuperblockView, TreeView,
};
pub use diff::{Change, Diff, Group, diff};
pub use escape::{escaped, markup};
pub use features::features;
pub use html::html;
pub use map::{Fate, Holder, Span, fit};
pub use minimum::MinimumView;
pub use overview::{
    ChunkView, DeviceView, DiscardLadder, Overview, Step, Steps, TreeSummary, ZoneCounts, chunks, trees,
};
pub use size::Size;
pub use summary::{summary, summary_of_mkfs};
pub use svg::svg;
