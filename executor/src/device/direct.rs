//! A block device that is read and written past the kernel's memory: what zoned devices need, whose sequential zones
//! take nothing but the next block.

use super::{Device, file_offset};
use crate::ahead::fetch;
use crate::ioctl;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use std::fs::File;
use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;

/// What memory must be a multiple of, and begin at: no device asks for more.
const ALIGNMENT: usize = 4096;
/// The most bytes of one read: larger ones come in pieces.
const MOST_READ: usize = 1 << 20;

/// A block device behind its one writable descriptor, without a cache.
#[derive(Debug)]
pub struct DirectDevice {
    file: File,
    logical_sector: u32,
}

impl DirectDevice {
    /// Takes over a descriptor that is open for reading and writing; from here on it bypasses the kernel's memory.
    pub fn new(file: File, logical_sector: u32) -> io::Result<Self> {
        let flags = OFlag::from_bits_retain(fcntl(&file, FcntlArg::F_GETFL)?);
        fcntl(&file, FcntlArg::F_SETFL(flags | OFlag::O_DIRECT))?;
        Ok(Self { file, logical_sector })
    }
}

impl Device for DirectDevice {
    fn logical_sector(&self) -> u32 {
        self.logical_sector
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(MOST_READ);
        let mut aligned = Aligned::new(length);
        let bytes = aligned.bytes(length)?;
        let count = self.file.read_at(bytes, offset)?;
        buffer.iter_mut().zip(bytes).take(count).for_each(|(to, from)| *to = *from);
        Ok(count)
    }

    fn write_vectored_at(&self, offset: u64, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let length = slices.iter().map(|slice| slice.len()).sum();
        let mut aligned = Aligned::new(length);
        let mut rest = aligned.bytes(length)?;
        for slice in slices {
            let (part, behind) = rest.split_at_mut_checked(slice.len()).ok_or(io::ErrorKind::InvalidData)?;
            part.copy_from_slice(slice);
            rest = behind;
        }
        self.file.write_at(aligned.bytes(length)?, offset)
    }

    fn discard(&self, start: u64, length: u64) -> io::Result<()> {
        file_offset(start)?;
        ioctl::discard(&self.file, start, length)
    }

    fn reset_zones(&self, start: u64, length: u64) -> io::Result<()> {
        ioctl::zones::reset(&self.file, start, length)
    }

    fn flush(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn expect_reader(&self, offset: u64, length: u64) {
        fetch(&self.file, offset, length);
    }

    fn forget_cached(&self) -> io::Result<()> {
        // Nothing is.
        Ok(())
    }
}

/// Memory that begins where devices want it.
struct Aligned(Vec<u8>);

impl Aligned {
    fn new(length: usize) -> Self {
        Self(vec![0; length.saturating_add(ALIGNMENT)])
    }

    fn bytes(&mut self, length: usize) -> io::Result<&mut [u8]> {
        let start = self.0.as_ptr().align_offset(ALIGNMENT);
        let end = start.checked_add(length);
        end.and_then(|end| self.0.get_mut(start..end)).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{read_exactly, write_all};

    #[test]
    fn memory_is_aligned() {
        for length in [0, 1, 4096, 100_000] {
            let mut aligned = Aligned::new(length);
            let bytes = aligned.bytes(length).unwrap();
            assert_eq!((bytes.len(), bytes.as_ptr().addr() % ALIGNMENT), (length, 0));
        }
    }

    #[test]
    fn slices_of_any_memory_are_written_and_read_back() {
        let file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        file.set_len(1 << 20).unwrap();
        // Not every filesystem can do without memory.
        let Ok(device) = DirectDevice::new(file, 512) else { return };
        let bytes: Vec<u8> = (0..8193_u32).map(|index| index.to_le_bytes()[0]).collect();
        let (left, right) = (&bytes[1..4097], &bytes[4097..]);
        write_all(&device, 8192, &mut [IoSlice::new(left), IoSlice::new(right)]).unwrap();
        let mut back = vec![0; 8192];
        read_exactly(&device, 8192, &mut back).unwrap();
        assert_eq!(back, bytes[1..]);
    }
}
