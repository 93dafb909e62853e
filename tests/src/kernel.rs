//! A new filesystem in the hands of the kernel and of btrfs-progs.

use crate::kernel_log::{Line, Mark};
use crate::loops::LoopSet;
use crate::mounts::Mount;
use crate::programs::{plan_and_execute, run, tool};
use crate::suite::{Outcome, ensure, fail};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

/// Profiles with the fewest devices they take.
pub const PROFILES: [(&str, usize); 9] = [
    ("single", 1),
    ("dup", 1),
    ("raid0", 1),
    ("raid1", 2),
    ("raid1c3", 3),
    ("raid1c4", 4),
    ("raid10", 2),
    ("raid5", 2),
    ("raid6", 3),
];

/// What the kernel says, at any level, where it found something to be put right.
const REPAIRS: [&str; 6] = [
    "checking UUID tree",
    "rebuilding free space tree",
    "creating free space tree",
    "clearing free space tree",
    "clearing v1 space cache",
    "qgroup marked inconsistent",
];

/// Words that no line about a healthy filesystem has, at any level.
const TROUBLE: [&str; 6] = ["error", "corrupt", "csum mismatch", "checksum", "warning", "failed"];

/// Lines that do have one of them, or are warnings, and why they are right.
const HARMLESS: [(&str, &str); 3] = [
    ("checksum algorithm", "the mount says which checksum it found"),
    ("space cache v1 is being deprecated", "said of every filesystem without a free space tree, which is asked for"),
    (
        "callbacks suppressed",
        "levels are limited one by one: a hundred warnings would have come before the first is left out",
    ),
];

