//! What must hold of any plan before anything is done with it, whoever sealed it.
//!
//! This is the soundness of the *schedule*: every range inside its device, in order and apart, every payload there.
//! Whether the bytes make a filesystem is the audit's question.

use super::{ByteRange, Device, PayloadError, Plan, WriteAt};
use crate::units::{DevId, wide};
use alloc::vec;
use alloc::vec::Vec;

/// The most bytes that a payload may stand for. Tree blocks and superblocks are at most 64 KiB, a row of parity too.
const MAX_PAYLOAD: u64 = 1 << 20;
/// The most bytes that all payloads may stand for, whatever the length of the document.
const SMALL_EXPANSION: u64 = 16 << 20;
/// And the most for each byte of a longer document. A plan of one device and nodes of 64 KiB has 63, of those past
/// [`SMALL_EXPANSION`] none has more than 4.
const EXPANSION: u64 = 64;

/// One of a device's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// `wipe`.
    Wipe,
    /// `discard`.
    Discard,
    /// `reset_zones`.
    ResetZones,
    /// `zero`.
    Zero,
    /// `writes`.
    Writes,
    /// `commit`.
    Commit,
}

impl core::fmt::Display for Place {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(match self {
            Self::Wipe => "wipe",
            Self::Discard => "discard",
            Self::ResetZones => "reset_zones",
            Self::Zero => "zero",
            Self::Writes => "writes",
            Self::Commit => "commit",
        })
    }
}

/// What is wrong with a plan whose seal is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanProblem {
    /// There is nothing to do anything to.
    #[error("it has no device")]
    NoDevice,
    /// Devices are not numbered 1, 2, 3, ...
    #[error("device {found} stands where device {expected} belongs")]
    DeviceOrder {
        /// The devid at this place.
        found: DevId,
        /// The devid that belongs there.
        expected: u64,
    },
    /// More is planned than the device has.
    #[error("device {devid}: {size} bytes are planned on a device of {found}")]
    LargerThanDevice {
        /// The device.
        devid: DevId,
        /// The planned size.
        size: u64,
        /// The size it was found to have.
        found: u64,
    },
    /// A sector size that no device has.
    #[error("device {devid}: a logical sector of {sector} bytes is not a power of two from 512 to 65536")]
    SectorSize {
        /// The device.
        devid: DevId,
        /// The logical sector's size.
        sector: u32,
    },
    /// A range is empty, or not above the one before it.
    #[error("device {devid}: the entry of `{list}` at {start} is empty, or not above the entry before it")]
    Order {
        /// The device.
        devid: DevId,
        /// The list.
        list: Place,
        /// The range's start.
        start: u64,
    },
    /// A range reaches beyond the device's limit.
    #[error("device {devid}: the entry of `{list}` at {start} with {length} bytes reaches beyond the limit of {limit}")]
    BeyondLimit {
        /// The device.
        devid: DevId,
        /// The list.
        list: Place,
        /// The range's start.
        start: u64,
        /// The range's length.
        length: u64,
        /// The device's limit.
        limit: u64,
    },
    /// A range is not of whole sectors.
    #[error("device {devid}: the entry of `{list}` at {start} with {length} bytes is not of whole sectors of {sector}")]
    Alignment {
        /// The device.
        devid: DevId,
        /// The list.
        list: Place,
        /// The range's start.
        start: u64,
        /// The range's length.
        length: u64,
        /// The logical sector's size.
        sector: u32,
    },
    /// Two lists want the same bytes.
    #[error("device {devid}: `{list}` and `{other}` meet at {start}")]
    Overlap {
        /// The device.
        devid: DevId,
        /// A list.
        list: Place,
        /// Another list, or the same.
        other: Place,
        /// Where they meet.
        start: u64,
    },
    /// A device without a superblock to commit.
    #[error("device {devid}: `commit` is empty")]
    NoCommit {
        /// The device.
        devid: DevId,
    },
    /// A write of bytes that are not there.
    #[error("device {devid}: payload {payload} is written at {offset}, but the plan has only {count}")]
    NoPayload {
        /// The device.
        devid: DevId,
        /// The payload's index.
        payload: u32,
        /// Where it is written.
        offset: u64,
        /// How many payloads there are.
        count: usize,
    },
    /// A block whose bytes are not there.
    #[error("the block at {logical} has payload {payload}, but the plan has only {count}")]
    NoBlockPayload {
        /// The block's logical address.
        logical: u64,
        /// The payload's index.
        payload: u32,
        /// How many payloads there are.
        count: usize,
    },
    /// A payload that makes no sense.
    #[error("payload {index}: {problem}")]
    Payload {
        /// Its index.
        index: usize,
        /// What is wrong.
        problem: PayloadError,
    },
    /// A payload too large for anything that a plan writes.
    #[error("payload {index} stands for {length} bytes; none has more than {MAX_PAYLOAD}")]
    PayloadSize {
        /// Its index.
        index: usize,
        /// Its length.
        length: u64,
    },
    /// A payload that no write and no block has a use for.
    #[error("nothing refers to payload {index}")]
    UnusedPayload {
        /// Its index.
        index: usize,
    },
    /// Payloads that stand for far more than the document that they came in.
    #[error("its payloads stand for {sum} bytes; a plan of its length may have {most}")]
    Expansion {
        /// Bytes of all payloads.
        sum: u64,
        /// The most that there may be.
        most: u64,
    },
    /// A stripe on a device that is not in the plan.
    #[error("the chunk at {logical} has a stripe on device {devid}, which is not in the plan")]
    StripeDevice {
        /// The chunk's logical address.
        logical: u64,
        /// The device.
        devid: DevId,
    },
}

