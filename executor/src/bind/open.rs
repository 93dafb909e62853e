//! One device: opened once, and held against what the plan says of it.

use super::error::{BindError, Difference};
use super::{growth, traces, zones};
use crate::ioctl;
use crate::probe::{
    DeviceNumber, Identity, InUse, ProbeError, Usage, check_folder, kernel_use, names, signatures_of, zones_of,
};
use btrfs_planner::Plan;
use btrfs_planner::plan::Device as Slot;
use btrfs_planner::request::{DeviceFacts, DeviceKind, Signature};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// A device that is open, and is the one that was planned.
pub(super) struct Opened {
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
    /// The one descriptor, to the end.
    pub(super) file: File,
    pub(super) logical_sector: u32,
    /// It has zones.
    pub(super) zoned: bool,
    /// The file was not there before.
    pub(super) created: bool,
}

/// Opens the device of a slot. `identity` is what its path led to when the disks were locked.
pub(super) fn open(
    plan: &Plan,
    slot: &Slot,
    path: &Path,
    identity: Option<Identity>,
    usage: &Usage,
    writable: bool,
) -> Result<Opened, BindError> {
    let Some(identity) = identity else {
        return match fs::metadata(path) {
            Ok(_) => Err(ProbeError::OtherKind(path.to_path_buf()).into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound && may_be_created(slot) => {
                create(slot, path, writable)
            }
            Err(source) => Err(failed(path, source)),
        };
    };
    match usage.of(identity) {
        Some(by) => Err(BindError::in_use(path.to_path_buf(), by)),
        None => existing(plan, slot, path, identity, writable),
    }
}

/// How large a device must be: no step goes beyond.
pub(super) fn extent(slot: &Slot) -> u64 {
    slot.size.max(slot.limit)
}

/// A file that was planned as one, or a described device without zones on which nothing was said to be.
fn may_be_created(slot: &Slot) -> bool {
    let as_file = zones::difference(slot, None).is_none();
    slot.found.kind != DeviceKind::Block && slot.found.signatures.is_empty() && as_file
}

fn existing(plan: &Plan, slot: &Slot, path: &Path, identity: Identity, writable: bool) -> Result<Opened, BindError> {
    let exclusive = matches!(identity, Identity::Block(_));
    let flags = if exclusive { nix::libc::O_EXCL | nix::libc::O_NONBLOCK } else { nix::libc::O_NONBLOCK };
    let file = OpenOptions::new().read(true).write(writable).custom_flags(flags).open(path);
    let file = file.map_err(|source| failed(path, source))?;
    // The path may lead elsewhere by now.
    let metadata = file.metadata().map_err(|source| failed(path, source))?;
    if Identity::of(&metadata) != Some(identity) {
        return Err(failed(path, io::Error::other("it was replaced while it was opened")));
    }
    if let Some(by) = kernel_use(path, identity, &file) {
        return Err(BindError::in_use(path.to_path_buf(), by));
    }
    let facts = match identity {
        Identity::Block(number) => {
            let asked = |source| ProbeError::Ask { path: path.to_path_buf(), what: "write protection", source };
            if ioctl::is_read_only(&file).map_err(asked)? {
                return Err(BindError::ReadOnly(path.to_path_buf()));
            }
            block_facts(slot, path, &file, number)?
        }
        Identity::File(..) => lock_file(path, &file).map(|()| DeviceFacts {
            kind: DeviceKind::File,
            logical_sector: 512,
            // A shorter file grows, as far as steps of the plan go.
            size: metadata.len().max(extent(slot)),
            ..DeviceFacts::default()
        })?,
    };
    let signatures = signatures_of(path, &file, facts.size)?;
    let explained = |planned: &[Signature], found: &[Signature]| traces::explain(plan, slot, &file, planned, found);
    let difference = match difference(slot, &facts, signatures) {
        Some(Difference::Signatures { planned, found })
            if explained(&planned, &found).map_err(|source| ProbeError::Ask {
                path: path.to_path_buf(),
                what: "signatures",
                source,
            })? =>
        {
            None
        }
        difference => difference,
    };
    match difference {
        Some(difference) => Err(BindError::Different { path: path.to_path_buf(), difference }),
        None => {
            let DeviceFacts { logical_sector, zones, .. } = facts;
            let zoned = zones.is_some();
            Ok(Opened { path: path.to_path_buf(), identity, file, logical_sector, zoned, created: false })
        }
    }
}

pub(super) fn create(slot: &Slot, path: &Path, writable: bool) -> Result<Opened, BindError> {
    check_folder(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    growth::check_new(path, folder, extent(slot))?;
    let file = if writable {
        OpenOptions::new().read(true).write(true).create_new(true).open(path)
    } else {
        // A dry run creates nothing, but says if the folder is not there.
        File::open(folder)
    };
    let file = file.map_err(|source| BindError::Create { path: path.to_path_buf(), source })?;
    let metadata = file.metadata().map_err(|source| failed(path, source))?;
    let identity = if writable { Identity::of(&metadata) } else { Some(imagined(slot)) };
    let identity = identity.ok_or_else(|| ProbeError::OtherKind(path.to_path_buf()))?;
    Ok(Opened { path: path.to_path_buf(), identity, file, logical_sector: 512, zoned: false, created: true })
}

/// What the kernel says of a block device, as far as a plan can differ from it.
fn block_facts(slot: &Slot, path: &Path, file: &File, number: DeviceNumber) -> Result<DeviceFacts, BindError> {
    let ask = |what| move |source| ProbeError::Ask { path: path.to_path_buf(), what, source };
    let named = slot.found.model.is_some() || slot.found.serial.is_some();
    let (model, serial) = if named { names(number) } else { (None, None) };
    let size = ioctl::size(file).map_err(ask("size"))?;
    Ok(DeviceFacts {
        kind: DeviceKind::Block,
        logical_sector: ioctl::logical_sector(file).map_err(ask("logical sector size"))?,
        model,
        serial,
        size,
        zones: zones_of(file, size, number).map_err(ask("zones"))?,
        ..DeviceFacts::default()
    })
}

/// Two runs on one image would undo each other.
pub(super) fn lock_file(path: &Path, file: &File) -> Result<(), BindError> {
    file.try_lock().map_err(|error| BindError::Lock { path: path.to_path_buf(), source: error.into() })
}

/// The identity of a file that a dry run does not create: unlike any other's.
fn imagined(slot: &Slot) -> Identity {
    Identity::File(u64::MAX, slot.devid.get())
}

/// In what a device is not the one that was planned.
fn difference(slot: &Slot, facts: &DeviceFacts, mut signatures: Vec<Signature>) -> Option<Difference> {
    let planned = &slot.found;
    let described = planned.kind == DeviceKind::Described;
    if !described && planned.kind != facts.kind {
        return Some(Difference::Kind { planned: planned.kind, found: facts.kind });
    }
    if facts.size < extent(slot) {
        return Some(Difference::TooSmall { planned: extent(slot), found: facts.size });
    }
    // A description is of one size, too. A file may be shorter, and then grows.
    let longer = facts.size > planned.size;
    if longer || (facts.kind == DeviceKind::Block && facts.size != planned.size) {
        return Some(Difference::Size { planned: planned.size, found: facts.size });
    }
    if facts.logical_sector > planned.logical_sector {
        return Some(Difference::Sector { planned: planned.logical_sector, found: facts.logical_sector });
    }
    for (what, planned, found) in
        [("model", &planned.model, &facts.model), ("serial number", &planned.serial, &facts.serial)]
    {
        if let Some(planned) = planned
            && found.as_ref() != Some(planned)
        {
            let found = found.clone().unwrap_or_else(|| "unknown".to_string());
            return Some(Difference::Model { what, planned: planned.clone(), found });
        }
    }
    if let Some(difference) = zones::difference(slot, facts.zones.as_ref()) {
        return Some(Difference::Zones(difference));
    }
    let mut expected = planned.signatures.clone();
    for list in [&mut expected, &mut signatures] {
        list.sort_unstable_by(|left, right| left.offset.cmp(&right.offset).then_with(|| left.cmp(right)));
    }
    (expected != signatures).then_some(Difference::Signatures { planned: expected, found: signatures })
}

pub(super) fn failed(path: &Path, source: io::Error) -> BindError {
    let path = path.to_path_buf();
    match source.kind() {
        io::ErrorKind::ResourceBusy => BindError::in_use(path, InUse::Exclusive),
        io::ErrorKind::ExecutableFileBusy => BindError::in_use(path, InUse::Program),
        io::ErrorKind::ReadOnlyFilesystem => BindError::ReadOnly(path),
        _ => BindError::Probe(ProbeError::Open { path, source }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::units::DevId;

    fn slot(found: DeviceFacts) -> Slot {
        Slot {
            commit: Vec::new(),
            devid: DevId::new(1),
            limit: 1 << 30,
            discard: Vec::new(),
            size: 1 << 30,
            found,
            reset_zones: Vec::new(),
            uuid: uuid::Uuid::from_u128(1),
            wipe: Vec::new(),
            writes: Vec::new(),
            zero: Vec::new(),
        }
    }

    fn block() -> DeviceFacts {
        DeviceFacts {
            kind: DeviceKind::Block,
            logical_sector: 4096,
            size: (1 << 30) + 512,
            serial: Some("S1".into()),
            ..DeviceFacts::default()
        }
    }

    #[test]
    fn only_the_planned_device_will_do() {
        let swap =
            Signature { kind: "swap".into(), label: None, length: 10, offset: 4086, usage: "other".into(), uuid: None };
        let other = |change: &dyn Fn(&mut DeviceFacts)| {
            let mut facts = block();
            change(&mut facts);
            difference(&slot(block()), &facts, Vec::new())
        };
        assert_eq!(other(&|_| {}), None);
        assert_eq!(other(&|facts| facts.logical_sector = 512), None);
        let found = DeviceKind::File;
        assert_eq!(other(&|facts| facts.kind = found), Some(Difference::Kind { planned: DeviceKind::Block, found }));
        let planned = (1 << 30) + 512;
        assert_eq!(other(&|facts| facts.size += 512), Some(Difference::Size { planned, found: planned + 512 }));
        assert!(matches!(other(&|facts| facts.size -= 1024), Some(Difference::TooSmall { .. })));
        assert!(matches!(other(&|facts| facts.logical_sector = 8192), Some(Difference::Sector { .. })));
        assert!(matches!(other(&|facts| facts.serial = None), Some(Difference::Model { .. })));
        let signatures = difference(&slot(block()), &block(), vec![swap.clone()]);
        assert_eq!(signatures, Some(Difference::Signatures { planned: vec![], found: vec![swap] }));
    }
}
