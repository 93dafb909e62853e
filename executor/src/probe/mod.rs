//! From a path to the facts of a device, and to what uses it. Reads only.

#[allow(unsafe_code)]
mod blkid;
mod busy_file;
mod contents;
mod elsewhere;
mod in_use;
mod loops;
mod mountinfo;
mod number;
mod signatures;
mod swaps;
mod sysfs;
mod twins;
mod zones;

pub(crate) use busy_file::{is_program, kernel_use};
pub(crate) use elsewhere::{Known, announced, elsewhere};
pub use in_use::{Identity, InUse, Usage, UsageUnknown};
pub use loops::Backing;
pub use number::{DeviceNumber, NotANumber};
pub use signatures::signatures;
pub(crate) use sysfs::Sysfs;
pub use twins::twins;
pub use zones::{ReportProblem, ReportedZone, runs_of_report};

use crate::ioctl;
use crate::remedy::remedy;
use btrfs_planner::request::{DeviceFacts, DeviceKind, DiscardLimits, Zones};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The length of a request to a device that sets no limit: large, and exact in every JSON reader.
pub(crate) const ANY_LENGTH: u64 = 1 << 50;
/// The granularity of holes in files.
const HOLE: u64 = 4096;

/// Why a device could not be probed, or may not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProbeError {
    /// The path leads nowhere, or not to us.
    #[error("cannot open '{}'", path.display())]
    Open {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// An image file that is not there, and no size to give it.
    #[error("'{}' does not exist", .0.display())]
    Absent(PathBuf),
    /// The same, with a size that is none.
    #[error("'{}' does not exist, and a byte count of 0 means all of a device", .0.display())]
    NoSize(PathBuf),
    /// Neither a block device nor a regular file.
    #[error("'{}' is neither a block device nor a regular file", .0.display())]
    OtherKind(PathBuf),
    /// In use.
    #[error("'{}' cannot be used: {by}", path.display())]
    InUse {
        /// The path.
        path: PathBuf,
        /// By what.
        by: InUse,
    },
    /// The kernel does not answer.
    #[error("cannot ask '{}' for its {what}", path.display())]
    Ask {
        /// The path.
        path: PathBuf,
        /// For what.
        what: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// The paths of plans and requests are text.
    #[error("the path '{}' is not UTF-8", .0.display())]
    NotText(PathBuf),
}

impl ProbeError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Open { path, source } if source.kind() == io::ErrorKind::NotFound && path.starts_with("/dev") => {
                "lsblk shows the devices that there are".to_string()
            }
            Self::Open { source, .. } | Self::Ask { source, .. } => return remedy(source).map(str::to_string),
            Self::Absent(path) | Self::NoSize(path) if path.starts_with("/dev") => {
                "lsblk shows the devices that there are".to_string()
            }
            Self::Absent(_) | Self::NoSize(_) => {
                "give an image file that is to be created a size with --byte-count".to_string()
            }
            Self::OtherKind(_) => "name a block device or an image file, or describe a device: size=10T".to_string(),
            Self::InUse { by, .. } => by.hint(),
            Self::NotText(_) => "use another path to it, such as a link".to_string(),
        })
    }
}

/// Probes a device or an image file. A file that is shorter than `byte_count`, or absent, will be grown to it.
pub fn probe(path: &Path, byte_count: Option<u64>, usage: &Usage) -> Result<DeviceFacts, ProbeError> {
    let probed = probe_and_keep(path, byte_count, usage, |path| File::open(path))?;
    Ok(probed.facts)
}

/// What was probed, and the descriptor that it was probed through: of a block device, one that claims it.
#[derive(Debug)]
pub(crate) struct Probed {
    pub(crate) facts: DeviceFacts,
    /// What the path leads to, open; absent where there is nothing yet.
    pub(crate) open: Option<(Identity, File)>,
}

/// The same, and keeps it open. `open_file` opens image files.
pub(crate) fn probe_and_keep(
    path: &Path,
    byte_count: Option<u64>,
    usage: &Usage,
    open_file: impl Fn(&Path) -> io::Result<File>,
) -> Result<Probed, ProbeError> {
    let text = path.to_str().ok_or_else(|| ProbeError::NotText(path.to_path_buf()))?.to_string();
    let open = |source: io::Error| ProbeError::Open { path: path.to_path_buf(), source };
    let metadata = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let size = match byte_count {
                None => return Err(ProbeError::Absent(path.to_path_buf())),
                Some(0) => return Err(ProbeError::NoSize(path.to_path_buf())),
                Some(size) => size,
            };
            check_folder(path)?;
            return Ok(Probed { facts: file_facts(text, size), open: None });
        }
        result => result.map_err(open)?,
    };
    let identity = Identity::of(&metadata).ok_or_else(|| ProbeError::OtherKind(path.to_path_buf()))?;
    if let Some(by) = usage.of(identity) {
        return Err(ProbeError::InUse { path: path.to_path_buf(), by });
    }
    let file = match identity {
        Identity::File(..) => match open_file(path) {
            Err(error) if is_program(&error) => {
                return Err(ProbeError::InUse { path: path.to_path_buf(), by: InUse::Program });
            }
            result => result.map_err(open)?,
        },
        Identity::Block(_) => open_exclusively(path)?,
    };
    // The path may lead elsewhere by now.
    if Identity::of(&file.metadata().map_err(open)?) != Some(identity) {
        return Err(open(io::Error::other("it was replaced while it was opened")));
    }
    if let Some(by) = kernel_use(path, identity, &file) {
        return Err(ProbeError::InUse { path: path.to_path_buf(), by });
    }
    let facts = match identity {
        Identity::File(..) => file_facts(text, metadata.len().max(byte_count.unwrap_or(0))),
        Identity::Block(number) => DeviceFacts { path: Some(text), ..block_facts(path, &file, number)? },
    };
    let facts = DeviceFacts { signatures: signatures_of(path, &file, facts.size)?, ..facts };
    Ok(Probed { facts, open: Some((identity, file)) })
}

