//! What must be refused: the exit code, a message that names the thing, and not a byte changed anywhere.

use btrfs_plan_tests::loops::{LoopDevice, LoopSet, scratch, sparse_file};
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::{btrfs_plan, command, ours, run, tool};
use btrfs_plan_tests::sparse::{files, fill};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail, root_case};
use btrfs_planner::Plan;
use btrfs_planner::plan::ByteRange;
use libtest_mimic::Trial;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use tempfile::TempDir;

const MIB: u64 = 1 << 20;
const SIZE: u64 = 256 * MIB;

/// Exit codes.
const USAGE: i32 = 2;
const REFUSED: i32 = 3;

fn main() -> ExitCode {
    let mut cases = command_lines();
    cases.extend(requests());
    cases.extend(documents());
    cases.extend(images());
    cases.extend(devices());
    suite::run(80, cases)
}

/// Image files in a folder of their own, not empty: whatever touches them shows.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Outcome<Self> {
        let scene = Self { folder: scratch()? };
        for name in ["disk", "other"] {
            sparse_file(&scene.path(name), SIZE)?;
            fill(&scene.path(name), 0, MIB)?;
            fill(&scene.path(name), 70 * MIB, MIB)?;
        }
        Ok(scene)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Plans for the image `disk` and gives the plan's path.
    fn plan(&self, options: &[&str]) -> Outcome<PathBuf> {
        self.plan_for(options, &[&self.path("disk")])
    }

    fn plan_for(&self, options: &[&str], targets: &[&Path]) -> Outcome<PathBuf> {
        let plan = self.path("plan.json");
        let options = options.iter().map(|option| option.as_ref());
        let targets = targets.iter().map(|target| target.as_os_str());
        let output = ["-q".as_ref(), "-o".as_ref(), plan.as_os_str()];
        btrfs_plan(options.chain(output).chain(targets))?.success()?;
        Ok(plan)
    }

    /// Runs a command that has to be refused, and holds all files here against what they were.
    fn refuses(&self, command: &mut Command, code: i32, says: &[&str]) -> Outcome {
        let before = files(self.folder.path())?;
        let ran = run(command.current_dir(self.folder.path()))?;
        ensure(ran.code == Some(code), || format!("exit code {:?} instead of {code}: {}", ran.code, ran.stderr))?;
        ensure(ran.stdout.is_empty(), || "it printed something on standard output".to_owned())?;
        ensure(ran.stderr.starts_with("error: "), || format!("no 'error: ' first: {}", ran.stderr))?;
        for words in says {
            ensure(ran.stderr.contains(words), || format!("'{words}' is not in: {}", ran.stderr))?;
        }
        ensure(files(self.folder.path())? == before, || "it was refused, but a file changed".to_owned())
    }
}

fn planner(arguments: &[&str]) -> Outcome<Command> {
    let mut command = ours("btrfs-plan")?;
    command.args(arguments);
    Ok(command)
}

fn executor(arguments: &[&str]) -> Outcome<Command> {
    let mut command = ours("btrfs-exec")?;
    command.args(arguments);
    Ok(command)
}

