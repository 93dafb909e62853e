//! What sysfs tells of a block device. All of it may be absent, and then it is: nothing depends on it alone.

use super::number::DeviceNumber;
use btrfs_planner::request::DiscardLimits;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Where the kernel's view of devices is mounted: `/sys`, or a test's folder.
#[derive(Clone, Debug)]
pub(crate) struct Sysfs {
    root: PathBuf,
}

/// A block device in sysfs.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// The device's own folder.
    folder: PathBuf,
    /// The folder of its whole disk; the same, unless it is a partition.
    disk: PathBuf,
}

impl Sysfs {
    pub(crate) fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The device with this number, if sysfs knows it.
    pub(crate) fn node(&self, number: DeviceNumber) -> Option<Node> {
        let entry = self.root.join(format!("dev/block/{number}"));
        // A link to the device's folder, whose last names are those of the disk and of the partition.
        let folder = fs::read_link(&entry).map(|link| self.root.join("dev/block").join(link)).ok();
        let folder = folder.or_else(|| entry.exists().then_some(entry))?;
        let partition = folder.join("partition").exists();
        let disk = folder.parent().filter(|_| partition).unwrap_or(&folder).to_path_buf();
        Some(Node { folder, disk })
    }

    /// Every whole disk whose name begins with `prefix`.
    pub(crate) fn disks(&self, prefix: &str) -> Vec<Node> {
        let folders = entries(&self.root.join("block"));
        let named = folders.into_iter().filter(|folder| name(folder).starts_with(prefix));
        named.map(|folder| Node { disk: folder.clone(), folder }).collect()
    }

    /// The members of every mounted btrfs: the number of the device, and the filesystem's UUID.
    pub(crate) fn btrfs_members(&self) -> Vec<(DeviceNumber, String)> {
        let mut members = Vec::new();
        for filesystem in entries(&self.root.join("fs/btrfs")) {
            for device in entries(&filesystem.join("devices")) {
                if let Some(number) = number(&device) {
                    members.push((number, name(&filesystem)));
                }
            }
        }
        members
    }
}

impl Node {
    pub(crate) fn number(&self) -> Option<DeviceNumber> {
        number(&self.folder)
    }

    pub(crate) fn name(&self) -> String {
        name(&self.folder)
    }

    /// The number of the whole disk that this is a partition of.
    pub(crate) fn parent(&self) -> Option<DeviceNumber> {
        if self.disk == self.folder { None } else { number(&self.disk) }
    }

    /// The path of the disk's device node, below `/dev`.
    pub(crate) fn disk_device_name(&self) -> Option<String> {
        let events = fs::read_to_string(self.disk.join("uevent")).ok()?;
        events.lines().find_map(|line| line.strip_prefix("DEVNAME=")).map(str::to_string)
    }

    /// Devices that are built on this one: device mapper, md, and the like.
    pub(crate) fn holders(&self) -> Vec<String> {
        entries(&self.folder.join("holders")).iter().map(|path| name(path)).collect()
    }

    /// The partitions of a whole disk.
    pub(crate) fn partitions(&self) -> Vec<Self> {
        // Their names begin with the disk's.
        let own = self.name();
        let folders = entries(&self.folder).into_iter().filter(|folder| name(folder).starts_with(&own));
        let partitions = folders.filter(|folder| folder.join("partition").exists());
        partitions.map(|folder| Self { folder, disk: self.disk.clone() }).collect()
    }

    /// The file behind a loop device.
    pub(crate) fn backing_file(&self) -> Option<PathBuf> {
        text(&self.folder.join("loop/backing_file")).map(PathBuf::from)
    }

    /// Where in the file behind it a loop device begins.
    pub(crate) fn backing_offset(&self) -> u64 {
        text(&self.folder.join("loop/offset")).and_then(|offset| offset.parse().ok()).unwrap_or(0)
    }

    /// Its size in bytes; 0 where sysfs does not tell.
    pub(crate) fn size(&self) -> u64 {
        let units = text(&self.folder.join("size")).and_then(|units| units.parse().ok());
        units.unwrap_or(0_u64).saturating_mul(512)
    }

    /// Whether it may have to move heads: where the kernel does not tell, it may, as for mkfs.btrfs.
    pub(crate) fn rotational(&self) -> bool {
        self.queue("rotational") != Some(0)
    }

    pub(crate) fn model(&self) -> Option<String> {
        text(&self.disk.join("device/model"))
    }

    pub(crate) fn serial(&self) -> Option<String> {
        let plain = text(&self.disk.join("device/serial")).or_else(|| text(&self.disk.join("serial")));
        plain.or_else(|| {
            // SCSI disks: page 0x80 of their vital product data, four bytes of header before the text.
            let page = fs::read(self.disk.join("device/vpd_pg80")).ok()?;
            let serial: String = page.get(4..)?.iter().map(|byte| char::from(*byte)).collect();
            let serial = serial.trim_matches(['\0', ' ']).to_string();
            (!serial.is_empty()).then_some(serial)
        })
    }

    /// How the device discards. `None` only where the kernel itself would refuse the request.
    pub(crate) fn discard(&self, logical_sector: u32) -> Option<DiscardLimits> {
        let max_bytes = self.queue("discard_max_bytes").unwrap_or(super::ANY_LENGTH);
        if max_bytes == 0 {
            return None;
        }
        let granularity = self.queue("discard_granularity").unwrap_or(0).max(u64::from(logical_sector));
        let alignment = text(&self.folder.join("discard_alignment")).and_then(|text| text.parse().ok());
        Some(DiscardLimits {
            // A device may say -1: aligned to nothing.
            alignment: alignment.unwrap_or(0_u64).checked_rem(granularity).unwrap_or(0),
            granularity,
            max_bytes: max_bytes.min(super::ANY_LENGTH),
        })
    }

