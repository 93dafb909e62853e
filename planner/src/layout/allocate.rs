//! The chunk allocator: which devices a chunk takes, and where on them.

use super::sizing::{ChunkLimits, chunk_length};
use super::{Chunk, ChunkKind, Layout, Stripe, device_number};
use crate::request::{Profile, RequestError};
use crate::units::{Checked, wide};
use alloc::vec::Vec;

/// What a look through the devices found.
struct Candidates {
    /// Devices with room, in the order of the look.
    found: Vec<usize>,
    /// The most room on a device without enough of it.
    most_elsewhere: u64,
}

impl Layout {
    /// Adds a chunk.
    ///
    /// Devices are looked at from the one that got a chunk last, and a chunk's stripes stand in the opposite order.
    /// Where too few devices have room, what was found is used if it is enough for the profile; else the stripes
    /// shrink, once, to the most room that another device has.
    pub(crate) fn allocate(&mut self, kind: ChunkKind, profile: Profile) -> Result<(), RequestError> {
        let traits = profile.traits();
        let limits = match self.zone_size {
            None => ChunkLimits::new(kind, profile, self.total_size, self.node_size),
            Some(zone_size) => ChunkLimits::zoned(kind, profile, self.total_size, self.node_size, zone_size)?,
        };
        let multiple = |count: u64| crate::units::round_down(count, traits.stripe_multiple);
        let mut stripes = traits.stripes.unwrap_or_else(|| multiple(limits.stripes.min(wide(self.order.len()))));
        let mut stripe = limits.stripe;
        let mut shrunk = false;
        loop {
            stripe = limits.stripe_length(profile, stripe, stripes)?;
            // Both copies of dup are on one device.
            let on_each = if profile == Profile::Dup { 2 } else { 1 };
            let devices = stripes.checked_div(on_each).unwrap_or(0);
            let candidates = self.candidates(devices, stripe.times(on_each)?)?;
            let found = wide(candidates.found.len());
            if found == devices && stripe > 0 && devices > 0 {
                return self.take(kind, profile, &candidates.found, on_each, stripe);
            }
            self.move_to_front(candidates.found.iter().rev().copied().collect());
            if found >= traits.min_devices {
                stripes = multiple(found);
            } else if !shrunk && candidates.most_elsewhere > 0 {
                stripe = candidates.most_elsewhere.checked_div(on_each).unwrap_or(0);
            } else {
                return Err(RequestError::NoSpace {
                    kind: kind.name(),
                    profile,
                    wanted: stripe.times(on_each)?,
                    needed: traits.min_devices,
                    available: candidates.most_elsewhere,
                });
            }
            shrunk = true;
        }
    }

    fn candidates(&self, devices: u64, room: u64) -> Result<Candidates, RequestError> {
        let mut candidates = Candidates { found: Vec::new(), most_elsewhere: 0 };
        for index in &self.order {
            if wide(candidates.found.len()) == devices {
                break;
            }
            let available = self.devices.get(*index).map_or(Ok(0), super::DeviceSpace::available)?;
            if available >= room {
                candidates.found.push(*index);
            } else {
                candidates.most_elsewhere = candidates.most_elsewhere.max(available);
            }
        }
        Ok(candidates)
    }

    fn take(
        &mut self,
        kind: ChunkKind,
        profile: Profile,
        found: &[usize],
        on_each: u64,
        stripe: u64,
    ) -> Result<(), RequestError> {
        let logical = self.logical_end()?;
        let mut chunk = Chunk { kind, length: 0, logical, profile, stripes: Vec::new() };
        for index in found.iter().rev() {
            let Some(device) = self.devices.get(*index) else { continue };
            let places = device.first_fits(stripe, on_each)?;
            if wide(places.len()) < on_each {
                // Room there is, but not in one piece.
                return Err(RequestError::NoSpace {
                    kind: kind.name(),
                    profile,
                    wanted: stripe,
                    needed: profile.traits().min_devices,
                    available: device.available()?,
                });
            }
            let stripes = places.into_iter().map(|offset| Stripe { devid: device_number(*index), offset });
            chunk.stripes.extend(stripes);
        }
        chunk.length = chunk_length(profile, stripe, wide(chunk.stripes.len()))?;
        self.move_to_front(found.to_vec());
        self.add(chunk, stripe)
    }

    /// Puts these devices first, in this order.
    fn move_to_front(&mut self, mut first: Vec<usize>) {
        let mut moved = alloc::vec![false; self.devices.len()];
        for index in &first {
            if let Some(flag) = moved.get_mut(*index) {
                *flag = true;
            }
        }
        first.extend(self.order.iter().copied().filter(|index| moved.get(*index) == Some(&false)));
        self.order = first;
    }
}