/// Command lines of both programs that make no sense, and those that ask the planner for what it may not do.
fn command_lines() -> Vec<Trial> {
    let long_label = "x".repeat(256);
    let plan: Vec<(Vec<&str>, i32, Vec<&str>)> = vec![
        (vec![], USAGE, vec!["no device"]),
        (vec!["--frobnicate", "disk"], USAGE, vec!["--frobnicate"]),
        (vec!["-d", "raid7", "disk"], USAGE, vec!["raid7"]),
        (vec!["-m", "", "disk"], USAGE, vec!["raid1c3"]),
        (vec!["--csum", "md5", "disk"], USAGE, vec!["md5"]),
        (vec!["-O", "frobnication", "disk"], USAGE, vec!["frobnication"]),
        (vec!["-O", "^mixed-backref", "disk"], USAGE, vec!["mixed-backref"]),
        (vec!["-b", "1z", "disk"], USAGE, vec!["1z"]),
        (vec!["-b", "99999999999999999999", "disk"], USAGE, vec!["99999999999999999999"]),
        (vec!["-U", "not-a-uuid", "disk"], USAGE, vec!["not-a-uuid"]),
        (vec!["size=big"], USAGE, vec!["big"]),
        (vec!["size=1g,colour=red"], USAGE, vec!["colour"]),
        (vec!["--request", "r.json", "disk"], USAGE, vec!["--request"]),
        (vec!["-K", "--discard", "exact", "disk"], USAGE, vec!["--nodiscard (-K) discards nothing"]),
        (vec!["capacity", "-K", "--discard", "bridge", "disk"], USAGE, vec!["--nodiscard (-K) discards nothing"]),
        (vec!["minimum", "-b", "1g"], USAGE, vec!["--byte-count gives a size"]),
        (vec!["size=5"], REFUSED, vec!["its size 5 is below"]),
        (vec!["-b", "5", "disk"], REFUSED, vec!["byte count 5 is below"]),
        (vec!["-O", "zoned", "size=1000000001"], REFUSED, vec!["its size 1000000001 is below"]),
        (vec!["-b", "0", "new"], REFUSED, vec!["'new' does not exist", "a byte count of 0 means all of a device"]),
        (vec!["-n", "12k", "disk"], REFUSED, vec!["12288", "power of two"]),
        (vec!["-n", "128k", "disk"], REFUSED, vec!["131072"]),
        (vec!["-s", "5000", "disk"], REFUSED, vec!["5000"]),
        (vec!["-s", "16k", "-n", "4k", "disk"], REFUSED, vec!["4096", "16384"]),
        (vec!["-M", "-n", "16k", "disk"], REFUSED, vec!["16384", "4096"]),
        (vec!["-O", "mixed-bg", "-n", "16k", "disk"], REFUSED, vec!["16384", "4096"]),
        (vec!["-M", "-d", "single", "-m", "dup", "disk"], REFUSED, vec!["single", "dup"]),
        (vec!["-M", "-O", "^mixed-bg", "disk"], REFUSED, vec!["mixed"]),
        (vec!["-O", "quota,squota", "disk"], REFUSED, vec!["quota", "squota"]),
        (vec!["-O", "^raid56", "-d", "raid5", "-m", "raid5", "disk", "other"], REFUSED, vec!["raid56", "raid5"]),
        (vec!["-L", &long_label, "disk"], REFUSED, vec!["256"]),
        (vec!["-L", "two\nlines", "disk"], REFUSED, vec!["control character"]),
        (vec!["-d", "raid1", "disk"], REFUSED, vec!["raid1", "needs at least 2", "there are 1"]),
        (vec!["-d", "raid1c4", "-m", "raid1c3", "disk", "other"], REFUSED, vec!["raid1c3", "at least 3"]),
        (vec!["-b", "1m", "disk"], REFUSED, vec!["1048576", "minimum"]),
        (vec!["size=45m"], REFUSED, vec!["47185920", "114294784"]),
        (vec!["-d", "dup", "-m", "dup", "size=200m"], REFUSED, vec!["209715200", "240123904"]),
        (vec!["-M", "-d", "dup", "-m", "dup", "size=128m"], REFUSED, vec!["no room", "dup"]),
        (vec!["-d", "raid1", "-m", "raid1", "size=256m", "size=1t"], REFUSED, vec!["no room", "raid1"]),
        (
            vec![
                "--device-uuid",
                "11111111-2222-4333-8444-555555555555",
                "-U",
                "11111111-2222-4333-8444-555555555555",
                "disk",
            ],
            REFUSED,
            vec!["11111111-2222-4333-8444-555555555555"],
        ),
        (vec!["-U", "00000000-0000-0000-0000-000000000000", "disk"], REFUSED, vec!["nil"]),
        (vec!["disk", "disk"], REFUSED, vec!["disk", "same device"]),
        (vec!["disk", "./disk"], REFUSED, vec!["disk", "same device"]),
        (vec!["missing"], REFUSED, vec!["missing", "does not exist"]),
        (vec!["/dev/null"], REFUSED, vec!["/dev/null", "neither a block device nor a regular file"]),
        (vec!["."], REFUSED, vec!["'.'"]),
        (vec!["missing/disk", "-b", "1g"], REFUSED, vec!["missing/disk"]),
        (vec!["size=1g,sector=8192"], REFUSED, vec!["8192", "4096"]),
        (vec!["-q", "-o", "missing/plan.json", "disk"], REFUSED, vec!["missing/plan.json"]),
        (vec!["show", "missing"], REFUSED, vec!["missing"]),
    ];
    let exec: Vec<(Vec<&str>, i32, Vec<&str>)> = vec![
        (vec!["--frobnicate"], USAGE, vec!["--frobnicate"]),
        (vec!["--device", "disk"], USAGE, vec!["DEVID=PATH"]),
        (vec!["--device", "1=disk", "--device", "1=other", "plan.json"], USAGE, vec!["device 1", "twice"]),
        (vec!["--expect", "abc", "plan.json"], USAGE, vec!["64"]),
        (vec!["--yes", "missing"], REFUSED, vec!["missing"]),
        (vec!["--yes"], REFUSED, vec!["standard input", "empty"]),
    ];
    let row = |program: &'static str, (arguments, code, says): (Vec<&str>, i32, Vec<&str>)| {
        let arguments: Vec<String> = arguments.into_iter().map(str::to_owned).collect();
        let says: Vec<String> = says.into_iter().map(str::to_owned).collect();
        let name = format!("{program} {}", arguments.join(" ").escape_debug());
        case(name.chars().take(90).collect::<String>(), move || {
            let says: Vec<&str> = says.iter().map(String::as_str).collect();
            Scene::new()?.refuses(ours(program)?.args(arguments), code, &says)
        })
    };
    let planners = plan.into_iter().map(|line| row("btrfs-plan", line));
    planners.chain(exec.into_iter().map(|line| row("btrfs-exec", line))).collect()
}

