//! The ioctls of zoned block devices, each behind a safe function.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Zones in one report: as many as mkfs.btrfs asks for, 256 KiB.
pub(crate) const BATCH: usize = 4096;
/// Zone ioctls count in these, whatever the device's sectors are.
pub(crate) const UNIT: u64 = 512;

/// In `flags` of a report: the capacity of its zones is told.
const HAS_CAPACITY: u32 = 1;

mod raw {
    use super::BATCH;
    use nix::sys::ioctl::ioctl_num_type;
    use nix::{ioctl_read_bad, ioctl_readwrite_bad, ioctl_write_ptr_bad, request_code_read, request_code_write};

    /// The kernel's `blk_zone_report` without its zones.
    #[derive(Clone, Copy)]
    #[repr(C)]
    pub(super) struct ReportHeader {
        pub(super) sector: u64,
        pub(super) count: u32,
        pub(super) flags: u32,
    }
    const _: () = assert!(size_of::<ReportHeader>() == 16);

    /// The kernel's `blk_zone`. In units of 512 bytes.
    #[derive(Clone, Copy)]
    #[repr(C)]
    pub(super) struct Zone {
        pub(super) start: u64,
        pub(super) length: u64,
        pub(super) write_pointer: u64,
        pub(super) kind: u8,
        pub(super) condition: u8,
        pub(super) non_sequential: u8,
        pub(super) reset: u8,
        pub(super) reserved: [u8; 4],
        pub(super) capacity: u64,
        pub(super) reserved_behind: [u8; 24],
    }
    const _: () = assert!(size_of::<Zone>() == 64);

    /// The kernel's `blk_zone_report` with room for a batch of zones.
    #[repr(C)]
    pub(super) struct Report {
        pub(super) header: ReportHeader,
        pub(super) zones: [Zone; BATCH],
    }
    const _: () = assert!(size_of::<Report>() == 16 + 64 * BATCH);

    impl Report {
        pub(super) const EMPTY: Self = Self {
            header: ReportHeader { sector: 0, count: 0, flags: 0 },
            zones: [Zone {
                start: 0,
                length: 0,
                write_pointer: 0,
                kind: 0,
                condition: 0,
                non_sequential: 0,
                reset: 0,
                reserved: [0; 4],
                capacity: 0,
                reserved_behind: [0; 24],
            }; BATCH],
        };
    }

    // The number of a report counts its header only.
    pub(super) const BLKREPORTZONE: ioctl_num_type = nix::request_code_readwrite!(0x12, 130, size_of::<ReportHeader>());
    pub(super) const BLKRESETZONE: ioctl_num_type = request_code_write!(0x12, 131, size_of::<[u64; 2]>());
    pub(super) const BLKGETZONESZ: ioctl_num_type = request_code_read!(0x12, 132, size_of::<u32>());

    ioctl_readwrite_bad!(report, BLKREPORTZONE, Report);
    ioctl_write_ptr_bad!(reset, BLKRESETZONE, [u64; 2]);
    ioctl_read_bad!(zone_size, BLKGETZONESZ, u32);
}

/// A zone as the kernel tells it, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportedZone {
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub length: u64,
    /// Bytes from the start that can be written.
    pub capacity: u64,
    /// The byte to be written next.
    pub write_pointer: u64,
    /// 1 for conventional; the others are sequential.
    pub kind: u8,
    /// What is in it.
    pub condition: u8,
}

/// The bytes of a zone; 0 where the device has none.
pub(crate) fn zone_size(file: &File) -> io::Result<u64> {
    let mut units = 0;
    // SAFETY: the kernel writes one u32 to where the reference points.
    match unsafe { raw::zone_size(file.as_raw_fd(), &raw mut units) } {
        Ok(_) => Ok(u64::from(units) * UNIT),
        // Kernels before 4.20, and those that know no zones.
        Err(nix::errno::Errno::ENOTTY | nix::errno::Errno::EINVAL) => Ok(0),
        Err(error) => Err(error.into()),
    }
}

/// The zone report of a device, a batch at a time.
pub(crate) struct Reporter(Box<raw::Report>);

impl Reporter {
    pub(crate) fn new() -> Self {
        Self(Box::new(raw::Report::EMPTY))
    }

    /// The zones from the byte `start` on, as many as fit; none behind the last.
    pub(crate) fn report(&mut self, file: &File, start: u64) -> io::Result<impl Iterator<Item = ReportedZone>> {
        let report = &mut *self.0;
        let room = u32::try_from(BATCH).map_err(io::Error::other)?;
        report.header = raw::ReportHeader { sector: start / UNIT, count: room, flags: 0 };
        // SAFETY: the kernel reads a header, which says for how many zones there is room behind it, and writes at most
        // that many. All of it is plain numbers, of which every value is one.
        unsafe { raw::report(file.as_raw_fd(), &raw mut *report) }?;
        let told = report.header.flags & HAS_CAPACITY != 0;
        let count = usize::try_from(report.header.count.min(room)).unwrap_or(0);
        Ok(report.zones.iter().take(count).map(move |zone| ReportedZone {
            start: bytes(zone.start),
            length: bytes(zone.length),
            capacity: bytes(if told { zone.capacity } else { zone.length }),
            write_pointer: bytes(zone.write_pointer),
            kind: zone.kind,
            condition: zone.condition,
        }))
    }
}

/// Bytes of a number of units; what no device has is no place on one.
fn bytes(units: u64) -> u64 {
    units.saturating_mul(UNIT)
}

/// Resets the zones of a range.
pub(crate) fn reset(file: &File, start: u64, length: u64) -> io::Result<()> {
    if !start.is_multiple_of(UNIT) || !length.is_multiple_of(UNIT) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: the kernel reads a blk_zone_range, which is two u64, from where the reference points.
    unsafe { raw::reset(file.as_raw_fd(), &raw const *&[start / UNIT, length / UNIT]) }?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    fn request_numbers_are_the_kernels() {
        assert_eq!(raw::BLKREPORTZONE, 0xc010_1282);
        assert_eq!(raw::BLKRESETZONE, 0x4010_1283);
        assert_eq!(raw::BLKGETZONESZ, 0x8004_1284);
    }

    #[test]
    fn a_file_has_no_zones() {
        let file = tempfile::tempfile().unwrap();
        assert_eq!(zone_size(&file).unwrap_or(0), 0);
        assert!(Reporter::new().report(&file, 0).is_err());
        assert!(reset(&file, 0, 4096).is_err());
        assert_eq!(reset(&file, 1, 4096).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
