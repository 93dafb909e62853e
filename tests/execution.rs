//! What a run does to devices and image files, and that it is the same on both.

use btrfs_plan_tests::kernel::{self, check, make, scrub};
use btrfs_plan_tests::loops::{LoopDevice, LoopSet, scratch, sparse_file};
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::{btrfs_exec, btrfs_plan, ours, run, tool};
use btrfs_plan_tests::sparse::{extents, fill, first_difference};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail, root_case};
use btrfs_plan_tests::trace::trace;
use btrfs_planner::Plan;
use btrfs_planner::disk::superblock::{MAGIC, SUPERBLOCK_OFFSETS, Superblock};
use libtest_mimic::Trial;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use tempfile::TempDir;
use zerocopy::FromBytes;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn main() -> ExitCode {
    let mut cases = documents_between();
    cases.extend(image_files());
    cases.extend(images_and_devices());
    cases.extend(dirty_devices());
    cases.extend(old_signatures());
    cases.extend(system_calls());
    cases.extend(sectors());
    suite::run(48, cases)
}

/// A plan for devices that are only described, and its file in a folder of its own.
struct Planned {
    folder: TempDir,
    plan: Plan,
}

impl Planned {
    fn described(options: &str, sizes: &[u64]) -> Outcome<Self> {
        let targets = sizes.iter().map(|size| format!("size={size}"));
        Self::with(options.split_whitespace().map(str::to_owned).chain(targets))
    }

    fn for_devices(options: &str, loops: &LoopSet) -> Outcome<Self> {
        Self::with(options.split_whitespace().map(str::to_owned).chain(loops.paths()))
    }

    fn with(arguments: impl Iterator<Item = String>) -> Outcome<Self> {
        let folder = scratch()?;
        let path = folder.path().join("plan.json").display().to_string();
        btrfs_plan(["-q".to_owned(), "-o".to_owned(), path.clone()].into_iter().chain(arguments))?.success()?;
        let plan = Plan::from_json(&std::fs::read(path)?)?;
        Ok(Self { folder, plan })
    }

    fn path(&self) -> String {
        self.folder.path().join("plan.json").display().to_string()
    }

    /// Runs it on the targets that it was planned for.
    fn execute_where_planned(&self, options: &[&str]) -> Outcome {
        self.execute(&[] as &[&Path], options)
    }

    /// Runs it on these targets, in the order of devids.
    fn execute(&self, targets: &[impl AsRef<Path>], options: &[&str]) -> Outcome {
        let mut arguments = vec!["--yes".to_owned(), "--quiet".to_owned(), self.path()];
        arguments.extend(options.iter().map(|option| (*option).to_owned()));
        for (devid, target) in (1..).zip(targets) {
            arguments.extend(["--device".to_owned(), format!("{devid}={}", target.as_ref().display())]);
        }
        btrfs_exec(arguments)?.success()?;
        Ok(())
    }
}

/// New image files in a folder.
fn images(folder: &Path, sizes: &[u64]) -> Outcome<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for (number, size) in (1..).zip(sizes) {
        let path = folder.join(format!("image{number}"));
        sparse_file(&path, *size)?;
        paths.push(path);
    }
    Ok(paths)
}

/// The ways a plan may take from one program to the other.
fn documents_between() -> Vec<Trial> {
    let ways = [
        ("a file", "btrfs-plan -q -o plan.json ARGS && btrfs-exec --yes plan.json DEVICES"),
        ("a pipe", "btrfs-plan -q ARGS | btrfs-exec --yes DEVICES"),
        ("jq", "btrfs-plan -q ARGS | jq . | btrfs-exec --yes - DEVICES"),
        ("zstd", "btrfs-plan -q ARGS | zstd -q | btrfs-exec --yes DEVICES"),
        ("a compressed file", "btrfs-plan -q -o plan.json.zst ARGS && btrfs-exec --yes plan.json.zst DEVICES"),
        ("the compressing option", "btrfs-plan -q --compress ARGS | btrfs-exec --yes DEVICES"),
        ("show --plan", "btrfs-plan -q --compress ARGS | btrfs-plan show --plan - | btrfs-exec --yes DEVICES"),
        (
            "a saved request",
            "btrfs-plan --print-request ARGS > r.json && btrfs-plan -q --request r.json | btrfs-exec --yes DEVICES",
        ),
    ];
    let arguments = "--seed ways --time 1700000000 -d raid1 -L way size=300m size=300m";
    ways.into_iter()
        .map(|(name, way)| {
            case(format!("a plan through {name}"), move || {
                let folder = scratch()?;
                let reference = Planned::with(arguments.split_whitespace().map(str::to_owned))?;
                let expected = images(reference.folder.path(), &[300 * MIB; 2])?;
                reference.execute(&expected, &[])?;
                let made = images(folder.path(), &[300 * MIB; 2])?;
                let devices = "--device 1=image1 --device 2=image2 > /dev/null";
                let line = way.replace("ARGS", arguments).replace("DEVICES", devices);
                let programs =
                    Path::new(ours("btrfs-plan")?.get_program()).parent().map(Path::to_owned).unwrap_or_default();
                let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
                let mut shell = Command::new("bash");
                shell.args(["-euo", "pipefail", "-c", &line]).env("PATH", path).current_dir(folder.path());
                run(shell.stdin(Stdio::null()))?.success()?;
                same_bytes(&expected, &made)
            })
        })
        .collect()
}

