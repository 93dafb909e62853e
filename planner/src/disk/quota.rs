//! Quota groups.

use zerocopy::byteorder::little_endian::U64;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Version of the status item.
pub const STATUS_VERSION: u64 = 1;
/// Status flag: quota is on.
pub const STATUS_ON: u64 = 1 << 0;
/// Status flag: simple quota.
pub const STATUS_SIMPLE: u64 = 1 << 3;

/// `btrfs_qgroup_status_item`, 40 bytes; key (0, 240, 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct QgroupStatus {
    /// [`STATUS_VERSION`].
    pub version: U64,
    /// The transaction that made the counters right.
    pub generation: U64,
    /// [`STATUS_ON`], [`STATUS_SIMPLE`].
    pub flags: U64,
    /// Where a rescan stands.
    pub rescan: U64,
    /// The transaction that switched simple quota on; 0 without it.
    pub enable_generation: U64,
}
const _: () = assert!(size_of::<QgroupStatus>() == 40);

/// `btrfs_qgroup_info_item`, 40 bytes; key (0, 242, qgroup).
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct QgroupInfo {
    /// The transaction that counted.
    pub generation: U64,
    /// Bytes referenced.
    pub referenced: U64,
    /// The same before compression.
    pub referenced_compressed: U64,
    /// Bytes that nobody else references.
    pub exclusive: U64,
    /// The same before compression.
    pub exclusive_compressed: U64,
}
const _: () = assert!(size_of::<QgroupInfo>() == 40);

/// `btrfs_qgroup_limit_item`, 40 bytes; key (0, 244, qgroup). All zeros: no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct QgroupLimit {
    /// Flags, and the limits they switch on.
    pub values: [U64; 5],
}
const _: () = assert!(size_of::<QgroupLimit>() == 40);
