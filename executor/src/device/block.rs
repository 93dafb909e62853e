//! A block device, opened by `bind` exclusively and for writing.

use super::{Device, file_offset};
use crate::ahead::fetch;
use crate::ioctl;
use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
use nix::sys::uio::pwritev;
use std::fs::File;
use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;

/// A block device behind its one writable descriptor.
#[derive(Debug)]
pub struct BlockDevice {
    file: File,
    logical_sector: u32,
}

impl BlockDevice {
    /// Takes over a descriptor that is open for reading and writing.
    #[must_use]
    pub fn new(file: File, logical_sector: u32) -> Self {
        Self { file, logical_sector }
    }
}

impl Device for BlockDevice {
    fn logical_sector(&self) -> u32 {
        self.logical_sector
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(buffer, offset)
    }

    fn write_vectored_at(&self, offset: u64, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        Ok(pwritev(&self.file, slices, file_offset(offset)?)?)
    }

    fn discard(&self, start: u64, length: u64) -> io::Result<()> {
        ioctl::discard(&self.file, start, length)
    }

    fn flush(&self) -> io::Result<()> {
        // Sizes and times of a device node are nobody's concern.
        self.file.sync_data()
    }

    fn expect_read(&self, offset: u64, length: u64) {
        fetch(&self.file, offset, length);
    }

    fn forget_cached(&self) -> io::Result<()> {
        Ok(posix_fadvise(&self.file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED)?)
    }
}
