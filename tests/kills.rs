//! The executor is killed at random moments. Whatever it leaves is an old filesystem as it was, nothing, or the new one, and
//! the same plan runs again to its end.

use btrfs_plan_tests::loops::{LoopSet, scratch, sparse_file};
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::{btrfs_exec, btrfs_plan, command, ours, run, tool};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail, root_case};
use btrfs_planner::Plan;
use btrfs_planner::disk::superblock::{MAGIC, SUPERBLOCK_OFFSETS};
use libtest_mimic::Trial;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const MIB: u64 = 1 << 20;
const SIZE: u64 = 256 * MIB;
/// Of each of the four kinds.
const KILLS: u32 = 50;

fn main() -> ExitCode {
    suite::run(4, cases())
}

fn cases() -> Vec<Trial> {
    let image = |name: &'static str, old: Old, count: usize, options: &'static str| {
        case(format!("{KILLS} kills: {name}"), move || killed(&mut Images::new(count)?, old, options, None))
    };
    vec![
        image("a dup over a btrfs, on an image", Old::Btrfs("-m dup -d single"), 1, "-m dup"),
        image("a raid1 over an ext4, on two images", Old::Ext4, 2, "-m raid1 -d raid1"),
        image("a raid5 over a raid1 btrfs, on three images", Old::Btrfs("-m raid1 -d raid1"), 3, "-m raid5 -d raid5"),
        root_case(
            format!("{KILLS} kills: a raid1 over a raid0 btrfs, on two devices, with the kernel as the judge"),
            || {
                let loops = LoopSet::new(&[SIZE; 2])?;
                let mut images =
                    Images::at(loops.devices().iter().map(|device| device.backing().to_owned()).collect())?;
                killed(&mut images, Old::Btrfs("-m raid0 -d raid0"), "-m raid1 -d raid1", Some(&loops))
            },
        ),
    ]
}

/// What is there before.
#[derive(Clone, Copy)]
enum Old {
    Btrfs(&'static str),
    Ext4,
}

/// Image files, and copies of what was on them.
struct Images {
    folder: TempDir,
    paths: Vec<PathBuf>,
}

impl Images {
    fn new(count: usize) -> Outcome<Self> {
        let folder = scratch()?;
        let paths: Vec<PathBuf> = (0..count).map(|number| folder.path().join(format!("disk{number}"))).collect();
        paths.iter().try_for_each(|path| sparse_file(path, SIZE))?;
        Ok(Self { folder, paths })
    }

    fn at(paths: Vec<PathBuf>) -> Outcome<Self> {
        Ok(Self { folder: scratch()?, paths })
    }

    fn saved(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("saved{number}"))
    }

    fn save(&self) -> Outcome {
        for (number, path) in self.paths.iter().enumerate() {
            tool("cp", ["--sparse=always".as_ref(), path.as_os_str(), self.saved(number).as_os_str()])?;
        }
        Ok(())
    }

    /// Puts back what was there: the same files, since devices may stand on them.
    fn restore(&self) -> Outcome {
        for (number, path) in self.paths.iter().enumerate() {
            let size = SIZE.to_string();
            let arguments = ["--punch-hole", "--length", &size].map(std::ffi::OsStr::new);
            tool("fallocate", arguments.into_iter().chain([path.as_os_str()]))?;
            let (from, to) = (File::open(self.saved(number))?, File::options().write(true).open(path)?);
            for extent in btrfs_plan_tests::sparse::extents(&self.saved(number))? {
                let mut bytes = vec![0; usize::try_from(extent.end - extent.start)?];
                from.read_exact_at(&mut bytes, extent.start)?;
                to.write_all_at(&bytes, extent.start)?;
            }
        }
        Ok(())
    }

