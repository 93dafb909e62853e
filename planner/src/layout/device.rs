//! One device's space: which extents are taken, and where the next one fits.

use super::zones::UsableZones;
use crate::request::{SettingsDevice, Zones};
use crate::units::{Checked, Logical, MIB, Physical, SizeOverflow, in_memory, wide};
use alloc::vec::Vec;

/// No chunk starts below this: the first MiB belongs to boot loaders and the primary superblock.
const FIRST_USABLE: u64 = MIB;

/// A part of a device that belongs to a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceExtent {
    /// First byte on the device.
    pub start: Physical,
    /// Bytes.
    pub length: u64,
    /// Logical address of the chunk.
    pub chunk: Logical,
}

/// The space of one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSpace {
    size: u64,
    /// By ascending start, apart.
    extents: Vec<DeviceExtent>,
    zones: Option<UsableZones>,
}

impl DeviceSpace {
    pub(super) fn new(device: &SettingsDevice) -> Result<Self, SizeOverflow> {
        Self::with_zones(device.size, device.zones())
    }

    /// An empty device of so many bytes and these zones.
    pub(super) fn with_zones(size: u64, zones: Option<&Zones>) -> Result<Self, SizeOverflow> {
        let zones = zones.map(|zones| UsableZones::new(zones, size)).transpose()?;
        Ok(Self { size, extents: Vec::new(), zones })
    }

    /// The free ranges where chunks may be, as start and end, ascending.
    pub(super) fn free(&self) -> Result<Vec<(u64, u64)>, SizeOverflow> {
        let mut free = Vec::new();
        let mut start = FIRST_USABLE;
        for extent in &self.extents {
            if start < extent.start.get() {
                free.push((start, extent.start.get()));
            }
            start = start.max(extent.start.plus(extent.length)?.get());
        }
        if start < self.size {
            free.push((start, self.size));
        }
        Ok(free)
    }

    /// The free zones in their order, as runs: count and capacity; none on a device without zones.
    pub(super) fn free_zones(&self) -> impl Iterator<Item = (u64, u64)> {
        self.zones.iter().flat_map(|zones| zones.free_runs(&self.extents))
    }

    /// Planned bytes of the device.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The device extents, by ascending start.
    #[must_use]
    pub fn extents(&self) -> &[DeviceExtent] {
        &self.extents
    }

    /// Bytes of all device extents.
    pub fn used(&self) -> Result<u64, SizeOverflow> {
        self.extents.iter().try_fold(0_u64, |sum, extent| sum.plus(extent.length))
    }

    /// Free bytes, whether in one piece or not.
    pub(super) fn available(&self) -> Result<u64, SizeOverflow> {
        let usable = self.zones.as_ref().map_or(self.size.saturating_sub(FIRST_USABLE), |zones| zones.bytes);
        Ok(usable.saturating_sub(self.used()?))
    }

    /// Where `count` extents of this length fit first; fewer places where fewer fit.
    pub(super) fn first_fits(&self, length: u64, count: u64) -> Result<Vec<Physical>, SizeOverflow> {
        match &self.zones {
            Some(zones) => Ok(zones.free(&self.extents).map(Physical::new).take(in_memory(count)?).collect()),
            None => self.holes(length, count),
        }
    }

    fn holes(&self, length: u64, count: u64) -> Result<Vec<Physical>, SizeOverflow> {
        let mut places = Vec::new();
        let mut free = FIRST_USABLE;
        let end = DeviceExtent { start: Physical::new(self.size), length: 0, chunk: Logical::default() };
        for extent in self.extents.iter().chain([&end]) {
            while wide(places.len()) < count && extent.start.get().saturating_sub(free) >= length {
                places.push(Physical::new(free));
                free = free.plus(length)?;
            }
            free = extent.start.plus(extent.length)?.get();
        }
        Ok(places)
    }

    /// Bytes that can be written from an extent's start: its length, or the capacity of its zone.
    pub(super) fn capacity(&self, start: Physical, length: u64) -> u64 {
        self.zones
            .as_ref()
            .and_then(|zones| zones.capacity(start.get()))
            .map_or(length, |capacity| capacity.min(length))
    }

    pub(super) fn insert(&mut self, extent: DeviceExtent) -> Result<(), SizeOverflow> {
        extent.start.plus(extent.length)?;
        let index = self.extents.partition_point(|other| other.start < extent.start);
        self.extents.insert(index, extent);
        Ok(())
    }

    pub(super) fn remove_chunk(&mut self, chunk: Logical) {
        self.extents.retain(|extent| extent.chunk != chunk);
    }
}
