//! The smallest devices that hold a filesystem.

use super::{Profile, RequestError};
use crate::units::{Checked, MIB};

/// The smallest device that mkfs.btrfs accepts for these profiles, in bytes: the fewest bytes for the first chunks.
/// Independent of the number of devices; of the node size only where block groups are mixed.
pub fn minimum_device_size(mixed: bool, data: Profile, metadata: Profile, node_size: u32) -> Result<u64, RequestError> {
    if mixed {
        // Twice a system chunk of 4 MiB and as many nodes as one MiB has bytes of sectors.
        let group = u64::from(node_size).times(1024)?;
        return Ok((4 * MIB).plus(group)?.times(2)?);
    }
    let share = |profile, single, dup, others| match profile {
        Profile::Single => single,
        Profile::Dup => dup,
        _ => others,
    };
    // The first MiB, the first system chunk, and the first data and metadata chunks of 8 MiB.
    let first = 21 * MIB;
    let metadata = share(metadata, 16 * MIB, 80 * MIB, 40 * MIB);
    let data = share(data, 8 * MIB, 128 * MIB, 64 * MIB);
    Ok(first.plus(metadata)?.plus(data)?)
}

/// The fewest zones of a device of a zoned filesystem: as mkfs.btrfs counts them, but for `single`, where it takes seven
/// and kernels (Linux 7.3, tried with zones of 4 and 256 MiB) refuse to mount less than eight.
#[must_use]
pub const fn minimum_zones(data: Profile, metadata: Profile) -> u64 {
    let trees: u64 = match metadata {
        Profile::Single => 8,
        Profile::Dup => 12,
        _ => 10,
    };
    trees.saturating_add(more_for_data(data))
}

/// How many zones more data needs than `single` does.
const fn more_for_data(data: Profile) -> u64 {
    match data {
        Profile::Single => 0,
        Profile::Dup => 3,
        _ => 1,
    }
}

/// With fewer zones than this, a filesystem with hardly anything in it runs out of empty zones to write on to: within
/// 150 changes of one small file, each of them synced (tried with Linux 7.3 and zones of 4 MiB).
pub(super) const fn lasting_zones(data: Profile, metadata: Profile) -> u64 {
    let trees: u64 = match metadata {
        Profile::Dup => 24,
        _ => 12,
    };
    trees.saturating_add(more_for_data(data))
}
