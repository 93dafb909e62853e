//! The ioctls of block devices that no crate offers, each behind a safe function.
//!
//! Numbers without a size (`_IO`) must not get one from a macro: the kernel would not know them.

use nix::libc::{c_int, c_uint};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

pub(crate) mod loops;
pub(crate) mod zones;

mod raw {
    use nix::libc::{c_int, c_uint};
    use nix::sys::ioctl::ioctl_num_type;
    use nix::{ioctl_read_bad, ioctl_write_ptr, ioctl_write_ptr_bad, request_code_none, request_code_read};

    /// The argument of the one ioctl of btrfs: a path.
    #[repr(C)]
    pub(super) struct VolumeArguments {
        pub(super) fd: i64,
        pub(super) name: [u8; 4088],
    }

    pub(super) const BLKROGET: ioctl_num_type = request_code_none!(0x12, 94);
    pub(super) const BLKSSZGET: ioctl_num_type = request_code_none!(0x12, 104);
    pub(super) const BLKGETSIZE64: ioctl_num_type = request_code_read!(0x12, 114, size_of::<usize>());
    pub(super) const BLKDISCARD: ioctl_num_type = request_code_none!(0x12, 119);
    pub(super) const BLKPBSZGET: ioctl_num_type = request_code_none!(0x12, 123);

    ioctl_read_bad!(read_only, BLKROGET, c_int);
    ioctl_read_bad!(logical_sector, BLKSSZGET, c_int);
    ioctl_read_bad!(size, BLKGETSIZE64, u64);
    ioctl_write_ptr_bad!(discard, BLKDISCARD, [u64; 2]);
    ioctl_read_bad!(physical_sector, BLKPBSZGET, c_uint);
    ioctl_write_ptr!(scan, 0x94, 4, VolumeArguments);
}

/// The size of a block device in bytes.
pub(crate) fn size(file: &File) -> io::Result<u64> {
    let mut size = 0;
    // SAFETY: the kernel writes one u64 to where the reference points.
    unsafe { raw::size(file.as_raw_fd(), &raw mut size) }?;
    Ok(size)
}

/// The bytes of a block device's logical sector.
pub(crate) fn logical_sector(file: &File) -> io::Result<u32> {
    let mut bytes: c_int = 0;
    // SAFETY: the kernel writes one int to where the reference points.
    unsafe { raw::logical_sector(file.as_raw_fd(), &raw mut bytes) }?;
    u32::try_from(bytes).map_err(io::Error::other)
}

/// The bytes of a block device's physical sector.
pub(crate) fn physical_sector(file: &File) -> io::Result<u32> {
    let mut bytes: c_uint = 0;
    // SAFETY: the kernel writes one unsigned int to where the reference points.
    unsafe { raw::physical_sector(file.as_raw_fd(), &raw mut bytes) }?;
    Ok(bytes)
}

/// Whether a block device takes no writes.
pub(crate) fn is_read_only(file: &File) -> io::Result<bool> {
    let mut flag: c_int = 0;
    // SAFETY: the kernel writes one int to where the reference points.
    unsafe { raw::read_only(file.as_raw_fd(), &raw mut flag) }?;
    Ok(flag != 0)
}

/// Discards a range of a block device.
pub(crate) fn discard(file: &File, start: u64, length: u64) -> io::Result<()> {
    // SAFETY: the kernel reads two u64 from where the reference points.
    unsafe { raw::discard(file.as_raw_fd(), &raw const *&[start, length]) }?;
    Ok(())
}

/// Registers the device at `path` with the btrfs driver behind `control`.
pub(crate) fn scan(control: &File, path: &[u8]) -> io::Result<()> {
    let mut arguments = raw::VolumeArguments { fd: 0, name: [0; 4088] };
    // The last byte stays 0: the kernel reads a string.
    match arguments.name.get_mut(..path.len()) {
        Some(name) if path.len() < 4088 => name.copy_from_slice(path),
        _ => return Err(io::Error::from(io::ErrorKind::InvalidFilename)),
    }
    // SAFETY: the kernel reads one VolumeArguments, which has the layout of its btrfs_ioctl_vol_args.
    unsafe { raw::scan(control.as_raw_fd(), &raw const arguments) }?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number with a size in it that has none in the kernel fails with EINVAL, and a tool that only warns of it
    /// never trims.
    #[test]
    #[cfg(all(target_pointer_width = "64", any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn request_numbers_are_the_kernels() {
        assert_eq!(raw::BLKROGET, 0x125e);
        assert_eq!(raw::BLKSSZGET, 0x1268);
        assert_eq!(raw::BLKGETSIZE64, 0x8008_1272);
        assert_eq!(raw::BLKDISCARD, 0x1277);
        assert_eq!(raw::BLKPBSZGET, 0x127b);
        assert_eq!(nix::request_code_write!(0x94, 4, size_of::<raw::VolumeArguments>()), 0x5000_9404);
    }

    #[test]
    fn a_file_is_no_block_device() {
        let file = tempfile::tempfile().unwrap();
        assert!(size(&file).is_err());
        assert!(discard(&file, 0, 4096).is_err());
        assert!(scan(&file, &[b'a'; 5000]).is_err());
    }
}
