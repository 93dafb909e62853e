//! Block devices: in use, with something on them, under other names; and what the kernel says of the result.

use crate::scene::{GIB, MIB, Scene};
use btrfs_executor::bind::hold;
use btrfs_plan_tests::kernel::check;
use btrfs_plan_tests::loops::{LoopDevice, LoopSet};
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::{ours, run, tool};
use btrfs_plan_tests::sparse::extents;
use btrfs_plan_tests::suite::{Outcome, case, ensure, fail, root_case};
use btrfs_planner::Request;
use libtest_mimic::Trial;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options and the number of devices: made, mounted, written, checked.
const MADE: [(&str, usize); 9] = [
    ("", 1),
    ("-M", 1),
    ("-n 4k --csum blake2", 1),
    ("-O quota,^bgt", 1),
    ("-K -b 700m", 1),
    ("-d raid1 -m raid1", 2),
    ("-d raid0 -m raid1c3", 3),
    ("-d raid6 -m raid6", 4),
    ("-d raid10 -m raid1c4", 4),
];

pub(crate) fn cases() -> Vec<Trial> {
    let mut cases: Vec<Trial> = MADE
        .into_iter()
        .map(|(options, devices)| root_case(format!("made and used: {options}"), move || made(options, devices)))
        .collect();
    cases.push(case("an existing filesystem is named, and kept without -f", || {
        for (program, words) in [
            (&["mkfs.ext4", "-q", "-F", "-L", "precious"][..], &["ext4", "label 'precious'", "-f"][..]),
            (&["mkswap", "-q"], &["swap", "-f"]),
            (&["mkfs.btrfs", "-q", "-f", "-L", "older"], &["btrfs", "older", "-f"]),
        ] {
            let scene = Scene::new()?;
            tool(program[0], program[1..].iter().map(Path::new).chain([scene.path("disk").as_path()]))?;
            scene.refuses(&mut scene.mkfs("disk")?, &[words, &["disk appears to contain"]].concat())?;
            // The second one, too, before anything is done to the first.
            scene.refuses(&mut scene.mkfs("other disk")?, words)?;
            scene.makes("-q -f other disk")?;
            ensure(!extents(&scene.path("other"))?.is_empty(), || "it made nothing".to_owned())?;
        }
        Ok(())
    }));
    cases.push(case("a device twice", || {
        let scene = Scene::new()?;
        std::os::unix::fs::symlink(scene.path("disk"), scene.path("link"))?;
        for line in ["-f disk disk", "disk ./disk", "disk link"] {
            scene.refuses(&mut scene.mkfs(line)?, &["same device"])?;
        }
        Ok(())
    }));
    cases.push(case("what is no device", || {
        let scene = Scene::new()?;
        for (line, word) in [("/dev/null", "/dev/null"), (".", "'.'"), ("/dev/no-such-device", "/dev/no-such-device")] {
            scene.refuses(&mut scene.mkfs(line)?, &[word])?;
            scene.refuses(&mut scene.mkfs(&format!("-b 1g -f {line}"))?, &[word])?;
        }
        Ok(())
    }));
    cases.extend(in_use());
    cases.push(root_case("a link to a device", || {
        let scene = Scene::new()?;
        let device = LoopDevice::attach(&scene.path("disk"), &[])?;
        std::os::unix::fs::symlink(device.path(), scene.path("link"))?;
        std::os::unix::fs::symlink("link", scene.path("second"))?;
        let text = scene.makes("second")?.text();
        ensure(text.contains("256.00MiB  second\n"), || text)?;
        Mount::new(device.path(), "defaults")?.unmount()
    }));
    cases.push(root_case("a UUID that another device has", a_known_uuid));
    cases.push(root_case("closed once, and no lock is left", || {
        let scene = Scene::new()?;
        let device = LoopDevice::attach(&scene.path("disk"), &[])?;
        let path = device.path().display().to_string();
        let closes = |line: &str, code: i32| -> Outcome<usize> {
            let watch = Inotify::init(InitFlags::IN_NONBLOCK)?;
            watch.add_watch(device.path(), AddWatchFlags::IN_CLOSE_WRITE)?;
            let ran = run(&mut scene.mkfs(line)?)?;
            ensure(ran.code == Some(code), || ran.stderr)?;
            let events = watch.read_events().map_or(0, |events| events.len());
            run(Command::new("flock").args(["--nonblock", "--exclusive", &path, "true"]))?.success()?;
            Ok(events)
        };
        let (made, refused) = (closes(&format!("-q {path}"), 0)?, closes(&format!("-q {path}"), 1)?);
        // A device that is not written is not opened for writing: nobody has to look at it again.
        ensure((made, refused) == (1, 0), || format!("closed {made} times, and {refused} times where refused"))?;
        closes(&format!("-q -f {path}"), 0)?;
        Mount::new(device.path(), "defaults")?.unmount()
    }));
    cases.push(root_case("nobody can come in between", || {
        let loops = LoopSet::new(&[GIB])?;
        let path = loops.devices()[0].path();
        let claimed = |when: &str, expected: bool| {
            let other = File::options().read(true).custom_flags(nix::libc::O_EXCL).open(path);
            let busy = other.is_err_and(|error| error.kind() == std::io::ErrorKind::ResourceBusy);
            ensure(busy == expected, || format!("{when}: claimed is {busy}"))
        };
        let held = hold(&[path.to_path_buf()], None)?;
        claimed("while it is planned for", true)?;
        let plan = btrfs_planner::plan(&Request::new(held.facts(), "held", 0))?;
        claimed("with a plan", true)?;
        let bound = held.bind(&plan)?;
        claimed("while it is written", true)?;
        bound.release();
        claimed("when it is let go", false)
    }));
    cases.push(root_case("the UUID of a mounted filesystem", || {
        let scene = Scene::new()?;
        let loops = LoopSet::new(&[GIB])?;
        let uuid = "7e4d5a52-03b8-4b5e-9f35-27f7a7f1d0aa";
        scene.makes(&format!("-q -U {uuid} {}", loops.paths()[0]))?;
        let mount = Mount::new(loops.devices()[0].path(), "ro")?;
        let refused = scene.refuses(&mut scene.mkfs(&format!("-U {uuid} disk"))?, &[uuid, "is mounted"]);
        mount.unmount()?;
        refused?;
        scene.makes(&format!("-q -U {uuid} disk"))?;
        Ok(())
    }));
    cases
}

