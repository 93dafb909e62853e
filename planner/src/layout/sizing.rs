//! How long a new chunk is. The numbers are those of mkfs.btrfs 6.19.

use super::ChunkKind;
use crate::disk::chunk::{ChunkItem, STRIPE_LENGTH, StripeItem};
use crate::disk::key::DiskKey;
use crate::disk::superblock::SYSTEM_CHUNK_ARRAY_SIZE;
use crate::disk::tree_block::{HEADER_SIZE, ITEM_SIZE};
use crate::request::{Profile, RequestError};
use crate::units::{Checked, GIB, KIB, MIB, round_down, wide};

/// Filesystems above this size get metadata chunks of 1 GiB instead of 256 MiB.
const LARGE_FILESYSTEM: u64 = 50 * GIB;

/// What bounds a chunk of some kind and profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChunkLimits {
    /// Bytes of a stripe, if nothing else bounds it.
    pub(super) stripe: u64,
    /// The most bytes of a chunk.
    pub(super) length: u64,
    /// The fewest bytes of a stripe.
    pub(super) min_stripe: u64,
    /// The most stripes of a chunk that takes as many devices as there are.
    pub(super) stripes: u64,
}

impl ChunkLimits {
    /// The limits in a filesystem of `total_size` bytes.
    pub(super) fn new(kind: ChunkKind, profile: Profile, total_size: u64, node_size: u32) -> Self {
        let metadata = if total_size > LARGE_FILESYSTEM { GIB } else { 256 * MIB };
        let (stripe, length, min_stripe) = match kind {
            _ if profile == Profile::Single => (8 * MIB, 32 * MIB, MIB),
            ChunkKind::System | ChunkKind::Remap => (8 * MIB, 16 * MIB, MIB),
            ChunkKind::Metadata => (metadata, metadata, 32 * MIB),
            ChunkKind::Data | ChunkKind::Mixed => (GIB, 10 * GIB, 64 * MIB),
        };
        let stripes = if kind == ChunkKind::System { system_stripes() } else { leaf_stripes(node_size) };
        // A chunk takes at most a tenth of the filesystem.
        Self { stripe, length: length.min(total_size / 10), min_stripe, stripes }
    }

    /// The limits in a zoned filesystem: a stripe is a zone, so a limit on the chunk is one on its stripes.
    pub(super) fn zoned(
        kind: ChunkKind,
        profile: Profile,
        total_size: u64,
        node_size: u32,
        zone_size: u64,
    ) -> Result<Self, RequestError> {
        let regular = match kind {
            ChunkKind::System | ChunkKind::Remap => 16 * MIB,
            ChunkKind::Metadata if total_size > LARGE_FILESYSTEM => GIB,
            ChunkKind::Metadata => 256 * MIB,
            ChunkKind::Data | ChunkKind::Mixed => 10 * GIB,
        };
        let traits = profile.traits();
        let fewest = chunk_length(profile, zone_size, traits.stripes.unwrap_or(traits.min_devices))?.max(zone_size);
        let tenth = round_down(total_size / 10, zone_size).max(fewest);
        let length = round_down(regular, zone_size).max(fewest).min(tenth);
        let columns = length.checked_div(zone_size).unwrap_or(1);
        let unzoned = Self::new(kind, profile, total_size, node_size).stripes;
        let stripes = columns.times(traits.copies)?.min(unzoned);
        Ok(Self { stripe: zone_size, length, min_stripe: zone_size, stripes })
    }

    /// The stripe to try first is `self.stripe`; this is what becomes of it with so many stripes.
    pub(super) fn stripe_length(&self, profile: Profile, stripe: u64, stripes: u64) -> Result<u64, RequestError> {
        let mut length = stripe;
        if chunk_length(profile, stripe, stripes)? > self.length {
            // By stripes, not by data stripes: mirrors and parity make chunks shorter than the limit.
            length = round_down(self.length.checked_div(stripes).unwrap_or(0), STRIPE_LENGTH);
        }
        Ok(round_down(length.max(self.min_stripe), STRIPE_LENGTH))
    }
}

/// Logical bytes of a chunk of so many stripes.
pub(super) fn chunk_length(profile: Profile, stripe: u64, stripes: u64) -> Result<u64, RequestError> {
    let traits = profile.traits();
    let columns = match profile {
        Profile::Raid0 => stripes,
        Profile::Raid10 => stripes / 2,
        Profile::Raid5 | Profile::Raid6 => stripes.saturating_sub(traits.parity),
        Profile::Single | Profile::Dup | Profile::Raid1 | Profile::Raid1c3 | Profile::Raid1c4 => 1,
    };
    Ok(stripe.times(columns)?)
}

/// Stripes of a chunk item that fits into a leaf.
pub(super) fn leaf_stripes(node_size: u32) -> u64 {
    let heads = wide(HEADER_SIZE.saturating_add(ITEM_SIZE).saturating_add(size_of::<ChunkItem>()));
    u64::from(node_size).saturating_sub(heads).checked_div(wide(size_of::<StripeItem>())).unwrap_or(0)
}

/// Stripes of a system chunk, of which the superblock must be able to hold two while one replaces the other.
fn system_stripes() -> u64 {
    let heads = size_of::<DiskKey>().saturating_add(size_of::<ChunkItem>());
    let two = SYSTEM_CHUNK_ARRAY_SIZE.saturating_sub(heads).saturating_sub(heads);
    // The one being replaced has a single stripe; the format counts one stripe with each head.
    let stripes = two.saturating_sub(size_of::<StripeItem>()).checked_div(size_of::<StripeItem>());
    wide(stripes.unwrap_or(0))
}

const _: () = assert!(KIB * 64 == STRIPE_LENGTH);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stripes_that_an_item_has_room_for() {
        assert_eq!(leaf_stripes(16384), 506);
        assert_eq!(leaf_stripes(4096), 122);
        assert_eq!(system_stripes(), 58);
    }
}
