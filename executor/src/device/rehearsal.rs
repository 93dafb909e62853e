//! A device that only listens: for dry runs, which go the very way of a real run.

use super::Device;
use std::fs::File;
use std::io::{self, IoSlice};
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Reads from a real device and takes everything else as done. What was discarded or written reads as zeros
/// afterwards, as it would on a device that keeps nothing.
#[derive(Debug)]
pub struct Rehearsal {
    /// Open for reading; absent for a file that is still to be created.
    file: Option<File>,
    logical_sector: u32,
    /// Ranges that the real run would have changed by now.
    changed: Mutex<Vec<(u64, u64)>>,
}

impl Rehearsal {
    /// Takes over a descriptor that is open for reading, if there is something to read.
    #[must_use]
    pub fn new(file: Option<File>, logical_sector: u32) -> Self {
        Self { file, logical_sector, changed: Mutex::default() }
    }

    fn changed(&self) -> MutexGuard<'_, Vec<(u64, u64)>> {
        // A list of ranges is whole even if somebody panicked while holding it.
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Device for Rehearsal {
    fn logical_sector(&self) -> u32 {
        self.logical_sector
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let found = self.file.as_ref().map_or(Ok(0), |file| file.read_at(buffer, offset))?;
        // A file that is still to be grown reads as zeros behind its end.
        for byte in buffer.iter_mut().skip(found) {
            *byte = 0;
        }
        for (start, end) in self.changed().iter() {
            // Both ends, as places in the buffer.
            let place = |at: u64| usize::try_from(at.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
            let range = place(*start)..place(*end);
            buffer.get_mut(range).unwrap_or_default().fill(0);
        }
        Ok(buffer.len())
    }

    fn write_vectored_at(&self, offset: u64, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let length = slices.iter().map(|slice| slice.len()).sum();
        self.discard(offset, u64::try_from(length).map_err(io::Error::other)?)?;
        Ok(length)
    }

    fn discard(&self, start: u64, length: u64) -> io::Result<()> {
        let end = start.checked_add(length).ok_or(io::ErrorKind::InvalidInput)?;
        self.changed().push((start, end));
        Ok(())
    }

    fn reset_zones(&self, start: u64, length: u64) -> io::Result<()> {
        // What is read afterwards is in conventional zones, which a reset leaves alone.
        start.checked_add(length).map(|_| ()).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }

    fn flush(&self) -> io::Result<()> {
        Ok(())
    }

    fn forget_cached(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::read_exactly;

    #[test]
    fn nothing_changes_but_what_is_read() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(&[7; 4096], 0).unwrap();
        let device = Rehearsal::new(Some(file.try_clone().unwrap()), 512);
        device.discard(0, 1024).unwrap();
        device.write_vectored_at(2048, &[IoSlice::new(&[9; 512])]).unwrap();
        let mut seen = vec![1; 8192];
        read_exactly(&device, 0, &mut seen).unwrap();
        let expected = [vec![0; 1024], vec![7; 1024], vec![0; 512], vec![7; 1536], vec![0; 4096]].concat();
        assert_eq!(seen, expected);
        let mut real = vec![0; 4096];
        file.read_exact_at(&mut real, 0).unwrap();
        assert_eq!(real, [7; 4096]);
    }
}
