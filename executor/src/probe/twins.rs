//! One device under two names.

use super::in_use::{Identity, Usage};
use super::loops::Backing;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Two paths that lead to the same device, or to a disk and its partition, whatever links and loop devices are on the
/// way.
#[must_use]
pub fn twins(paths: &[PathBuf], identities: &[Option<Identity>], usage: &Usage) -> Option<(PathBuf, PathBuf)> {
    let pair = |first: &Path, second: &Path| Some((first.to_path_buf(), second.to_path_buf()));
    let (mut names, mut seen) = (BTreeMap::new(), BTreeMap::new());
    let mut behind: Vec<(Backing, &PathBuf)> = Vec::new();
    for (path, identity) in paths.iter().zip(identities) {
        let same_name = names.insert(path, path);
        if let Some(first) = same_name.or_else(|| identity.and_then(|identity| seen.insert(identity, path))) {
            return pair(first, path);
        }
    }
    for (path, identity) in paths.iter().zip(identities) {
        let disk = identity.and_then(|identity| usage.disk_of(identity));
        if let Some(first) = disk.and_then(|disk| seen.get(&disk)) {
            return pair(first, path);
        }
        let Some(backing) = identity.and_then(|identity| usage.behind(identity)) else { continue };
        let like = || behind.iter().find(|(other, _)| other.meets(backing)).map(|(_, path)| *path);
        if let Some(first) = seen.get(&backing.file).copied().or_else(like) {
            return pair(first, path);
        }
        behind.push((backing, path));
    }
    None
}
