//! Views as text for a terminal or a file. Every line ends with a line break, and nothing that came from a device, a
//! request or a plan reaches a terminal unescaped.

mod block;
mod capacity;
mod device;
mod diff;
mod lines;
mod map;
mod minimum;
mod overview;
mod tree;

pub use block::{block, superblock};
pub use capacity::capacity;
pub use device::device;
pub use diff::diff;
pub use minimum::minimum;
pub use overview::overview;
pub use tree::tree;

pub use lines::Style;
pub(super) use lines::counted;
pub(super) use overview::{lost, step_text};
