//! An image file: sparse, and discarded by punching holes.

use super::{Device, file_offset};
use nix::fcntl::{FallocateFlags, PosixFadviseAdvice, fallocate, posix_fadvise};
use nix::sys::uio::pwritev;
use std::fs::File;
use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;

/// A regular file that stands for a device. What lies beyond the planned size is left alone.
#[derive(Debug)]
pub struct ImageFile {
    file: File,
}

impl ImageFile {
    /// Takes over a descriptor that is open for reading and writing, of a file that is large enough.
    #[must_use]
    pub fn new(file: File) -> Self {
        Self { file }
    }
}

impl Device for ImageFile {
    fn logical_sector(&self) -> u32 {
        512
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(buffer, offset)
    }

    fn write_vectored_at(&self, offset: u64, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        Ok(pwritev(&self.file, slices, file_offset(offset)?)?)
    }

    fn discard(&self, start: u64, length: u64) -> io::Result<()> {
        let hole = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
        Ok(fallocate(&self.file, hole, file_offset(start)?, file_offset(length)?)?)
    }

    fn flush(&self) -> io::Result<()> {
        // Data, and what is needed to find it: a grown file's size is part of that.
        self.file.sync_data()
    }

    fn forget_cached(&self) -> io::Result<()> {
        Ok(posix_fadvise(&self.file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{read_exactly, write_all};
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_discarded_range_is_a_hole_and_the_size_stays() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(1 << 20).unwrap();
        let image = ImageFile::new(file.try_clone().unwrap());
        write_all(&image, 0, &mut [IoSlice::new(&[7; 8192]), IoSlice::new(&[8; 8192])]).unwrap();
        image.flush().unwrap();
        if image.discard(0, 8192).is_err() {
            return; // not every temporary folder can punch holes
        }
        let mut back = vec![1; 16384];
        read_exactly(&image, 0, &mut back).unwrap();
        assert_eq!(back, [vec![0; 8192], vec![8; 8192]].concat());
        assert_eq!(file.metadata().unwrap().size(), 1 << 20);
        assert!(file.metadata().unwrap().blocks() * 512 < 1 << 20);
    }
}
