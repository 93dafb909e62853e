//! What `btrfs-plan capacity` says against what the kernel lets in, on devices of unequal sizes.

use btrfs_plan_tests::kernel;
use btrfs_plan_tests::loops::LoopSet;
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::{btrfs_plan, tool};
use btrfs_plan_tests::suite::{self, Outcome, ensure, fail, root_case};
use libtest_mimic::Trial;
use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;
use std::process::ExitCode;

const MIB: u64 = 1 << 20;

fn main() -> ExitCode {
    suite::run(CASES.len(), cases())
}

/// Options, sizes in MiB, and why.
const CASES: [(&str, &[u64], &str); 13] = [
    ("-d single -m dup", &[1024], "one device"),
    ("-d dup -m dup", &[1500], "two stripes of each chunk on the one device"),
    ("-d single -m raid1", &[400, 1200], "the larger one first"),
    ("-d raid1 -m raid1", &[600, 900, 2048], "the largest one has no partner at the end"),
    ("-d raid1 -m raid1", &[700, 700, 700], "three alike, two at a time"),
    ("-d raid0 -m raid1", &[400, 900, 2048], "ever fewer stripes"),
    ("-d raid10 -m raid1", &[500, 700, 1000, 1500], "pairs"),
    ("-d raid10 -m raid10", &[400, 500, 600, 700, 900], "an odd one"),
    ("-d raid5 -m raid1", &[400, 800, 1600], "parity, of two stripes at the end"),
    ("-d raid6 -m raid1c3", &[500, 600, 800, 1500], "two parities, of three stripes at the end"),
    ("-d raid1c3 -m raid1c3", &[500, 700, 900, 1200], "three copies"),
    ("-d raid1c4 -m raid1c4", &[500, 600, 700, 800, 900], "four copies"),
    ("-M -d single -m single", &[700, 300], "shared chunks"),
];

fn cases() -> Vec<Trial> {
    let case = |(options, sizes, why): (&'static str, &'static [u64], &str)| {
        root_case(format!("{options} on {sizes:?} MiB: {why}"), move || as_the_kernel_fills(options, sizes))
    };
    CASES.into_iter().map(case).collect()
}

fn as_the_kernel_fills(options: &str, sizes: &[u64]) -> Outcome {
    let bytes: Vec<u64> = sizes.iter().map(|size| size * MIB).collect();
    let loops = LoopSet::new(&bytes)?;
    let options: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
    let mut arguments = vec!["capacity".to_owned(), "--json".to_owned()];
    arguments.extend(options.iter().cloned().chain(bytes.iter().map(|size| format!("size={size}"))));
    let predicted: serde_json::Value = serde_json::from_slice(&btrfs_plan(arguments)?.success()?.stdout)?;
    let number = |name: &str| predicted[name].as_u64().unwrap_or_default();

    kernel::make(&options, &loops)?;
    let mount = Mount::new(loops.devices()[0].path(), "defaults")?;
    let filled = fill(mount.path())?;
    let chunks = data_chunks(mount.path())?;
    mount.unmount()?;

    // No chunk is longer than a tenth of the filesystem.
    let granule = bytes.iter().sum::<u64>() / 10;
    let data = number("data");
    ensure(filled.abs_diff(data) <= granule, || {
        format!(
            "{} MiB were predicted, the kernel took {} MiB (chunks: {} MiB)",
            data / MIB,
            filled / MIB,
            chunks / MIB
        )
    })?;
    // Superblock copies are cut out of what data can take, a stripe element or a row each.
    ensure(chunks.abs_diff(data) <= MIB, || {
        format!("data chunks of {chunks} bytes are there, {data} bytes were predicted")
    })
}

/// Allocates files until nothing fits; the bytes that did.
fn fill(folder: &Path) -> Outcome<u64> {
    let mut sum = 0;
    let mut number = 0;
    for step in [64 * MIB, 8 * MIB, MIB, MIB / 16] {
        loop {
            number += 1;
            // Shared chunks may have no room for the name either.
            let file = match File::create_new(folder.join(number.to_string())) {
                Err(error) if error.kind() == std::io::ErrorKind::StorageFull => break,
                file => file?,
            };
            let length = i64::try_from(step)?;
            match nix::fcntl::fallocate(file.as_fd(), nix::fcntl::FallocateFlags::empty(), 0, length) {
                Ok(()) => sum += step,
                Err(nix::errno::Errno::ENOSPC) => break,
                Err(error) => return fail(format!("fallocate: {error}")),
            }
        }
    }
    Ok(sum)
}

/// Bytes of the data chunks there are.
fn data_chunks(folder: &Path) -> Outcome<u64> {
    let arguments = ["filesystem".as_ref(), "df".as_ref(), "--raw".as_ref(), folder.as_os_str()];
    let text = tool("btrfs", arguments)?.text();
    let mut sum = 0;
    for line in text.lines().filter(|line| line.starts_with("Data")) {
        let total = line.split("total=").nth(1).and_then(|rest| rest.split(',').next());
        sum += total.and_then(|total| total.parse::<u64>().ok()).ok_or("btrfs filesystem df says no total")?;
    }
    Ok(sum)
}
