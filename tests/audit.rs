//! The audit as people and scripts meet it: plans that are clean, damaged plans that both programs refuse, and the
//! filesystems on devices and images.

use btrfs_plan_tests::kernel;
use btrfs_plan_tests::loops::{LoopSet, scratch, sparse_file};
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::{Ran, btrfs_plan, ours, run, tool};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail, root_case};
use btrfs_planner::Plan;
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::plan::{ByteRange, Payload};
use libtest_mimic::Trial;
use serde_json::Value;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use tempfile::TempDir;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const REFUSED: i32 = 3;

fn main() -> ExitCode {
    let mut cases = clean_plans();
    cases.extend(damaged_plans());
    cases.extend(command_lines());
    cases.extend(images());
    cases.extend(devices());
    suite::run(50, cases)
}

/// A report in JSON, and the exit code beside it.
fn report(arguments: &[&str]) -> Outcome<(Ran, Value)> {
    let ran = btrfs_plan(["audit", "--json"].iter().chain(arguments))?;
    let report: Value = serde_json::from_slice(&ran.stdout)?;
    Ok((ran, report))
}

/// Fails unless both reports, as text and as JSON, are clean and say how much was read.
fn is_clean(arguments: &[&str], devices: u64) -> Outcome {
    let ran = btrfs_plan(["audit"].iter().chain(arguments))?.success()?;
    let text = ran.text();
    ensure(text.ends_with("\nclean\n") && ran.stderr.is_empty(), || format!("{text}{}", ran.stderr))?;
    let (ran, report) = report(arguments)?;
    ran.success()?;
    let counted = |pointer: &str| report.pointer(pointer).and_then(Value::as_u64);
    ensure(report["clean"] == Value::Bool(true) && counted("/errors") == Some(0), || report.to_string())?;
    ensure(counted("/read/devices") == Some(devices), || report.to_string())?;
    let read = ["/read/superblocks", "/read/blocks", "/read/items", "/read/bytes"];
    ensure(read.iter().all(|pointer| counted(pointer) > Some(0)), || report.to_string())
}

/// Fails unless both reports have an error with this code.
fn has(code: &str, arguments: &[&str]) -> Outcome {
    let ran = btrfs_plan(["audit"].iter().chain(arguments))?;
    let (text, errors) = (ran.text(), ran.stderr.clone());
    ensure(ran.code == Some(REFUSED), || format!("exit code {:?}: {text}{errors}", ran.code))?;
    let named = text.lines().any(|line| line.starts_with("error: ") && line.contains(&format!(" {code}: ")));
    ensure(named, || format!("{code} is not in:\n{text}"))?;
    ensure(errors.contains("is not clean") && errors.contains("hint:"), || errors.clone())?;
    let (ran, report) = report(arguments)?;
    ensure(ran.code == Some(REFUSED) && report["clean"] == Value::Bool(false), || report.to_string())?;
    let findings = report["findings"].as_array().ok_or("no findings")?;
    let lines = text.lines().filter(|line| line.starts_with("error: ") || line.starts_with("warning: ")).count();
    ensure(findings.len() == lines, || format!("{} findings, {lines} lines", findings.len()))?;
    let found = findings.iter().any(|finding| finding["code"] == code && finding["severity"] == "error");
    ensure(found, || report.to_string())
}

/// A plan for an image that is not there yet.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Outcome<Self> {
        Ok(Self { folder: scratch()? })
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn plan(&self, options: &str, targets: &[&str]) -> Outcome<Plan> {
        let path = self.path("plan.json");
        let options = options.split_whitespace();
        btrfs_plan(["-q", "-o", &path].into_iter().chain(options).chain(targets.iter().copied()))?.success()?;
        Ok(Plan::from_json(&std::fs::read(path)?)?)
    }

    /// Seals a plan again and writes it where the other one was.
    fn seal(&self, mut plan: Plan) -> Outcome<String> {
        plan.seal = plan.expected_seal();
        let path = self.path("plan.json");
        std::fs::write(&path, plan.to_json())?;
        Ok(path)
    }

    fn execute(&self, targets: &[String]) -> Outcome {
        let devices = (1..).zip(targets).map(|(devid, target): (u64, _)| format!("--device={devid}={target}"));
        run(ours("btrfs-exec")?.args(["--yes", "--quiet"]).arg(self.path("plan.json")).args(devices))?.success()?;
        Ok(())
    }
}

