//! How much a filesystem can hold: its chunks, and those that the kernel will add until no more fit.
//!
//! New chunks are the kernel's affair, and its allocator is not that of mkfs.btrfs: it takes the devices with the most
//! room, whole stripes of up to 1 GiB, and chunks of at most 10 GiB and a tenth of the filesystem. [`Pool::fill`]
//! does as it does (Linux 5.19 and later).

mod losses;
mod order;
mod policy;
mod room;
mod survival;

pub use survival::{Held, Loss, StripeSet, Survival, survival};

use super::{Chunk, ChunkKind, DeviceExtent, DeviceSpace, Geometry, device_index, mapping};
use crate::disk::chunk::STRIPE_LENGTH;
use crate::request::{Profile, Zones};
use crate::units::{Checked, DevId, SizeOverflow};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use order::Order;
use policy::{Policy, Shape};
use room::Room;
use serde::Serialize;

/// A device of a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolDevice {
    /// Its number.
    pub devid: DevId,
    /// Bytes of it that the filesystem uses.
    pub size: u64,
    /// The zones that the filesystem sees on it.
    pub zones: Option<Zones>,
}

/// What all chunks of a filesystem have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolSettings {
    /// Profile of new data chunks.
    pub data: Profile,
    /// Profile of new metadata chunks.
    pub metadata: Profile,
    /// Whether data and metadata share chunks.
    pub mixed: bool,
    /// Bytes of a tree block.
    pub node_size: u32,
    /// Bytes of a zone, in a zoned filesystem.
    pub zone_size: Option<u64>,
}

/// Devices and the chunks on them.
#[derive(Clone, Debug)]
pub struct Pool {
    chunks: Vec<Chunk>,
    devices: Vec<DeviceSpace>,
    devids: Vec<DevId>,
    settings: PoolSettings,
    total: u64,
}

/// How much metadata is added while data fills the devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metadata {
    /// None: what the first chunks hold has to be enough.
    None,
    /// For each byte of data so many bytes of tree blocks, as a fraction.
    PerData {
        /// Bytes of tree blocks ...
        bytes: u64,
        /// ... for so many bytes of data.
        data: u64,
    },
}

/// A pool in which no data chunk fits any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    /// Bytes that data can take.
    pub data: u64,
    /// Data chunks.
    pub data_chunks: u64,
    /// Every device, by devid.
    pub devices: Vec<DeviceFilled>,
    /// Bytes of metadata chunks.
    pub metadata: u64,
    /// Which devices hold what together.
    pub sets: Vec<StripeSet>,
}

/// A device of a full pool. All its bytes are in one of the four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviceFilled {
    /// Bytes of chunks.
    pub allocated: u64,
    /// Its number.
    pub devid: DevId,
    /// Free bytes that no chunk can take.
    pub left: u64,
    /// Why; absent where nothing is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Bytes where no chunk may be: the first MiB, or zones of superblocks or out of use.
    pub reserved: u64,
    /// Bytes of the device that the filesystem uses.
    pub size: u64,
    /// Bytes of its chunks behind the capacity of their zones.
    pub tails: u64,
}

/// Why free bytes cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// Too few other devices have room for a chunk of this profile.
    NoPartner,
    /// It is less than the smallest stripe.
    TooSmall,
}

impl Pool {
    /// The pool of a new filesystem. A stripe on a device that is not there is left out.
    pub fn new(devices: &[PoolDevice], chunks: &[Chunk], settings: PoolSettings) -> Result<Self, SizeOverflow> {
        let mut pool = Self {
            chunks: chunks.to_vec(),
            devices: Vec::new(),
            devids: devices.iter().map(|device| device.devid).collect(),
            settings,
            total: devices.iter().try_fold(0_u64, |sum, device| sum.plus(device.size))?,
        };
        for device in devices {
            pool.devices.push(DeviceSpace::with_zones(device.size, device.zones.as_ref())?);
        }
        for chunk in chunks {
            let length = Geometry::new(chunk).stripe_length();
            for stripe in &chunk.stripes {
                if let Some(device) = device_index(stripe).and_then(|index| pool.devices.get_mut(index)) {
                    device.insert(DeviceExtent { start: stripe.offset, length, chunk: chunk.logical })?;
                }
            }
        }
        Ok(pool)
    }

