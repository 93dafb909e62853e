//! The audit against filesystems that are none of ours: what the installed mkfs.btrfs makes and what the kernel makes of
//! it must have nothing to be said about, and what is damaged on purpose must be found.

use btrfs_plan_tests::images::{audit, silent_but};
use btrfs_plan_tests::kernel::{PROFILES, make};
use btrfs_plan_tests::loops::{LoopSet, scratch, sparse_file};
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::{Ran, tool};
use btrfs_plan_tests::sparse::extents;
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail, root_case};
use btrfs_planner::audit::Code;
use btrfs_planner::disk::checksum::ChecksumType;
use libtest_mimic::Trial;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const GIB: u64 = 1 << 30;

/// Other options of the installed mkfs.btrfs, on one device.
const OPTIONS: [&str; 23] = [
    "",
    "-n 4k",
    "-n 8k",
    "-n 32k",
    "-n 64k",
    "-s 4k -n 4k",
    "-s 16k",
    "-s 64k",
    "-M",
    "-M -m dup -d dup",
    "-O ^extref",
    "-O ^skinny-metadata",
    "-O ^no-holes",
    "-O ^skinny-metadata,^no-holes,^extref -R ^free-space-tree",
    "-R ^free-space-tree",
    "-R quota",
    "--csum xxhash",
    "--csum sha256",
    "--csum blake2",
    "-L a-label",
    "-b 300m",
    "-K",
    "-O zoned -m single -d single",
];

/// Options of the filesystems that the kernel uses before they are audited, and devices.
const USED: [(&str, usize); 15] = [
    ("", 1),
    ("-m single", 1),
    ("-n 4k", 1),
    ("-n 64k", 1),
    ("-M", 1),
    ("-O ^no-holes", 1),
    ("-O ^skinny-metadata", 1),
    ("-R ^free-space-tree", 1),
    ("-R quota", 1),
    ("--csum blake2", 1),
    ("-m raid1 -d raid0", 2),
    ("-m raid1c3 -d raid5", 3),
    ("-m raid5 -d raid5", 3),
    ("-m raid6 -d raid6", 4),
    ("-m raid10 -d raid10", 4),
];

/// mkfs.btrfs 6.2 leaves what it said of its temporary block groups in the free space tree.
const STALE: [Code; 1] = [Code::FreeSpaceStale];

fn main() -> ExitCode {
    let mut cases = Vec::new();
    for (profile, fewest) in PROFILES {
        for devices in fewest..=4 {
            let options = format!("-m {profile} -d {profile}");
            cases.push(case(format!("mkfs {options} on {devices}"), move || new(&options, devices, 2 * GIB)));
        }
    }
    for options in OPTIONS {
        cases.push(case(format!("mkfs {options}"), move || new(options, 1, 4 * GIB)));
    }
    for (options, devices) in USED {
        cases.push(root_case(format!("mkfs {options} on {devices}, used"), move || used(options, devices, false)));
    }
    for (options, devices) in [
        ("", 1),
        ("-n 4k", 1),
        ("-n 64k", 1),
        ("-O ^block-group-tree,^free-space-tree,^no-holes", 1),
        ("-O quota", 1),
        ("-O squota", 1),
        ("-M", 1),
        ("-m raid1 -d raid1", 2),
        ("-m raid5 -d raid6", 4),
        ("-m raid1c4 -d raid10", 4),
    ] {
        cases.push(root_case(format!("ours {options} on {devices}, used"), move || used(options, devices, true)));
    }
    cases.extend(damages());
    for (options, devices) in [("-d single", 1), ("-d dup", 1), ("-d raid10", 4), ("-d raid5", 3)] {
        cases.push(root_case(format!("damaged: contents, {options}"), move || damaged_contents(options, devices)));
    }
    suite::run(92, cases)
}

/// Image files with a filesystem that mkfs.btrfs made.
fn mkfs(options: &str, folder: &Path, devices: usize, size: u64) -> Outcome<Vec<PathBuf>> {
    let paths: Vec<PathBuf> = (1..=devices).map(|number| folder.join(format!("disk{number}"))).collect();
    for path in &paths {
        sparse_file(path, size)?;
    }
    run_mkfs(options, &paths)?;
    Ok(paths)
}

