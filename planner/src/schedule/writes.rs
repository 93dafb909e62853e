//! Tree blocks as plain writes: every copy on every device, and parity.

use super::parity::Rows;
use super::{Ranges, index};
use crate::layout::{Geometry, Layout, Stripe, device_index};
use crate::request::Settings;
use crate::trees::TreeBlock;
use crate::units::{Physical, SizeOverflow};
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A payload to be written at an offset of a device; in documents `[offset, payload]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u32)", into = "(u64, u32)")]
pub struct WriteAt {
    /// Byte offset on the device.
    pub offset: Physical,
    /// Index into the plan's payloads.
    pub payload: u32,
}

impl From<(u64, u32)> for WriteAt {
    fn from((offset, payload): (u64, u32)) -> Self {
        Self { offset: Physical::new(offset), payload }
    }
}

impl From<WriteAt> for (u64, u32) {
    fn from(write: WriteAt) -> Self {
        (write.offset.get(), write.payload)
    }
}

/// Payloads, and which device gets which of them where.
pub(super) struct Resolved {
    pub(super) payloads: Vec<Vec<u8>>,
    pub(super) devices: Vec<Writes>,
}

/// What one device gets.
#[derive(Clone, Default)]
pub(super) struct Writes {
    /// By ascending offset.
    pub(super) writes: Vec<WriteAt>,
    /// What must read as zeros, since parity counts it as such.
    pub(super) zero: Ranges,
}

/// All copies of all blocks (by ascending address) and their parity. Payload `n` is block `n`.
pub(super) fn resolve(settings: &Settings, layout: &Layout, blocks: &[TreeBlock]) -> Result<Resolved, SizeOverflow> {
    let mut resolved = Resolved {
        payloads: blocks.iter().map(|block| block.bytes.clone()).collect(),
        devices: vec![Writes::default(); settings.devices.len()],
    };
    let mut rows = Rows::new();
    for (number, block) in blocks.iter().enumerate() {
        let chunk = layout.chunk_at(block.logical).ok_or(SizeOverflow)?;
        let geometry = Geometry::new(chunk);
        let position = geometry.position(block.logical)?;
        for place in geometry.copies(position)? {
            resolved.write(&place, index(number)?);
        }
        if !chunk.profile.has_parity() {
            continue;
        }
        if geometry.columns() == 1 {
            // The parity of a single data stripe is the same bytes again.
            for place in geometry.parity(position.row, position.within)? {
                resolved.write(&place, index(number)?);
            }
        } else {
            rows.add(chunk, position, &block.bytes);
        }
    }
    for parity in rows.parity()? {
        for (places, bytes) in parity.stripes {
            let payload = index(resolved.payloads.len())?;
            resolved.payloads.push(bytes);
            resolved.write(&places, payload);
        }
        for (place, length) in parity.holes {
            resolved.make_zero(&place, length)?;
        }
    }
    for device in &mut resolved.devices {
        device.writes.sort_unstable_by_key(|write| write.offset);
    }
    Ok(resolved)
}

impl Resolved {
    fn device(&mut self, place: &Stripe) -> Option<&mut Writes> {
        device_index(place).and_then(|index| self.devices.get_mut(index))
    }

    fn write(&mut self, place: &Stripe, payload: u32) {
        if let Some(device) = self.device(place) {
            device.writes.push(WriteAt { offset: place.offset, payload });
        }
    }

    fn make_zero(&mut self, place: &Stripe, length: u64) -> Result<(), SizeOverflow> {
        let start = place.offset.get();
        let end = place.offset.plus(length)?.get();
        if let Some(device) = self.device(place) {
            device.zero = device.zero.union(&Ranges::one(start, end));
        }
        Ok(())
    }
}
