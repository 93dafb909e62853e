//! A device in memory for tests and benchmarks: it records everything, and fails, lags and loses power on request.

mod operation;
mod zones;

pub use operation::{DiscardBehaviour, Fault, Gate, Journal, Operation, OperationKind, Recorded, Trouble};

use super::Device;
use super::pages::Pages;
use btrfs_planner::request::{ZoneState, Zones};
use std::collections::BTreeMap;
use std::io::{self, IoSlice};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use zones::ZoneTable;

/// As much of a discarded range's ends is turned into garbage.
const GARBAGE: u64 = 256 << 10;

/// A device in memory. Its operations take `&self`, as those of real devices do.
#[derive(Debug)]
pub struct SimulatedDevice {
    size: u64,
    sector: u32,
    discard: DiscardBehaviour,
    latency: BTreeMap<OperationKind, Duration>,
    seek: Duration,
    faults: Vec<Fault>,
    troubles: Vec<(usize, Trouble)>,
    records: bool,
    longest_transfer: usize,
    journal: Option<(String, Journal)>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    pages: Pages,
    durable: Pages,
    operations: Vec<Operation>,
    recorded: Vec<Recorded>,
    counts: BTreeMap<OperationKind, usize>,
    /// Where the heads are.
    position: u64,
    zones: Option<ZoneTable>,
}

impl SimulatedDevice {
    /// A device of zeros with sectors of 512 bytes.
    #[must_use]
    pub fn new(size: u64) -> Self {
        Self {
            size,
            sector: 512,
            discard: DiscardBehaviour::default(),
            latency: BTreeMap::new(),
            seek: Duration::ZERO,
            faults: Vec::new(),
            troubles: Vec::new(),
            records: false,
            longest_transfer: usize::MAX,
            journal: None,
            state: Mutex::default(),
        }
    }

    /// With sectors of `bytes`: whatever is not of whole sectors fails with EINVAL.
    #[must_use]
    pub fn with_sector(self, bytes: u32) -> Self {
        Self { sector: bytes, ..self }
    }

    /// With another behaviour on discard.
    #[must_use]
    pub fn with_discard(self, discard: DiscardBehaviour) -> Self {
        Self { discard, ..self }
    }

    /// With operations of one kind that take this long.
    #[must_use]
    pub fn with_latency(mut self, kind: OperationKind, latency: Duration) -> Self {
        self.latency.insert(kind, latency);
        self
    }

    /// Every request takes this long more, unless it begins where the one before ended.
    #[must_use]
    pub fn with_seek(self, seek: Duration) -> Self {
        Self { seek, ..self }
    }

    /// With these zones: sequential ones are only written at their write pointers. What is said to be in them reads as
    /// zeros.
    #[must_use]
    pub fn with_zones(self, zones: &Zones) -> Self {
        locked(&self.state).zones = Some(ZoneTable::new(zones, self.size));
        self
    }