    /// Which devices hold the chunks that are there, before any is added.
    #[must_use]
    pub fn sets(&self) -> Vec<StripeSet> {
        let mut sets = survival::Sets::default();
        for chunk in &self.chunks {
            let devices = chunk.stripes.iter().map(|stripe| stripe.devid).collect();
            sets.add(chunk.kind, chunk.profile, devices, chunk.length);
        }
        sets.finish()
    }

    /// Adds chunks until no data chunk fits.
    pub fn fill(&self, metadata: Metadata) -> Result<Filled, SizeOverflow> {
        let mut filling = Filling::new(self)?;
        loop {
            let wanted = match metadata {
                Metadata::None => 0,
                Metadata::PerData { bytes, data } => scaled(filling.data, bytes, data),
            };
            // In shared chunks the metadata comes out of what data could take.
            let kind = if self.settings.mixed {
                ChunkKind::Mixed
            } else if wanted > filling.metadata {
                ChunkKind::Metadata
            } else {
                ChunkKind::Data
            };
            let missing = if kind == ChunkKind::Metadata { wanted.saturating_sub(filling.metadata) } else { u64::MAX };
            if !filling.add(kind, missing)? {
                break;
            }
        }
        Ok(filling.finish(metadata))
    }
}

/// `value * bytes / data`, rounded down.
fn scaled(value: u64, bytes: u64, data: u64) -> u64 {
    let product = u128::from(value).saturating_mul(u128::from(bytes));
    u64::try_from(product.checked_div(u128::from(data)).unwrap_or(0)).unwrap_or(u64::MAX)
}

/// A pool that is being filled.
struct Filling<'a> {
    pool: &'a Pool,
    rooms: Vec<Room>,
    /// Of each kind that chunks are added of.
    orders: BTreeMap<ChunkKind, Order>,
    sets: survival::Sets,
    data: u64,
    data_chunks: u64,
    /// Bytes of tree blocks that fit.
    metadata: u64,
}

impl<'a> Filling<'a> {
    fn new(pool: &'a Pool) -> Result<Self, SizeOverflow> {
        let rooms: Result<Vec<Room>, SizeOverflow> = pool
            .devices
            .iter()
            .zip(&pool.devids)
            .map(|(device, devid)| Room::new(*devid, device, pool.settings.zone_size))
            .collect();
        let mut filling = Self {
            pool,
            rooms: rooms?,
            orders: BTreeMap::new(),
            sets: survival::Sets::default(),
            data: 0,
            data_chunks: 0,
            metadata: 0,
        };
        // A zoned filesystem keeps one chunk to move data to.
        let mut kept = pool.settings.zone_size.is_some();
        for chunk in pool.chunks.iter().rev() {
            let geometry = Geometry::new(chunk);
            let length = geometry.stripe_length();
            let capacity = chunk.stripes.iter().filter_map(|stripe| {
                let device = device_index(stripe).and_then(|index| pool.devices.get(index));
                device.map(|device| device.capacity(stripe.offset, length))
            });
            let mut usable = geometry.within(capacity.min().unwrap_or(length))?;
            let reserved = chunk.reserved()?.iter().try_fold(0_u64, |sum, (_, length)| sum.plus(*length))?;
            if pool.settings.zone_size.is_none() {
                usable = usable.saturating_sub(reserved);
            }
            match chunk.kind {
                ChunkKind::Data if kept => kept = false,
                ChunkKind::Data | ChunkKind::Mixed => {
                    filling.data = filling.data.plus(usable)?;
                    filling.data_chunks = filling.data_chunks.plus(1)?;
                }
                ChunkKind::Metadata => filling.metadata = filling.metadata.plus(usable)?,
                ChunkKind::System | ChunkKind::Remap => {}
            }
        }
        for set in pool.sets() {
            filling.sets.add(set.kind, set.profile, set.devices, set.bytes);
        }
        Ok(filling)
    }

