//! What can be done to a device. Nothing here knows btrfs.

mod block;
mod direct;
mod file;
mod pages;
mod rehearsal;
mod simulated;

pub use block::BlockDevice;
pub use direct::DirectDevice;
pub use file::ImageFile;
pub use rehearsal::Rehearsal;
pub use simulated::{
    DiscardBehaviour, Fault, Gate, Journal, Operation, OperationKind, Recorded, SimulatedDevice, Trouble,
};

use std::io::{self, IoSlice};
use std::sync::Arc;

/// A device that is open for writing, from the first write to the last.
///
/// Offsets and lengths are bytes. Transfers may be shorter than asked, as in the kernel: [`read_exactly`] and
/// [`write_all`] go on until all is done.
pub trait Device: Send + Sync {
    /// The bytes of a logical sector.
    fn logical_sector(&self) -> u32;

    /// Reads into `buffer`; how much, is the answer.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes the slices one after another, from `offset` on; how much, is the answer.
    fn write_vectored_at(&self, offset: u64, slices: &[IoSlice<'_>]) -> io::Result<usize>;

    /// Tells the device that nobody needs these bytes any more.
    fn discard(&self, start: u64, length: u64) -> io::Result<()>;

    /// Makes the sequential zones of a range empty. Conventional ones stay as they are, and are an error unless the
    /// range is the whole device. Only devices with zones can do this.
    fn reset_zones(&self, _start: u64, _length: u64) -> io::Result<()> {
        Err(io::Error::from_raw_os_error(nix::libc::EOPNOTSUPP))
    }

    /// Returns when everything written is on stable storage.
    fn flush(&self) -> io::Result<()>;

    /// Says that these bytes will be read soon. Advice only: nothing fails, nothing waits.
    fn expect_read(&self, _offset: u64, _length: u64) {}

    /// Says that somebody else will read these bytes soon, through the kernel's memory. Advice only, as above.
    fn expect_reader(&self, _offset: u64, _length: u64) {}

    /// Makes later reads come from the device and not from memory, as far as that is possible.
    fn forget_cached(&self) -> io::Result<()>;
}

/// A device that somebody else looks at too, as tests do after a run.
impl<D: Device + ?Sized> Device for Arc<D> {
    fn logical_sector(&self) -> u32 {
        (**self).logical_sector()
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        (**self).read_at(offset, buffer)
    }
    fn write_vectored_at(&self, offset: u64, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        (**self).write_vectored_at(offset, slices)
    }
    fn discard(&self, start: u64, length: u64) -> io::Result<()> {
        (**self).discard(start, length)
    }
    fn reset_zones(&self, start: u64, length: u64) -> io::Result<()> {
        (**self).reset_zones(start, length)
    }
    fn flush(&self) -> io::Result<()> {
        (**self).flush()
    }
    fn expect_read(&self, offset: u64, length: u64) {
        (**self).expect_read(offset, length);
    }
    fn expect_reader(&self, offset: u64, length: u64) {
        (**self).expect_reader(offset, length);
    }
    fn forget_cached(&self) -> io::Result<()> {
        (**self).forget_cached()
    }
}

/// Fills `buffer` from `offset` on.
pub fn read_exactly(device: &dyn Device, mut offset: u64, mut buffer: &mut [u8]) -> io::Result<()> {
    while !buffer.is_empty() {
        match device.read_at(offset, buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                offset = advanced(offset, count)?;
                buffer = buffer.get_mut(count..).ok_or(io::ErrorKind::InvalidData)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes all of the slices, from `offset` on; the answer is how many requests it took.
pub fn write_all(device: &dyn Device, mut offset: u64, mut slices: &mut [IoSlice<'_>]) -> io::Result<u64> {
    let mut requests = 0;
    IoSlice::advance_slices(&mut slices, 0);
    while !slices.is_empty() {
        match device.write_vectored_at(offset, slices) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                requests += 1;
                offset = advanced(offset, count)?;
                if count > slices.iter().map(|slice| slice.len()).sum() {
                    return Err(io::ErrorKind::InvalidData.into());
                }
                IoSlice::advance_slices(&mut slices, count);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(requests)
}

/// Whether all of it is zero. Looks at many bytes at once, since this is asked of megabytes.
pub(crate) fn is_zero(bytes: &[u8]) -> bool {
    let any = |bytes: &[u8]| bytes.iter().fold(0, |any, byte| any | byte);
    let (blocks, rest) = bytes.as_chunks::<256>();
    blocks.iter().all(|block| any(block) == 0) && any(rest) == 0
}

fn advanced(offset: u64, count: usize) -> io::Result<u64> {
    let end = u64::try_from(count).ok().and_then(|count| offset.checked_add(count));
    end.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// A file offset, as system calls take it.
fn file_offset(offset: u64) -> io::Result<nix::libc::off_t> {
    offset.try_into().map_err(|_| io::ErrorKind::InvalidInput.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_interrupted_transfers_go_on() {
        let device = SimulatedDevice::new(1 << 20)
            .with_short_transfers(700)
            .with_fault(Fault { kind: OperationKind::Write, nth: 1, errno: nix::libc::EINTR })
            .with_fault(Fault { kind: OperationKind::Read, nth: 0, errno: nix::libc::EINTR });
        let (left, right) = (vec![1; 1000], vec![2; 1096]);
        let mut slices = [IoSlice::new(&left), IoSlice::new(&[]), IoSlice::new(&right)];
        assert_eq!(write_all(&device, 4096, &mut slices).unwrap(), 3);
        let mut back = vec![0; 2096];
        read_exactly(&device, 4096, &mut back).unwrap();
        assert_eq!(back, [left, right].concat());
    }

    #[test]
    fn the_end_of_a_device_is_an_error() {
        let device = SimulatedDevice::new(4096);
        let error = read_exactly(&device, 4000, &mut [0; 200]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        let error = write_all(&device, 4000, &mut [IoSlice::new(&[1; 200])]).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(nix::libc::ENOSPC));
    }

    #[test]
    fn nothing_to_write_is_no_request() {
        let device = SimulatedDevice::new(4096);
        assert_eq!(write_all(&device, 0, &mut []).unwrap(), 0);
        assert_eq!(write_all(&device, 0, &mut [IoSlice::new(&[])]).unwrap(), 0);
        assert_eq!(device.operations(), []);
    }
}