    fn is_as_saved(&self) -> Outcome<bool> {
        for (number, path) in self.paths.iter().enumerate() {
            if btrfs_plan_tests::sparse::first_difference(path, &self.saved(number))?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What a kill left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    Untouched,
    Wiping,
    Nothing,
    Committing,
    New,
}

fn killed(images: &mut Images, old: Old, options: &str, loops: Option<&LoopSet>) -> Outcome {
    let targets: Vec<PathBuf> = match loops {
        Some(loops) => loops.devices().iter().map(|device| device.path().to_owned()).collect(),
        None => images.paths.clone(),
    };
    make(old, &targets)?;
    forget_cached(loops)?;
    images.save()?;
    let path = images.folder.path().join("plan.json");
    let words = ["-q", "-f"].into_iter().chain(options.split_whitespace()).map(AsRef::as_ref);
    let output = ["-o".as_ref(), path.as_os_str()];
    btrfs_plan(words.chain(output).chain(targets.iter().map(|target| target.as_os_str())))?.success()?;
    let plan = Plan::from_json(&std::fs::read(&path)?)?;
    let mut takes = time(images, &path, loops)?;

    let mut seed = 0x9e37_79b9_7f4a_7c15_u64 ^ u64::try_from(options.len())?;
    let mut counts = std::collections::BTreeMap::<String, u32>::new();
    let mut tries = 0;
    // On a busy machine a run may be over before it is killed: only those count that were.
    let mut kills = 0;
    while kills < KILLS {
        tries += 1;
        ensure(tries < KILLS * 8, || format!("only {kills} of {tries} runs could be killed"))?;
        images.restore()?;
        forget_cached(loops)?;
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let delay = takes.mul_f64((seed >> 33) as f64 / (1_u64 << 31) as f64);
        let mut program = ours("btrfs-exec")?;
        program.args(["--yes", "--quiet", "--events", "json"]).arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = program.spawn()?;
        let by_time = tries % 2 == 0;
        if by_time {
            std::thread::sleep(delay);
        } else if let Some(events) = &mut child.stdout {
            // A moment after some step of some device: that many lines are told in a run.
            let lines = u64::try_from(1 + 6 * plan.devices.len())?;
            let events = BufReader::new(events).lines();
            events.take(usize::try_from((seed >> 33) % lines)?).for_each(drop);
            std::thread::sleep(Duration::from_micros((seed >> 20) % 400));
        }
        child.kill()?;
        let ended = child.wait_with_output()?;
        if let Some(code) = ended.status.code() {
            ensure(code == 0, || format!("it ended with {code}: {}", String::from_utf8_lossy(&ended.stderr)))?;
            takes = takes.mul_f64(if by_time { 0.95 } else { 1.0 });
        } else {
            kills += 1;
        }
        forget_cached(loops)?;
        let left = judge(images, &plan)?;
        *counts.entry(format!("{left:?}")).or_default() += 1;
        if left == Left::Untouched && by_time {
            // Early kills teach little.
            takes = takes.mul_f64(1.03);
        }
        tools_agree(left, images, old, loops)?;
        // Once more, with the plan as it is.
        btrfs_exec(["--yes".as_ref(), "--quiet".as_ref(), "--verify".as_ref(), path.as_os_str()])?.success()?;
        forget_cached(loops)?;
        ensure(judge(images, &plan)? == Left::New, || format!("after {left:?} it did not come to its end"))?;
        checked(images, loops)?;
    }
    // Not only before and after.
    let between =
        counts.iter().filter(|(left, _)| !["Untouched", "New"].contains(&left.as_str())).map(|(_, count)| count);
    let between: u32 = between.sum();
    ensure(between >= KILLS / 10, || format!("only {between} of {tries} runs were hit at work: {counts:?}"))?;
    println!("{kills} kills in {tries} runs of about {takes:?}: {counts:?}");
    Ok(())
}

fn make(old: Old, targets: &[PathBuf]) -> Outcome {
    match old {
        Old::Btrfs(options) => {
            let words = ["-q", "-f"].into_iter().chain(options.split_whitespace()).map(AsRef::as_ref);
            tool("mkfs.btrfs", words.chain(targets.iter().map(|target| target.as_os_str())))?;
        }
        Old::Ext4 => {
            for target in targets {
                tool("mkfs.ext4", ["-q".as_ref(), "-F".as_ref(), target.as_os_str()])?;
            }
        }
    }
    Ok(())
}

/// What a run to its end takes.
fn time(images: &Images, plan: &Path, loops: Option<&LoopSet>) -> Outcome<Duration> {
    let mut times = Vec::new();
    for _ in 0..3 {
        images.restore()?;
        forget_cached(loops)?;
        let begin = Instant::now();
        btrfs_exec(["--yes".as_ref(), "--quiet".as_ref(), plan.as_os_str()])?.success()?;
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    Ok(times[1])
}

/// A device and the file behind it hold the same again.
fn forget_cached(loops: Option<&LoopSet>) -> Outcome {
    if let Some(loops) = loops {
        tool("blockdev", ["--flushbufs".to_owned()].into_iter().chain(loops.paths()))?;
    }
    Ok(())
}

/// What is on the images; fails if it is anything that must not be.
fn judge(images: &Images, plan: &Plan) -> Outcome<Left> {
    if images.is_as_saved()? {
        return Ok(Left::Untouched);
    }
    let (mut old, mut new, mut magics) = (0, 0, 0);
    let mut sealed = false;
    for (number, path) in images.paths.iter().enumerate() {
        let file = File::open(path)?;
        for offset in SUPERBLOCK_OFFSETS.into_iter().filter(|offset| offset + 4096 <= SIZE) {
            let mut bytes = [0; 4096];
            file.read_exact_at(&mut bytes, offset)?;
            if bytes[64..72] != MAGIC {
                continue;
            }
            magics += 1;
            if bytes[32..48] == plan.filesystem.fsid.into_bytes() {
                new += 1;
                sealed |= number == 0 && offset == SUPERBLOCK_OFFSETS[0];
            } else {
                old += 1;
            }
        }
    }
    let complete = is_complete(images, plan)?;
    let all: usize = plan.devices.iter().map(|slot| slot.commit.len()).sum();
    match (old, new) {
        (0, 0) => Ok(if wiped_only(images, plan)? { Left::Wiping } else { Left::Nothing }),
        (0, _) if !complete => fail(format!("{new} superblocks of a filesystem that is not complete")),
        (0, new) if sealed && new == all => Ok(Left::New),
        (0, _) if sealed => fail("the last superblock is there and others are not"),
        (0, _) => Ok(Left::Committing),
        (_, 0) if wiped_only(images, plan)? => Ok(Left::Wiping),
        _ => fail(format!("{old} old and {new} new superblocks of {magics}, and other bytes have changed")),
    }
}

/// Whether every byte of the plan beside superblocks is there.
fn is_complete(images: &Images, plan: &Plan) -> Outcome<bool> {
    for (slot, path) in plan.devices.iter().zip(&images.paths) {
        let file = File::open(path)?;
        for write in &slot.writes {
            let expected = plan.payloads[write.payload as usize].expand()?;
            let mut found = vec![0; expected.len()];
            file.read_exact_at(&mut found, write.offset.get())?;
            if found != expected {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether nothing has changed but what is wiped, and the places of superblocks.
fn wiped_only(images: &Images, plan: &Plan) -> Outcome<bool> {
    for (number, (slot, path)) in plan.devices.iter().zip(&images.paths).enumerate() {
        let mut places: Vec<(u64, u64)> =
            slot.wipe.iter().map(|range| (range.start, range.start + range.length)).collect();
        places.extend(slot.commit.iter().map(|write| (write.offset.get(), write.offset.get() + 4096)));
        let (now, before) = (File::open(path)?, File::open(images.saved(number))?);
        for extent in btrfs_plan_tests::sparse::extents(&images.saved(number))? {
            for at in (extent.start..extent.end).step_by(512) {
                if places.iter().any(|(start, end)| *start < at + 512 && at < *end) {
                    continue;
                }
                let (mut left, mut right) = ([0; 512], [0; 512]);
                now.read_exact_at(&mut left, at)?;
                before.read_exact_at(&mut right, at)?;
                if left != right {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// blkid, the checkers and the kernel see the same.
fn tools_agree(left: Left, images: &Images, old: Old, loops: Option<&LoopSet>) -> Outcome {
    let first = &images.paths[0];
    let seen = run(command("blkid").args(["-p", "-s", "TYPE", "-o", "value"]).arg(first))?.text();
    match (left, old) {
        (Left::Untouched, Old::Ext4) => {
            ensure(seen.trim() == "ext4", || format!("untouched, and blkid sees '{seen}'"))?;
            tool("e2fsck", ["-fn".as_ref(), first.as_os_str()])?;
        }
        (Left::Untouched, Old::Btrfs(_)) | (Left::New, _) => {
            ensure(seen.trim() == "btrfs", || format!("{left:?}, and blkid sees '{seen}'"))?;
            checked(images, loops)?;
        }
        (Left::Nothing | Left::Committing, _) => {
            ensure(seen.trim().is_empty(), || format!("{left:?}, and blkid sees '{seen}' on the first device"))?;
        }
        (Left::Wiping, _) => {}
    }
    let Some(loops) = loops else { return Ok(()) };
    for device in loops.devices() {
        // Both are known to the kernel, as far as it recognises them.
        let _ = tool("btrfs", ["device".as_ref(), "scan".as_ref(), device.path().as_os_str()]);
    }
    for device in loops.devices() {
        let mounted = Mount::new(device.path(), "ro");
        let mountable = matches!(left, Left::Untouched | Left::New);
        ensure(mounted.is_ok() == mountable, || format!("{left:?}, and mounting {device:?} comes to {mounted:?}"))?;
        if let Ok(mount) = mounted {
            mount.unmount()?;
        }
    }
    loops.devices().iter().for_each(btrfs_plan_tests::loops::LoopDevice::forget);
    Ok(())
}

/// `btrfs check`, on the devices where there are some; otherwise on a filesystem of one image. Where others are missing it
/// does not look at all of it, and `is_complete` has.
fn checked(images: &Images, loops: Option<&LoopSet>) -> Outcome {
    if let Some(loops) = loops {
        for device in loops.devices() {
            let _ = tool("btrfs", ["device".as_ref(), "scan".as_ref(), device.path().as_os_str()]);
        }
        tool("btrfs", ["check".as_ref(), loops.devices()[0].path().as_os_str()])?;
        loops.devices().iter().for_each(btrfs_plan_tests::loops::LoopDevice::forget);
    } else if images.paths.len() == 1 {
        tool("btrfs", ["check".as_ref(), images.paths[0].as_os_str()])?;
    }
    Ok(())
}
