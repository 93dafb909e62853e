//! Whether a device or an image file is in use, and by what.

use super::loops::{self, Backing, LoopDevice};
use super::mountinfo::{self, Mount};
use super::number::DeviceNumber;
use super::swaps;
use super::sysfs::{Node, Sysfs};
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// Who uses a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InUse {
    /// A filesystem on it is mounted.
    #[error("it is mounted at '{}'", .0.display())]
    Mounted(PathBuf),
    /// It is one of the devices of a mounted btrfs.
    #[error("it is a device of the mounted btrfs {0}")]
    Member(String),
    /// It is swap.
    #[error("it is in use as swap")]
    Swap,
    /// It is a program that runs.
    #[error("it is a program that runs")]
    Program,
    /// Another device is built on it.
    #[error("it is held by the device {0}")]
    Holder(String),
    /// One of its partitions is in use.
    #[error("its partition {name} is in use: {by}")]
    Partition {
        /// The partition.
        name: String,
        /// By what.
        by: Box<Self>,
    },
    /// It has partitions, which would be left without a disk.
    #[error("it has partitions: {}", .0.join(", "))]
    Partitions(Vec<String>),
    /// It is a partition, and its whole disk is in use.
    #[error("its disk {name} is in use: {by}")]
    Disk {
        /// The disk.
        name: String,
        /// By what.
        by: Box<Self>,
    },
    /// A loop device stands on the same file.
    #[error("the loop device {0} stands on it")]
    Loop(String),
    /// The kernel does not give it away.
    #[error("something holds it exclusively")]
    Exclusive,
}

impl InUse {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Mounted(point) => format!("unmount it: umount '{}'", point.display()),
            Self::Member(_) => "unmount that filesystem".to_string(),
            Self::Swap => "switch it off with swapoff".to_string(),
            Self::Program => "end the program (fuser shows what runs it), or use another file".to_string(),
            Self::Holder(name) => format!("stop {name} first: dmsetup, mdadm, vgchange or bcache, whatever made it"),
            Self::Partition { by, .. } | Self::Disk { by, .. } => by.hint(),
            Self::Partitions(_) => {
                "name one of the partitions; or, to use the whole disk, delete them first, with sfdisk --delete or wipefs -a \
                 (partx --delete, if their table is gone already)"
                    .to_string()
            }
            Self::Loop(name) => format!("use /dev/{name} itself, or detach it with losetup -d /dev/{name}"),
            Self::Exclusive => "find out what holds it: lsblk, dmsetup ls, cat /proc/mdstat, fuser".to_string(),
        }
    }
}

/// It cannot be told whether devices are in use.
#[derive(Debug, thiserror::Error)]
#[error("cannot tell what is in use: cannot read '{}'", path.display())]
pub struct UsageUnknown {
    path: PathBuf,
    source: io::Error,
}

/// What a path leads to, beyond its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Identity {
    /// A block device.
    Block(DeviceNumber),
    /// A regular file: the device it is on and its inode.
    File(u64, u64),
}

impl Identity {
    /// What the metadata of an open or named file says.
    #[must_use]
    pub fn of(metadata: &fs::Metadata) -> Option<Self> {
        let kind = metadata.file_type();
        if kind.is_block_device() {
            Some(Self::Block(DeviceNumber::of(metadata.rdev())))
        } else if kind.is_file() {
            Some(Self::File(metadata.dev(), metadata.ino()))
        } else {
            None
        }
    }

    /// What a path leads to now; `None` where there is nothing, or nothing that can hold a filesystem.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        Self::of(&fs::metadata(path).ok()?)
    }
}

/// Everything that is in use on this machine, read once.
#[derive(Debug)]
pub struct Usage {
    sysfs: Sysfs,
    mounts: Vec<(Identity, Mount)>,
    members: Vec<(DeviceNumber, String)>,
    swaps: Vec<Identity>,
    loops: Vec<LoopDevice>,
}

