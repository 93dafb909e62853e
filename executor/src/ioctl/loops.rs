//! The ioctl that tells what is behind a loop device, behind a safe function.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

mod raw {
    use nix::ioctl_read_bad;
    use nix::sys::ioctl::ioctl_num_type;

    /// The kernel's `loop_info64`.
    #[derive(Clone, Copy)]
    #[repr(C)]
    pub(super) struct Status {
        pub(super) device: u64,
        pub(super) inode: u64,
        pub(super) rdevice: u64,
        pub(super) offset: u64,
        pub(super) size_limit: u64,
        pub(super) numbers: [u32; 4],
        pub(super) names: [u8; 160],
        pub(super) init: [u64; 2],
    }
    const _: () = assert!(size_of::<Status>() == 232);

    /// A number of its own making, without a size in it.
    pub(super) const LOOP_GET_STATUS64: ioctl_num_type = 0x4c05;

    ioctl_read_bad!(status, LOOP_GET_STATUS64, Status);
}

/// What is behind a loop device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoopStatus {
    /// The `dev_t` of the filesystem that the file is on.
    pub(crate) device: u64,
    /// The file's inode.
    pub(crate) inode: u64,
    /// The `dev_t` of the block device that the file is, if it is one.
    pub(crate) block: Option<u64>,
    /// The first byte of the file that belongs to the device.
    pub(crate) offset: u64,
}

/// What is behind a loop device; ENXIO if nothing is.
pub(crate) fn status(file: &File) -> io::Result<LoopStatus> {
    let nothing = raw::Status {
        device: 0,
        inode: 0,
        rdevice: 0,
        offset: 0,
        size_limit: 0,
        numbers: [0; 4],
        names: [0; 160],
        init: [0; 2],
    };
    let mut status = nothing;
    // SAFETY: the kernel writes one `Status`, which has the layout of its `loop_info64`, to where the reference points.
    unsafe { raw::status(file.as_raw_fd(), &raw mut status) }?;
    let raw::Status { device, inode, rdevice, offset, .. } = status;
    // Of a regular file, kernels give no number here, or that of its filesystem once more.
    Ok(LoopStatus { device, inode, block: (rdevice != 0 && rdevice != device).then_some(rdevice), offset })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_no_loop_device() {
        assert!(status(&tempfile::tempfile().unwrap()).is_err());
    }
}