fn same_bytes(left: &[PathBuf], right: &[PathBuf]) -> Outcome {
    for (left, right) in left.iter().zip(right) {
        if let Some(place) = first_difference(left, right)? {
            return fail(format!("{} and {} differ at {place}", left.display(), right.display()));
        }
    }
    Ok(())
}

fn image_files() -> Vec<Trial> {
    vec![
        case("an image file is made, sparse, of the planned size", || {
            let folder = scratch()?;
            let image = folder.path().join("new");
            let target = image.display().to_string();
            let planned = Planned::with(["-b", "1g", &target].into_iter().map(str::to_owned))?;
            ensure(!image.exists(), || "planning made it".to_owned())?;
            planned.execute_where_planned(&[])?;
            let metadata = std::fs::metadata(&image)?;
            ensure(metadata.len() == GIB && metadata.blocks() * 512 < MIB, || format!("{metadata:?}"))?;
            tool("btrfs", ["check".as_ref(), image.as_os_str()])?;
            Ok(())
        }),
        case("a dry run writes nothing and makes nothing", || {
            let folder = scratch()?;
            let image = folder.path().join("image");
            let missing = folder.path().join("missing");
            sparse_file(&image, 300 * MIB)?;
            fill(&image, 0, MIB)?;
            let before = extents(&image)?;
            let planned = Planned::described("-d raid1", &[300 * MIB; 2])?;
            planned.execute(&[&image, &missing], &["--dry-run"])?;
            ensure(extents(&image)? == before && !missing.exists(), || "it did".to_owned())
        }),
        case("the same seed and time, the same plan", || {
            let arguments = ["--seed", "same", "--time", "5", "-d", "raid1", "-q", "size=1g", "size=2g"];
            let first = btrfs_plan(arguments)?.success()?.stdout;
            ensure(first == btrfs_plan(arguments)?.success()?.stdout, || "the plans differ".to_owned())?;
            let random = || Outcome::Ok(btrfs_plan(["-q", "size=1g"])?.success()?.stdout);
            ensure(random()? != random()?, || "without a seed two filesystems are the same".to_owned())
        }),
        case("the schemas are printed", || {
            for (document, expected) in
                [("plan", btrfs_planner::plan::plan_schema()), ("request", btrfs_planner::plan::request_schema())]
            {
                let printed = btrfs_plan(["schema", document])?.success()?.text();
                ensure(printed.trim_end() == expected.trim_end(), || format!("the schema of a {document} differs"))?;
            }
            Ok(())
        }),
    ]
}

/// Identical bytes on image files and on loop devices, whatever the profile.
fn images_and_devices() -> Vec<Trial> {
    [
        ("-d single -m dup", 1),
        ("-d raid1 -m raid1", 2),
        ("-d raid5 -m raid5 --csum sha256", 3),
        ("-d raid6 -m raid6 -n 4k", 4),
        ("-d raid10 -m raid1c3 -L label", 4),
        ("-M", 1),
        ("-K", 1),
        ("--discard exact", 2),
        ("-b 700m -O quota", 2),
    ]
    .into_iter()
    .map(|(options, count)| {
        root_case(format!("identical on image and device: {options}"), move || {
            let sizes = vec![GIB; count];
            let planned = Planned::described(options, &sizes)?;
            let files = images(planned.folder.path(), &sizes)?;
            planned.execute(&files, &["--verify"])?;
            let loops = LoopSet::new(&sizes)?;
            planned.execute(&loops.paths(), &["--verify"])?;
            let backing: Vec<PathBuf> = loops.devices().iter().map(|device| device.backing().to_owned()).collect();
            same_bytes(&files, &backing)?;
            check(&loops, true)
        })
    })
    .collect()
}