fn run_mkfs(options: &str, paths: &[PathBuf]) -> Outcome<Ran> {
    let arguments = ["-q", "-f"].into_iter().chain(options.split_whitespace()).map(PathBuf::from);
    tool("mkfs.btrfs", arguments.chain(paths.iter().cloned()))
}

/// A new filesystem has nothing to be said about.
fn new(options: &str, devices: usize, size: u64) -> Outcome {
    let folder = scratch()?;
    let paths = mkfs(options, folder.path(), devices, size)?;
    let report = audit(&paths)?;
    ensure(report.read.blocks >= 7, || format!("only {} blocks were read", report.read.blocks))?;
    silent_but(&report, &STALE)
}

/// Nor has one that the kernel filled with everything there is.
fn used(options: &str, devices: usize, ours: bool) -> Outcome {
    let loops = LoopSet::new(&vec![GIB; devices])?;
    let paths: Vec<PathBuf> = loops.paths().into_iter().map(PathBuf::from).collect();
    if ours {
        let options: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
        make(&options, &loops)?;
    } else {
        run_mkfs(options, &paths)?;
        tool("btrfs", ["device", "scan"].iter().map(PathBuf::from).chain(paths.iter().cloned()))?;
    }
    let backing: Vec<&Path> = loops.devices().iter().map(|device| device.backing()).collect();
    let mount = Mount::new(&paths[0], "defaults")?;
    script("use.sh", mount.path())?;
    mount.unmount()?;
    let report = audit(&backing)?;
    silent_but(&report, &STALE)?;
    // Once more: what the cleaner left is gone, what it took is free.
    // The cleaner looks at every transaction's end what there is to do: let that be soon.
    let again = Mount::new(&paths[0], "commit=1")?;
    script("clean.sh", again.path())?;
    again.unmount()?;
    silent_but(&audit(&backing)?, &STALE)
}

/// Runs one of the scripts beside this suite on a folder.
fn script(name: &str, folder: &Path) -> Outcome {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle").join(name);
    tool("bash", [script.as_path(), folder])?;
    Ok(())
}

