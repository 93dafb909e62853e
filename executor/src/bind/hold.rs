//! Devices that are claimed before they are looked at, and until they are written: what was planned over is what is
//! written over, and one look is enough.

use super::error::BindError;
use super::lock::DiskLock;
use super::open::{self, Opened};
use super::{Bound, all_or_none, check_fsid, collect, lock_disks, ready};
use crate::ioctl;
use crate::parallel;
use crate::probe::{Identity, ProbeError, Probed, Usage, probe_and_keep, twins};
use btrfs_planner::Plan;
use btrfs_planner::plan::Device as Slot;
use btrfs_planner::request::DeviceFacts;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Devices and image files that nobody else comes to use while they are held. Nothing has been written or created.
#[derive(Debug)]
pub struct Held {
    devices: Vec<HeldDevice>,
    locks: Vec<DiskLock>,
    usage: Usage,
}

#[derive(Debug)]
struct HeldDevice {
    path: PathBuf,
    probed: Probed,
}

/// Claims devices and looks at them. A file that is shorter than `byte_count`, or absent, will be grown to it.
pub fn hold(paths: &[PathBuf], byte_count: Option<u64>) -> Result<Held, BindError> {
    let identities: Vec<Option<Identity>> = paths.iter().map(|path| Identity::of_path(path)).collect();
    // Locks come before looking: whoever holds one now may be writing what will be found.
    let locks = lock_disks(paths, &identities)?;
    let usage = Usage::read()?;
    if let Some((first, second)) = twins(paths, &identities, &usage) {
        return Err(BindError::Twice { first, second });
    }
    let results = parallel::map(paths, usize::MAX, |path| claim(path, byte_count, &usage));
    let devices = collect(results.into_iter().map(|result| result.unwrap_or(Err(BindError::Panicked))).collect())?;
    Ok(Held { devices, locks, usage })
}

fn claim(path: &Path, byte_count: Option<u64>, usage: &Usage) -> Result<HeldDevice, BindError> {
    // Block devices are claimed for reading: one that is not written after all was not changed, and nobody is told so.
    let probed = probe_and_keep(path, byte_count, usage, |path| {
        OpenOptions::new().read(true).write(true).custom_flags(nix::libc::O_NONBLOCK).open(path)
    })?;
    match &probed.open {
        Some((Identity::File(..), file)) => open::lock_file(path, file)?,
        Some((Identity::Block(_), file)) => {
            let asked = |source| ProbeError::Ask { path: path.to_path_buf(), what: "write protection", source };
            if ioctl::is_read_only(file).map_err(asked)? {
                return Err(BindError::ReadOnly(path.to_path_buf()));
            }
        }
        None => {}
    }
    Ok(HeldDevice { path: path.to_path_buf(), probed })
}

impl Held {
    /// What was found, in the order of the paths.
    #[must_use]
    pub fn facts(&self) -> Vec<DeviceFacts> {
        self.devices.iter().map(|device| device.probed.facts.clone()).collect()
    }

    /// Makes the devices ready for a plan that was made of [`Held::facts`].
    pub fn bind(self, plan: &Plan) -> Result<Bound, BindError> {
        let found = || plan.devices.iter().map(|slot| &slot.found);
        if !found().eq(self.devices.iter().map(|device| &device.probed.facts)) {
            return Err(BindError::NotHeld);
        }
        let identity = |device: &HeldDevice| device.probed.open.as_ref().map(|(identity, _)| *identity);
        check_fsid(plan, &self.usage, &self.devices.iter().map(identity).collect::<Vec<_>>())?;
        let mut claims = Vec::new();
        let slots = plan.devices.iter().zip(self.devices);
        let opened = slots.map(|(slot, device)| device.open(slot, &mut claims)).collect();
        ready(plan, all_or_none(opened, true)?, self.locks, claims)
    }
}

impl HeldDevice {
    /// Opens it for writing; what has claimed it goes to `claims`.
    fn open(self, slot: &Slot, claims: &mut Vec<File>) -> Result<Opened, BindError> {
        let Self { path, probed } = self;
        let Some((identity, file)) = probed.open else { return open::create(slot, &path, true) };
        let file = match identity {
            Identity::File(..) => file,
            Identity::Block(_) => {
                claims.push(file);
                reopen(&path, identity).map_err(|source| open::failed(&path, source))?
            }
        };
        let DeviceFacts { logical_sector, zones, .. } = probed.facts;
        Ok(Opened { path, identity, file, logical_sector, zoned: zones.is_some(), created: false })
    }
}

/// A claimed device again, for writing. The claim stays, and is no claim of this descriptor.
fn reopen(path: &Path, identity: Identity) -> io::Result<File> {
    let file = OpenOptions::new().read(true).write(true).custom_flags(nix::libc::O_NONBLOCK).open(path)?;
    if Identity::of(&file.metadata()?) == Some(identity) {
        Ok(file)
    } else {
        Err(io::Error::other("it was replaced while it was opened"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::Request;

    const SIZE: u64 = 300 << 20;

    fn plan(facts: Vec<DeviceFacts>) -> Plan {
        btrfs_planner::plan(&Request::new(facts, "held", 0)).unwrap()
    }

    #[test]
    fn files_are_locked_while_they_are_held_and_created_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
        File::create(&old).unwrap().set_len(SIZE).unwrap();
        let paths = [old.clone(), new.clone()];
        let held = hold(&paths, Some(SIZE)).unwrap();
        assert!(matches!(hold(&paths, Some(SIZE)), Err(BindError::Lock { .. })));
        assert!(!new.exists());
        let plan = plan(held.facts());
        let bound = held.bind(&plan).unwrap();
        assert_eq!(bound.targets().len(), 2);
        assert_eq!(new.metadata().unwrap().len(), SIZE);
        bound.release();
        assert!(hold(&paths, None).is_ok(), "nothing is left locked");
    }

    #[test]
    fn only_a_plan_of_what_was_found_will_do() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("image");
        let held = hold(std::slice::from_ref(&path), Some(SIZE)).unwrap();
        let other = plan(vec![DeviceFacts { size: SIZE * 2, ..held.facts().remove(0) }]);
        assert!(matches!(held.bind(&other), Err(BindError::NotHeld)));
        assert!(!path.exists());
    }
}
