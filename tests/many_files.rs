//! Filesystems that are full of files from the start: tall trees, many chunks, before the kernel.

use btrfs_plan_tests::loops::LoopSet;
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::{btrfs_exec, tool};
use btrfs_plan_tests::suite::{self, Outcome, ensure, fail, root_case};
use btrfs_planner::disk::directory::{DirItem, name_hash};
use btrfs_planner::disk::inode::{FIRST_FREE_OBJECTID, InodeItem, InodeRef, Timespec};
use btrfs_planner::disk::key::{DiskKey, ItemType, Key};
use btrfs_planner::request::{DeviceFacts, Profile};
use btrfs_planner::trees::{Contents, GENERATION, Items};
use btrfs_planner::{Request, plan_with};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use zerocopy::IntoBytes;

const GIB: u64 = 1 << 30;
const REGULAR_FILE: u8 = 1;

fn main() -> ExitCode {
    let cases = [
        ("300 files, dup, 4 KiB nodes", 1, Profile::Dup, 4096, 300),
        ("20000 files, dup, 4 KiB nodes", 1, Profile::Dup, 4096, 20_000),
        ("100000 files, single, 16 KiB nodes, chunks of 8 MiB", 1, Profile::Single, 16384, 100_000),
        ("100000 files, raid1, 16 KiB nodes", 2, Profile::Raid1, 16384, 100_000),
        ("50000 files, raid5, 64 KiB nodes", 3, Profile::Raid5, 65536, 50_000),
        ("50000 files, raid6, 16 KiB nodes", 4, Profile::Raid6, 16384, 50_000),
        ("50000 files, raid10, 4 KiB nodes", 4, Profile::Raid10, 4096, 50_000),
    ];
    let cases = cases.map(|(name, devices, profile, node_size, files)| {
        root_case(name, move || check(devices, profile, node_size, files))
    });
    suite::run(7, cases.into())
}

fn check(devices: usize, profile: Profile, node_size: u32, files: u64) -> Outcome {
    let set = LoopSet::new(&vec![2 * GIB; devices])?;
    let facts = set.paths().into_iter().map(|path| DeviceFacts { path: Some(path), ..DeviceFacts::described(2 * GIB) });
    let mut request = Request::new(facts.collect(), &format!("{profile} {node_size} {files}"), 1_700_000_000);
    request.metadata = Some(profile);
    request.node_size = Some(node_size);
    let plan = plan_with(&request, &empty_files(files))?;
    let document = set.folder().join("plan.json");
    std::fs::write(&document, plan.to_json())?;
    let mut arguments = vec!["--yes".to_owned(), document.display().to_string()];
    for (devid, path) in (1..).zip(set.paths()) {
        arguments.push(format!("--device={devid}={path}"));
    }
    btrfs_exec(arguments)?.success()?;

    let paths = set.paths();
    tool("btrfs", ["check", "--check-data-csum", &paths[0]])?;
    let mount = Mount::new(Path::new(&paths[0]), "rw")?;
    let mut names = 0;
    for entry in std::fs::read_dir(mount.path())? {
        let entry = entry?;
        names += 1;
        let metadata = entry.metadata()?;
        ensure(metadata.is_file() && metadata.len() == 0, || format!("{:?} is no empty file", entry.path()))?;
    }
    ensure(names == files, || format!("{names} of {files} files are there"))?;
    // The kernel goes on from where the plan ended: it adds, removes, and balances what it found.
    std::fs::write(mount.path().join("new"), vec![7; 1 << 20])?;
    std::fs::remove_file(mount.path().join(file_name(files / 2)))?;
    let folder = mount.path().display().to_string();
    tool("sync", ["-f", &folder])?;
    tool("btrfs", ["balance", "start", "-m", "--force", &folder])?;
    let scrub = tool("btrfs", ["scrub", "start", "-B", &folder])?.text();
    ensure(scrub.contains("no errors found"), || scrub.clone())?;
    mount.unmount()?;
    match tool("btrfs", ["check", "--check-data-csum", &paths[0]]) {
        Ok(_) => Ok(()),
        Err(error) => fail(format!("after use: {}", error.message().unwrap_or_default())),
    }
}

fn file_name(number: u64) -> String {
    format!("file number {number}")
}

/// A root directory of so many empty files.
fn empty_files(count: u64) -> Contents {
    let time = Timespec::from_seconds(1_700_000_000);
    let generation = GENERATION.get().into();
    let inode = |number: u64| FIRST_FREE_OBJECTID + 1 + number;
    let entry = |number: u64, name: &str| DirItem {
        location: DiskKey::from(Key::new(inode(number), ItemType::INODE_ITEM, 0)),
        transid: generation,
        data_len: 0.into(),
        name_len: u16::try_from(name.len()).unwrap_or_default().into(),
        entry_type: REGULAR_FILE,
    };
    // Names with the same hash share an item.
    let mut by_hash: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    let mut by_index = Vec::new();
    let mut size = 0;
    for number in 0..count {
        let name = file_name(number);
        let bytes = [entry(number, &name).as_bytes(), name.as_bytes()].concat();
        by_hash.entry(name_hash(name.as_bytes()).into()).or_default().extend_from_slice(&bytes);
        // The first two numbers belong to `.` and `..`.
        by_index.push((number + 2, bytes));
        size += 2 * name.len() as u64;
    }
    let mut fs = Items::new();
    for (hash, bytes) in by_hash {
        fs.push(Key::new(FIRST_FREE_OBJECTID, ItemType::DIR_ITEM, hash), &[&bytes]);
    }
    for (index, bytes) in by_index {
        fs.push(Key::new(FIRST_FREE_OBJECTID, ItemType::DIR_INDEX, index), &[&bytes]);
    }
    for number in 0..count {
        let item = InodeItem {
            generation,
            transid: generation,
            nlink: 1.into(),
            mode: 0o100_644.into(),
            atime: time,
            ctime: time,
            mtime: time,
            otime: time,
            ..InodeItem::default()
        };
        fs.push(Key::new(inode(number), ItemType::INODE_ITEM, 0), &[item.as_bytes()]);
        let name = file_name(number);
        let reference =
            InodeRef { index: (number + 2).into(), name_len: u16::try_from(name.len()).unwrap_or_default().into() };
        let key = Key::new(inode(number), ItemType::INODE_REF, FIRST_FREE_OBJECTID);
        fs.push(key, &[reference.as_bytes(), name.as_bytes()]);
    }
    Contents { fs, root_directory_size: size }
}
