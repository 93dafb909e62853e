//! The kernel's rules for a new chunk: which devices, how many, how long.

use crate::disk::chunk::STRIPE_LENGTH;
use crate::layout::ChunkKind;
use crate::layout::sizing::{chunk_length, leaf_stripes};
use crate::request::Profile;
use crate::units::{GIB, MIB, round_down, round_up, wide};
use alloc::vec::Vec;

/// Filesystems above this size get metadata chunks of 1 GiB instead of 256 MiB.
const LARGE_FILESYSTEM: u64 = 50 * GIB;
/// No stripe is longer.
const LONGEST_STRIPE: u64 = GIB;
/// Stripes that have to shrink are of multiples of this.
const STRIPE_STEP: u64 = 16 * MIB;

/// What bounds the chunks of one kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policy {
    pub(super) profile: Profile,
    /// Stripes on each device: 2 for dup.
    pub(super) on_each: u64,
    /// Bytes wanted on each device.
    pub(super) wanted: u64,
    /// The fewest bytes on a device that are of use.
    pub(super) least: u64,
    /// The most logical bytes.
    longest: u64,
    most_devices: u64,
    zone_size: Option<u64>,
}

/// A chunk to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// The devices, as indices, in stripe order.
    pub(super) devices: Vec<usize>,
    /// Bytes of a stripe.
    pub(super) stripe: u64,
    /// Logical bytes.
    pub(super) length: u64,
    /// Stripes of different data.
    pub(super) columns: u64,
}

impl Policy {
    pub(super) fn new(kind: ChunkKind, profile: Profile, total: u64, node_size: u32, zone_size: Option<u64>) -> Self {
        let traits = profile.traits();
        let on_each = if profile == Profile::Dup { 2 } else { 1 };
        let tenth = total / 10;
        let (stripe, longest, least) = match zone_size {
            None => {
                let longest = match kind {
                    ChunkKind::Data | ChunkKind::Mixed => 10 * GIB,
                    ChunkKind::Metadata if total > LARGE_FILESYSTEM => GIB,
                    ChunkKind::Metadata => 256 * MIB,
                    ChunkKind::System | ChunkKind::Remap => 32 * MIB,
                };
                (longest.min(LONGEST_STRIPE), longest.min(tenth), STRIPE_LENGTH)
            }
            Some(zone) => {
                let fewest = chunk_length(profile, zone, traits.min_devices.max(traits.stripes.unwrap_or(1)));
                let fewest = fewest.unwrap_or(zone).max(zone);
                let longest = match kind {
                    ChunkKind::Data | ChunkKind::Mixed => round_down(10 * GIB, zone),
                    ChunkKind::Metadata => zone,
                    ChunkKind::System | ChunkKind::Remap => zone.saturating_mul(2),
                };
                (zone, longest.min(round_down(tenth, zone).max(fewest)), zone)
            }
        };
        Self {
            profile,
            on_each,
            wanted: stripe.saturating_mul(on_each),
            least: least.saturating_mul(on_each),
            longest,
            most_devices: traits
                .stripes
                .map_or(leaf_stripes(node_size), |stripes| stripes.checked_div(on_each).unwrap_or(1)),
            zone_size,
        }
    }

    /// The next chunk, if one fits. So many devices could take a part of it; `candidates` gives each one's piece and its
    /// index, in the order in which they are taken.
    pub(super) fn shape<I>(&self, count: usize, candidates: impl Fn() -> I) -> Option<Shape>
    where
        I: Iterator<Item = (u64, usize)>,
    {
        let traits = self.profile.traits();
        let mut devices = round_down(wide(count), traits.stripe_multiple);
        if devices < traits.min_devices.min(self.most_devices) {
            return None;
        }
        devices = devices.min(self.most_devices);
        let columns = |devices: u64| {
            let stripes = devices.saturating_mul(self.on_each).saturating_sub(traits.parity);
            stripes.checked_div(traits.copies).unwrap_or(1).max(1)
        };
        let stripe = match self.zone_size {
            Some(zone) => {
                if zone.saturating_mul(columns(devices)) > self.longest {
                    // A stripe is a zone, so that fewer devices have to do.
                    let zones = self.longest.checked_div(zone).unwrap_or(1).max(1);
                    let stripes = zones.saturating_mul(traits.copies).saturating_add(traits.parity);
                    devices = stripes.checked_div(self.on_each).unwrap_or(1).min(devices);
                    devices = round_down(devices, traits.stripe_multiple);
                }
                zone
            }
            None => {
                let last = usize::try_from(devices.checked_sub(1)?).ok()?;
                let (piece, _) = candidates().nth(last)?;
                let piece = piece.checked_div(self.on_each).unwrap_or(0);
                let columns = columns(devices);
                let fitting = if piece.saturating_mul(columns) > self.longest {
                    let share = self.longest.checked_div(columns).unwrap_or(0);
                    round_up(share, STRIPE_STEP).unwrap_or(share).min(piece)
                } else {
                    piece
                };
                round_down(fitting.min(LONGEST_STRIPE), STRIPE_LENGTH)
            }
        };
        let columns = columns(devices);
        let devices = candidates().take(usize::try_from(devices).unwrap_or(usize::MAX));
        let devices: Vec<usize> = devices.map(|(_, index)| index).collect();
        let length = stripe.checked_mul(columns)?;
        (stripe > 0 && !devices.is_empty()).then_some(Shape { devices, stripe, length, columns })
    }
}
