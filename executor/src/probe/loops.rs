//! Loop devices, and what is behind them: the kernel is asked, since names say nothing where files were renamed, deleted, or
//! are seen through other mounts. Where it may not be asked, sysfs has the name of the file.

use super::in_use::Identity;
use super::number::DeviceNumber;
use super::sysfs::{Node, Sysfs};
use crate::ioctl;
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// A loop device with a file behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoopDevice {
    /// Its name, without a folder.
    pub(crate) name: String,
    /// Its number.
    pub(crate) number: DeviceNumber,
    /// What is behind it.
    pub(crate) backing: Backing,
    /// It shares bytes with another one, and somebody has claimed it: whoever that is need not be seen from here.
    pub(crate) claimed: bool,
}

/// The bytes of a file that a loop device stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backing {
    /// The file.
    pub file: Identity,
    /// The first byte.
    pub start: u64,
    /// The byte behind the last.
    pub end: u64,
}

impl Backing {
    /// Whether some bytes are behind both. Devices without bytes meet where they begin.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        let apart = self.end <= other.start || other.end <= self.start;
        self.file == other.file && (!apart || self.start == other.start)
    }
}

/// Every loop device that has a file behind it: those that sysfs knows, and those with a node in `dev`, since either may be
/// missing in a container.
pub(crate) fn attached(sysfs: &Sysfs, dev: &Path) -> Vec<LoopDevice> {
    let nodes = sysfs.disks("loop");
    let mut names: BTreeSet<String> = nodes.iter().map(Node::name).collect();
    let entries = fs::read_dir(dev).into_iter().flatten().flatten();
    names.extend(entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| is_loop(name)));
    let device = |name: String| match asked(&dev.join(&name), &name) {
        Ok(device) => Some(device),
        Err(error) if error.raw_os_error() == Some(nix::libc::ENXIO) => None,
        Err(_) => told(nodes.iter().find(|node| node.name() == name)?),
    };
    let mut devices: Vec<LoopDevice> = names.into_iter().filter_map(device).collect();
    let backings: Vec<(DeviceNumber, Backing)> = devices.iter().map(|device| (device.number, device.backing)).collect();
    for device in &mut devices {
        let shares = backings.iter().any(|(other, backing)| *other != device.number && backing.meets(device.backing));
        device.claimed = shares && is_claimed(&dev.join(&device.name));
    }
    devices
}

/// Whether somebody uses the device together with nobody else, as whoever mounts it does.
fn is_claimed(path: &Path) -> bool {
    let claim = OpenOptions::new().read(true).custom_flags(nix::libc::O_EXCL | nix::libc::O_NONBLOCK).open(path);
    claim.is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy)
}

/// `loop` and a number: no partition of one, and not the control device.
fn is_loop(name: &str) -> bool {
    let number = name.strip_prefix("loop").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// What the kernel says.
fn asked(path: &Path, name: &str) -> io::Result<LoopDevice> {
    let file = OpenOptions::new().read(true).custom_flags(nix::libc::O_NONBLOCK).open(path)?;
    let status = ioctl::loops::status(&file)?;
    let end = status.offset.saturating_add(ioctl::size(&file)?);
    let file_of = |number| Identity::Block(DeviceNumber::of(number));
    Ok(LoopDevice {
        name: name.to_owned(),
        number: DeviceNumber::of(file.metadata()?.rdev()),
        backing: Backing {
            file: status.block.map_or(Identity::File(status.device, status.inode), file_of),
            start: status.offset,
            end,
        },
        claimed: false,
    })
}

/// What sysfs says.
fn told(node: &Node) -> Option<LoopDevice> {
    let start = node.backing_offset();
    let file = Identity::of_path(&node.backing_file()?)?;
    let backing = Backing { file, start, end: start.saturating_add(node.size()) };
    Some(LoopDevice { name: node.name(), number: node.number()?, backing, claimed: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loop_devices_meet_where_they_share_bytes() {
        let file = Identity::File(1, 1);
        let backing = |start, end| Backing { file, start, end };
        assert!(backing(0, 10).meets(backing(9, 20)));
        assert!(!backing(0, 10).meets(backing(10, 20)));
        assert!(backing(5, 5).meets(backing(5, 5)));
        assert!(!backing(0, 10).meets(Backing { file: Identity::File(1, 2), start: 0, end: 10 }));
    }

    #[test]
    fn only_whole_loop_devices_are_asked() {
        for (name, is) in
            [("loop0", true), ("loop12", true), ("loop", false), ("loop-control", false), ("loop0p1", false)]
        {
            assert_eq!(is_loop(name), is, "{name}");
        }
    }
}