    /// With one more error to come.
    #[must_use]
    pub fn with_fault(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// Everything fails with EIO after this many operations of any kind.
    #[must_use]
    pub fn with_death_after(self, operations: usize) -> Self {
        self.with_trouble(operations, Trouble::Gone(nix::libc::EIO))
    }

    /// With something that happens at one operation, counting those of every kind from 0.
    #[must_use]
    pub fn with_trouble(mut self, at: usize, trouble: Trouble) -> Self {
        self.troubles.push((at, trouble));
        self
    }

    /// Keeps what changes it, bytes included.
    #[must_use]
    pub fn with_recording(self) -> Self {
        Self { records: true, ..self }
    }

    /// Reads and writes move at most this many bytes at a time.
    #[must_use]
    pub fn with_short_transfers(self, longest: usize) -> Self {
        Self { longest_transfer: longest, ..self }
    }

    /// Writes its operations to a journal as well, under this name.
    #[must_use]
    pub fn with_journal(self, name: &str, journal: &Journal) -> Self {
        Self { journal: Some((name.to_string(), journal.clone())), ..self }
    }

    /// With these bytes on it, durably, and no operation on record.
    #[must_use]
    pub fn with_content(self, offset: u64, bytes: &[u8]) -> Self {
        {
            let mut state = locked(&self.state);
            state.pages.write(offset, bytes);
            state.durable.write(offset, bytes);
        }
        self
    }

    /// Everything that was done, failed operations included.
    #[must_use]
    pub fn operations(&self) -> Vec<Operation> {
        locked(&self.state).operations.clone()
    }

    /// What changed it, in order: all that succeeded and was no reading.
    #[must_use]
    pub fn recorded(&self) -> Vec<Recorded> {
        locked(&self.state).recorded.clone()
    }

    /// How many operations of one kind there were.
    #[must_use]
    pub fn count(&self, kind: OperationKind) -> usize {
        locked(&self.state).counts.get(&kind).copied().unwrap_or(0)
    }

    /// What is in every zone; nothing on a device without.
    #[must_use]
    pub fn zone_states(&self) -> Vec<ZoneState> {
        locked(&self.state).zones.as_ref().map(ZoneTable::states).unwrap_or_default()
    }

    /// What stands there now.
    #[must_use]
    pub fn content(&self, offset: u64, length: usize) -> Vec<u8> {
        locked(&self.state).pages.read(offset, length)
    }

    /// What would stand there if power were lost now and nothing unflushed had reached the medium.
    #[must_use]
    pub fn durable(&self, offset: u64, length: usize) -> Vec<u8> {
        locked(&self.state).durable.read(offset, length)
    }

    /// Records an operation, waits as long as it takes, and fails if a fault is due.
    fn perform(&self, operation: Operation) -> io::Result<MutexGuard<'_, State>> {
        let kind = operation.kind();
        let (nth, so_far, seek) = {
            let mut state = locked(&self.state);
            state.operations.push(operation);
            let count = state.counts.entry(kind).or_default();
            *count += 1;
            let nth = *count - 1;
            let mut seek = Duration::ZERO;
            if let Some((start, end)) = operation.place() {
                seek = if start == state.position { Duration::ZERO } else { self.seek };
                state.position = end;
            }
            (nth, state.operations.len(), seek)
        };
        if let Some((name, journal)) = &self.journal {
            journal.push(name, operation);
        }
        let latency = self.latency.get(&kind).copied().unwrap_or_default() + seek;
        if !latency.is_zero() {
            std::thread::sleep(latency);
        }
        self.suffer(so_far - 1).map_err(io::Error::from_raw_os_error)?;
        match self.faults.iter().find(|fault| fault.kind == kind && fault.nth == nth) {
            Some(fault) => Err(io::Error::from_raw_os_error(fault.errno)),
            None => Ok(locked(&self.state)),
        }
    }

    /// Lets happen what is to happen at this operation, or the error that it meets.
    fn suffer(&self, index: usize) -> Result<(), i32> {
        for (at, trouble) in &self.troubles {
            match trouble {
                Trouble::Error(errno) if *at == index => return Err(*errno),
                Trouble::Gone(errno) if *at <= index => return Err(*errno),
                Trouble::Hang(gate) if *at == index => gate.pass(),
                _ => {}
            }
        }
        Ok(())
    }

    /// How large it is at the operation that is under way, and how much that may move.
    fn limits(&self, state: &State, length: usize) -> (u64, usize) {
        let index = state.operations.len().saturating_sub(1);
        let (mut size, mut most) = (self.size, self.longest_transfer);
        for (at, trouble) in &self.troubles {
            match trouble {
                Trouble::Shrink(bytes) if *at <= index => size = size.min(*bytes),
                Trouble::Short if *at == index => most = most.min(length / 2 / 512 * 512).max(512),
                _ => {}
            }
        }
        (size, most)
    }

    fn record(&self, state: &mut State, operation: Operation, bytes: &[u8]) {
        if self.records {
            state.recorded.push(Recorded { operation, bytes: bytes.to_vec() });
        }
    }

    fn is_whole_sectors(&self, offset: u64, length: u64) -> bool {
        let sector = u64::from(self.sector);
        // Short transfers cut sectors by design.
        self.longest_transfer != usize::MAX || (offset.is_multiple_of(sector) && length.is_multiple_of(sector))
    }
}

impl Device for SimulatedDevice {
    fn logical_sector(&self) -> u32 {
        self.sector
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let state = self.perform(Operation::Read { offset, length: buffer.len() as u64 })?;
        let (size, most) = self.limits(&state, buffer.len());
        let room = usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let length = buffer.len().min(room).min(most);
        if let Some(buffer) = buffer.get_mut(..length) {
            state.pages.read_into(offset, buffer);
        }
        Ok(length)
    }

