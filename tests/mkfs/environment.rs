//! Where it runs: the same bytes again, other users, containers.

use crate::scene::{GIB, Scene};
use btrfs_plan_tests::contents::Contents;
use btrfs_plan_tests::images::{audit, silent_but};
use btrfs_plan_tests::loops::{LoopDevice, sparse_file};
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::{plan_and_execute, run, tool};
use btrfs_plan_tests::slow::SlowDevices;
use btrfs_plan_tests::sparse::first_difference;
use btrfs_plan_tests::suite::{Outcome, case, ensure, fail, root_case};
use btrfs_planner::disk::inode::InodeItem;
use btrfs_planner::disk::key::ItemType;
use btrfs_planner::disk::root::TreeId;
use libtest_mimic::Trial;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const IDENTITY: &str = "--seed again --uuid 01234567-89ab-4def-8123-456789abcdef --device-uuid \
                        11111111-2222-4333-8444-555555555555";

pub(crate) fn cases() -> Vec<Trial> {
    vec![
        case("the same bytes again", || {
            let scene = Scene::new()?;
            let options = format!("-q {IDENTITY} -d raid1 -L again --csum xxhash64 -O quota");
            for name in ["a1", "a2", "b1", "b2", "c1", "c2"] {
                sparse_file(&scene.path(name), GIB)?;
            }
            for pair in ["a1 a2", "b1 b2"] {
                run(scene.mkfs(&format!("{options} {pair}"))?.env("SOURCE_DATE_EPOCH", "1700000000"))?.success()?;
            }
            // The two programs make the same of it.
            let pair = ["c1", "c2"].map(|name| scene.path(name).display().to_string());
            let arguments = options.split_whitespace().map(str::to_owned).chain(pair);
            plan_and_execute(arguments.chain(["--time", "1700000000"].map(str::to_owned)))?;
            for (left, right) in [("a1", "b1"), ("a2", "b2"), ("a1", "c1"), ("a2", "c2")] {
                if let Some(place) = first_difference(&scene.path(left), &scene.path(right))? {
                    return fail(format!("{left} and {right} differ at {place}"));
                }
            }
            let contents = Contents::on(&[scene.path("a1"), scene.path("a2")])?;
            let inode = contents.tree(TreeId::Fs).iter().find(|item| item.key.item_type == ItemType::INODE_ITEM);
            let Some(inode) = inode else { return fail("no root directory") };
            let made = inode.read::<InodeItem>()?.otime.sec.get();
            ensure(made == 1_700_000_000, || format!("made at {made}"))
        }),
        case("without a seed, no two are alike", || {
            let scene = Scene::new()?;
            scene.makes("-q disk")?;
            scene.makes("-q other")?;
            let fsid = |name: &str| Outcome::Ok(Contents::on(&[scene.path(name)])?.superblocks[0][0].superblock.fsid);
            ensure(fsid("disk")? != fsid("other")?, || "both have one UUID".to_owned())
        }),
        case("a date that is none", || {
            let scene = Scene::new()?;
            scene
                .refuses(scene.mkfs("disk")?.env("SOURCE_DATE_EPOCH", "yesterday"), &["SOURCE_DATE_EPOCH", "yesterday"])
        }),
        root_case("an ordinary user, on image files", || {
            let scene = Scene::new()?;
            std::fs::set_permissions(scene.folder.path(), std::fs::Permissions::from_mode(0o777))?;
            run(&mut as_nobody(&scene, "-q -b 1g -d raid1 mine mine-too")?)?.success()?;
            silent_but(&audit([scene.path("mine"), scene.path("mine-too")])?, &[])?;
            run(&mut as_nobody(&scene, "-q -f mine")?)?.success()?;
            // Files and devices of others are theirs.
            scene.refuses(&mut as_nobody(&scene, "-f disk")?, &["disk", "ermission denied"])?;
            let device = LoopDevice::attach(&scene.path("other"), &[])?;
            let path = device.path().display().to_string();
            scene.refuses(&mut as_nobody(&scene, &format!("-f {path}"))?, &[&path, "ermission denied", "sudo"])
        }),
        root_case("a signal stops before the next request", || {
            // A discard waits for one of the other file.
            let slow = SlowDevices::files_only(2, 256, &["together=2"])?;
            let scene = Scene::new()?;
            let mut program = scene.mkfs("-m single")?;
            program.arg(slow.file(0)).stderr(Stdio::piped()).stdout(Stdio::piped());
            let child = program.spawn()?;
            std::thread::sleep(Duration::from_secs(1));
            kill(Pid::from_raw(child.id().try_into()?), Signal::SIGTERM)?;
            std::thread::sleep(Duration::from_millis(700));
            tool("fallocate", ["--punch-hole", "--length", "4096", &slow.file(1).display().to_string()])?;
            let ended = child.wait_with_output()?;
            let said = String::from_utf8_lossy(&ended.stderr);
            ensure(ended.status.code() == Some(1), || format!("{:?}: {said}", ended.status))?;
            for words in ["once more to stop at once", "interrupted", "no superblock was written"] {
                ensure(said.contains(words), || format!("'{words}' is not in: {said}"))?;
            }
            ensure(!String::from_utf8_lossy(&ended.stdout).contains("UUID"), || {
                "it claims to have made it".to_owned()
            })?;
            ensure(Contents::on(&[slow.stored_in(0)]).is_err(), || "there is a superblock".to_owned())
        }),
        root_case("progress at a terminal", || {
            // A discard waits for one of the other file.
            let slow = SlowDevices::files_only(2, 256, &["together=2"])?;
            let scene = Scene::new()?;
            let line =
                format!("exec '{}' -m single '{}'", scene.mkfs("")?.get_program().display(), slow.file(0).display());
            let mut terminal = Command::new("script");
            terminal.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]).env("TERM", "xterm");
            let child = terminal.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
            std::thread::sleep(Duration::from_secs(1));
            tool("fallocate", ["--punch-hole", "--length", "4096", &slow.file(1).display().to_string()])?;
            let ended = child.wait_with_output()?;
            let said = String::from_utf8_lossy(&ended.stdout);
            ensure(ended.status.success(), || format!("{:?}: {said}", ended.status))?;
            // A bar for the device, with the step that it is at; gone again before the summary.
            for words in ["device 1 (", "discard ", "0 B of 256.00 MiB", "\u{1b}[1;36m".trim_end_matches("1;36m")] {
                ensure(said.contains(words), || format!("'{words}' is not in: {said:?}"))?;
            }
            let behind = said.rsplit("UUID:").next().unwrap_or_default();
            ensure(!behind.contains("discard ["), || format!("the bar stays: {said:?}"))
        }),
        root_case("a container without sysfs and udev", || {
            let scene = Scene::new()?;
            let device = LoopDevice::attach(&scene.path("disk"), &[])?;
            let path = device.path().display().to_string();
            run(&mut hidden(&scene, &["/sys", "/run"], &format!("-q {path} new -b 200m -d raid1"))?)?.success()?;
            // What is not known to be without heads has some, as for the other mkfs.btrfs.
            let text = run(&mut hidden(&scene, &["/sys", "/run"], &format!("-f {path}"))?)?.success()?.text();
            ensure(text.contains("SSD detected:       no\n"), || text)?;
            Mount::new(device.path(), "defaults")?.unmount()?;
            // What is mounted is known all the same.
            let mount = Mount::new(device.path(), "ro")?;
            let refused =
                scene.refuses(&mut hidden(&scene, &["/sys", "/run"], &format!("-f {path}"))?, &[&path, "mounted"]);
            mount.unmount()?;
            refused
        }),
        root_case("nothing is written where it cannot be known what is in use", || {
            let scene = Scene::new()?;
            scene.refuses(&mut hidden(&scene, &["/proc"], "-f disk")?, &["/proc/self/mountinfo", "mount /proc"])?;
            scene.refuses(&mut hidden(&scene, &["/proc"], "-f -b 1g new")?, &["mount /proc"])?;
            ensure(!scene.path("new").exists(), || "it made a file".to_owned())
        }),
    ]
}

/// The program as somebody who owns nothing. It is copied to where everybody may run it.
fn as_nobody(scene: &Scene, line: &str) -> Outcome<Command> {
    let program = scene.path("mkfs.btrfs");
    if !program.exists() {
        std::fs::copy(scene.mkfs("")?.get_program(), &program)?;
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
    command.args(line.split_whitespace()).current_dir(scene.folder.path());
    Ok(command)
}

/// The program where these folders are empty.
fn hidden(scene: &Scene, folders: &[&str], line: &str) -> Outcome<Command> {
    let program = scene.mkfs("")?.get_program().to_owned();
    let hide: Vec<String> = folders.iter().map(|folder| format!("mount -t tmpfs none {folder}")).collect();
    let script = format!("set -e; {}; exec \"$0\" \"$@\"", hide.join("; "));
    let mut command = Command::new("unshare");
    // A slave hears of it when another test unmounts something, and does not keep it busy.
    command
        .args(["--mount", "--propagation=slave", "sh", "-c", &script])
        .arg(Path::new(&program))
        .args(line.split_whitespace());
    command.current_dir(scene.folder.path());
    Ok(command)
}
