//! Nobody loses what he did not agree to lose: consent, dry runs, and what is opened, read back and waited for.

use btrfs_plan_tests::loops::{LoopSet, scratch, sparse_file};
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::{btrfs_exec, btrfs_plan, command, ours, tool};
use btrfs_plan_tests::slow::SlowDevices;
use btrfs_plan_tests::sparse::{extents, fill};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail, root_case};
use btrfs_plan_tests::trace::{Call, trace};
use btrfs_planner::Plan;
use libtest_mimic::Trial;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitCode, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const MIB: u64 = 1 << 20;
const SIZE: u64 = 256 * MIB;

/// Exit codes.
const REFUSED: i32 = 3;
const INTERRUPTED: i32 = 4;

fn main() -> ExitCode {
    let mut cases = consent();
    cases.extend(dry_runs());
    cases.extend(again());
    cases.extend(descriptors());
    cases.extend(documents());
    cases.extend(devices());
    suite::run(19, cases)
}

/// An image with an old filesystem and other bytes on it, and a plan that may overwrite it.
struct Scene {
    folder: TempDir,
    plan: Plan,
}

impl Scene {
    fn new(options: &str) -> Outcome<Self> {
        let folder = scratch()?;
        let image = folder.path().join("image");
        sparse_file(&image, SIZE)?;
        fill(&image, 0, MIB)?;
        fill(&image, 63 * MIB, 4 * MIB)?;
        tool("mkfs.ext4", ["-q".as_ref(), "-F".as_ref(), image.as_os_str()])?;
        // Where a copy of a superblock was: nobody finds it, and it goes all the same.
        fill(&image, 64 * MIB, MIB)?;
        let plan = planned(folder.path(), options, &[&image])?;
        Ok(Self { folder, plan })
    }

    fn image(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("plan.json")
    }

    fn exec(&self, options: &[&str]) -> Outcome<btrfs_plan_tests::programs::Ran> {
        let options = options.iter().map(|option| option.as_ref());
        btrfs_exec(options.chain([self.path().as_os_str()]))
    }
}

/// A plan for these targets, over whatever is on them.
fn planned(folder: &Path, options: &str, targets: &[&Path]) -> Outcome<Plan> {
    let path = folder.join("plan.json");
    let words = ["-q", "-f"].into_iter().chain(options.split_whitespace()).map(AsRef::as_ref);
    let output = ["-o".as_ref(), path.as_os_str()];
    btrfs_plan(words.chain(output).chain(targets.iter().map(|target| target.as_os_str())))?.success()?;
    Ok(Plan::from_json(&std::fs::read(path)?)?)
}

/// Who is asked, and what must be answered.
fn consent() -> Vec<Trial> {
    let answers = [
        ("the digits of the seal are consent", None, 0),
        ("a yes is none", Some("yes"), REFUSED),
        ("an empty line is none", Some(""), REFUSED),
    ];
    let mut cases: Vec<Trial> = answers
        .into_iter()
        .map(|(name, answer, code)| {
            case(format!("at a terminal {name}"), move || {
                let scene = Scene::new("")?;
                let before = extents(&scene.image())?;
                let digits = scene.plan.seal.to_string()[..6].to_owned();
                let (status, said) = at_a_terminal(&scene, answer.unwrap_or(&digits))?;
                ensure(status == Some(code), || format!("{status:?}: {said}"))?;
                // What will be lost is on the screen before the question.
                for words in ["ext4", &digits, "image"] {
                    ensure(said.contains(words), || format!("'{words}' is not in: {said}"))?;
                }
                ensure((extents(&scene.image())? == before) == (code != 0), || "not what was agreed to".to_owned())
            })
        })
        .collect();
    cases.push(case("the plan says what will be lost", || {
        let scene = Scene::new("")?;
        let kinds: Vec<&str> = scene.plan.devices[0].found.signatures.iter().map(|found| found.kind.as_str()).collect();
        ensure(kinds == ["ext4"], || format!("{kinds:?}"))?;
        let shown = btrfs_plan(["show".as_ref(), scene.path().as_os_str()])?.success()?.text();
        ensure(shown.contains("ext4"), || shown.clone())
    }));
    cases.push(case("the expected seal is accepted", || {
        let scene = Scene::new("")?;
        scene.exec(&["--yes", "--expect", &scene.plan.seal.to_string()])?.success()?;
        Ok(())
    }));
    cases
}

