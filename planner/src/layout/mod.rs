//! Where things live: chunks, their device extents, and what every logical address means on the devices.
//!
//! The result is the layout that mkfs.btrfs 6.19 leaves. It gets there through a throw-away filesystem on the first
//! device, whose chunks decide where the final ones may go; [`Layout::new`] reserves the same places, so that the
//! final chunks land where they would, and gives them back.

mod allocate;
pub mod capacity;
mod chunk;
mod device;
mod mapping;
mod reserved;
mod sizing;
mod zones;

pub use chunk::{Chunk, ChunkKind, Stripe};
pub use device::{DeviceExtent, DeviceSpace};
pub use mapping::{Geometry, Position};

use crate::request::{Feature, Profile, RequestError, Settings};
use crate::units::{Checked, Logical, MIB, Physical, wide};
use alloc::vec;
use alloc::vec::Vec;

/// The first system chunk: logical and physical address.
const FIRST_CHUNK: u64 = MIB;
/// Its length.
const FIRST_CHUNK_LENGTH: u64 = 4 * MIB;

/// Chunks and the devices they lie on.
#[derive(Clone, Debug)]
pub struct Layout {
    /// By ascending logical address.
    chunks: Vec<Chunk>,
    /// By devid from 1.
    devices: Vec<DeviceSpace>,
    /// The order in which the allocator looks at devices, as indices: those that got a chunk last come first.
    order: Vec<usize>,
    node_size: u32,
    /// Sum of the sizes of the devices in `order`.
    total_size: u64,
    /// Bytes of a zone, where the filesystem is zoned: chunks take whole zones then.
    zone_size: Option<u64>,
}

impl Layout {
    /// The layout of a new filesystem.
    pub fn new(settings: &Settings) -> Result<Self, RequestError> {
        let devices: Vec<DeviceSpace> = settings.devices.iter().map(DeviceSpace::new).collect::<Result<_, _>>()?;
        let count = devices.len();
        let first_size = devices.first().map_or(0, DeviceSpace::size);
        let mut layout = Self {
            chunks: Vec::new(),
            devices,
            order: vec![0],
            node_size: settings.node_size,
            total_size: first_size,
            zone_size: settings.zone_size,
        };
        layout.reserve_first_chunk()?;
        let (main, others): (ChunkKind, &[ChunkKind]) = match settings.zone_size {
            _ if settings.mixed() => (ChunkKind::Mixed, &[]),
            None if settings.features.has(Feature::RemapTree) => {
                (ChunkKind::Metadata, &[ChunkKind::Remap, ChunkKind::Data])
            }
            None => (ChunkKind::Metadata, &[ChunkKind::Data]),
            // The second one is where the kernel moves data to when it makes zones free.
            Some(_) => (ChunkKind::Metadata, &[ChunkKind::Data, ChunkKind::Data]),
        };
        layout.allocate(main, Profile::Single)?;
        for kind in others {
            layout.allocate(*kind, Profile::Single)?;
        }

        layout.order = (0..count).rev().collect();
        layout.total_size = settings.total_size;
        let wanted = |kind| match kind {
            ChunkKind::Data => settings.data,
            ChunkKind::Mixed | ChunkKind::Metadata | ChunkKind::Remap | ChunkKind::System => settings.metadata,
        };
        let temporary = layout.chunks.clone();
        // The chunk of the remap tree comes last: mkfs.btrfs leaves the first one to it, so that it moves no other.
        for kind in [ChunkKind::System, main, ChunkKind::Data, ChunkKind::Remap] {
            if wanted(kind) != Profile::Single && temporary.iter().any(|chunk| chunk.kind == kind) {
                layout.allocate(kind, wanted(kind))?;
            }
        }
        for chunk in temporary {
            if wanted(chunk.kind) != chunk.profile {
                layout.remove(chunk.logical);
            }
        }
        Ok(layout)
    }

    /// The chunks, by ascending logical address.
    #[must_use]
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// The devices, by devid from 1.
    #[must_use]
    pub fn devices(&self) -> &[DeviceSpace] {
        &self.devices
    }

    /// The chunk that holds a logical address.
    #[must_use]
    pub fn chunk_at(&self, logical: Logical) -> Option<&Chunk> {
        let behind = self.chunks.partition_point(|chunk| chunk.logical <= logical);
        let chunk = behind.checked_sub(1).and_then(|index| self.chunks.get(index))?;
        let inside = logical.distance_from(chunk.logical).is_ok_and(|delta| delta < chunk.length);
        inside.then_some(chunk)
    }

    fn reserve_first_chunk(&mut self) -> Result<(), RequestError> {
        let (start, length) = match self.zone_size {
            None => (Physical::new(FIRST_CHUNK), FIRST_CHUNK_LENGTH),
            Some(zone_size) => {
                let zones = self.devices.first().map_or(Ok(Vec::new()), |device| device.first_fits(zone_size, 1))?;
                let zone = zones.first().ok_or(RequestError::NoSpace {
                    kind: ChunkKind::System.name(),
                    profile: Profile::Single,
                    wanted: zone_size,
                    needed: 1,
                    available: 0,
                })?;
                (*zone, zone_size)
            }
        };
        let chunk = Chunk {
            kind: ChunkKind::System,
            length,
            logical: Logical::new(start.get()),
            profile: Profile::Single,
            stripes: vec![Stripe { devid: device_number(0), offset: start }],
        };
        self.add(chunk, length)
    }

    /// How many bytes from a chunk's start blocks can fill: all, or as much as zones have capacity.
    pub fn usable_length(&self, chunk: &Chunk) -> Result<u64, RequestError> {
        let geometry = Geometry::new(chunk);
        let length = geometry.stripe_length();
        let capacities = chunk.stripes.iter().map(|stripe| {
            let device = device_index(stripe).and_then(|index| self.devices.get(index));
            device.map_or(length, |device| device.capacity(stripe.offset, length))
        });
        Ok(geometry.within(capacities.min().unwrap_or(length))?)
    }

    /// Records a chunk whose stripes take `stripe_length` bytes each.
    fn add(&mut self, chunk: Chunk, stripe_length: u64) -> Result<(), RequestError> {
        for stripe in &chunk.stripes {
            if let Some(device) = device_index(stripe).and_then(|index| self.devices.get_mut(index)) {
                device.insert(DeviceExtent { start: stripe.offset, length: stripe_length, chunk: chunk.logical })?;
            }
        }
        self.chunks.push(chunk);
        Ok(())
    }

    fn remove(&mut self, logical: Logical) {
        self.chunks.retain(|chunk| chunk.logical != logical);
        for device in &mut self.devices {
            device.remove_chunk(logical);
        }
    }

    /// The first logical address behind all chunks.
    fn logical_end(&self) -> Result<Logical, RequestError> {
        match self.chunks.last() {
            Some(chunk) => Ok(chunk.logical.plus(chunk.length)?),
            None => Ok(Logical::new(FIRST_CHUNK)),
        }
    }
}

/// The devid of the device at an index.
fn device_number(index: usize) -> crate::units::DevId {
    crate::units::DevId::new(wide(index).saturating_add(1))
}

/// The index of a stripe's device.
pub(crate) fn device_index(stripe: &Stripe) -> Option<usize> {
    stripe.devid.get().minus(1).ok().and_then(|index| usize::try_from(index).ok())
}
