//! What every tree of a new filesystem holds, and the blocks it becomes.
//!
//! [`Items`] and [`Shape`] are the bulk builder: sorted items into packed blocks of any height. [`Forest::plant`] solves
//! the fixed point in which the extent tree, the free space tree and the block group tree describe the blocks they
//! themselves take. The other files hold a tree each, and the superblock that names them all.

mod block;
mod block_group;
mod chunk;
mod dev;
mod extent;
mod forest;
mod free_space;
mod fs;
mod items;
mod placement;
mod quota;
mod root;
mod shape;
mod superblock;
mod uuid;

pub use block::TreeBlock;
pub use forest::{Contents, Forest, Top};
pub use items::Items;
pub use placement::{BlockGroupSpace, Placement};
pub use shape::{Shape, ShapeError};
pub use superblock::Superblocks;

use crate::units::Generation;

/// The only transaction of a new filesystem: everything is written once, by it.
pub const GENERATION: Generation = Generation::new(1);