/// Runs the executor at a terminal of its own and types an answer.
fn at_a_terminal(scene: &Scene, answer: &str) -> Outcome<(Option<i32>, String)> {
    let mut script = command("script");
    let program = ours("btrfs-exec")?.get_program().to_string_lossy().into_owned();
    let line = format!("{program} {}", scene.path().display());
    script.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let Some(mut keyboard) = child.stdin.take() else { return fail("no keyboard") };
    // The question may come later than the answer: it waits in the terminal.
    writeln!(keyboard, "{answer}")?;
    let mut said = String::new();
    if let Some(screen) = &mut child.stdout {
        screen.read_to_string(&mut said)?;
    }
    Ok((child.wait()?.code(), said))
}

/// An operation on a device: its kind, its first byte, how many bytes.
type Operation = (&'static str, u64, u64);

/// A dry run does everything but write, and tells the very operations of the real run.
fn dry_runs() -> Vec<Trial> {
    ["", "-K", "-m single --discard exact", "-b 200m"]
        .into_iter()
        .map(|options| {
            case(format!("a dry run tells what a run does: '{options}'"), move || {
                let scene = Scene::new(options)?;
                let before = extents(&scene.image())?;
                let told = listed(&scene.exec(&["--dry-run"])?.success()?.text())?;
                ensure(extents(&scene.image())? == before, || "it wrote something".to_owned())?;
                let calls = trace("btrfs-exec", ["--yes".as_ref(), "-q".as_ref(), scene.path().as_os_str()])?;
                let done = operations(&calls, &scene.image().display().to_string())?;
                ensure(told == done, || format!("told {told:?}\ndone {done:?}"))?;
                let kinds =
                    ["write", "discard", "flush"].map(|kind| done.iter().filter(|(other, ..)| *other == kind).count());
                let discards = usize::from(options != "-K");
                ensure(kinds[0] > 4 && kinds[1] >= discards && kinds[2] == 4, || format!("{done:?}"))
            })
        })
        .collect()
}

/// The operations in what a dry run has printed.
fn listed(text: &str) -> Outcome<Vec<Operation>> {
    let mut operations = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("  ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        operations.push(match words[..] {
            [_, "write", length, "bytes", "at", offset] => ("write", offset.parse()?, length.parse()?),
            [_, "discard", length, "bytes", "at", offset] => ("discard", offset.parse()?, length.parse()?),
            [_, "flush"] => ("flush", 0, 0),
            _ => return fail(format!("not an operation: {line}")),
        });
    }
    Ok(operations)
}

/// The operations on a file that strace saw.
fn operations(calls: &[Call], path: &str) -> Outcome<Vec<Operation>> {
    let mut operations = Vec::new();
    for call in calls.iter().filter(|call| call.concerns(path)) {
        let Some((arguments, result)) = call.line.rsplit_once(") = ") else { continue };
        let last = |number: usize| arguments.rsplit(", ").nth(number).unwrap_or_default().parse::<u64>();
        match call.name.as_str() {
            "pwritev" | "pwrite64" => operations.push(("write", last(0)?, result.trim().parse()?)),
            // Another call asks whether it is swap, of space that no file has.
            "fallocate" if arguments.contains("PUNCH_HOLE") => operations.push(("discard", last(1)?, last(0)?)),
            "fdatasync" | "fsync" => operations.push(("flush", 0, 0)),
            _ => {}
        }
    }
    Ok(operations)
}

