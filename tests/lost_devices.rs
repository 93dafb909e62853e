//! New filesystems that lose devices before anybody has looked at them.
//!
//! What the kernel says of every missing device would keep it from saying more important things, so this is apart from the
//! tests that listen to it.

use btrfs_plan_tests::kernel::{make, no_complaint_but};
use btrfs_plan_tests::kernel_log::Mark;
use btrfs_plan_tests::loops::LoopSet;
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::tool;
use btrfs_plan_tests::sparse::fill;
use btrfs_plan_tests::suite::{self, Outcome, ensure, root_case};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const NODE_SIZES: [&str; 3] = ["4k", "16k", "64k"];

/// Profile, number of devices, and how many of them are lost.
const WHOLE: [(&str, usize, usize); 13] = [
    ("raid1", 2, 1),
    ("raid1", 3, 1),
    ("raid1c3", 3, 2),
    ("raid1c4", 4, 3),
    ("raid10", 4, 1),
    ("raid10", 6, 1),
    ("raid5", 2, 1),
    ("raid5", 3, 1),
    ("raid5", 4, 1),
    ("raid6", 3, 1),
    ("raid6", 3, 2),
    ("raid6", 4, 2),
    ("raid6", 6, 2),
];

/// The same on devices that were full of something else and are not discarded: parity is over all of a row, not just over
/// what the plan has in it.
const DIRTY: [(&str, usize, usize); 4] = [("raid1", 2, 1), ("raid5", 3, 1), ("raid5", 4, 1), ("raid6", 4, 2)];

fn main() -> ExitCode {
    let mut cases = Vec::new();
    for node_size in NODE_SIZES {
        for (profile, count, lost) in WHOLE {
            let options = format!("-d {profile} -m {profile} -n {node_size}");
            let name = format!("{lost} of {count}: {options}");
            cases.push(root_case(name, move || survives(&options, &vec![2 * GIB; count], lost, false)));
        }
        for (profile, count, lost) in DIRTY {
            let options = format!("-K -d {profile} -m {profile} -n {node_size}");
            let name = format!("{lost} of {count} dirty ones: {options}");
            cases.push(root_case(name, move || survives(&options, &vec![300 * MIB; count], lost, true)));
        }
    }
    suite::run(51, cases)
}

/// Whether every device can be lost, one after another and `lost` at a time. What is left must be mounted by the kernel,
/// which reads every tree on the way, parity or other copies standing in for what is missing.
fn survives(options: &str, sizes: &[u64], lost: usize, dirty: bool) -> Outcome {
    let options: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
    for first in 0..sizes.len() {
        let loops = LoopSet::new(sizes)?;
        if dirty {
            for (device, size) in loops.devices().iter().zip(sizes) {
                fill(device.backing(), 0, *size)?;
            }
        }
        make(&options, &loops)?;
        // Neighbours, round the end: what two failing disks of a raid6 would be.
        let missing: Vec<usize> = (first..first + lost).map(|index| index % sizes.len()).collect();
        // The kernel knows no device but those that it is told of.
        for device in loops.devices() {
            device.forget();
        }
        let left: Vec<String> =
            (0..).zip(loops.paths()).filter(|(index, _)| !missing.contains(index)).map(|(_, path)| path).collect();
        let devices: Vec<String> = left.iter().map(|path| format!("device={path}")).collect();
        let mut log = Mark::now()?;
        let mount = Mount::new(Path::new(&left[0]), &format!("ro,degraded,{}", devices.join(",")))
            .map_err(|error| format!("without {missing:?}: {}", error.message().unwrap_or_default()))?;
        let known = kernel_misses(&left[0], sizes.len())?;
        ensure(known == missing.iter().copied().collect(), || {
            format!("without {missing:?}, but the kernel misses {known:?}")
        })?;
        std::fs::read_dir(mount.path())?.count();
        mount.unmount()?;
        no_complaint_but(&log.lines(&loops.names())?, &["is missing", "allowing degraded mounts"])?;
    }
    Ok(())
}

/// The indices of the devices that the kernel misses of the mounted filesystem on `device`. Its own word on it: `btrfs
/// filesystem show` reads all devices there are, and stumbles over those of other cases that are just being taken down.
fn kernel_misses(device: &str, count: usize) -> Outcome<BTreeSet<usize>> {
    let fsid = tool("blkid", ["-p", "-s", "UUID", "-o", "value", device])?.text();
    let mut missing = BTreeSet::new();
    for index in 0..count {
        let devid = index + 1;
        let file = format!("/sys/fs/btrfs/{}/devinfo/{devid}/missing", fsid.trim());
        if std::fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?.trim() == "1" {
            missing.insert(index);
        }
    }
    Ok(missing)
}