const ONE: &str = "size=4G";

/// Options, and the devices described.
const CLEAN: &[(&str, &[&str])] = &[
    ("", &[ONE]),
    ("-m single", &[ONE]),
    ("-K", &[ONE]),
    ("--discard exact", &["size=4G,discard=64k"]),
    ("-b 1G", &[ONE]),
    ("-M", &[ONE]),
    ("-n 4k", &[ONE]),
    ("-n 64k --csum sha256 -L label", &[ONE]),
    ("-O quota", &[ONE]),
    ("-O squota --csum blake2b", &[ONE]),
    ("-O ^free-space-tree --csum xxhash", &[ONE]),
    ("-O ^no-holes", &[ONE]),
    ("-O ^skinny-metadata", &[ONE]),
    ("-O zoned", &[ONE]),
    ("", &["size=64G,zone=256M,conventional=4,capacity=200M"]),
    ("-m raid1", &["size=16G,zone=64M", "size=16G,zone=64M"]),
    ("", &["size=300G"]),
    ("", &[ONE; 3]),
    ("-d raid0 -m raid1c3", &[ONE; 3]),
    ("-d raid10 -m raid10", &[ONE; 6]),
    ("-d raid5 -m raid5", &[ONE; 3]),
    ("-d raid6 -m raid6", &[ONE; 4]),
    ("-d raid6 -m raid1c4", &["size=1G", "size=2G", "size=4G", "size=300G"]),
];

fn clean_plans() -> Vec<Trial> {
    let cases = CLEAN.iter().map(|(options, targets)| {
        case(format!("clean: {options} on {}", targets.join(" ")), move || {
            let scene = Scene::new()?;
            let plan = scene.plan(options, targets)?;
            let path = scene.path("plan.json");
            is_clean(&[&path], plan.devices.len() as u64)?;
            let text = btrfs_plan(["audit", &path])?.text();
            ensure(text.starts_with(&format!("seal: {}\n", plan.seal)), || text.clone())?;
            let (_, report) = report(&[&path])?;
            ensure(report["seal"] == plan.seal.to_string(), || report.to_string())
        })
    });
    cases.collect()
}

/// Bytes that are written over a device of a plan, and where.
type Overwrite = fn(&Plan) -> (u64, Vec<u8>);

/// Something that is done to a plan, and the code that names it.
type Damage = (&'static str, &'static str, fn(&mut Plan));

const DAMAGES: &[Damage] = &[
    ("a lost mirror", "write-missing", |plan| {
        plan.devices[0].writes.pop();
    }),
    ("a wipe too many", "wipe-needless", |plan| plan.devices[0].wipe.push(ByteRange { start: GIB, length: 4096 })),
    ("the end left alone", "zero-missing", |plan| {
        plan.devices[0].zero.pop();
    }),
    ("a superblock copy in another place", "commit-missing", |plan| {
        let copy = &mut plan.devices[0].commit[0];
        copy.offset = copy.offset.plus(4 << 20).unwrap_or(copy.offset);
    }),
    ("the primary superblock first", "commit-order", |plan| plan.devices[0].commit.reverse()),
    ("half of the device not discarded", "discard-missing", |plan| plan.devices[0].discard[0].length = 2 * GIB),
    ("a figure that is too good", "statistics", |plan| plan.statistics.bytes_written -= 4096),
    ("a block with a damaged checksum", "block-checksum", |plan| {
        let payload = plan.blocks[0].payload as usize;
        plan.payloads[payload].parts[0].bytes[0] ^= 1;
    }),
    ("a block that is another", "block-address", |plan| {
        let payload = plan.blocks[0].payload as usize;
        let mut bytes = plan.payloads[payload].expand().unwrap_or_default();
        bytes[50] ^= 1;
        ChecksumType::Crc32c.seal(&mut bytes);
        plan.payloads[payload] = Payload::new(&bytes);
    }),
    ("a label that is not written", "index-filesystem", |plan| plan.filesystem.label.push_str("\u{1b}[2J")),
];

