//! The raid stripe tree: where extents of data lie on the stripes of their chunks, if the chunk alone does not say.

use super::reader::Reader;
use super::walk::Leaf;
use super::{Code, Place, Scope};
use crate::disk::key::{ItemType, Key};
use crate::disk::stripe::StrideItem;
use alloc::format;
use alloc::vec::Vec;
use zerocopy::FromBytes;

/// What the tree says.
#[derive(Debug, Default)]
pub(super) struct Stripes {
    extents: Vec<Extent>,
}

/// An extent of data and the places of its stripes.
#[derive(Debug)]
struct Extent {
    place: Place,
    logical: u64,
    length: u64,
    strides: Vec<StrideItem>,
}

impl Stripes {
    /// Takes an item of the tree. False where it is of another type.
    pub(super) fn item(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>, slot: u32, key: Key, data: &[u8]) -> bool {
        if key.item_type != ItemType::RAID_STRIPE {
            return false;
        }
        let place = leaf.place(slot, key);
        if reader.scope == Scope::New {
            reader.findings.add(Code::StripeExtent, place, "an empty tree in a new filesystem", "an extent");
            return true;
        }
        let sector = u64::from(reader.filesystem.sector_size);
        let aligned = |value: u64| value.checked_rem(sector) == Some(0);
        let size = size_of::<StrideItem>();
        if data.is_empty() || data.len().checked_rem(size) != Some(0) {
            reader.findings.add(Code::StripeExtent, place, format!("strides of {size} bytes"), data.len());
        } else if !aligned(key.objectid) || !aligned(key.offset) || key.offset == 0 {
            reader.findings.add(Code::StripeExtent, place, "whole sectors", key.offset);
        } else {
            let strides = data.chunks_exact(size).filter_map(|bytes| StrideItem::read_from_bytes(bytes).ok());
            let (logical, length, strides) = (key.objectid, key.offset, strides.collect());
            self.extents.push(Extent { place, logical, length, strides });
        }
        true
    }

    /// Whether extents lie in chunks of data, and their strides on devices.
    pub(super) fn check(&self, reader: &mut Reader<'_>) {
        for Extent { place, logical, length, strides } in &self.extents {
            let chunk = reader.chunks.holding(*logical, *length);
            if chunk.is_none_or(|chunk| chunk.holds_trees()) {
                reader.findings.add(Code::StripeExtent, *place, "an extent within a chunk of data", "another");
            }
            for stride in strides {
                let disk = reader.filesystem.disks.get(&stride.devid.get());
                let size = disk.map_or(0, |disk| disk.superblock.dev_item.total_bytes.get());
                if stride.physical.get() >= size {
                    let found = format!("{} of device {}", stride.physical, stride.devid);
                    reader.findings.add(Code::StripeExtent, *place, "a place on a device", found);
                }
            }
        }
    }

    /// Whether data may lie elsewhere than its chunk says.
    pub(super) fn say_where(&self) -> bool {
        !self.extents.is_empty()
    }
}