/// A name, and what is done to a filesystem of mkfs.btrfs on two devices, raid1 metadata and raid0 data, and one file;
/// and the code that says so.
type Damage = (&'static str, fn(&[PathBuf]) -> Outcome, Code);

const DAMAGES: [Damage; 14] = [
    ("a bit of the primary superblock", |disks| flip(&disks[0], 65536 + 1000), Code::SuperblockChecksum),
    ("a superblock's magic", |disks| fill(&disks[1], 65536 + 64, 8), Code::SuperblockMissing),
    ("a superblock's mirror", |disks| flip(&disks[0], (64 << 20) + 500), Code::SuperblockChecksum),
    ("an older mirror", |disks| edit(&disks[0], &[64 << 20], 4096, 0x48, &[1]), Code::SuperblocksDiffer),
    ("a device's name in its superblocks", |disks| both(&disks[1], 0xc9 + 66, &[1; 16]), Code::ChunkDevice),
    ("the size of a device", |disks| both(&disks[1], 0xc9 + 8, &[0; 6]), Code::DeviceSuperblock),
    ("the label", |disks| both(&disks[0], 0x12b, b"other"), Code::SuperblocksDiffer),
    ("bytes used", |disks| all(disks, 0x78, &[1]), Code::BytesUsed),
    ("total bytes", |disks| all(disks, 0x70, &[1]), Code::TotalBytes),
    ("an unknown feature", |disks| all(disks, 0xbc + 4, &[1]), Code::SuperblockFeatures),
    ("a backup root", |disks| all(disks, 0xb2b, &[1; 672]), Code::BackupRoots),
    ("the system chunk array", |disks| all(disks, 0x32b + 17 + 48 + 8, &[1]), Code::SystemChunkArray),
    (
        "a device that is missing",
        |disks| [64 << 10, 64 << 20].into_iter().try_for_each(|at| fill(&disks[1], at, 4096)),
        Code::DeviceCount,
    ),
    ("the same device twice", |disks| copy(&disks[0], &disks[1]), Code::DeviceTwice),
];

fn damages() -> Vec<Trial> {
    let damage = |(name, damage, code): Damage| {
        case(format!("damaged: {name}"), move || {
            let folder = scratch()?;
            let disks = mkfs("-m raid1 -d raid0", folder.path(), 2, GIB)?;
            damage(&disks)?;
            reported(&disks, code)
        })
    };
    DAMAGES.into_iter().map(damage).collect()
}

/// A bit of a file changes, in one copy.
fn damaged_contents(options: &str, devices: usize) -> Outcome {
    const WORDS: &[u8] = b"these words stand nowhere else on these disks, and a whole file is full of them; ";
    let loops = LoopSet::new(&vec![GIB; devices])?;
    let paths: Vec<PathBuf> = loops.paths().into_iter().map(PathBuf::from).collect();
    run_mkfs(options, &paths)?;
    tool("btrfs", ["device", "scan"].iter().map(PathBuf::from).chain(paths.iter().cloned()))?;
    let mount = Mount::new(&paths[0], "defaults")?;
    std::fs::write(mount.path().join("file"), WORDS.repeat(10_000))?;
    mount.unmount()?;
    let backing: Vec<PathBuf> = loops.devices().iter().map(|device| device.backing().to_owned()).collect();
    silent_but(&audit(&backing)?, &STALE)?;
    for disk in &backing {
        for extent in extents(disk)? {
            let mut bytes = vec![0; usize::try_from(extent.end - extent.start)?];
            open(disk)?.read_exact_at(&mut bytes, extent.start)?;
            if let Some(at) = bytes.windows(WORDS.len()).position(|window| window == WORDS) {
                flip(disk, extent.start + at as u64)?;
                return reported(&backing, Code::DataChecksum);
            }
        }
    }
    fail("the file stands nowhere")
}

/// Whether the audit says what is wrong.
fn reported(disks: &[PathBuf], code: Code) -> Outcome {
    let report = audit(disks)?;
    let found: BTreeSet<&str> = report.findings.iter().map(|finding| finding.code.name()).collect();
    ensure(!report.is_clean() && found.contains(code.name()), || format!("{code} is not among {found:?}"))
}

fn open(disk: &Path) -> Outcome<File> {
    Ok(File::options().read(true).write(true).open(disk)?)
}

fn flip(disk: &Path, offset: u64) -> Outcome {
    let mut byte = [0];
    open(disk)?.read_exact_at(&mut byte, offset)?;
    Ok(open(disk)?.write_all_at(&[!byte[0]], offset)?)
}

fn fill(disk: &Path, offset: u64, length: usize) -> Outcome {
    Ok(open(disk)?.write_all_at(&vec![0x5a; length], offset)?)
}

/// Changes blocks of `size` bytes that begin with a checksum, and mends the checksum.
fn edit(disk: &Path, blocks: &[u64], size: usize, at: usize, bytes: &[u8]) -> Outcome {
    let file = open(disk)?;
    for offset in blocks {
        let mut block = vec![0; size];
        file.read_exact_at(&mut block, *offset)?;
        block[at..at + bytes.len()].copy_from_slice(bytes);
        ChecksumType::Crc32c.seal(&mut block);
        file.write_all_at(&block, *offset)?;
    }
    Ok(())
}

/// Changes both superblocks of a disk.
fn both(disk: &Path, at: usize, bytes: &[u8]) -> Outcome {
    edit(disk, &[64 << 10, 64 << 20], 4096, at, bytes)
}

/// Changes all superblocks.
fn all(disks: &[PathBuf], at: usize, bytes: &[u8]) -> Outcome {
    disks.iter().try_for_each(|disk| both(disk, at, bytes))
}

fn copy(from: &Path, to: &Path) -> Outcome {
    std::fs::copy(from, to)?;
    Ok(())
}