fn damaged_plans() -> Vec<Trial> {
    let audited = |(name, code, damage): &Damage| {
        let (code, damage) = (*code, *damage);
        case(format!("damaged: {name}"), move || {
            let scene = Scene::new()?;
            let image = scene.path("image");
            let mut plan = scene.plan("-b 4G", &[&image])?;
            damage(&mut plan);
            let path = scene.seal(plan)?;
            has(code, &[&path])?;
            for arguments in [&["--yes"][..], &["--dry-run"]] {
                let ran = run(ours("btrfs-exec")?.args(arguments).arg(&path))?;
                ensure(ran.code == Some(REFUSED), || format!("exit code {:?}: {}", ran.code, ran.stderr))?;
                for words in [code, "does not pass its audit", "hint: btrfs-plan audit"] {
                    ensure(ran.stderr.contains(words), || format!("'{words}' is not in: {}", ran.stderr))?;
                }
                ensure(ran.stdout.is_empty(), || "it printed something on standard output".to_owned())?;
                ensure(!ran.stderr.contains('\u{1b}'), || "what is in the plan reached the terminal".to_owned())?;
                ensure(!Path::new(&image).exists(), || "the image was created".to_owned())?;
            }
            Ok(())
        })
    };
    DAMAGES.iter().map(audited).collect()
}

fn command_lines() -> Vec<Trial> {
    let usage = |name: &str, arguments: &'static [&'static str]| {
        case(format!("usage: {name}"), move || {
            let ran = btrfs_plan(["audit"].iter().chain(arguments))?;
            ensure(ran.code == Some(2) && ran.stdout.is_empty(), || format!("exit code {:?}: {}", ran.code, ran.stderr))
        })
    };
    vec![
        usage("neither plan nor device", &[]),
        usage("plan and device", &["plan.json", "--device", "image"]),
        case("the help has the exit codes", || {
            let help = btrfs_plan(["audit", "--help"])?.success()?.text();
            let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
            ensure(help.contains("0 clean") && help.contains("3 not clean"), || help.clone())
        }),
        case("a plan on standard input, compressed", || {
            let scene = Scene::new()?;
            let path = scene.path("plan.zst");
            btrfs_plan(["-q", "-o", &path, "size=4G"])?.success()?;
            let ran = run(ours("btrfs-plan")?.args(["audit", "-"]).stdin(File::open(path)?))?.success()?;
            ensure(ran.text().ends_with("clean\n"), || ran.text())
        }),
        case("a plan with a broken seal", || {
            let scene = Scene::new()?;
            let mut plan = scene.plan("", &["size=4G"])?;
            plan.filesystem.time += 1;
            std::fs::write(scene.path("plan.json"), plan.to_json())?;
            let ran = btrfs_plan(["audit", &scene.path("plan.json")])?;
            ensure(ran.code == Some(REFUSED) && ran.stderr.contains("the seal is broken"), || ran.stderr.clone())
        }),
        case("a signature beyond the byte count is a warning", || {
            let scene = Scene::new()?;
            let image = scene.path("image");
            sparse_file(Path::new(&image), GIB)?;
            tool("mkswap", [&image])?;
            let mut file = scene.plan("-f -b 512M", &[&image])?;
            file.devices[0].found.signatures[0].offset = 600 * MIB;
            file.devices[0].wipe.clear();
            let path = scene.seal(file)?;
            let ran = btrfs_plan(["audit", &path])?.success()?;
            let text = ran.text();
            let told = text.contains("warning: device 1, offset 629145600: signature-stays");
            ensure(told && text.ends_with("clean, with 1 warning\n"), || text.clone())
        }),
    ]
}