fn made(options: &str, count: usize) -> Outcome {
    let scene = Scene::new()?;
    let loops = LoopSet::new(&vec![GIB; count])?;
    scene.makes(&format!("-q {options} {}", loops.paths().join(" ")))?;
    // It was registered: no scan is needed, whichever device is mounted.
    let Some(last) = loops.devices().last() else { return fail("no device") };
    let mount = Mount::new(last.path(), "defaults")?;
    std::fs::write(mount.path().join("file"), vec![7; 5 << 20])?;
    mount.unmount()?;
    check(&loops, true)?;
    // And again, over it.
    scene.refuses(&mut scene.mkfs(&loops.paths().join(" "))?, &["btrfs", "-f"])?;
    scene.makes(&format!("-q -f {options} {}", loops.paths().join(" ")))?;
    check(&loops, true)
}

/// Devices that somebody uses; `-f` changes nothing. The scene's `disk` is behind a loop device.
/// A link as udev makes it for a filesystem.
struct Announced(PathBuf);

impl Announced {
    fn new(fsid: &str, device: &str) -> Outcome<Self> {
        let folder = Path::new("/dev/disk/by-uuid");
        std::fs::create_dir_all(folder)?;
        let link = folder.join(fsid);
        std::os::unix::fs::symlink(device, &link)?;
        Ok(Self(link))
    }
}

