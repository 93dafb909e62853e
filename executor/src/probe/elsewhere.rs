//! Who else has a UUID.

use super::blkid::Machine;
use super::{Identity, signatures};
use std::ffi::CString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// A UUID that a block device of this machine has already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) uuid: Uuid,
    pub(crate) path: PathBuf,
}

/// The first of these filesystems and devices that some block device beyond `own` knows already. Where block devices cannot
/// be listed, as in a container without /proc, none is known.
pub(crate) fn elsewhere(filesystems: &[Uuid], devices: &[Uuid], own: &[&Path]) -> Option<Known> {
    let machine = Machine::look().ok()?;
    let own: Vec<Identity> = own.iter().filter_map(|path| Identity::of_path(path)).collect();
    let asked = filesystems.iter().map(|uuid| (c"UUID", uuid)).chain(devices.iter().map(|uuid| (c"UUID_SUB", uuid)));
    asked.into_iter().find_map(|(tag, uuid)| {
        let value = CString::new(uuid.to_string()).ok()?;
        let other = |path: &PathBuf| !Identity::of_path(path).is_some_and(|identity| own.contains(&identity));
        machine.having(tag, &value).into_iter().find(other).map(|path| Known { uuid: *uuid, path })
    })
}

/// The device that udev announces for the UUID of a filesystem, if it still has it. Unlike [`elsewhere`], which asks every
/// device of the machine, this wakes none that sleeps but that one.
pub(crate) fn announced(fsid: Uuid) -> Option<PathBuf> {
    let path = fs::canonicalize(Path::new("/dev/disk/by-uuid").join(fsid.to_string())).ok()?;
    let found = signatures(&File::open(&path).ok()?).ok()?;
    let has = |uuid: &String| uuid.eq_ignore_ascii_case(&fsid.to_string());
    found.iter().any(|signature| signature.uuid.as_ref().is_some_and(has)).then_some(path)
}
