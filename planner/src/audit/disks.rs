//! The disks that an audit reads: a plan's writes, files, devices, simulated devices.

/// A set of disks, in any order. Which of them is which device of the filesystem, the audit reads from them.
pub trait Disks {
    /// How many there are.
    fn count(&self) -> usize;

    /// Bytes of a disk; 0 where there is none of this index.
    fn size(&self, disk: usize) -> u64;

    /// Fills `buffer` with the bytes from `offset` on.
    ///
    /// # Errors
    ///
    /// [`ReadFailed`] where not all of them could be read, whatever the reason: beyond the end is one.
    fn read(&self, disk: usize, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed>;

    /// The zone that a byte lies in; `None` on disks without zones.
    fn zone(&self, _disk: usize, _offset: u64) -> Option<Zone> {
        None
    }
}

/// A disk did not give the bytes it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes cannot be read")]
pub struct ReadFailed;

/// A zone of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Its first byte.
    pub start: u64,
    /// Its bytes.
    pub length: u64,
    /// Bytes from its start that can be written.
    pub capacity: u64,
    /// Whether it is written in order; otherwise it is conventional.
    pub sequential: bool,
    /// Whether it can be read and written at all.
    pub usable: bool,
}