/// A plan that ran before.
fn again() -> Vec<Trial> {
    let mut cases = vec![case("a plan runs again over what it has made, and nothing else", || {
        let scene = Scene::new("")?;
        for _ in 0..2 {
            scene.exec(&["--yes", "--verify"])?.success()?;
            tool("btrfs", ["check".as_ref(), scene.image().as_os_str()])?;
        }
        // Another generation: it was used.
        let image = File::options().write(true).open(scene.image())?;
        image.write_all_at(&[9], 65536 + 0x48)?;
        let before = extents(&scene.image())?;
        let ran = scene.exec(&["--yes"])?;
        ensure(ran.code == Some(REFUSED), || format!("{ran:?}"))?;
        // Both findings, side by side.
        ensure(ran.stderr.contains("it holds btrfs") && ran.stderr.contains("the plan names ext4"), || {
            ran.stderr.clone()
        })?;
        ensure(extents(&scene.image())? == before, || "it was refused, and written".to_owned())
    })];
    cases.push(root_case("a plan does not run again over a filesystem that was mounted", || {
        let loops = LoopSet::new(&[SIZE])?;
        let folder = scratch()?;
        planned(folder.path(), "", &[loops.devices()[0].path()])?;
        let plan = folder.path().join("plan.json");
        let exec = || btrfs_exec(["--yes".as_ref(), "-q".as_ref(), plan.as_os_str()]);
        exec()?.success()?;
        exec()?.success()?;
        let mount = Mount::new(loops.devices()[0].path(), "defaults")?;
        std::fs::write(mount.path().join("file"), "dear")?;
        mount.unmount()?;
        let ran = exec()?;
        ensure(ran.code == Some(REFUSED), || format!("{ran:?}"))?;
        tool("btrfs", ["check".as_ref(), loops.devices()[0].path().as_os_str()])?;
        Ok(())
    }));
    cases
}

/// Documents that ask for more than they are. They are read with little memory to be had: whoever trusts a length in them
/// ends without an exit code.
fn documents() -> Vec<Trial> {
    type Make = fn(&Scene) -> Outcome<Vec<u8>>;
    let makes: Vec<(&str, Make, &str)> = vec![
        (
            "a payload of 16 EiB",
            |scene| {
                let mut plan = scene.plan.clone();
                plan.payloads[0].length = u64::MAX;
                plan.payloads[0].parts.clear();
                Ok(sealed(plan))
            },
            "stands for 18446744073709551615 bytes",
        ),
        (
            "a thousand payloads of nothing but zeros",
            |scene| {
                let mut plan = scene.plan.clone();
                let mut zeros = plan.payloads[0].clone();
                (zeros.length, zeros.parts) = (1 << 20, Vec::new());
                plan.payloads = vec![zeros; 1000];
                Ok(sealed(plan))
            },
            "not sound",
        ),
        (
            "a hundred thousand payloads that nothing refers to",
            |scene| {
                let mut plan = scene.plan.clone();
                let mut zeros = plan.payloads[0].clone();
                (zeros.length, zeros.parts) = (1 << 20, Vec::new());
                plan.payloads.resize(100_000, zeros);
                Ok(sealed(plan))
            },
            "nothing refers to payload",
        ),
        (
            "two million ranges",
            |scene| {
                let mut plan = scene.plan.clone();
                let range = |index: u64| btrfs_planner::plan::ByteRange { start: index * 1024, length: 512 };
                plan.devices[0].wipe = (0..2_000_000).map(range).collect();
                Ok(sealed(plan))
            },
            "beyond the limit",
        ),
        ("a million brackets", |_| Ok(vec![b'['; 1_000_000]), "not a plan"),
        (
            "a bomb",
            |_| {
                let spaces = vec![b' '; 1 << 28];
                Ok(zstd::bulk::compress(&spaces, 3)?)
            },
            "larger than a plan can be",
        ),
    ];
    makes
        .into_iter()
        .map(|(name, make, says)| {
            case(format!("a document with {name}"), move || {
                let scene = Scene::new("")?;
                std::fs::write(scene.path(), make(&scene)?)?;
                let before = extents(&scene.image())?;
                let mut limited = command("prlimit");
                limited.arg("--as=700000000").arg(ours("btrfs-exec")?.get_program()).arg("--yes").arg(scene.path());
                let ran = btrfs_plan_tests::programs::run(&mut limited)?;
                ensure(ran.code == Some(REFUSED) && ran.stderr.contains(says), || format!("{ran:?}"))?;
                ensure(extents(&scene.image())? == before, || "the image has changed".to_owned())
            })
        })
        .collect()
}