/// Images that this project made.
fn images() -> Vec<Trial> {
    let made = |options: &'static str, count: usize| {
        case(format!("image: {options} on {count}"), move || {
            let (scene, images) = make(options, count)?;
            let arguments: Vec<&str> = ["--device"].into_iter().chain(images.iter().map(String::as_str)).collect();
            is_clean(&arguments, count as u64)?;
            drop(scene);
            Ok(())
        })
    };
    let mut cases: Vec<Trial> = vec![
        made("", 1),
        made("-m single -n 4k", 1),
        made("-M", 1),
        made("-O quota,^no-holes --csum xxhash", 1),
        made("-d raid10 -m raid10", 4),
        made("-d raid5 -m raid5", 3),
        made("-d raid6 -m raid6 --csum sha256", 4),
    ];
    let damaged: [(&str, &str, Overwrite); 3] = [
        ("a copy of a block", "block-checksum", |plan| (plan.devices[0].writes[0].offset.get() + 200, vec![0xff; 16])),
        ("the primary superblock", "superblock-checksum", |_| (65536 + 300, vec![0xff; 4])),
        ("a superblock's magic", "superblock-missing", |_| (64 * MIB + 64, vec![0; 8])),
    ];
    for (name, code, damage) in damaged {
        cases.push(case(format!("damaged image: {name}"), move || {
            let (scene, images) = make("", 1)?;
            let plan = Plan::from_json(&std::fs::read(scene.path("plan.json"))?)?;
            let (offset, bytes) = damage(&plan);
            File::options().write(true).open(&images[0])?.write_all_at(&bytes, offset)?;
            has(code, &["--device", &images[0]])
        }));
    }
    cases.push(case("a device less", || {
        let (_scene, images) = make("-d raid1 -m raid1", 2)?;
        has("device-count", &["--device", &images[1]])
    }));
    cases.push(case("devices of two filesystems", || {
        let ((_one, first), (_other, second)) = (make("", 1)?, make("", 1)?);
        let ran = btrfs_plan(["audit", "--device", &first[0], &second[0]])?;
        ensure(ran.code == Some(REFUSED), || ran.text())
    }));
    cases.push(case("no btrfs at all", || {
        let scene = Scene::new()?;
        let image = scene.path("image");
        sparse_file(Path::new(&image), 256 * MIB)?;
        tool("mkswap", [&image])?;
        has("superblock-missing", &["--device", &image])
    }));
    cases.push(case("an empty file", || {
        let scene = Scene::new()?;
        let image = scene.path("image");
        sparse_file(Path::new(&image), 0)?;
        let ran = btrfs_plan(["audit", "--device", &image])?;
        ensure(ran.code == Some(REFUSED), || ran.text())
    }));
    for (name, path, says) in [("nothing", "/nonexistent", "'/nonexistent'"), ("a folder", "/", "'/'")] {
        cases.push(case(format!("{name} instead of a device"), move || {
            let ran = btrfs_plan(["audit", "--device", path])?;
            ensure(ran.code == Some(REFUSED) && ran.stderr.contains(says), || ran.stderr.clone())
        }));
    }
    cases.push(case("the same image twice", || {
        let (_scene, images) = make("", 1)?;
        let ran = btrfs_plan(["audit", "--device", &images[0], &images[0]])?;
        ensure(ran.code == Some(REFUSED) && ran.stderr.contains("the same device"), || ran.stderr.clone())
    }));
    cases
}

fn make(options: &str, count: usize) -> Outcome<(Scene, Vec<String>)> {
    let scene = Scene::new()?;
    let targets = vec!["size=1G"; count];
    scene.plan(options, &targets)?;
    let images: Vec<String> = (1..=count).map(|number| scene.path(&format!("image{number}"))).collect();
    for image in &images {
        sparse_file(Path::new(image), GIB)?;
    }
    scene.execute(&images)?;
    Ok((scene, images))
}