impl Usage {
    /// What is in use now.
    pub fn read() -> Result<Self, UsageUnknown> {
        Self::read_from(Path::new("/proc"), Path::new("/sys"), Path::new("/dev"))
    }

    fn read_from(proc: &Path, sys: &Path, dev: &Path) -> Result<Self, UsageUnknown> {
        let path = proc.join("self/mountinfo");
        let text = fs::read(&path).map_err(|source| UsageUnknown { path, source })?;
        let mut mounts = Vec::new();
        for mount in mountinfo::parse(&text) {
            // A filesystem with a number of its own making (btrfs) tells its device by name only.
            let source = if mount.number.major == 0 && mount.source.starts_with("/dev") {
                Identity::of_path(&mount.source)
            } else {
                None
            };
            mounts.push((source.unwrap_or(Identity::Block(mount.number)), mount));
        }
        let path = proc.join("swaps");
        let text = match fs::read(&path) {
            Ok(text) => text,
            // A kernel without swap has no such file.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(UsageUnknown { path, source }),
        };
        let swaps = swaps::parse(&text).iter().filter_map(|path| Identity::of_path(path)).collect();
        let sysfs = Sysfs::new(sys);
        let loops = loops::attached(&sysfs, dev);
        Ok(Self { mounts, members: sysfs.btrfs_members(), swaps, loops, sysfs })
    }

    /// Who uses this device or file; `None` if nobody does.
    #[must_use]
    pub fn of(&self, identity: Identity) -> Option<InUse> {
        if let Some(found) = self.directly(identity) {
            return Some(found);
        }
        if let Some(user) = self.loop_on(identity) {
            return Some(user);
        }
        let Identity::Block(number) = identity else { return None };
        let node = self.sysfs.node(number);
        if let Some(found) = node.as_ref().and_then(|node| self.beside(node)) {
            return Some(found);
        }
        // A second loop device over the same bytes writes behind the first one's back.
        let own = self.loop_device(number)?;
        let twin = self.loops.iter().find(|twin| {
            let used = twin.claimed || self.directly(Identity::Block(twin.number)).is_some();
            used && twin.number != number && twin.backing.meets(own.backing)
        });
        twin.map(|twin| InUse::Loop(twin.name.clone()))
    }

    /// A loop device that stands on it.
    fn loop_on(&self, identity: Identity) -> Option<InUse> {
        let user = self.loops.iter().find(|user| user.backing.file == identity);
        user.map(|user| InUse::Loop(user.name.clone()))
    }

    /// Who uses what is built on a device, what it is divided into, or what it is a part of.
    fn beside(&self, node: &Node) -> Option<InUse> {
        if let Some(holder) = node.holders().into_iter().next() {
            return Some(InUse::Holder(holder));
        }
        let partitions = node.partitions();
        for partition in &partitions {
            if let Some(by) = partition.number().and_then(|number| self.of_itself(number)) {
                return Some(InUse::Partition { name: partition.name(), by: Box::new(by) });
            }
        }
        if !partitions.is_empty() {
            return Some(InUse::Partitions(partitions.iter().map(Node::name).collect()));
        }
        let disk = self.sysfs.node(node.parent()?)?;
        let by = self.of_itself(disk.number()?)?;
        Some(InUse::Disk { name: disk.name(), by: Box::new(by) })
    }

    /// Who uses this very device: mounted, swap, with a loop device or another device on it.
    fn of_itself(&self, number: DeviceNumber) -> Option<InUse> {
        let identity = Identity::Block(number);
        let holder = || self.sysfs.node(number)?.holders().into_iter().next().map(InUse::Holder);
        self.directly(identity).or_else(|| self.loop_on(identity)).or_else(holder)
    }

    fn loop_device(&self, number: DeviceNumber) -> Option<&LoopDevice> {
        self.loops.iter().find(|device| device.number == number)
    }

