//! From targets to the facts that the planner is told.

use crate::console;
use crate::exit::Failure;
use crate::parallel;
use crate::probe::{Identity, ProbeError, Usage, probe, twins};
use crate::target::Target;
use btrfs_planner::request::DeviceFacts;
use std::path::{Path, PathBuf};

/// Two targets are one device.
#[derive(Debug, thiserror::Error)]
#[error("'{}' and '{}' are the same device, or parts of one", .0.display(), .1.display())]
struct Twins(PathBuf, PathBuf);

/// A thread ended by itself: an error of this program.
#[derive(Debug, thiserror::Error)]
#[error("an internal error stopped the probing of a device")]
struct Panicked;

/// Probes every target that is a path, all at once: disks take their time.
pub(crate) fn facts(targets: &[Target], byte_count: Option<u64>, verbose: bool) -> Result<Vec<DeviceFacts>, Failure> {
    let paths: Vec<PathBuf> = targets.iter().filter_map(path).map(Path::to_path_buf).collect();
    if paths.is_empty() {
        return Ok(targets.iter().filter_map(described).collect());
    }
    let usage = Usage::read().map_err(|error| Failure::refused(error).with_hint(Some("mount /proc")))?;
    let identities: Vec<Option<Identity>> = paths.iter().map(|path| Identity::of_path(path)).collect();
    if let Some((first, second)) = twins(&paths, &identities, &usage) {
        return Err(Failure::refused(Twins(first, second)).with_hint(Some("name every device once")));
    }
    let mut probed = probe_all(&paths, byte_count, &usage)?.into_iter();
    let facts: Vec<DeviceFacts> =
        targets.iter().filter_map(|target| described(target).or_else(|| probed.next())).collect();
    if verbose {
        facts.iter().for_each(tell);
    }
    Ok(facts)
}

fn path(target: &Target) -> Option<&Path> {
    match target {
        Target::Path(path) => Some(path),
        Target::Described(_) => None,
    }
}

fn described(target: &Target) -> Option<DeviceFacts> {
    match target {
        Target::Path(_) => None,
        Target::Described(facts) => Some(facts.clone()),
    }
}

fn probe_all(paths: &[PathBuf], byte_count: Option<u64>, usage: &Usage) -> Result<Vec<DeviceFacts>, Failure> {
    let results = parallel::map(paths, usize::MAX, |path| probe(path, byte_count, usage));
    let results: Option<Vec<Result<DeviceFacts, ProbeError>>> = results.into_iter().collect();
    let results = results.ok_or_else(|| Failure::refused(Panicked))?;
    results.into_iter().collect::<Result<_, _>>().map_err(Failure::refused_with(ProbeError::hint))
}

/// Tells what was found on a device.
pub(crate) fn tell(facts: &DeviceFacts) {
    let path = facts.path.as_deref().unwrap_or("described device");
    let discard = match facts.discard {
        Some(limits) => format!("discards by {} bytes", limits.granularity),
        None => "does not discard".to_string(),
    };
    let DeviceFacts { size, logical_sector, .. } = facts;
    console::tell(&console::escaped(&format!("{path}: {size} bytes, sectors of {logical_sector}, {discard}")));
    if let Some(zones) = &facts.zones {
        let (count, runs) = (zones.count().unwrap_or(u64::MAX), zones.runs.len());
        console::tell(&console::escaped(&format!("{path}: {count} zones of {} bytes in {runs} runs", zones.size)));
    }
    for signature in &facts.signatures {
        let text = format!("{path}: {} at {}", signature.kind, signature.offset);
        console::tell(&console::escaped(&text));
    }
}