/// Devices full of something else: with discard nothing of it is left, without it nothing of it does harm.
fn dirty_devices() -> Vec<Trial> {
    let mut cases: Vec<Trial> = ["-K", "-K -M", "-K -d raid1 -m raid1", "-K -d raid5 -m raid5", "-K -n 4k -O quota"]
        .into_iter()
        .map(|options| {
            root_case(format!("on dirty devices: {options}"), move || {
                let count = if options.contains("raid5") { 3 } else { 2 };
                let loops = LoopSet::new(&vec![400 * MIB; count])?;
                for device in loops.devices() {
                    fill(device.backing(), 0, 400 * MIB)?;
                }
                let options: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
                make(&options, &loops)?;
                check(&loops, true)?;
                let mount = Mount::new(loops.devices()[0].path(), "defaults")?;
                std::fs::write(mount.path().join("file"), vec![1; 3 << 20])?;
                scrub(mount.path())?;
                mount.unmount()?;
                for device in loops.devices() {
                    no_stale_superblock(device)?;
                }
                Ok(())
            })
        })
        .collect();
    for (dirty, options) in [
        (false, ""),
        (true, ""),
        (true, "-d raid1 -m raid1"),
        (true, "-d raid6 -m raid6"),
        (true, "--discard exact -M"),
    ] {
        let state = if dirty { "a dirty" } else { "a new" };
        cases.push(root_case(format!("stored of {state} device is just what was written: {options}"), move || {
            let loops = LoopSet::new(&[400 * MIB; 4])?;
            if dirty {
                for device in loops.devices() {
                    fill(device.backing(), 0, 400 * MIB)?;
                }
            }
            let planned = Planned::for_devices(options, &loops)?;
            planned.execute_where_planned(&[])?;
            for (slot, device) in planned.plan.devices.iter().zip(loops.devices()) {
                let mut written: Vec<(u64, u64)> = slot
                    .writes
                    .iter()
                    .chain(&slot.commit)
                    .map(|write| {
                        let start = write.offset.get();
                        (start, start + planned.plan.payloads[write.payload as usize].length)
                    })
                    .collect();
                written.sort_unstable();
                written.dedup_by(|next, before| {
                    before.1 == next.0 && {
                        before.1 = next.1;
                        true
                    }
                });
                let stored: Vec<(u64, u64)> =
                    extents(device.backing())?.into_iter().map(|extent| (extent.start, extent.end)).collect();
                ensure(stored == written, || format!("device {}: stored {stored:?}, written {written:?}", slot.devid))?;
            }
            Ok(())
        }));
    }
    cases
}

/// Every superblock that fits is whole, and carries its own address; there is no other.
fn no_stale_superblock(device: &LoopDevice) -> Outcome {
    let file = File::open(device.backing())?;
    let size = file.metadata()?.len();
    for offset in SUPERBLOCK_OFFSETS.into_iter().filter(|offset| offset + 4096 <= size) {
        let mut bytes = [0; 4096];
        file.read_exact_at(&mut bytes, offset)?;
        let superblock = Superblock::read_from_bytes(&bytes).map_err(|_| "a superblock is 4096 bytes")?;
        ensure(superblock.magic == MAGIC && superblock.bytenr.get() == offset, || {
            format!("{} has no superblock of its own at {offset}", device.path().display())
        })?;
    }
    Ok(())
}