impl Drop for Announced {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
        // The folders, too, where nothing else is in them.
        for folder in ["/dev/disk/by-uuid", "/dev/disk"] {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

/// Filesystems of several devices are put together by their UUID: it must be theirs alone.
fn a_known_uuid() -> Outcome {
    const FSID: &str = "5eed0000-0000-4000-8000-000000000001";
    const DEVICE: &str = "5eed0000-0000-4000-8000-000000000002";
    let scene = Scene::new()?;
    let attached = |name: &str| LoopDevice::attach(&scene.path(name), &[]);
    let (first, second, third) = (attached("disk")?, attached("other")?, attached("third")?);
    let name = |device: &LoopDevice| device.path().display().to_string();
    let (first, second, third) = (name(&first), name(&second), name(&third));
    scene.makes(&format!("-q -U {FSID} --device-uuid {DEVICE} {first}"))?;
    for uuid in [format!("-U {FSID}"), format!("--device-uuid {DEVICE}")] {
        for devices in [format!("{second} {third}"), format!("{second} fourth")] {
            let line = format!("-f {uuid} {devices}");
            scene.refuses(&mut scene.mkfs(&line)?, &["not unique", &first, "wipefs"])?;
            let ran = run(ours("btrfs-plan")?.args(line.split(' ')).current_dir(scene.folder.path()))?;
            ensure(ran.code == Some(3) && ran.stderr.contains("not unique"), || {
                format!("{:?}: {}", ran.code, ran.stderr)
            })?;
        }
        // Whoever runs a plan finds what udev announces, which it does not in a test.
        let link = Announced::new(FSID, &first)?;
        let elsewhere = ("size=256M size=256M".to_owned(), format!("--device 1={second} --device 2={third}"), 3);
        let own = (format!("-f {first} {second}"), String::new(), 0);
        for (planned, bound, code) in [elsewhere, own] {
            let words = format!("-q -U {FSID} -o plan.json {planned}");
            run(ours("btrfs-plan")?.args(words.split(' ')).current_dir(scene.folder.path()))?.success()?;
            for how in ["--dry-run", "--yes"] {
                let words = format!("{how} {bound} plan.json");
                let ran = run(ours("btrfs-exec")?.args(words.split_whitespace()).current_dir(scene.folder.path()))?;
                let told = code == 0 || ran.stderr.contains("not unique") && ran.stderr.contains(&first);
                ensure(ran.code == Some(code) && told, || format!("{words}: {:?}: {}", ran.code, ran.stderr))?;
            }
        }
        drop(link);
        // One device is a copy, as of old; devices that are written over have nothing any more.
        scene.makes(&format!("-q -f {uuid} fourth"))?;
        scene.makes(&format!("-q -f -U {FSID} --device-uuid {DEVICE} {first} {second}"))?;
    }
    Ok(())
}

fn in_use() -> Vec<Trial> {
    type Act = fn(&Scene, &LoopDevice, &str) -> Outcome;
    let cases: [(&str, Act); 7] = [
        ("a mounted device", |scene, device, path| {
            tool("mkfs.ext4", ["-q", "-F", path])?;
            let mount = Mount::of_type("ext4", device.path(), "ro")?;
            let refused = refuses(scene, path, &[path, "mounted at", "umount"]);
            mount.unmount()?;
            refused
        }),
        ("a device of a mounted btrfs", |scene, device, path| {
            let other = LoopDevice::attach(&scene.path("other"), &[])?;
            scene.makes(&format!("-q -f -d raid1 {path} {}", other.path().display()))?;
            let mount = Mount::new(device.path(), "ro")?;
            let other = other.path().display().to_string();
            let refused = refuses(scene, path, &[path, "mounted"]);
            let refused = refused.and(scene.refuses(&mut scene.mkfs(&format!("-f {other}"))?, &[&other, "mounted"]));
            mount.unmount()?;
            refused
        }),
        ("swap", |scene, _, path| {
            tool("mkswap", ["-q", path])?;
            tool("swapon", [path])?;
            let refused = refuses(scene, path, &[path, "swap", "swapoff"]);
            tool("swapoff", [path])?;
            refused
        }),
        ("a device under another one", |scene, _, path| {
            let above = LoopDevice::attach(Path::new(path), &[])?;
            refuses(scene, path, &[path, &above.name()])
        }),
        ("the image behind a loop device", |scene, device, _| refuses(scene, "disk", &["disk", &device.name()])),
        ("a device that is held", |scene, device, path| {
            let holder = File::options().read(true).custom_flags(nix::libc::O_EXCL).open(device.path())?;
            let refused = refuses(scene, path, &[path, "exclusively"]);
            drop(holder);
            refused
        }),
        ("a read-only device", |scene, _, path| {
            tool("blockdev", ["--setro", path])?;
            let refused = refuses(scene, path, &[path, "read-only"]);
            tool("blockdev", ["--setrw", path])?;
            refused
        }),
    ];
    let mut trials: Vec<Trial> = cases
        .into_iter()
        .map(|(name, act)| {
            root_case(format!("in use: {name}"), move || {
                let scene = Scene::new()?;
                let device = LoopDevice::attach(&scene.path("disk"), &[])?;
                act(&scene, &device, &device.path().display().to_string())
            })
        })
        .collect();
    trials.push(root_case("in use: a device that somebody has locked", || {
        let scene = Scene::new()?;
        let device = LoopDevice::attach(&scene.path("disk"), &[])?;
        let held = File::open(device.path())?;
        held.lock()?;
        let path = device.path().display().to_string();
        scene.refuses(&mut scene.mkfs(&format!("-f {path}"))?, &[&path, "lock"])
    }));
    trials.push(root_case("in use: less than the byte count", || {
        let scene = Scene::new()?;
        let device = LoopDevice::attach(&scene.path("disk"), &[])?;
        let path = device.path().display().to_string();
        let sizes = [(512 * MIB).to_string(), (256 * MIB).to_string()];
        scene.refuses(&mut scene.mkfs(&format!("-b 512m {path}"))?, &[&path, &sizes[0], &sizes[1]])
    }));
    trials
}

fn refuses(scene: &Scene, path: &str, says: &[&str]) -> Outcome {
    for options in ["", "-f", "-f third"] {
        scene.refuses(&mut scene.mkfs(&format!("{options} {path}"))?, if options.is_empty() { &[] } else { says })?;
    }
    Ok(())
}