/// Whether an image file may be created at `path`: its folder is there, and is not where device nodes are. A mistyped
/// device must not become a file in memory.
pub(crate) fn check_folder(path: &Path) -> Result<(), ProbeError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let open = |source| ProbeError::Open { path: path.to_path_buf(), source };
    let device = fs::metadata(folder).map_err(open)?.dev();
    if fs::metadata("/dev")
        .is_ok_and(|nodes| nodes.dev() == device && fs::metadata("/").is_ok_and(|root| root.dev() != device))
    {
        return Err(open(io::Error::from_raw_os_error(nix::libc::ENOENT)));
    }
    Ok(())
}

/// The signatures of an open device or file that has, or will be grown to, `size` bytes. An empty file has none.
pub(crate) fn signatures_of(
    path: &Path,
    file: &File,
    size: u64,
) -> Result<Vec<btrfs_planner::request::Signature>, ProbeError> {
    let ask = |source| ProbeError::Ask { path: path.to_path_buf(), what: "signatures", source };
    let metadata = file.metadata().map_err(ask)?;
    if metadata.is_file() && metadata.len() == 0 {
        return Ok(Vec::new());
    }
    let mut found = signatures(file).map_err(ask)?;
    if metadata.is_file() && found.is_empty() {
        found.extend(contents::contents(file, metadata.len(), size).map_err(ask)?);
    }
    Ok(found)
}

/// Reading, and together with nobody who claims the device: a last word on whether it is in use.
fn open_exclusively(path: &Path) -> Result<File, ProbeError> {
    let file = OpenOptions::new().read(true).custom_flags(nix::libc::O_EXCL | nix::libc::O_NONBLOCK).open(path);
    file.map_err(|source| {
        let path = path.to_path_buf();
        if source.kind() == io::ErrorKind::ResourceBusy {
            ProbeError::InUse { path, by: InUse::Exclusive }
        } else {
            ProbeError::Open { path, source }
        }
    })
}

/// What the kernel says of an open block device, but not what is on it.
fn block_facts(path: &Path, file: &File, number: DeviceNumber) -> Result<DeviceFacts, ProbeError> {
    let ask = |what| move |source| ProbeError::Ask { path: path.to_path_buf(), what, source };
    let logical_sector = ioctl::logical_sector(file).map_err(ask("logical sector size"))?;
    let node = Sysfs::new("/sys").node(number);
    let discard = match &node {
        Some(node) => node.discard(logical_sector),
        None => Some(DiscardLimits { alignment: 0, granularity: u64::from(logical_sector), max_bytes: ANY_LENGTH }),
    };
    let size = ioctl::size(file).map_err(ask("size"))?;
    Ok(DeviceFacts {
        discard,
        kind: DeviceKind::Block,
        logical_sector,
        model: node.as_ref().and_then(sysfs::Node::model),
        path: None,
        physical_sector: ioctl::physical_sector(file).unwrap_or(logical_sector),
        rotational: node.as_ref().is_none_or(sysfs::Node::rotational),
        serial: node.as_ref().and_then(sysfs::Node::serial),
        signatures: Vec::new(),
        size,
        zones: zones_of(file, size, number).map_err(ask("zones"))?,
    })
}

/// The zones of an open block device of `size` bytes, if it has any.
pub(crate) fn zones_of(file: &File, size: u64, number: DeviceNumber) -> io::Result<Option<Zones>> {
    zones::zones(file, size, || {
        let node = Sysfs::new("/sys").node(number);
        let node = node.as_ref();
        zones::Queue {
            model: node.and_then(sysfs::Node::zoned),
            max_active: node.and_then(sysfs::Node::max_active),
            max_open: node.and_then(sysfs::Node::max_open),
        }
    })
}

/// Model and serial number of a block device, where the kernel tells.
pub(crate) fn names(number: DeviceNumber) -> (Option<String>, Option<String>) {
    let node = Sysfs::new("/sys").node(number);
    node.map_or((None, None), |node| (node.model(), node.serial()))
}

fn file_facts(path: String, size: u64) -> DeviceFacts {
    DeviceFacts {
        discard: Some(DiscardLimits { alignment: 0, granularity: HOLE, max_bytes: ANY_LENGTH }),
        kind: DeviceKind::File,
        logical_sector: 512,
        physical_sector: 4096,
        path: Some(path),
        size,
        ..DeviceFacts::default()
    }
}
