//! Making a filesystem on devices whose every discard takes half a second, beside the installed mkfs.btrfs.
//!
//! As root. Both programs take turns within one run; each finds what the other left.

// A benchmark may fail by panicking.
#![allow(missing_docs)]

use btrfs_plan_tests::programs::{ours, tool};
use btrfs_plan_tests::slow::SlowDevices;
use btrfs_plan_tests::suite::{Outcome, fail};
use std::process::{Command, Stdio};
use std::time::Instant;

const ROUNDS: usize = 5;
const SIZE_MIB: u64 = 512;

fn main() {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("slow_discards: skipped, it needs root for loop devices");
        return;
    }
    if let Err(error) = all() {
        eprintln!("error: {}", error.message().unwrap_or_default());
        std::process::exit(1);
    }
}

fn all() -> Outcome {
    println!("reference: {}", tool("mkfs.btrfs", ["-V"])?.text().lines().next().unwrap_or_default());
    println!("| devices | program | median ms | min ms | of mkfs.btrfs | discards |");
    println!("| ---: | --- | ---: | ---: | ---: | ---: |");
    for count in [1, 2, 10] {
        let slow = SlowDevices::new(count, SIZE_MIB, &["discard=500"])?;
        let mut reference = None;
        for (name, command) in commands(&slow)? {
            let (mut times, mut discards) = (Vec::new(), 0);
            for _ in 0..ROUNDS {
                let before = slow.discards()?.len();
                let start = Instant::now();
                let output = Command::new("sh").args(["-c", &command]).stdin(Stdio::null()).output()?;
                times.push(start.elapsed().as_secs_f64() * 1e3);
                if !output.status.success() {
                    return fail(format!("{command}: {}", String::from_utf8_lossy(&output.stderr)));
                }
                discards = slow.discards()?.len() - before;
                slow.devices().iter().for_each(btrfs_plan_tests::loops::LoopDevice::forget);
            }
            times.sort_unstable_by(f64::total_cmp);
            let (median, min) = (times[ROUNDS / 2], times[0]);
            let ratio = median / *reference.get_or_insert(median);
            println!("| {count} | {name} | {median:.0} | {min:.0} | {ratio:.2} | {discards} |");
        }
    }
    Ok(())
}

fn commands(slow: &SlowDevices) -> Outcome<[(&'static str, String); 2]> {
    let devices = slow.paths().join(" ");
    let [planner, executor] =
        [ours("btrfs-plan")?, ours("btrfs-exec")?].map(|it| it.get_program().to_string_lossy().into_owned());
    Ok([
        ("mkfs.btrfs", format!("mkfs.btrfs -q -f {devices}")),
        ("btrfs-plan, btrfs-exec", format!("{planner} -q -f {devices} | {executor} -q --yes")),
    ])
}