    fn write_vectored_at(&self, offset: u64, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let bytes: Vec<u8> = slices.iter().flat_map(|slice| slice.iter().copied()).collect();
        let length = bytes.len();
        let mut state = self.perform(Operation::Write { offset, length: length as u64 })?;
        let (size, most) = self.limits(&state, length);
        if length > usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX) {
            return Err(io::Error::from_raw_os_error(nix::libc::ENOSPC));
        }
        if !self.is_whole_sectors(offset, length as u64) {
            return Err(io::Error::from_raw_os_error(nix::libc::EINVAL));
        }
        let written = length.min(most);
        if let Some(zones) = &mut state.zones {
            zones.write(offset, written as u64).map_err(io::Error::from_raw_os_error)?;
        }
        let bytes = bytes.get(..written).unwrap_or_default();
        state.pages.write(offset, bytes);
        self.record(&mut state, Operation::Write { offset, length: written as u64 }, bytes);
        Ok(written)
    }

    fn discard(&self, start: u64, length: u64) -> io::Result<()> {
        let mut state = self.perform(Operation::Discard { offset: start, length })?;
        let (size, _) = self.limits(&state, 0);
        let end = start.checked_add(length).filter(|end| *end <= size && length > 0);
        if end.is_none() || !self.is_whole_sectors(start, length) {
            return Err(io::Error::from_raw_os_error(nix::libc::EINVAL));
        }
        match self.discard {
            DiscardBehaviour::Unsupported => return Err(io::Error::from_raw_os_error(nix::libc::EOPNOTSUPP)),
            DiscardBehaviour::Keeps => {}
            // Discard reaches the medium at once, without a flush.
            DiscardBehaviour::Zeros | DiscardBehaviour::Garbage => {
                let State { pages, durable, .. } = &mut *state;
                pages.clear(start, start + length);
                durable.clear(start, start + length);
            }
        }
        if self.discard == DiscardBehaviour::Garbage {
            let edge = usize::try_from(length.min(GARBAGE)).unwrap_or(0);
            let tail = start + length - edge as u64;
            for offset in [start, tail] {
                state.pages.write(offset, &vec![0xa5; edge]);
                state.durable.write(offset, &vec![0xa5; edge]);
            }
        }
        self.record(&mut state, Operation::Discard { offset: start, length }, &[]);
        Ok(())
    }

    fn reset_zones(&self, start: u64, length: u64) -> io::Result<()> {
        let mut state = self.perform(Operation::Reset { offset: start, length })?;
        let State { pages, durable, zones, .. } = &mut *state;
        let zones = zones.as_mut().ok_or_else(|| io::Error::from_raw_os_error(nix::libc::ENOTTY))?;
        let (gone, result) = zones.reset(start, length);
        for (start, end) in gone {
            pages.clear(start, end);
            durable.clear(start, end);
        }
        result.map_err(io::Error::from_raw_os_error)?;
        self.record(&mut state, Operation::Reset { offset: start, length }, &[]);
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let mut state = self.perform(Operation::Flush)?;
        state.durable = state.pages.clone();
        self.record(&mut state, Operation::Flush, &[]);
        Ok(())
    }

    fn forget_cached(&self) -> io::Result<()> {
        Ok(())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A test that panicked elsewhere still wants to see what happened.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_loss_takes_what_was_not_flushed() {
        let device = SimulatedDevice::new(1 << 20).with_content(0, &[1; 512]);
        device.write_vectored_at(0, &[IoSlice::new(&[2; 512])]).unwrap();
        assert_eq!(device.durable(0, 512), [1; 512]);
        device.flush().unwrap();
        assert_eq!(device.durable(0, 512), [2; 512]);
    }

    #[test]
    fn discard_clears_exactly_its_range() {
        let device = SimulatedDevice::new(1 << 20).with_content(0, &[9; 20480]);
        device.discard(512, 16384).unwrap();
        let expected = [vec![9; 512], vec![0; 16384], vec![9; 3584]].concat();
        assert_eq!(device.content(0, 20480), expected);
        device.discard(0, 512).unwrap();
        assert_eq!(device.content(0, 1024), [0; 1024]);
        let garbage = SimulatedDevice::new(1 << 20).with_discard(DiscardBehaviour::Garbage);
        garbage.discard(0, 1 << 20).unwrap();
        assert_eq!(garbage.content((1 << 20) - 1, 1), [0xa5]);
    }

    #[test]
    fn faults_strike_the_nth_of_their_kind() {
        let device = SimulatedDevice::new(1 << 20).with_fault(Fault {
            kind: OperationKind::Flush,
            nth: 1,
            errno: nix::libc::ENOSPC,
        });
        device.flush().unwrap();
        assert_eq!(device.flush().unwrap_err().raw_os_error(), Some(nix::libc::ENOSPC));
        device.flush().unwrap();
        let device = SimulatedDevice::new(1 << 20).with_death_after(1);
        device.flush().unwrap();
        assert!(device.flush().is_err() && device.read_at(0, &mut [0; 512]).is_err());
    }
}