/// Saved requests that are none.
fn requests() -> Vec<Trial> {
    let device = r#"{"kind":"described","logical_sector":512,"physical_sector":512,"rotational":false,"signatures":[],"size":10737418240}"#;
    let good = format!(r#"{{"format":"btrfs-request/1","devices":[{device}],"identity":{{"seed":"x"}},"time":1}}"#);
    [
        ("an unknown field", good.replace("\"time\"", "\"surprise\":0,\"time\""), "surprise"),
        ("no time", good.replace(",\"time\":1", ""), "time"),
        ("another format", good.replace("request/1", "request/9"), "btrfs-request/9"),
        ("cut off", good[..good.len() - 5].to_owned(), "request"),
        ("an unknown profile", good.replace("\"time\"", "\"data\":\"raid7\",\"time\""), "raid7"),
        ("an empty seed", good.replace("\"x\"", "\"\""), "seed"),
        ("a rounded size", good.replace("10737418240", "1.073741824e10"), "floating point"),
        ("no device", good.replace(device, ""), "no device"),
    ]
    .into_iter()
    .map(|(name, text, says)| {
        case(format!("a request with {name}"), move || {
            let scene = Scene::new()?;
            std::fs::write(scene.path("request.json"), text)?;
            scene.refuses(&mut planner(&["--request", "request.json"])?, REFUSED, &[says])
        })
    })
    .collect()
}

/// Plans that were spoilt on the way, or are not the one that was looked at.
fn documents() -> Vec<Trial> {
    type Spoil = fn(&str) -> String;
    let texts: Vec<(&str, Spoil, &[&str])> = vec![
        ("a broken seal", |text| text.replacen("\"label\":\"\"", "\"label\":\"x\"", 1), &["seal is broken"]),
        ("an unknown field", |text| text.replacen("{", "{\"surprise\":1,", 1), &["surprise"]),
        ("another format", |text| text.replacen("btrfs-plan/1", "btrfs-plan/2", 1), &["btrfs-plan/2"]),
        ("its end cut off", |text| text[..text.len() / 2].to_owned(), &["not a plan"]),
        ("nothing in it", |_| String::new(), &["empty"]),
        ("a request in its place", |_| "{\"format\":\"btrfs-request/1\"}".to_owned(), &["btrfs-request/1"]),
        ("something else in its place", |_| "once upon a time".to_owned(), &["not a plan"]),
    ];
    let mut cases: Vec<Trial> = texts
        .into_iter()
        .map(|(name, spoil, says)| {
            case(format!("a plan with {name}"), move || {
                let scene = Scene::new()?;
                let plan = scene.plan(&["-K"])?;
                let text = spoil(&std::fs::read_to_string(&plan)?);
                std::fs::write(&plan, text)?;
                scene.refuses(&mut executor(&["--yes", "plan.json"])?, REFUSED, says)
            })
        })
        .collect();

    type Unsound = fn(&mut Plan);
    let unsound: [(&str, Unsound, &str); 3] = [
        (
            "a range outside of the device",
            |plan| plan.devices[0].zero.push(ByteRange { start: SIZE, length: 4096 }),
            "beyond",
        ),
        (
            "overlapping ranges",
            |plan| {
                let first = plan.devices[0].writes[0].offset.get();
                plan.devices[0].wipe =
                    vec![ByteRange { start: first, length: 4096 }, ByteRange { start: first, length: 512 }];
            },
            "above the entry before it",
        ),
        ("a payload that is not there", |plan| plan.devices[0].writes[0].payload = 1_000_000, "1000000"),
    ];
    cases.extend(unsound.into_iter().map(|(name, spoil, says)| {
        case(format!("a sealed plan with {name}"), move || {
            let scene = Scene::new()?;
            let path = scene.plan(&["-K"])?;
            let mut plan = Plan::from_json(&std::fs::read(&path)?)?;
            spoil(&mut plan);
            plan.seal = plan.expected_seal();
            std::fs::write(&path, plan.to_json())?;
            scene.refuses(&mut executor(&["--yes", "plan.json"])?, REFUSED, &["not sound", says])
        })
    }));

    cases.push(case("a compressed plan that was cut off", || {
        let scene = Scene::new()?;
        let plan = scene.plan(&["-K", "--compress"])?;
        let bytes = std::fs::read(&plan)?;
        ensure(bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]), || "it is not compressed".to_owned())?;
        std::fs::write(&plan, &bytes[..bytes.len() - 10])?;
        scene.refuses(&mut executor(&["--yes", "plan.json"])?, REFUSED, &["cut off"])
    }));
    cases.push(case("another plan than expected", || {
        let scene = Scene::new()?;
        scene.plan(&[])?;
        let other = "0123456789abcdef".repeat(4);
        scene.refuses(&mut executor(&["--yes", "--expect", &other, "plan.json"])?, REFUSED, &["seal", &other])
    }));
    cases.push(case("no consent and nobody to ask", || {
        let scene = Scene::new()?;
        scene.plan(&[])?;
        // A session of its own has no terminal.
        let mut command = command("setsid");
        command
            .arg("--wait")
            .arg(ours("btrfs-exec")?.get_program())
            .arg("plan.json")
            .stdin(std::process::Stdio::null());
        scene.refuses(&mut command, USAGE, &["terminal", "--yes"])
    }));
    cases
}

