//! Making a zoned filesystem on slow devices, beside the installed mkfs.btrfs: wall time and requests.
//!
//! In a guest with null_blk devices of 128 MiB, 32 zones, all of them full, where every request takes 110 ms: full of
//! nothing that anybody knows, or of the filesystem that the other program has just made, which is wiped first. Both
//! programs take turns within one run of one guest, so that the ratios hold although the times of a shared machine do not.

// A benchmark may fail by panicking.
#![allow(missing_docs)]

use btrfs_plan_tests::guest::{folder, guest};
use btrfs_plan_tests::programs::{run, tool};
use btrfs_plan_tests::suite::{Outcome, fail};

const DELAY: &str = "110ms";
const ROUNDS: &str = "3";
const COUNTS: [&str; 2] = ["2", "10"];

fn main() {
    if let Err(error) = all() {
        eprintln!("error: {}", error.message().unwrap_or_default());
        std::process::exit(1);
    }
}

fn all() -> Outcome {
    println!("reference: {}", tool("mkfs.btrfs", ["-V"])?.text().lines().next().unwrap_or_default());
    let mut command = guest()?;
    command.args(["--timeout", "900", "--add"]).arg(format!("{}:/timing", folder().join("timing").display()));
    command.args(["--", "/timing", DELAY, ROUNDS]).args(COUNTS);
    let printed = run(&mut command)?.success()?.text();
    println!("| devices | zones | program | median ms | min ms | of mkfs.btrfs | requests |");
    println!("| ---: | --- | --- | ---: | ---: | ---: | --- |");
    for count in COUNTS {
        for (state, zones) in [("dirty", "full"), ("old", "full, an old filesystem")] {
            let mut reference = None;
            for (word, name) in [("reference", "mkfs.btrfs"), ("ours", "btrfs-plan, btrfs-exec")] {
                let (median, min) = times(&printed, &format!("time {count} {state} {word} "))?;
                let ratio = f64::from(median) / *reference.get_or_insert(f64::from(median));
                let start = format!("requests {count} {word} ");
                let requests = printed.lines().find_map(|line| line.strip_prefix(&start)).filter(|_| state == "dirty");
                let requests = requests.unwrap_or_default();
                println!("| {count} | {zones} | {name} | {median} | {min} | {ratio:.2} | {requests} |");
            }
        }
    }
    Ok(())
}

/// The median and the least of the lines that start so.
fn times(printed: &str, start: &str) -> Outcome<(u32, u32)> {
    let mut times = Vec::new();
    for line in printed.lines() {
        if let Some(time) = line.strip_prefix(start) {
            times.push(time.parse()?);
        }
    }
    times.sort_unstable();
    match (times.get(times.len() / 2), times.first()) {
        (Some(median), Some(min)) => Ok((*median, *min)),
        _ => fail(format!("no line starts with '{start}':\n{printed}")),
    }
}