    /// The whole disk that a partition is on.
    #[must_use]
    pub fn disk_of(&self, identity: Identity) -> Option<Identity> {
        let Identity::Block(number) = identity else { return None };
        self.sysfs.node(number)?.parent().map(Identity::Block)
    }

    /// What is behind a loop device: two devices with some of the same are parts of one.
    #[must_use]
    pub fn behind(&self, identity: Identity) -> Option<Backing> {
        let Identity::Block(number) = identity else { return None };
        self.loop_device(number).map(|device| device.backing)
    }

    /// Whether a btrfs with this UUID is mounted: the kernel would take another one for it.
    #[must_use]
    pub fn mounts(&self, fsid: Uuid) -> bool {
        let fsid = fsid.hyphenated().to_string();
        self.members.iter().any(|(_, filesystem)| *filesystem == fsid)
    }

    fn directly(&self, identity: Identity) -> Option<InUse> {
        if let Some((_, mount)) = self.mounts.iter().find(|(source, _)| *source == identity) {
            return Some(InUse::Mounted(mount.point.clone()));
        }
        if self.swaps.contains(&identity) {
            return Some(InUse::Swap);
        }
        let member = self.members.iter().find(|(number, _)| Identity::Block(*number) == identity);
        member.map(|(_, filesystem)| InUse::Member(filesystem.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn block(major: u64, minor: u64) -> Identity {
        Identity::Block(DeviceNumber { major, minor })
    }

    fn machine(mountinfo: &str) -> (tempfile::TempDir, Usage) {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "proc/self/mountinfo", mountinfo);
        write(root.path(), "sys/fs/btrfs/features/x", "");
        write(root.path(), "sys/fs/btrfs/00000000-1111-4000-8000-000000000000/devices/sdc/dev", "8:32\n");
        write(root.path(), "sys/block/sda/dev", "8:0\n");
        write(root.path(), "sys/block/sda/sda1/dev", "8:1\n");
        write(root.path(), "sys/block/sda/sda1/partition", "1\n");
        fs::create_dir_all(root.path().join("sys/dev/block")).unwrap();
        std::os::unix::fs::symlink("../../block/sda", root.path().join("sys/dev/block/8:0")).unwrap();
        write(root.path(), "sys/dev/block/8:48/holders/dm-3/dev", "253:3\n");
        write(root.path(), "image", "");
        let image = root.path().join("image").display().to_string();
        for name in ["loop0", "loop1"] {
            write(root.path(), &format!("sys/block/{name}/loop/backing_file"), &image);
            let number = format!("7:{}", name.trim_start_matches("loop"));
            write(root.path(), &format!("sys/block/{name}/dev"), &number);
            std::os::unix::fs::symlink(
                format!("../../block/{name}"),
                root.path().join(format!("sys/dev/block/{number}")),
            )
            .unwrap();
        }
        let usage =
            Usage::read_from(&root.path().join("proc"), &root.path().join("sys"), &root.path().join("dev")).unwrap();
        (root, usage)
    }

    #[test]
    fn users_of_every_kind_are_found() {
        let (root, usage) = machine("1 0 8:1 / /mnt rw - ext4 /dev/sda1 rw\n2 0 7:1 / /loop rw - ext4 /dev/loop1 rw\n");
        let image = Identity::of_path(&root.path().join("image")).unwrap();
        let mounted = InUse::Mounted("/mnt".into());
        let partition = InUse::Partition { name: "sda1".into(), by: Box::new(mounted.clone()) };
        for (identity, user) in [
            (block(8, 1), Some(mounted)),
            (block(8, 0), Some(partition)),
            (block(8, 32), Some(InUse::Member("00000000-1111-4000-8000-000000000000".into()))),
            (block(8, 48), Some(InUse::Holder("dm-3".into()))),
            (block(7, 1), Some(InUse::Mounted("/loop".into()))),
            (block(7, 0), Some(InUse::Loop("loop1".into()))),
            (image, Some(InUse::Loop("loop0".into()))),
            (block(8, 64), None),
        ] {
            assert_eq!(usage.of(identity), user, "{identity:?}");
        }
        let [fsid, other] = ["00000000-1111-4000-8000-000000000000", "00000000-1111-4000-8000-000000000001"];
        assert!(usage.mounts(fsid.parse().unwrap()) && !usage.mounts(other.parse().unwrap()));
        assert_eq!(usage.behind(block(7, 0)), Some(Backing { file: image, start: 0, end: 0 }));
    }

    /// Device mapper (multipath and LVM too), md and bcache all show themselves as holders: of the device, of a partition of
    /// it, or of the disk that it is a partition of. None of them is touched.
    #[test]
    fn members_of_other_devices_are_never_free() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "proc/self/mountinfo", "");
        let disk = |name: &str, number: &str, holders: &[&str], partitions: &[(&str, &str, &[&str])]| {
            let folder = format!("sys/block/{name}");
            write(root.path(), &format!("{folder}/dev"), number);
            let link = |number: &str, target: &str| {
                let links = root.path().join("sys/dev/block");
                fs::create_dir_all(&links).unwrap();
                std::os::unix::fs::symlink(format!("../../block/{target}"), links.join(number)).unwrap();
            };
            link(number, name);
            for holder in holders {
                write(root.path(), &format!("{folder}/holders/{holder}/dev"), "");
            }
            for (part, number, holders) in partitions {
                write(root.path(), &format!("{folder}/{part}/dev"), number);
                write(root.path(), &format!("{folder}/{part}/partition"), "1");
                link(number, &format!("{name}/{part}"));
                for holder in *holders {
                    write(root.path(), &format!("{folder}/{part}/holders/{holder}/dev"), "");
                }
            }
        };
        disk("sda", "8:0", &["dm-0"], &[("sda1", "8:1", &[])]);
        disk("sdb", "8:16", &["md127"], &[]);
        disk("sdc", "8:32", &[], &[("sdc1", "8:33", &["md0"]), ("sdc2", "8:34", &[])]);
        disk("sdd", "8:48", &[], &[("sdd1", "8:49", &[]), ("sdd2", "8:50", &[])]);
        disk("dm-0", "253:0", &[], &[]);
        let usage =
            Usage::read_from(&root.path().join("proc"), &root.path().join("sys"), &root.path().join("dev")).unwrap();
        let said = |minor: u64| usage.of(block(8, minor)).map(|by| by.to_string());
        for (minor, expected) in [
            (0, Some("it is held by the device dm-0")),
            (1, Some("its disk sda is in use: it is held by the device dm-0")),
            (16, Some("it is held by the device md127")),
            (32, Some("its partition sdc1 is in use: it is held by the device md0")),
            (33, Some("it is held by the device md0")),
            // The other partition of that disk.
            (34, None),
            (48, Some("it has partitions: sdd1, sdd2")),
            (49, None),
        ] {
            assert_eq!(said(minor).as_deref(), expected, "8:{minor}");
        }
        assert_eq!(usage.of(block(253, 0)), None, "what is made of them may be used");
        assert!(usage.of(block(8, 48)).unwrap().hint().contains("sfdisk --delete"));
    }

    /// Somebody else's mount that cannot be read is named in mountinfo like any other, and is nobody's device.
    #[test]
    fn an_unreadable_mount_of_others_is_no_reason_to_stop() {
        let (_root, usage) = machine("3 0 0:77 / /home/other/secret rw - fuse.sshfs other@host:/ rw\n");
        assert_eq!(usage.of(block(8, 1)), None);
    }

    #[test]
    fn without_mountinfo_nothing_is_known() {
        let root = tempfile::tempdir().unwrap();
        let error = Usage::read_from(&root.path().join("proc"), &root.path().join("sys"), &root.path().join("dev"))
            .unwrap_err();
        assert!(error.to_string().contains("self/mountinfo"), "{error}");
    }
}
