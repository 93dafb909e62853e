//! Every kind of filesystem that can be asked for, made on loop devices and handed to this machine's kernel.

use btrfs_plan_tests::kernel::{Judges, PROFILES, check, make, make_and_use, scrub};
use btrfs_plan_tests::loops::LoopSet;
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::tool;
use btrfs_plan_tests::suite::{self, Outcome, ensure, root_case};
use libtest_mimic::Trial;
use std::process::ExitCode;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

const NODE_SIZES: [&str; 3] = ["4k", "16k", "64k"];
const CHECKSUMS: [&str; 4] = ["crc32c", "xxhash64", "sha256", "blake2b"];

/// The installed `btrfs check` is older than this feature.
const TOO_NEW: Judges = Judges::KernelOnly("btrfs-progs before 6.7 does not know simple quotas");
/// On filesystems of mkfs.btrfs, too, btrfs-progs 6.2 finds data that the kernel wrote to differ in what it rebuilds from
/// parity; the kernel's scrub has no complaint.
const PARITY_DATA: Judges = Judges::BothButData("btrfs-progs 6.2 misreads parity over data");
const LARGE_SECTORS: Judges = Judges::CheckOnly("a kernel mounts sectors of its page size, 4 KiB here");

fn main() -> ExitCode {
    let mut cases = Vec::new();
    cases.extend(profiles_on_devices());
    cases.extend(unlike_profiles());
    cases.extend(options());
    cases.extend(sizes());
    suite::run(540, cases)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// A case named by its options and devices, and by who does not judge it.
fn used(options: &str, sizes: Vec<u64>, judges: Judges) -> Trial {
    let parity = ["-d raid5", "-d raid6"].iter().any(|data| options.contains(data));
    let judges = if judges == Judges::Both && parity { PARITY_DATA } else { judges };
    let limits = match judges {
        Judges::Both => String::new(),
        Judges::BothButData(reason) | Judges::CheckOnly(reason) | Judges::KernelOnly(reason) => format!(" ({reason})"),
    };
    let name = format!("{options} on {}{limits}", devices(&sizes));
    let arguments = words(options);
    root_case(name, move || make_and_use(&arguments, &sizes, judges))
}

fn devices(sizes: &[u64]) -> String {
    let size = |size: &u64| match size % MIB {
        0 => format!("{}M", size / MIB),
        rest => format!("{}M+{rest}", size / MIB),
    };
    match sizes {
        [first, .., last] if first == last => format!("{}x{}", sizes.len(), size(first)),
        _ => sizes.iter().map(size).collect::<Vec<_>>().join("+"),
    }
}

/// The whole product: every profile on every number of devices that it takes, with every node size and every checksum.
fn profiles_on_devices() -> Vec<Trial> {
    let mut cases = Vec::new();
    for (profile, fewest) in PROFILES {
        for count in [1, 2, 3, 4, 6].into_iter().filter(|count| *count >= fewest) {
            let devices = || vec![2 * GIB; count];
            for checksum in CHECKSUMS {
                for node_size in NODE_SIZES {
                    let options = format!("-d {profile} -m {profile} -n {node_size} --csum {checksum}");
                    cases.push(used(&options, devices(), Judges::Both));
                }
            }
            cases.push(used(&format!("-M -d {profile} -m {profile}"), devices(), Judges::Both));
        }
    }
    cases
}

/// Data and metadata of different profiles.
fn unlike_profiles() -> Vec<Trial> {
    let mut cases = Vec::new();
    for (profiles, count) in [
        ("-d single -m dup", 1),
        ("-d single -m raid1", 2),
        ("-d raid0 -m raid1", 3),
        ("-d raid5 -m raid1c3", 3),
        ("-d raid6 -m raid1c4", 4),
        ("-d raid10 -m raid1", 4),
        ("-d dup -m single", 1),
    ] {
        for node_size in NODE_SIZES {
            cases.push(used(&format!("{profiles} -n {node_size}"), vec![2 * GIB; count], Judges::Both));
        }
    }
    for checksum in CHECKSUMS {
        cases.push(used(&format!("-M --csum {checksum}"), vec![GIB], Judges::Both));
    }
    cases
}

fn options() -> Vec<Trial> {
    let one = || vec![4 * GIB];
    let mut cases: Vec<Trial> = [
        "-O ^no-holes",
        "-O ^free-space-tree",
        "-O ^block-group-tree",
        "-O ^skinny-metadata",
        "-O ^extref",
        "-O ^bgt,^fst,^no-holes,^extref,^skinny-metadata",
        "-O ^bgt,^skinny-metadata",
        "-O quota",
        "-O quota,^bgt,^skinny-metadata",
        "-O quota -n 64k",
        "-O mixed-bg",
        "-M -d dup -m dup",
        "-M -O ^skinny-metadata,^bgt",
        "-L plain",
        "-L ünïcödé",
        "-b 1234567890",
        "-b 4294967296",
        "-K",
        "--discard exact",
    ]
    .into_iter()
    .map(|options| used(options, one(), Judges::Both))
    .collect();
    cases.push(used("-O squota", one(), TOO_NEW));
    cases.push(used("-O squota -d raid1 -m raid1", vec![2 * GIB; 2], TOO_NEW));
    cases.push(used("-O quota -d raid6 -m raid6 -n 4k", vec![2 * GIB; 4], Judges::Both));
    cases.push(used("-b 1073741824 -d raid1 -m raid1", vec![2 * GIB, 4 * GIB], Judges::Both));
    for sector_size in ["8k", "16k", "64k"] {
        cases.push(used(&format!("-s {sector_size}"), one(), LARGE_SECTORS));
        cases.push(used(&format!("-s {sector_size} -M"), one(), LARGE_SECTORS));
    }
    cases
}

fn sizes() -> Vec<Trial> {
    let mut cases = vec![
        // The smallest that the profiles allow.
        used("-d single -m single", vec![45 * MIB], Judges::Both),
        used("-d single -m dup", vec![109 * MIB], Judges::Both),
        used("-M", vec![16 * MIB], Judges::Both),
        // Not a multiple of anything but sectors, the last of which is cut.
        used("-d dup -m dup", vec![3 * GIB + 4096 + 512], Judges::Both),
        used("-d raid1 -m raid1", vec![10 * GIB, 5 * GIB, GIB], Judges::Both),
        used("-d raid0 -m raid0", vec![GIB, 5 * GIB, 10 * GIB], Judges::Both),
        used("-d raid5 -m raid5", vec![256 * MIB, 10 * GIB, 10 * GIB], Judges::Both),
        used("-d raid10 -m raid10", vec![300 * MIB, 10 * GIB, 10 * GIB, 10 * GIB], Judges::Both),
        // All three superblocks, and chunks as large as they get.
        used("-d single -m dup", vec![1024 * GIB], Judges::Both),
        used("-d raid6 -m raid6", vec![300 * GIB; 5], Judges::Both),
        // As many devices as two system chunks of all of them fit into the superblock.
        used("-d raid0 -m raid0", vec![256 * MIB; 29], Judges::Both),
        // Trees of several levels from the start.
        used("-d raid10 -m raid1 -n 4k", vec![512 * MIB; 40], Judges::Both),
    ];
    // Whether there is a second superblock copy, and a third, to the sector; and one sector more than the smallest.
    for size in [64 * MIB, 64 * MIB + 8192, 256 * GIB, 256 * GIB + 8192] {
        cases.push(used("-m single", vec![size], Judges::Both));
    }
    for (options, size) in
        [("-m single", 45 * MIB), ("-m dup", 109 * MIB), ("-M", 16 * MIB), ("-M -d dup -m dup", 157 * MIB)]
    {
        cases.push(used(options, vec![size + 4096], Judges::Both));
    }
    // The largest that a kernel can address, and more than that together. The loop driver would discard them for hours.
    for sizes in [vec![LARGEST], vec![LARGEST - 4096], vec![7 << 60; 2]] {
        cases.push(used("-K -m single", sizes, Judges::Both));
    }
    for size in [64 * MIB + 4096, 256 * GIB + 4096] {
        cases.push(root_case(format!("the copy that ends with {} goes stale", devices(&[size])), move || stale(size)));
    }
    for (profile, count) in [("raid0", 60), ("raid10", 59), ("raid6", 60)] {
        let name = format!("-m {profile} on {count}x256M, but for a scrub");
        cases.push(root_case(name, move || many(profile, count)));
    }
    // What older kernels mount, this one does, too.
    for options in ["--defaults compat", "--defaults 5.15", "--target-kernel 4.4 --drop-unsupported"] {
        cases.push(used(options, vec![GIB], Judges::Both));
    }
    cases
}

/// What is warned of: kernels check a superblock copy that ends with its device, and do not write it.
fn stale(size: u64) -> Outcome {
    let loops = LoopSet::new(&[size])?;
    make(&words("-m single"), &loops)?;
    check(&loops, true)?;
    let mount = Mount::new(loops.devices()[0].path(), "defaults")?;
    scrub(mount.path())?;
    std::fs::write(mount.path().join("file"), [7; 4096])?;
    tool("sync", ["--file-system".as_ref(), mount.path().as_os_str()])?;
    let said = scrub(mount.path()).err().and_then(|error| error.message().map(str::to_owned)).unwrap_or_default();
    ensure(said.contains("super=1"), || format!("the scrub says: {said}"))?;
    mount.unmount()
}

/// System chunks as wide as they get, of which the superblock holds only one: they can be used, as long as no scrub and no
/// balance makes the kernel add another.
fn many(profile: &str, count: usize) -> Outcome {
    let loops = LoopSet::new(&vec![256 * MIB; count])?;
    make(&words(&format!("-m {profile}")), &loops)?;
    check(&loops, true)?;
    for number in 0..3 {
        let mount = Mount::new(loops.devices()[0].path(), "defaults")?;
        std::fs::write(mount.path().join(number.to_string()), [7; 1 << 20])?;
        mount.unmount()?;
    }
    check(&loops, true)
}

/// The last whole sector ends with the last byte that a kernel can address.
const LARGEST: u64 = (1 << 63) - 4096;
