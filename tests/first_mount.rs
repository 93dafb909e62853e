//! What the kernel says when it sees a new filesystem for the first time: that it found nothing to put right.
//!
//! The kernel leaves out lines once there are a hundred of a level in five seconds, and what it puts right it says on a
//! level with much that is harmless. So this is apart from the tests that keep it busy, one case at a time, and a case
//! counts only if the lines before and after the place in question are there.

use btrfs_plan_tests::kernel::{make, no_complaint};
use btrfs_plan_tests::kernel_log::Mark;
use btrfs_plan_tests::loops::LoopSet;
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::tool;
use btrfs_plan_tests::suite::{self, Outcome, fail, root_case};
use std::process::ExitCode;
use std::time::Duration;

const GIB: u64 = 1 << 30;

fn main() -> ExitCode {
    let cases = [
        ("", 1),
        ("", 2),
        ("-d raid1 -m raid1", 2),
        ("-d raid0 -m raid1c3", 4),
        ("-d raid5 -m raid5", 3),
        ("-d raid6 -m raid6", 4),
        ("-d single -m single", 1),
        ("-M", 1),
        ("-n 4k", 1),
        ("-n 64k --csum blake2b", 1),
        ("-O ^no-holes", 1),
        ("-O ^free-space-tree", 1),
        ("-O ^block-group-tree", 1),
        ("-O ^skinny-metadata,^extref", 1),
        ("-O quota", 1),
        ("-O quota -d raid1 -m raid1", 2),
        ("-O squota", 1),
        ("-b 1234567890", 1),
    ];
    let cases = cases.map(|(options, devices)| {
        root_case(format!("{options} on {devices}"), move || {
            let options: Vec<String> = options.split_whitespace().map(str::to_owned).collect();
            first_mount(&options, &vec![2 * GIB; devices])
        })
    });
    suite::run_one_by_one(18, cases.into())
}

fn first_mount(options: &[String], sizes: &[u64]) -> Outcome {
    for _ in 0..6 {
        let loops = LoopSet::new(sizes)?;
        make(options, &loops)?;
        let mut log = Mark::now()?;
        let mount = Mount::new(loops.devices()[0].path(), "defaults")?;
        std::fs::write(mount.path().join("file"), "x")?;
        tool("sync", ["--file-system".as_ref(), mount.path().as_os_str()])?;
        mount.unmount()?;
        let lines = log.lines(&loops.names())?;
        no_complaint(&lines)?;
        let said = |words| lines.iter().any(|line| line.text.contains(words));
        if said("first mount of filesystem") && said("last unmount of filesystem") {
            return Ok(());
        }
        // Left out for now; the kernel starts to count anew.
        std::thread::sleep(Duration::from_secs(5));
    }
    fail("the kernel left out its lines every time: is something else keeping it busy?")
}