/// What was on a device is named in the plan, and afterwards nothing knows it any more but a btrfs.
fn old_signatures() -> Vec<Trial> {
    let whats: [(&str, &[&str]); 7] = [
        ("ext4", &["mkfs.ext4 -q -F DEVICE"]),
        ("swap", &["mkswap DEVICE"]),
        ("gpt", &["echo ,,L | sfdisk --quiet --label gpt DEVICE"]),
        ("dos", &["echo ,,L | sfdisk --quiet --label dos DEVICE"]),
        ("gpt and ext4", &["echo ,,L | sfdisk --quiet --label gpt DEVICE", "mkfs.ext4 -q -F DEVICE"]),
        ("btrfs", &["mkfs.btrfs -q -f DEVICE"]),
        ("ext4 under a lost btrfs", &["mkfs.ext4 -q -F DEVICE", "mkfs.btrfs -q -f -K DEVICE"]),
    ];
    let mut cases = Vec::new();
    for (name, commands) in whats {
        for options in ["-f", "-f -K"] {
            cases.push(root_case(format!("{name} goes with {options}"), move || {
                let loops = LoopSet::new(&[GIB])?;
                let device = loops.devices()[0].path().display().to_string();
                for command in commands {
                    tool("bash", ["-c", &format!("{} > /dev/null 2>&1", command.replace("DEVICE", &device))])?;
                }
                tool("partx", ["--delete", &device]).ok();
                let before = signatures(&device)?;
                let planned = Planned::for_devices(options, &loops)?;
                let named: Vec<String> =
                    planned.plan.devices[0].found.signatures.iter().map(|found| found.kind.clone()).collect();
                for kind in &before {
                    ensure(named.contains(kind), || format!("on it are {before:?}, the plan names {named:?}"))?;
                }
                planned.execute_where_planned(&[])?;
                let after = signatures(&device)?;
                ensure(after == ["btrfs"], || format!("afterwards there are {after:?}"))?;
                check(&loops, true)
            }));
        }
    }
    cases
}

/// The kinds of signatures that wipefs finds, each once.
fn signatures(device: &str) -> Outcome<Vec<String>> {
    let found = tool("wipefs", ["--no-act", "--noheadings", "--output", "TYPE", device])?.text();
    let mut kinds: Vec<String> = found.split_whitespace().map(str::to_owned).collect();
    kinds.sort();
    kinds.dedup();
    Ok(kinds)
}

/// What the programs ask of the kernel.
fn system_calls() -> Vec<Trial> {
    vec![
        root_case("planning opens no device for writing", || {
            let loops = LoopSet::new(&[GIB; 2])?;
            tool("mkfs.ext4", ["-q", "-F", &loops.paths()[0]])?;
            let calls =
                trace("btrfs-plan", ["-q", "-f", "-d", "raid1"].map(str::to_owned).into_iter().chain(loops.paths()))?;
            for path in loops.paths() {
                let concerned: Vec<_> = calls.iter().filter(|call| call.concerns(&path)).collect();
                ensure(!concerned.is_empty(), || format!("{path} was not looked at"))?;
                let writing = concerned.iter().find(|call| {
                    call.is_write()
                        || ["O_RDWR", "O_WRONLY", "O_CREAT", "O_TRUNC"].iter().any(|mode| call.line.contains(mode))
                });
                ensure(writing.is_none(), || format!("{writing:?}"))?;
            }
            Ok(())
        }),
        root_case("planning works on a read-only device", || {
            let folder = scratch()?;
            let file = folder.path().join("file");
            sparse_file(&file, GIB)?;
            let device = LoopDevice::attach(&file, &["--read-only"])?;
            btrfs_plan(["-q".as_ref(), device.path().as_os_str()])?.success()?;
            Ok(())
        }),
        root_case(
            "one descriptor a device writes; locks first, flushes last, the primary superblock of device 1 at the end",
            || {
                let loops = LoopSet::new(&[GIB; 3])?;
                let planned = Planned::for_devices("-d raid1 -m raid1c3", &loops)?;
                let calls = trace("btrfs-exec", ["--yes".to_owned(), planned.path()])?;
                let mut writes = 0;
                for path in loops.paths() {
                    let calls: Vec<_> = calls.iter().filter(|call| call.concerns(&path)).collect();
                    let place =
                        |is: &dyn Fn(&str, &str) -> bool| calls.iter().position(|call| is(&call.name, &call.line));
                    let locked = place(&|name, line| name == "flock" && line.contains("LOCK_EX"));
                    let opened =
                        place(&|name, line| name == "openat" && line.contains("O_RDWR") && line.contains("O_EXCL"));
                    let written = calls.iter().position(|call| call.is_write());
                    ensure(locked.is_some() && locked < opened && opened < written, || {
                        format!("{path}: locked {locked:?}, opened {opened:?}, written {written:?}")
                    })?;
                    let writable =
                        calls.iter().filter(|call| call.name == "openat" && call.line.contains("O_RDWR")).count();
                    ensure(writable == 1, || format!("{path} was opened for writing {writable} times"))?;
                    ensure(calls.last().is_some_and(|call| call.is_flush()), || {
                        format!("{path} was not flushed at the end")
                    })?;
                    let flushes = calls.iter().filter(|call| call.is_flush()).count();
                    ensure(flushes <= 3, || format!("{path} was flushed {flushes} times"))?;
                    writes += calls.iter().filter(|call| call.is_write()).count();
                }
                let planned_writes = planned.plan.statistics.writes;
                ensure(writes as u64 == planned_writes, || format!("{writes} writes, {planned_writes} were planned"))?;
                let last =
                    calls.iter().rfind(|call| call.is_write() && loops.paths().iter().any(|path| call.concerns(path)));
                ensure(
                    last.is_some_and(|call| call.concerns(&loops.paths()[0]) && call.offset() == Some(65536)),
                    || format!("the last write is {last:?}"),
                )
            },
        ),
        root_case("a partition is locked by its whole disk", || {
            let loops = LoopSet::new(&[GIB])?;
            let disk = loops.paths()[0].clone();
            tool(
                "bash",
                [
                    "-c",
                    &format!("echo ,,L | sfdisk --quiet --label gpt {disk} > /dev/null 2>&1; partx --update {disk}"),
                ],
            )?;
            let part = format!("{disk}p1");
            let outcome = (|| {
                let planned = Planned::with([part.clone()].into_iter())?;
                let calls = trace("btrfs-exec", ["--yes".to_owned(), planned.path()])?;
                let locked = |path: &str| {
                    calls
                        .iter()
                        .any(|call| call.name == "flock" && call.line.contains("LOCK_EX") && call.concerns(path))
                };
                ensure(locked(&disk), || format!("{disk} was not locked"))?;
                tool("btrfs", ["check", &part])?;
                Ok(())
            })();
            tool("partx", ["--delete", &disk])?;
            outcome
        }),
        root_case("who waits for the device to be closed is called once, when all is there", || {
            let loops = LoopSet::new(&[GIB; 2])?;
            let planned = Planned::for_devices("-d raid1 -m raid1", &loops)?;
            let inotify = Inotify::init(InitFlags::IN_NONBLOCK)?;
            let mut watches = Vec::new();
            for path in loops.paths() {
                watches.push(inotify.add_watch(path.as_str(), AddWatchFlags::IN_CLOSE_WRITE)?);
            }
            planned.execute_where_planned(&[])?;
            let events = inotify.read_events()?;
            for (watch, path) in watches.iter().zip(loops.paths()) {
                let closed = events.iter().filter(|event| event.wd == *watch).count();
                ensure(closed == 1, || format!("{path} was closed after writing {closed} times"))?;
            }
            Ok(())
        }),
        root_case("every superblock copy is whole for scrub", || {
            let loops = LoopSet::new(&[300 * GIB])?;
            make(&[], &loops)?;
            no_stale_superblock(&loops.devices()[0])?;
            let mount = Mount::new(loops.devices()[0].path(), "defaults")?;
            let path = mount.path().display().to_string();
            let said = tool("btrfs", ["scrub", "start", "-B", "-R", &path])?.text();
            ensure(said.contains("super_errors: 0"), || said.clone())?;
            mount.unmount()
        }),
    ]
}

