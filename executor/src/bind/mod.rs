//! A plan's devices become opened, locked and verified ones. Nothing is written, grown or created before all are.

mod error;
mod growth;
mod hold;
mod lock;
mod open;
mod traces;
mod zones;

pub use error::{BindError, Difference};
pub use growth::FileLimit;
pub use hold::{Held, hold};
pub use zones::ZoneDifference;
pub(crate) use zones::is_whole;

use crate::device::{BlockDevice, Device, DirectDevice, ImageFile, Rehearsal};
use crate::parallel;
use crate::probe::{Identity, Usage, announced, twins};
use btrfs_planner::Plan;
use btrfs_planner::plan::Device as Slot;
use btrfs_planner::request::DeviceKind;
use growth::Grown;
use lock::DiskLock;
use open::Opened;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

/// Which path is which device, where the plan's own path is not meant: by devid.
pub type Overrides = BTreeMap<u64, PathBuf>;

/// The devices of a plan, ready to be written; by devid, as in the plan.
pub struct Bound {
    targets: Vec<Target>,
    locks: Vec<DiskLock>,
    /// What claims devices, where that is not what they are written through.
    claims: Vec<File>,
    block_devices: Vec<PathBuf>,
    /// What was done to those that are files, by devid.
    grown: Vec<Option<Grown>>,
}

/// A device that a schedule can be run on.
pub struct Target {
    /// What to call it in messages: its path.
    pub name: String,
    /// The device.
    pub device: Box<dyn Device>,
}

impl Bound {
    /// The devices, by devid.
    #[must_use]
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Those of them that are block devices.
    #[must_use]
    pub fn block_devices(&self) -> &[PathBuf] {
        &self.block_devices
    }

    /// Lets go of every device: locks first, so that who waits for the closing of a device finds it free.
    pub fn release(self) {
        drop(self.locks);
        drop(self.claims);
        drop(self.targets);
    }

    /// The same where nothing was written: image files become what they were.
    pub fn abandon(self) {
        undo(&self.grown);
        self.release();
    }

    /// Makes the image files of some targets what they were before: those that were created, and those that were only grown
    /// and not `written`. The answer is which targets were removed so.
    pub fn take_back(&self, written: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut removed = Vec::new();
        for (index, grown) in self.grown.iter().enumerate() {
            if let Some(grown) = grown
                && (grown.is_created() || !written(index))
                && grown.undo()
                && grown.is_created()
            {
                removed.push(index);
            }
        }
        removed
    }
}

/// Opens, locks and verifies every device of a plan.
pub fn bind(plan: &Plan, overrides: &Overrides) -> Result<Bound, BindError> {
    let (opened, locks) = open_all(plan, overrides, true)?;
    ready(plan, opened, locks, Vec::new())
}

/// Makes devices that are open for writing ready for it.
fn ready(plan: &Plan, opened: Vec<Opened>, locks: Vec<DiskLock>, claims: Vec<File>) -> Result<Bound, BindError> {
    let mut grown = Vec::new();
    for (slot, device) in plan.devices.iter().zip(&opened) {
        let (changed, done) = growth::grow(slot, device);
        grown.push(changed);
        if let Err(error) = done {
            undo(&grown);
            let rest = opened.iter().skip(grown.len()).filter(|opened| opened.created);
            remove(&rest.map(|opened| opened.path.clone()).collect::<Vec<PathBuf>>());
            return Err(error);
        }
    }
    let mut block_devices = Vec::new();
    let mut targets = Vec::new();
    for opened in opened {
        let name = opened.path.display().to_string();
        let (zoned, path) = (opened.zoned, opened.path.clone());
        let device: Result<Box<dyn Device>, BindError> = match opened.identity {
            Identity::Block(_) => {
                block_devices.push(opened.path);
                block_device(opened.file, opened.logical_sector, zoned)
                    .map_err(|source| BindError::Direct { path, source })
            }
            Identity::File(..) => Ok(Box::new(ImageFile::new(opened.file))),
        };
        let device = device.inspect_err(|_| undo(&grown))?;
        targets.push(Target { name, device });
    }
    Ok(Bound { targets, locks, claims, block_devices, grown })
}

fn block_device(file: File, logical_sector: u32, zoned: bool) -> std::io::Result<Box<dyn Device>> {
    Ok(if zoned {
        Box::new(DirectDevice::new(file, logical_sector)?)
    } else {
        Box::new(BlockDevice::new(file, logical_sector))
    })
}