    /// How the device wants its zones written: `none`, `host-aware` or `host-managed`.
    pub(crate) fn zoned(&self) -> Option<String> {
        text(&self.disk.join("queue/zoned"))
    }

    /// The most zones that may be active; 0 for no limit.
    pub(crate) fn max_active(&self) -> Option<u32> {
        self.queue("max_active_zones")?.try_into().ok()
    }

    /// The most zones that may be open; 0 for no limit.
    pub(crate) fn max_open(&self) -> Option<u32> {
        self.queue("max_open_zones")?.try_into().ok()
    }

    fn queue(&self, name: &str) -> Option<u64> {
        text(&self.disk.join("queue").join(name))?.parse().ok()
    }
}

fn number(folder: &Path) -> Option<DeviceNumber> {
    text(&folder.join("dev"))?.parse().ok()
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The text of an attribute. Attributes are short, and come in one piece.
fn text(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let mut buffer = [0; 4096];
    let length = file.read(&mut buffer).ok()?;
    let text = String::from_utf8_lossy(buffer.get(..length)?).trim().to_string();
    (!text.is_empty()).then_some(text)
}

/// What a folder holds, in the order of names; nothing if there is no such folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.file_name())).collect();
    names.sort_unstable();
    names.iter().map(|name| folder.join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A disk with a partition, as the kernel shows it.
    fn disk() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("devices/pci/block/sda/dev", "8:0\n"),
            ("devices/pci/block/sda/uevent", "MAJOR=8\nMINOR=0\nDEVNAME=sda\n"),
            ("devices/pci/block/sda/device/model", "A disk       \n"),
            ("devices/pci/block/sda/device/vpd_pg80", "\0\u{0}\0\u{8}  SN-0001"),
            ("devices/pci/block/sda/queue/rotational", "1\n"),
            ("devices/pci/block/sda/queue/discard_max_bytes", "4294966784\n"),
            ("devices/pci/block/sda/queue/discard_granularity", "65536\n"),
            ("devices/pci/block/sda/queue/zoned", "host-managed\n"),
            ("devices/pci/block/sda/queue/max_open_zones", "128\n"),
            ("devices/pci/block/sda/sda1/dev", "8:1\n"),
            ("devices/pci/block/sda/sda1/partition", "1\n"),
            ("devices/pci/block/sda/sda1/discard_alignment", "512\n"),
            ("devices/pci/block/sda/sda1/holders/dm-0/dev", "253:0\n"),
        ] {
            write(root.path(), path, text);
        }
        fs::create_dir_all(root.path().join("dev/block")).unwrap();
        symlink("../../devices/pci/block/sda", root.path().join("dev/block/8:0")).unwrap();
        symlink("../../devices/pci/block/sda/sda1", root.path().join("dev/block/8:1")).unwrap();
        root
    }

    #[test]
    fn a_partition_has_its_disks_queue_and_its_own_alignment() {
        let root = disk();
        let sysfs = Sysfs::new(root.path());
        let node = sysfs.node(DeviceNumber { major: 8, minor: 1 }).unwrap();
        assert_eq!(node.name(), "sda1");
        assert_eq!(node.parent(), Some(DeviceNumber { major: 8, minor: 0 }));
        assert_eq!(node.disk_device_name().as_deref(), Some("sda"));
        assert!(node.rotational());
        assert_eq!(node.model().as_deref(), Some("A disk"));
        assert_eq!(node.serial().as_deref(), Some("SN-0001"));
        assert_eq!(node.holders(), ["dm-0"]);
        assert_eq!(node.zoned().as_deref(), Some("host-managed"));
        assert_eq!((node.max_open(), node.max_active()), (Some(128), None));
        let limits = DiscardLimits { alignment: 512, granularity: 65536, max_bytes: 4294966784 };
        assert_eq!(node.discard(512), Some(limits));
    }

    #[test]
    fn only_what_is_told_to_be_solid_is() {
        let root = disk();
        let node = || Sysfs::new(root.path()).node(DeviceNumber { major: 8, minor: 0 }).unwrap();
        let file = "devices/pci/block/sda/queue/rotational";
        assert!(node().rotational());
        write(root.path(), file, "0\n");
        assert!(!node().rotational());
        fs::remove_file(root.path().join(file)).unwrap();
        assert!(node().rotational());
    }

    #[test]
    fn a_disk_knows_its_partitions() {
        let root = disk();
        let node = Sysfs::new(root.path()).node(DeviceNumber { major: 8, minor: 0 }).unwrap();
        assert_eq!(node.parent(), None);
        let names: Vec<String> = node.partitions().iter().map(Node::name).collect();
        assert_eq!(names, ["sda1"]);
    }

    /// Some virtual disks show nothing of use and discard all the same: only a limit of 0 says no.
    #[test]
    fn silence_about_discard_is_no_refusal() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("dev/block/1:0/queue")).unwrap();
        let node = Sysfs::new(root.path()).node(DeviceNumber { major: 1, minor: 0 }).unwrap();
        let limits = DiscardLimits { alignment: 0, granularity: 4096, max_bytes: crate::probe::ANY_LENGTH };
        assert_eq!(node.discard(4096), Some(limits));
        write(root.path(), "dev/block/1:0/queue/discard_max_bytes", "0\n");
        assert_eq!(node.discard(4096), None);
    }

    #[test]
    fn absent_sysfs_is_silence() {
        let sysfs = Sysfs::new("/nonexistent");
        assert!(sysfs.node(DeviceNumber { major: 8, minor: 0 }).is_none());
        assert!(sysfs.disks("loop").is_empty());
        assert!(sysfs.btrfs_members().is_empty());
    }
}
