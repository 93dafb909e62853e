//! Tree blocks and superblocks, taken apart byte by byte: every field with its name, its place and its value.
//!
//! The bytes may come from anywhere. Nothing in them is trusted, and whatever does not parse is shown raw and said to be
//! so. The fields of a block, its item heads and its free bytes cover every byte of it exactly once.

mod block;
mod cursor;
mod extent;
mod inode;
mod items;
mod names;
mod quota;
mod root;
mod space;
mod superblock;
#[cfg(test)]
mod tests;

pub use block::{DecodedBlock, DecodedItem, DecodedKey, Span, block};
pub use superblock::superblock;

use alloc::string::String;
use serde::Serialize;

/// A run of bytes with a name and a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Field {
    /// Bytes.
    pub length: u64,
    /// The format's own name for it; parts of a structure inside another one are joined by dots.
    pub name: String,
    /// Where it starts, in bytes from the start of the block.
    pub offset: u64,
    /// Whether the bytes were not understood: the value is in hexadecimal then.
    pub raw: bool,
    /// The value, for people. Control characters are escaped.
    pub value: String,
}