fn sealed(mut plan: Plan) -> Vec<u8> {
    plan.seal = plan.expected_seal();
    plan.to_json().into_bytes()
}

/// Which files a run opens.
fn descriptors() -> Vec<Trial> {
    vec![case("only the plan's devices are opened for writing", || {
        let scene = Scene::new("")?;
        // Other paths in the plan are only words.
        let victim = scene.folder.path().join("victim");
        std::fs::write(&victim, "dear")?;
        let mut plan = scene.plan.clone();
        let words = victim.display().to_string();
        plan.planner.name.clone_from(&words);
        plan.devices[0].found.signatures[0].label = Some(words.clone());
        plan.devices[0].found.path = Some(scene.image().display().to_string());
        // What is on the image has no such label: the signature is the one that the plan wipes.
        File::options().write(true).open(scene.image())?.write_all_at(&[0; 4096], 0)?;
        plan.seal = plan.expected_seal();
        std::fs::write(scene.path(), plan.to_json())?;
        let calls = trace("btrfs-exec", ["--yes".as_ref(), "-q".as_ref(), scene.path().as_os_str()])?;
        let mut opened = 0;
        for call in calls.iter().filter(|call| call.name == "openat" || call.name == "open" || call.name == "creat") {
            let writes =
                ["O_RDWR", "O_WRONLY", "O_CREAT", "O_TRUNC", "O_APPEND"].iter().any(|mode| call.line.contains(mode));
            if !writes && call.name != "creat" {
                continue;
            }
            let device = call.concerns(&scene.image().display().to_string());
            ensure(device || call.concerns("/dev/btrfs-control") || call.concerns("/dev/null"), || {
                format!("{call:?}")
            })?;
            opened += usize::from(device);
        }
        ensure(opened == 1, || format!("the image was opened for writing {opened} times"))?;
        ensure(!calls.iter().any(|call| call.concerns(&words)), || "a path in the plan was used".to_owned())
    })]
}

