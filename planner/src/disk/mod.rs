//! Bytes as they stand on disk: one file per structure, sizes asserted, and nothing of where they go.
//!
//! Every multi-byte field is little-endian by its type, so no host can get it wrong.

pub mod block_group;
pub mod checksum;
pub mod chunk;
pub mod device;
pub mod directory;
pub mod extent;
pub mod file_extent;
pub mod free_space;
pub mod inode;
pub mod key;
pub mod quota;
pub mod root;
pub mod stripe;
pub mod superblock;
pub mod tree_block;