/// The same for a dry run: everything is opened for reading, and what is written goes nowhere.
pub fn rehearse(plan: &Plan, overrides: &Overrides) -> Result<Bound, BindError> {
    let (opened, locks) = open_all(plan, overrides, false)?;
    for (slot, opened) in plan.devices.iter().zip(&opened) {
        if matches!(opened.identity, Identity::File(..)) && !opened.created {
            growth::check(&opened.path, &opened.file, open::extent(slot))?;
        }
    }
    let targets = opened.into_iter().map(|opened| {
        let name = opened.path.display().to_string();
        let file = if opened.created { None } else { Some(opened.file) };
        Target { name, device: Box::new(Rehearsal::new(file, opened.logical_sector)) }
    });
    Ok(Bound { targets: targets.collect(), locks, claims: Vec::new(), block_devices: Vec::new(), grown: Vec::new() })
}

fn open_all(plan: &Plan, overrides: &Overrides, writable: bool) -> Result<(Vec<Opened>, Vec<DiskLock>), BindError> {
    let paths = paths(plan, overrides)?;
    let identities: Vec<Option<Identity>> = paths.iter().map(|path| Identity::of_path(path)).collect();
    // Locks come before looking: whoever holds one now may be writing what will be found.
    let locks = lock_disks(&paths, &identities)?;
    let usage = Usage::read()?;
    check_fsid(plan, &usage, &identities)?;
    if let Some((first, second)) = twins(&paths, &identities, &usage) {
        return Err(BindError::Twice { first, second });
    }
    // Probing waits for every device's heads to move; devices can do that at the same time.
    let slots = plan.devices.iter().zip(&paths).zip(identities);
    let results = parallel::map(slots, usize::MAX, |((slot, path), identity)| {
        open::open(plan, slot, path, identity, &usage, writable)
    });
    let results: Vec<_> = results.into_iter().map(|result| result.unwrap_or(Err(BindError::Panicked))).collect();
    Ok((all_or_none(results, writable)?, locks))
}

/// A filesystem with the UUID of a mounted one would be taken for it, and one of several devices is put together by it.
fn check_fsid(plan: &Plan, usage: &Usage, own: &[Option<Identity>]) -> Result<(), BindError> {
    let fsid = plan.filesystem.fsid;
    if usage.mounts(fsid) {
        return Err(BindError::Mounted(fsid));
    }
    if plan.devices.len() < 2 {
        return Ok(());
    }
    match announced(fsid) {
        Some(path) if !own.contains(&Identity::of_path(&path)) => Err(BindError::Known { uuid: fsid, path }),
        _ => Ok(()),
    }
}

/// All that was opened; or, if one could not be, every error, and no file that was created for nothing.
fn all_or_none(results: Vec<Result<Opened, BindError>>, writable: bool) -> Result<Vec<Opened>, BindError> {
    let created = results.iter().flatten().filter(|opened| opened.created && writable);
    let created: Vec<PathBuf> = created.map(|opened| opened.path.clone()).collect();
    collect(results).inspect_err(|_| remove(&created))
}

/// All of them, or every error at once.
fn collect<T>(results: Vec<Result<T, BindError>>) -> Result<Vec<T>, BindError> {
    let mut errors = Vec::new();
    let mut opened = Vec::new();
    for result in results {
        match result {
            Ok(device) => opened.push(device),
            Err(error) => errors.push(error),
        }
    }
    match errors.len() {
        0 => Ok(opened),
        1 => Err(errors.remove(0)),
        _ => Err(BindError::Several(errors)),
    }
}

fn paths(plan: &Plan, overrides: &Overrides) -> Result<Vec<PathBuf>, BindError> {
    let devices = plan.devices.len();
    let known = |devid: &u64| usize::try_from(*devid).is_ok_and(|devid| (1..=devices).contains(&devid));
    if let Some(devid) = overrides.keys().find(|devid| !known(devid)) {
        return Err(BindError::NoSuchDevice { devid: *devid, devices });
    }
    let path = |slot: &Slot| match (overrides.get(&slot.devid.get()), &slot.found.path) {
        (Some(path), _) => Ok(path.clone()),
        (None, Some(path)) if slot.found.kind != DeviceKind::Described => Ok(PathBuf::from(path)),
        (None, _) => Err(BindError::Unbound { devid: slot.devid.get(), size: slot.found.size }),
    };
    plan.devices.iter().map(path).collect()
}

/// The locks that udev expects: on whole disks, each once.
fn lock_disks(paths: &[PathBuf], identities: &[Option<Identity>]) -> Result<Vec<DiskLock>, BindError> {
    let mut locks: Vec<DiskLock> = Vec::new();
    for (path, identity) in paths.iter().zip(identities) {
        let Some(Identity::Block(number)) = identity else { continue };
        let lock =
            DiskLock::take(path, *number, &locks).map_err(|source| BindError::Lock { path: path.clone(), source })?;
        locks.extend(lock);
    }
    Ok(locks)
}

fn undo(grown: &[Option<Grown>]) {
    for grown in grown.iter().flatten() {
        grown.undo();
    }
}

fn remove(created: &[PathBuf]) {
    for path in created {
        let _ = std::fs::remove_file(path);
    }
}