/// Image files that are not what the plan says, without root.
fn images() -> Vec<Trial> {
    let ext4 = |path: PathBuf| tool("mkfs.ext4", ["-q".as_ref(), "-F".as_ref(), path.as_os_str()]);
    vec![
        case("planning over an ext4 without -f", move || {
            let scene = Scene::new()?;
            ext4(scene.path("disk"))?;
            scene.refuses(&mut planner(&["disk"])?, REFUSED, &["disk", "ext4", "-f"])
        }),
        case("planning over a partition table without -f", || {
            let scene = Scene::new()?;
            sparse_file(&scene.path("gpt"), SIZE)?;
            partition(&scene.path("gpt"))?;
            scene.refuses(&mut planner(&["gpt"])?, REFUSED, &["gpt", "-f"])
        }),
        case("planning over a btrfs without -f", || {
            let scene = Scene::new()?;
            scene.plan(&["-K"])?;
            run(executor(&["--yes", "-q", "plan.json"])?.current_dir(scene.folder.path()))?.success()?;
            scene.refuses(&mut planner(&["disk"])?, REFUSED, &["disk", "btrfs", "-f"])
        }),
        case("a link to the same image", || {
            let scene = Scene::new()?;
            std::os::unix::fs::symlink("disk", scene.path("link"))?;
            std::fs::hard_link(scene.path("other"), scene.path("hard"))?;
            scene.refuses(&mut planner(&["disk", "link"])?, REFUSED, &["disk", "link", "same device"])?;
            scene.refuses(&mut planner(&["other", "hard"])?, REFUSED, &["other", "hard", "same device"])
        }),
        case("two devices of a plan on one image", || {
            let scene = Scene::new()?;
            std::os::unix::fs::symlink("disk", scene.path("link"))?;
            scene.plan_for(&["-K"], &[&scene.path("disk"), &scene.path("other")])?;
            for path in ["disk", "link", "./disk"] {
                let device = format!("2={path}");
                let mut command = executor(&["--yes", "plan.json", "--device", &device])?;
                scene.refuses(&mut command, REFUSED, &["disk", "same device"])?;
            }
            Ok(())
        }),
        case("described devices that nobody named", || {
            let scene = Scene::new()?;
            scene.plan_for(&[], &["size=256m".as_ref(), "size=256m".as_ref()])?;
            scene.refuses(
                &mut executor(&["--yes", "plan.json", "--device", "1=disk"])?,
                REFUSED,
                &["device 2", "--device 2="],
            )?;
            scene.refuses(&mut executor(&["--yes", "plan.json", "--device", "3=disk"])?, REFUSED, &["no device 3"])
        }),
        case("a filesystem that appeared since", move || {
            let scene = Scene::new()?;
            scene.plan(&["-f"])?;
            ext4(scene.path("disk"))?;
            scene.refuses(&mut executor(&["--yes", "plan.json"])?, REFUSED, &["disk", "ext4", "nothing"])
        }),
        case("another filesystem than the one that may be lost", move || {
            let scene = Scene::new()?;
            ext4(scene.path("disk"))?;
            scene.plan(&["-f"])?;
            ext4(scene.path("disk"))?;
            scene.refuses(&mut executor(&["--yes", "plan.json"])?, REFUSED, &["disk", "ext4"])
        }),
        case("an image that a loop-less folder took the place of", || {
            let scene = Scene::new()?;
            scene.plan(&[])?;
            std::fs::remove_file(scene.path("disk"))?;
            std::fs::create_dir(scene.path("disk"))?;
            scene.refuses(&mut executor(&["--yes", "plan.json"])?, REFUSED, &["disk", "neither"])
        }),
        case("an image that somebody has locked", || {
            let scene = Scene::new()?;
            scene.plan(&[])?;
            let image = std::fs::File::open(scene.path("disk"))?;
            image.lock()?;
            scene.refuses(&mut executor(&["--yes", "plan.json"])?, REFUSED, &["disk", "lock"])
        }),
    ]
}