impl Plan {
    /// Whether the schedule is sound. Reading does this, and looks at what payloads are for; a plan in memory may be checked
    /// again at any time.
    pub fn check(&self) -> Result<(), PlanProblem> {
        if self.devices.is_empty() {
            return Err(PlanProblem::NoDevice);
        }
        for (index, payload) in self.payloads.iter().enumerate() {
            if payload.length > MAX_PAYLOAD || payload.length == 0 {
                return Err(PlanProblem::PayloadSize { index, length: payload.length });
            }
            payload.check().map_err(|problem| PlanProblem::Payload { index, problem })?;
        }
        for (device, expected) in self.devices.iter().zip(1..) {
            if device.devid.get() != expected {
                return Err(PlanProblem::DeviceOrder { found: device.devid, expected });
            }
            self.check_device(device)?;
        }
        let count = self.payloads.len();
        for block in &self.blocks {
            if !usize::try_from(block.payload).is_ok_and(|index| index < count) {
                let (logical, payload) = (block.logical.get(), block.payload);
                return Err(PlanProblem::NoBlockPayload { logical, payload, count });
            }
        }
        for chunk in &self.chunks {
            for stripe in &chunk.stripes {
                if stripe.devid.get() == 0 || stripe.devid.get() > wide(self.devices.len()) {
                    return Err(PlanProblem::StripeDevice { logical: chunk.logical.get(), devid: stripe.devid });
                }
            }
        }
        Ok(())
    }

    /// Whether the payloads are no more than a document of so many bytes has a use for: who reads it can then trust its
    /// size.
    pub(super) fn check_payloads(&self, document: usize) -> Result<(), PlanProblem> {
        self.check_uses()?;
        let sum = self.payloads.iter().fold(0_u64, |sum, payload| sum.saturating_add(payload.length));
        let most = SMALL_EXPANSION.max(wide(document).saturating_mul(EXPANSION));
        if sum > most { Err(PlanProblem::Expansion { sum, most }) } else { Ok(()) }
    }