/// Devices of 4 KiB sectors, and devices that are read and written directly.
fn sectors() -> Vec<Trial> {
    let mut cases = Vec::new();
    for (name, options) in [
        ("sectors of 4 KiB", &["--sector-size=4096"][..]),
        ("direct I/O", &["--direct-io=on"]),
        ("direct I/O on sectors of 4 KiB", &["--sector-size=4096", "--direct-io=on"]),
    ] {
        for profiles in ["-d single -m dup", "-M", "-d single -m single -n 64k"] {
            cases.push(root_case(format!("{name}: {profiles}"), move || {
                // On a disk: direct I/O to memory is no test.
                let folder = TempDir::with_prefix("btrfs-plan-")?;
                let file = folder.path().join("file");
                sparse_file(&file, GIB)?;
                let device = LoopDevice::attach(&file, options)?;
                let words = profiles.split_whitespace().map(str::to_owned);
                let planned = Planned::with(words.chain([device.path().display().to_string()]))?;
                planned.execute_where_planned(&["--verify"])?;
                let mut log = btrfs_plan_tests::kernel_log::Mark::now()?;
                let mount = Mount::new(device.path(), "defaults")?;
                std::fs::write(mount.path().join("file"), vec![1; 3 << 20])?;
                scrub(mount.path())?;
                mount.unmount()?;
                kernel::no_complaint(&log.lines(&[device.name()])?)?;
                tool("btrfs", ["check".as_ref(), "--check-data-csum".as_ref(), device.path().as_os_str()])?;
                Ok(())
            }));
        }
    }
    cases
}