/// A table of one partition over all of it.
fn partition(path: &Path) -> Outcome {
    let mut sfdisk = command("sfdisk");
    sfdisk.args(["--quiet", "--label", "gpt"]).arg(path).stdin(std::process::Stdio::piped());
    let mut child = sfdisk.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn()?;
    if let Some(mut input) = child.stdin.take() {
        std::io::Write::write_all(&mut input, b",,L\n")?;
    }
    ensure(child.wait()?.success(), || "sfdisk failed".to_owned())
}

/// Block devices in use, or not those of the plan. The scene's `disk` is behind a loop device.
fn devices() -> Vec<Trial> {
    type Act = fn(&Scene, &LoopDevice) -> Outcome;
    let cases: Vec<(&str, Act)> = vec![
        ("a mounted device", |scene, device| {
            let plan = after_planning(scene, device, &["mkfs.ext4", "-q", "-F"])?;
            let mount = Mount::of_type("ext4", device.path(), "ro")?;
            both_refuse(scene, device, &plan, &[&device.path().display().to_string(), "mounted"])?;
            mount.unmount()
        }),
        ("swap", |scene, device| {
            let plan = after_planning(scene, device, &["mkswap"])?;
            tool("swapon", [device.path()])?;
            let refused = both_refuse(scene, device, &plan, &[&device.path().display().to_string(), "swap"]);
            tool("swapoff", [device.path()])?;
            refused
        }),
        ("a device under another one", |scene, device| {
            let plan = planned(scene, device)?;
            let above = LoopDevice::attach(device.path(), &[])?;
            both_refuse(scene, device, &plan, &[&device.path().display().to_string(), &above.name()])
        }),
        ("less than the byte count", |scene, device| {
            let path = device.path().display().to_string();
            scene.refuses(&mut planner(&["-b", "1g", &path])?, REFUSED, &[&path, "1073741824", "268435456"])
        }),
        ("a described device of another size", |scene, device| {
            let first = format!("1={}", device.path().display());
            for (described, planned) in [("size=200m", "209715200"), ("size=300m", "314572800")] {
                scene.plan_for(&[], &[described.as_ref()])?;
                let mut command = executor(&["--yes", "plan.json", "--device", &first])?;
                scene.refuses(&mut command, REFUSED, &["268435456", planned])?;
            }
            Ok(())
        }),
        ("a device whose partition is mounted", |scene, device| {
            let plan = planned(scene, device)?;
            partition(device.path())?;
            tool("partx", ["--update".as_ref(), device.path().as_os_str()])?;
            let part = PathBuf::from(format!("{}p1", device.path().display()));
            tool("mkfs.ext4", ["-q".as_ref(), "-F".as_ref(), part.as_os_str()])?;
            let mount = Mount::of_type("ext4", &part, "ro")?;
            let name = format!("{}p1", device.name());
            let refused = both_refuse(scene, device, &plan, &[&name, "mounted"]);
            mount.unmount()?;
            let both = [device.path().display().to_string(), part.display().to_string()];
            let twins =
                scene.refuses(&mut planner(&["-f", &both[0], &both[1]])?, REFUSED, &["same device, or parts of one"]);
            tool("partx", ["--delete".as_ref(), device.path().as_os_str()])?;
            refused.and(twins)
        }),
        ("the image behind a loop device", |scene, device| {
            let says = ["disk", &device.name()];
            scene.refuses(&mut planner(&["disk"])?, REFUSED, &says)?;
            scene.plan_for(&[], &["size=256m".as_ref()])?;
            scene.refuses(&mut executor(&["--yes", "plan.json", "--device", "1=disk"])?, REFUSED, &says)
        }),
        ("a device and a link to it", |scene, device| {
            std::os::unix::fs::symlink(device.path(), scene.path("link"))?;
            let path = device.path().display().to_string();
            scene.refuses(&mut planner(&[&path, "link"])?, REFUSED, &[&path, "link", "same device"])?;
            scene.plan_for(&[], &["size=256m".as_ref(), "size=256m".as_ref()])?;
            let first = format!("1={path}");
            let mut command = executor(&["--yes", "plan.json", "--device", &first, "--device", "2=link"])?;
            scene.refuses(&mut command, REFUSED, &[&path, "link", "same device"])
        }),
        ("a device of another size than planned", |scene, device| {
            planned(scene, device)?;
            tool("truncate", ["--size=300M".as_ref(), scene.path("disk").as_os_str()])?;
            tool("losetup", ["--set-capacity".as_ref(), device.path().as_os_str()])?;
            scene.refuses(&mut executor(&["--yes", "plan.json"])?, REFUSED, &["268435456", "314572800"])
        }),
        ("a device with larger sectors than planned", |scene, device| {
            planned(scene, device)?;
            tool("losetup", ["--sector-size".as_ref(), "4096".as_ref(), device.path().as_os_str()])?;
            scene.refuses(&mut executor(&["--yes", "plan.json"])?, REFUSED, &["4096", "512"])
        }),
        ("a device that somebody has locked", |scene, device| {
            planned(scene, device)?;
            let held = std::fs::File::open(device.path())?;
            held.lock()?;
            let path = device.path().display().to_string();
            scene.refuses(&mut executor(&["--yes", "plan.json"])?, REFUSED, &[&path, "lock"])
        }),
        ("a read-only device", |scene, device| {
            planned(scene, device)?;
            let protect = |option: &str| tool("blockdev", [option.as_ref(), device.path().as_os_str()]);
            protect("--setro")?;
            let refused = scene.refuses(&mut executor(&["--yes", "plan.json"])?, REFUSED, &["read-only"]);
            // The next file behind this loop device would be read-only as well.
            protect("--setrw")?;
            refused
        }),
        ("a file where a device was planned", |scene, device| {
            planned(scene, device)?;
            let mut command = executor(&["--yes", "plan.json", "--device", "1=other"])?;
            scene.refuses(&mut command, REFUSED, &["other", "block device", "image file"])
        }),
        ("a device that is gone", |scene, device| {
            planned(scene, device)?;
            let mut command = executor(&["--yes", "plan.json", "--device", "1=/dev/no-such-device"])?;
            scene.refuses(&mut command, REFUSED, &["/dev/no-such-device"])?;
            ensure(!Path::new("/dev/no-such-device").exists(), || "it was made".to_owned())
        }),
    ];
    let mut trials: Vec<Trial> = cases
        .into_iter()
        .map(|(name, act)| {
            root_case(name, move || {
                let scene = Scene::new()?;
                let device = LoopDevice::attach(&scene.path("disk"), &[])?;
                act(&scene, &device)
            })
        })
        .collect();
    trials.push(root_case("the second device of a mounted btrfs", || {
        let scene = Scene::new()?;
        let loops = LoopSet::new(&[SIZE, SIZE])?;
        let mut arguments = vec!["-q".to_owned(), "-d".to_owned(), "raid1".to_owned()];
        arguments.extend(loops.paths());
        btrfs_plan_tests::programs::plan_and_execute(arguments)?;
        let mount = Mount::new(loops.devices()[0].path(), "ro")?;
        let second = loops.devices()[1].path().display().to_string();
        scene.refuses(&mut planner(&["-f", &second])?, REFUSED, &[&second, "mounted"])?;
        scene.plan_for(&[], &["size=256m".as_ref()])?;
        let device = format!("1={second}");
        scene.refuses(&mut executor(&["--yes", "plan.json", "--device", &device])?, REFUSED, &[&second, "mounted"])?;
        mount.unmount()
    }));
    trials
}

/// A plan for the device as it is, over whatever is on it.
fn planned(scene: &Scene, device: &LoopDevice) -> Outcome<PathBuf> {
    scene.plan_for(&["-f"], &[device.path()])
}

/// A plan for the device after a program has put something on it.
fn after_planning(scene: &Scene, device: &LoopDevice, program: &[&str]) -> Outcome<PathBuf> {
    let Some((program, arguments)) = program.split_first() else { return fail("no program") };
    tool(program, arguments.iter().map(|argument| argument.as_ref()).chain([device.path().as_os_str()]))?;
    planned(scene, device)
}

/// The planner refuses the device as it is now, and the executor the plan that was made before.
fn both_refuse(scene: &Scene, device: &LoopDevice, plan: &Path, says: &[&str]) -> Outcome {
    let path = device.path().display().to_string();
    scene.refuses(&mut planner(&["-f", &path])?, REFUSED, says)?;
    scene.refuses(executor(&["--yes"])?.arg(plan), REFUSED, says)
}