/// What of this machine's tools can judge a filesystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judges {
    /// The kernel and `btrfs check`.
    Both,
    /// The same, but after use `btrfs check` does not compare data with its checksums.
    BothButData(&'static str),
    /// `btrfs check` alone, since the kernel cannot mount it here.
    CheckOnly(&'static str),
    /// The kernel alone, since the installed btrfs-progs does not know it.
    KernelOnly(&'static str),
}

/// Plans and makes a filesystem on new loop devices, uses it, and has everybody look at it before and after.
pub fn make_and_use(options: &[String], sizes: &[u64], judges: Judges) -> Outcome {
    let loops = LoopSet::new(sizes)?;
    make(options, &loops)?;
    let has_check = !matches!(judges, Judges::KernelOnly(_));
    if has_check {
        check(&loops, true)?;
    }
    if !matches!(judges, Judges::CheckOnly(_)) {
        let mut log = Mark::now()?;
        use_it(&loops)?;
        no_complaint(&log.lines(&loops.names())?)?;
        if has_check {
            check(&loops, !matches!(judges, Judges::BothButData(_)))?;
        }
    }
    Ok(())
}

/// `btrfs-plan OPTIONS DEVICES | btrfs-exec --yes`.
pub fn make(options: &[String], loops: &LoopSet) -> Outcome {
    plan_and_execute(options.iter().cloned().chain(loops.paths()))
}

/// `btrfs check`, of data too if so wished, without a word of complaint.
pub fn check(loops: &LoopSet, data: bool) -> Outcome {
    // It looks at every block device there is. Here it finds none but these: a /dev of its own, with nothing else in it.
    let script = r#"
        mount -t tmpfs tmpfs /dev
        while [[ $1 != -- ]]; do mknod "$1" b "$2" "$3"; shift 3; done
        shift
        exec btrfs check "$@"
    "#;
    let mut nodes = Vec::new();
    for device in loops.devices() {
        let number = std::fs::metadata(device.path())?.rdev();
        let (major, minor) = (nix::sys::stat::major(number), nix::sys::stat::minor(number));
        nodes.extend([device.path().display().to_string(), major.to_string(), minor.to_string()]);
    }
    let look = || {
        let mut command = Command::new("unshare");
        // A slave hears of it when another test unmounts something, and does not keep it busy.
        command.args(["--mount", "--propagation=slave", "bash", "-euc", script, "bash"]).args(&nodes).arg("--");
        command.args(data.then_some("--check-data-csum")).arg(loops.devices()[0].path());
        // Nor in what other programs remember of devices.
        run(command.env("BLKID_FILE", "/dev/no-cache"))
    };
    // It walks the kernel's list of devices, which others enter and leave meanwhile, and may miss one.
    let mut checked = look()?;
    for _ in 0..5 {
        if checked.stderr.contains("is missing") {
            checked = look()?;
        }
    }
    let checked = checked.success()?;
    let said = format!("{}{}", checked.text(), checked.stderr);
    let complaint = said.lines().find(|line| {
        let line = line.to_lowercase();
        let bad = ["error", "warning", "invalid", "mismatch", "bad "].iter().any(|word| line.contains(word));
        bad && !line.contains("no error found")
    });
    match complaint {
        Some(line) => fail(format!("btrfs check says: {line}\n{said}")),
        None => Ok(()),
    }
}

/// Mounts it, writes files of every kind, reads them back after another mount, and scrubs.
fn use_it(loops: &LoopSet) -> Outcome {
    let device = loops.devices()[0].path();
    let mount = Mount::new(device, "defaults")?;
    write_files(mount.path())?;
    scrub(mount.path())?;
    mount.unmount()?;
    let again = Mount::new(device, "ro")?;
    let names = std::fs::read_dir(again.path().join("small"))?.count();
    ensure(names == SMALL_FILES, || format!("{names} of {SMALL_FILES} small files are left"))?;
    let large = std::fs::read(again.path().join("large"))?;
    ensure(large == large_content(), || "the large file changed".to_owned())?;
    again.unmount()
}

const SMALL_FILES: usize = 300;

/// Files with inline and with separate extents, enough of them for trees of two levels.
fn write_files(folder: &Path) -> Outcome {
    let small = folder.join("small");
    std::fs::create_dir(&small)?;
    for number in 0..SMALL_FILES {
        std::fs::write(
            small.join(format!("a file whose name takes some room, number {number}")),
            vec![7; number * 20],
        )?;
    }
    std::fs::hard_link(small.join("a file whose name takes some room, number 1"), folder.join("link"))?;
    let mut large = File::create(folder.join("large"))?;
    large.write_all(&large_content())?;
    large.sync_all()?;
    tool("sync", ["--file-system".as_ref(), folder.as_os_str()])?;
    Ok(())
}

fn large_content() -> Vec<u8> {
    (0..2_u32 << 20).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

/// A scrub that finds no error.
pub fn scrub(folder: &Path) -> Outcome {
    let said = tool("btrfs", ["scrub".as_ref(), "start".as_ref(), "-B".as_ref(), folder.as_os_str()])?.text();
    ensure(said.contains("no errors found"), || format!("the scrub says: {said}"))
}

/// Fails if the kernel warned, or said that it had to put something right.
pub fn no_complaint(lines: &[Line]) -> Outcome {
    no_complaint_but(lines, &[])
}

/// The same, where lines with one of `expected` belong to what the test does.
pub fn no_complaint_but(lines: &[Line], expected: &[&str]) -> Outcome {
    const WARNING: u8 = 4;
    let complaints: Vec<&Line> = lines
        .iter()
        .filter(|line| {
            let text = line.text.to_lowercase();
            let harmless = HARMLESS.iter().any(|(known, _)| text.contains(known))
                || expected.iter().any(|known| line.text.contains(known));
            let complaint = line.level <= WARNING
                || REPAIRS.iter().any(|repair| line.text.contains(repair))
                || TROUBLE.iter().any(|word| text.contains(word));
            complaint && !harmless
        })
        .collect();
    ensure(complaints.is_empty(), || format!("the kernel says: {complaints:#?}"))
}