    /// Whether a write or a block refers to every payload.
    fn check_uses(&self) -> Result<(), PlanProblem> {
        let mut used = vec![false; self.payloads.len()];
        let writes = self.devices.iter().flat_map(|device| device.writes.iter().chain(&device.commit));
        for payload in writes.map(|write| write.payload).chain(self.blocks.iter().map(|block| block.payload)) {
            if let Some(used) = usize::try_from(payload).ok().and_then(|index| used.get_mut(index)) {
                *used = true;
            }
        }
        match used.iter().position(|used| !used) {
            Some(index) => Err(PlanProblem::UnusedPayload { index }),
            None => Ok(()),
        }
    }

    fn check_device(&self, device: &Device) -> Result<(), PlanProblem> {
        let Device { devid, found, size, .. } = device;
        let (devid, size) = (*devid, *size);
        let largest = size.max(device.limit);
        if largest > found.size {
            return Err(PlanProblem::LargerThanDevice { devid, size: largest, found: found.size });
        }
        let sector = found.logical_sector;
        if !sector.is_power_of_two() || !(512..=65536).contains(&sector) {
            return Err(PlanProblem::SectorSize { devid, sector });
        }
        for (list, ranges) in [
            (Place::Wipe, &device.wipe),
            (Place::Discard, &device.discard),
            (Place::ResetZones, &device.reset_zones),
            (Place::Zero, &device.zero),
        ] {
            check_list(device, list, ranges)?;
        }
        if device.commit.is_empty() {
            return Err(PlanProblem::NoCommit { devid });
        }
        let writes = self.written(device, &device.writes)?;
        check_list(device, Place::Writes, &writes)?;
        // Commit runs in its own order, primary superblock last.
        let mut commit = self.written(device, &device.commit)?;
        commit.sort_unstable();
        check_list(device, Place::Commit, &commit)?;

        let mut all: Vec<(ByteRange, Place)> = Vec::new();
        for (list, ranges) in [(Place::Zero, &device.zero), (Place::Writes, &writes), (Place::Commit, &commit)] {
            all.extend(ranges.iter().map(|range| (*range, list)));
        }
        all.sort_unstable_by_key(|(range, _)| *range);
        for pair in all.windows(2) {
            if let [(before, list), (after, other)] = pair
                && before.end().is_none_or(|end| end > after.start)
            {
                return Err(PlanProblem::Overlap { devid, list: *list, other: *other, start: after.start });
            }
        }
        Ok(())
    }

    /// The ranges that a list of writes fills, in the list's order.
    fn written(&self, device: &Device, writes: &[WriteAt]) -> Result<Vec<ByteRange>, PlanProblem> {
        let range = |write: &WriteAt| {
            let payload = usize::try_from(write.payload).ok().and_then(|index| self.payloads.get(index));
            let length = payload.map(|payload| payload.length).ok_or(PlanProblem::NoPayload {
                devid: device.devid,
                payload: write.payload,
                offset: write.offset.get(),
                count: self.payloads.len(),
            })?;
            Ok(ByteRange { start: write.offset.get(), length })
        };
        writes.iter().map(range).collect()
    }
}

/// Whether a list is ascending, apart, inside the device and of whole sectors.
fn check_list(device: &Device, list: Place, ranges: &[ByteRange]) -> Result<(), PlanProblem> {
    let Device { devid, found, limit, .. } = device;
    let (devid, limit, sector) = (*devid, *limit, found.logical_sector);
    let mut free = 0;
    for &ByteRange { start, length } in ranges {
        if start < free || length == 0 {
            return Err(PlanProblem::Order { devid, list, start });
        }
        match start.checked_add(length) {
            Some(end) if end <= limit => free = end,
            _ => return Err(PlanProblem::BeyondLimit { devid, list, start, length, limit }),
        }
        let aligned = |value: u64| value.checked_rem(u64::from(sector)) == Some(0);
        if !aligned(start) || !aligned(length) {
            return Err(PlanProblem::Alignment { devid, list, start, length, sector });
        }
    }
    Ok(())
}
