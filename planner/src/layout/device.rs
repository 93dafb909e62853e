//! One device's space: which extents are taken, and where the next one fits.

use crate::units::{Checked, Logical, MIB, Physical, SizeOverflow};
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
}

impl DeviceSpace {
    pub(super) const fn new(size: u64) -> Self {
        Self { size, extents: Vec::new() }
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
        Ok(self.size.saturating_sub(FIRST_USABLE).saturating_sub(self.used()?))
    }

    /// Where an extent of this length fits first.
    pub(super) fn first_fit(&self, length: u64) -> Result<Option<Physical>, SizeOverflow> {
        let mut free = FIRST_USABLE;
        for extent in &self.extents {
            if extent.start.get().saturating_sub(free) >= length {
                return Ok(Some(Physical::new(free)));
            }
            free = extent.start.plus(extent.length)?.get();
        }
        Ok((self.size.saturating_sub(free) >= length).then_some(Physical::new(free)))
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