    fn policy(&self, kind: ChunkKind) -> Policy {
        let PoolSettings { data, metadata, node_size, zone_size, .. } = self.pool.settings;
        let profile = if kind == ChunkKind::Data { data } else { metadata };
        Policy::new(kind, profile, self.pool.total, node_size, zone_size)
    }

    /// The next chunk of a kind, if one fits.
    fn shape(&mut self, kind: ChunkKind) -> Option<(Policy, Shape)> {
        let policy = self.policy(kind);
        let order = self.orders.entry(kind).or_insert_with(|| Order::new(policy, &self.rooms));
        order.refresh(&self.rooms);
        Some((policy, policy.shape(order.count(), || order.first())?))
    }

    /// Adds a chunk, or several on the same devices where there is room for very many, but no more than `missing` bytes
    /// need; false where none fits.
    fn add(&mut self, kind: ChunkKind, missing: u64) -> Result<bool, SizeOverflow> {
        let Some((policy, shape)) = self.shape(kind) else { return Ok(false) };
        let Shape { devices, stripe, length, columns } = shape;
        let on_each = stripe.times(policy.on_each)?;
        let rooms = devices.iter().filter_map(|index| self.rooms.get(*index));
        let times = rooms.map(|room| room.repeats(on_each, policy.wanted)).min().unwrap_or(1);
        let times = times.min(missing.checked_div(length).unwrap_or(1)).max(1);
        let mut usable = length.times(times)?;
        let mut members = Vec::with_capacity(devices.len());
        let mut capacity = stripe;
        for index in devices {
            let Some(room) = self.rooms.get_mut(index) else { continue };
            members.extend((0..policy.on_each).map(|_| room.devid));
            let taken = room.take(on_each.times(times)?, policy.wanted, policy.on_each)?;
            self.orders.values_mut().for_each(|order| order.change(index));
            capacity = capacity.min(taken.capacity.unwrap_or(stripe));
            let row = if policy.profile.has_parity() { columns } else { 1 };
            usable = usable.saturating_sub(taken.superblocks.times(STRIPE_LENGTH)?.times(row)?);
        }
        if capacity < stripe {
            usable = mapping::usable(capacity, columns)?.times(times)?;
        }
        self.sets.add(kind, policy.profile, members, length.times(times)?);
        match kind {
            ChunkKind::Data | ChunkKind::Mixed => {
                self.data = self.data.plus(usable)?;
                self.data_chunks = self.data_chunks.plus(times)?;
            }
            ChunkKind::Metadata | ChunkKind::System | ChunkKind::Remap => self.metadata = self.metadata.plus(usable)?,
        }
        Ok(true)
    }

    fn finish(self, metadata: Metadata) -> Filled {
        let kind = if self.pool.settings.mixed { ChunkKind::Mixed } else { ChunkKind::Data };
        let policy = self.policy(kind);
        let devices = self.rooms.iter().zip(&self.pool.devices).map(|(room, device)| room.filled(device, &policy));
        let data = match metadata {
            // Data and its metadata share the same bytes.
            Metadata::PerData { bytes, data } if self.pool.settings.mixed => {
                scaled(self.data, data, data.saturating_add(bytes))
            }
            _ => self.data,
        };
        Filled {
            data,
            data_chunks: self.data_chunks,
            devices: devices.collect(),
            metadata: self.metadata,
            sets: self.sets.finish(),
        }
    }
}

/// The fewest devices with room that a chunk of this profile takes.
#[must_use]
pub fn fewest_devices(profile: Profile) -> u64 {
    profile.traits().min_devices
}

/// How many devices may be lost of any chunk of this profile.
#[must_use]
pub fn tolerated(profile: Profile) -> u64 {
    profile.traits().tolerated_failures
}

#[cfg(test)]
mod tests;
