//! A new filesystem in the hands of the kernel and of btrfs-progs.

use crate::kernel_log::{Line, Mark};
use crate::loops::{LoopSet, concerns};
use crate::mounts::Mount;
use crate::programs::{plan_and_execute, run, tool};
use crate::suite::{Outcome, ensure, fail};
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

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

/// `btrfs check`, of data too if so wished, without a word of complaint about these devices; it looks at all there are.
pub fn check(loops: &LoopSet, data: bool) -> Outcome {
    let mut said = String::new();
    // It finds the other devices by walking a list that other tests' devices enter and leave meanwhile, and may miss one.
    for _ in 0..5 {
        let mut command = Command::new("btrfs");
        command.arg("check").args(data.then_some("--check-data-csum")).arg(loops.devices()[0].path());
        let checked = run(&mut command)?.success()?;
        said = format!("{}{}", checked.text(), checked.stderr);
        if !said.contains("is missing") {
            break;
        }
    }
    let names = loops.names();
    let complaint = said.lines().filter(|line| concerns(line, &names)).find(|line| {
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

/// Whether every device can be lost, one after another and `lost` at a time: what is left must be mounted by the kernel,
/// which reads every tree on the way, parity or other copies standing in for what is missing.
pub fn survives_loss(options: &[String], sizes: &[u64], lost: usize) -> Outcome {
    for first in 0..sizes.len() {
        let mut loops = LoopSet::new(sizes)?;
        make(options, &loops)?;
        for device in loops.devices() {
            device.forget();
        }
        // Neighbours, round the end: what two failing disks of a raid6 would be.
        let mut missing: Vec<usize> = (first..first + lost).map(|index| index % sizes.len()).collect();
        missing.sort_unstable_by(|left, right| right.cmp(left));
        for index in &missing {
            loops.detach(*index);
        }
        let mut log = Mark::now()?;
        let all: Vec<String> = loops.paths().iter().map(|path| format!("device={path}")).collect();
        let device = loops.devices()[0].path();
        let mount = Mount::new(device, &format!("ro,degraded,{}", all.join(",")))
            .map_err(|error| format!("without {missing:?}: {}", error.message().unwrap_or_default()))?;
        std::fs::read_dir(mount.path())?.count();
        mount.unmount()?;
        no_complaint_but(&log.lines(&loops.names())?, &["is missing", "allowing degraded mounts"])?;
    }
    Ok(())
}