fn devices() -> Vec<Trial> {
    vec![
        root_case("verification reads the device, not memory", || {
            let loops = LoopSet::new(&[SIZE])?;
            let device = &loops.devices()[0];
            let folder = scratch()?;
            let plan = planned(folder.path(), "", &[device.path()])?;
            let read = || -> Outcome<u64> {
                let statistics = std::fs::read_to_string(format!("/sys/block/{}/stat", device.name()))?;
                let sectors = statistics.split_whitespace().nth(2).unwrap_or_default().parse::<u64>()?;
                Ok(sectors * 512)
            };
            let path = folder.path().join("plan.json");
            let before = read()?;
            btrfs_exec(["--yes".as_ref(), "-q".as_ref(), path.as_os_str()])?.success()?;
            let between = read()?;
            btrfs_exec(["--yes".as_ref(), "-q".as_ref(), "--verify".as_ref(), path.as_os_str()])?.success()?;
            let (plain, verified) = (between - before, read()? - between);
            let written = plan.statistics.bytes_written;
            ensure(verified >= plain + written, || format!("{plain} and {verified} bytes read, {written} written"))
        }),
        root_case("a request that never ends is named, and a second signal ends the run", || {
            // A discard waits for one of the other file.
            let slow = SlowDevices::files_only(2, 256, &["together=2"])?;
            let image = slow.file(0);
            let folder = scratch()?;
            planned(folder.path(), "", &[&image])?;
            let mut program = ours("btrfs-exec")?;
            program.arg("--yes").arg(folder.path().join("plan.json")).stderr(Stdio::piped()).stdout(Stdio::null());
            let mut child = program.spawn()?;
            let pid = Pid::from_raw(child.id().try_into()?);
            wait_until("a request without an answer", || waits_for_an_answer(pid))?;
            kill(pid, Signal::SIGINT)?;
            std::thread::sleep(Duration::from_millis(700));
            ensure(child.try_wait()?.is_none(), || "it did not wait for its request".to_owned())?;
            kill(pid, Signal::SIGINT)?;
            std::thread::sleep(Duration::from_millis(300));
            // Its threads are gone but for the one in the kernel, which keeps the process until the request ends.
            tool("fallocate", ["--punch-hole", "--length", "4096", &slow.file(1).display().to_string()])?;
            let code = ended(&mut child, Duration::from_secs(10))?;
            let mut said = String::new();
            if let Some(stream) = &mut child.stderr {
                stream.read_to_string(&mut said)?;
            }
            ensure(code == Some(INTERRUPTED), || format!("{code:?}: {said}"))?;
            let name = image.display().to_string();
            for words in ["once more to stop at once", &name, "has not answered a discard of"] {
                ensure(said.contains(words), || format!("'{words}' is not in: {said}"))?;
            }
            let stored = std::fs::read(slow.stored_in(0))?;
            ensure(stored[65536..][..4096].iter().all(|byte| *byte == 0), || "there is a superblock".to_owned())
        }),
        root_case("a loop device on a part of another one's file", || {
            let folder = scratch()?;
            let file = folder.path().join("file");
            sparse_file(&file, 2 * SIZE)?;
            let all = btrfs_plan_tests::loops::LoopDevice::attach(&file, &[])?;
            let offset = SIZE.to_string();
            let part = btrfs_plan_tests::loops::LoopDevice::attach(&file, &["--offset", &offset])?;
            let both = [all.path().as_os_str(), part.path().as_os_str()];
            let ran = btrfs_plan(["-q".as_ref()].into_iter().chain(both))?;
            ensure(ran.code == Some(REFUSED) && ran.stderr.contains("same device"), || format!("{ran:?}"))?;
            // The first half alone is another device.
            let half = btrfs_plan_tests::loops::LoopDevice::attach(&file, &["--sizelimit", &offset])?;
            btrfs_plan(["-q".as_ref(), half.path().as_os_str(), part.path().as_os_str()])?.success()?;
            Ok(())
        }),
        root_case("a disk that has partitions, and its partitions", || {
            let loops = LoopSet::new(&[SIZE])?;
            let disk = loops.paths()[0].clone();
            let folder = scratch()?;
            planned(folder.path(), "", &[Path::new(&disk)])?;
            let shell = |line: String| tool("bash", ["-c", &line]);
            shell(format!("echo ,,L | sfdisk --quiet --label gpt {disk} > /dev/null 2>&1; partx --update {disk}"))?;
            let plan = folder.path().join("plan.json");
            let refused = [btrfs_plan(["-q", "-f", &disk]), btrfs_exec(["--yes".as_ref(), plan.as_os_str()])];
            let part = btrfs_plan(["-q", &format!("{disk}p1")]);
            // Without its partitions it may be used, if the table may be lost.
            shell(format!("partx --delete {disk}"))?;
            let alone = btrfs_plan(["-q", "-f", &disk]);
            let table = btrfs_plan(["-q", &disk]);
            for ran in refused {
                let ran = ran?;
                ensure(ran.code == Some(REFUSED), || format!("{ran:?}"))?;
                for words in ["it has partitions: ", "p1", "sfdisk --delete"] {
                    ensure(ran.stderr.contains(words), || ran.stderr.clone())?;
                }
            }
            part?.success()?;
            alone?.success()?;
            let table = table?;
            ensure(table.code == Some(REFUSED) && table.stderr.contains("partition table"), || format!("{table:?}"))
        }),
    ]
}

/// Whether a thread of this process has been waiting for the slow file system for a while.
fn waits_for_an_answer(pid: Pid) -> Outcome<bool> {
    for _ in 0..10 {
        let mut waits = false;
        for thread in std::fs::read_dir(format!("/proc/{pid}/task"))? {
            // Threads come and go.
            let channel = std::fs::read_to_string(thread?.path().join("wchan")).unwrap_or_default();
            waits |= channel.contains("request_wait_answer");
        }
        if !waits {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(true)
}

fn wait_until(what: &str, is_so: impl Fn() -> Outcome<bool>) -> Outcome {
    let begin = Instant::now();
    while !is_so()? {
        if begin.elapsed() > Duration::from_secs(20) {
            return fail(format!("{what} did not come"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// The exit code of a program that has to end by itself.
fn ended(child: &mut Child, patience: Duration) -> Outcome<Option<i32>> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if begin.elapsed() > patience {
            child.kill()?;
            return fail("it did not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