/// Block devices, before and after the kernel had them.
fn devices() -> Vec<Trial> {
    let used = |options: &'static str, count: usize| {
        root_case(format!("used: {options} on {count}"), move || {
            let loops = LoopSet::new(&vec![2 * GIB; count])?;
            let options: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
            kernel::make(&options, &loops)?;
            let paths = loops.paths();
            let arguments: Vec<&str> = ["--device"].into_iter().chain(paths.iter().map(String::as_str)).collect();
            is_clean(&arguments, count as u64)?;
            let mount = Mount::new(loops.devices()[0].path(), "defaults")?;
            write(mount.path())?;
            // Told, since what is read of it may be half written.
            let ran = btrfs_plan(["audit"].iter().chain(&arguments))?;
            ensure(ran.stderr.contains("warning: ") && ran.stderr.contains("mounted"), || ran.stderr.clone())?;
            mount.unmount()?;
            is_clean(&arguments, count as u64)
        })
    };
    vec![
        used("", 1),
        used("-M", 1),
        used("-O ^free-space-tree", 1),
        used("-n 4k --csum sha256", 1),
        used("-d raid1 -m raid1", 2),
        used("-d raid10 -m raid10", 4),
        used("-d raid5 -m raid5", 3),
        root_case("snapshots that share very many blocks", snapshots),
        root_case("read-only: nothing is written", || {
            let (scene, images) = make("", 1)?;
            let mut permissions = std::fs::metadata(&images[0])?.permissions();
            permissions.set_readonly(true);
            std::fs::set_permissions(&images[0], permissions)?;
            let before: PathBuf = scene.folder.path().join("copy");
            std::fs::copy(&images[0], &before)?;
            is_clean(&["--device", &images[0]], 1)?;
            let same = run(Command::new("cmp").arg(&before).arg(&images[0]))?;
            if same.code == Some(0) { Ok(()) } else { fail("the image changed") }
        }),
    ]
}

/// A hundred thousand times a block is read again for a snapshot that shares it, and no more; all else is looked at.
fn snapshots() -> Outcome {
    let loops = LoopSet::new(&[2 * GIB])?;
    kernel::make(&["-n".to_owned(), "4k".to_owned()], &loops)?;
    let mount = Mount::new(loops.devices()[0].path(), "defaults,noatime")?;
    // Each fills more than half a leaf.
    for number in 0..1200_usize {
        std::fs::write(mount.path().join(format!("file {number}")), vec![7; 1900])?;
    }
    for number in 0..85_usize {
        let snapshot = mount.path().join(format!("snapshot {number}"));
        let words = ["subvolume", "snapshot"].map(std::ffi::OsStr::new);
        tool("btrfs", words.into_iter().chain([mount.path().as_os_str(), snapshot.as_os_str()]))?;
    }
    mount.unmount()?;
    let ran = btrfs_plan(["audit", "--json", "--device"].into_iter().chain(loops.paths().iter().map(String::as_str)))?;
    let report: Value = serde_json::from_slice(&ran.stdout)?;
    let codes: Vec<&str> =
        report["findings"].as_array().into_iter().flatten().filter_map(|it| it["code"].as_str()).collect();
    let expected = !codes.is_empty() && codes.iter().all(|code| *code == "snapshots-unread");
    ensure(expected, || format!("{codes:?}: {}", ran.stderr))?;
    // A warning: what was read is good.
    ensure(ran.code == Some(0) && report["clean"] == true, || format!("{:?}", ran.code))
}

/// Files large and small, some of them removed again.
fn write(folder: &Path) -> Outcome {
    for number in 0..200_usize {
        std::fs::write(folder.join(format!("file {number}")), vec![7; number * 100])?;
    }
    let large: Vec<u8> = (0..4_u32 << 20).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    std::fs::write(folder.join("large"), large)?;
    tool("sync", ["--file-system".as_ref(), folder.as_os_str()])?;
    for number in (0..200).step_by(3) {
        std::fs::remove_file(folder.join(format!("file {number}")))?;
    }
    Ok(())
}
