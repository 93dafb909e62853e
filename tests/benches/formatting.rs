//! Making a filesystem, beside others that do: wall time, and what reaches the devices.
//!
//! `make bench`, as root. Loop devices on sparse files in memory; every run starts from devices that hold nothing. All
//! programs take turns within one run, so that the ratios hold although the times of a shared machine do not.

// A benchmark's numbers are small, and it may fail by panicking.
#![allow(missing_docs, clippy::unwrap_used)]

use btrfs_plan_tests::loops::LoopSet;
use btrfs_plan_tests::programs::{ours, tool};
use btrfs_plan_tests::suite::{Outcome, fail};
use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const GIB: u64 = 1 << 30;
const ROUNDS: usize = 21;

/// A number of devices, and options for all programs.
const CASES: [(&str, usize, &[&str]); 4] = [
    ("1 x 10 GiB", 1, &[]),
    ("1 x 10 GiB, -K", 1, &["-K"]),
    ("4 x 10 GiB, raid1/raid10", 4, &["-m", "raid1", "-d", "raid10"]),
    ("4 x 10 GiB, raid10/raid10", 4, &["-m", "raid10", "-d", "raid10"]),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Program {
    Reference,
    Rival,
    Ours,
    DropIn,
}

impl Program {
    const fn name(self) -> &'static str {
        match self {
            Self::Reference => "mkfs.btrfs",
            Self::Rival => "btrfs-mkfs",
            Self::Ours => "btrfs-plan, btrfs-exec",
            Self::DropIn => "mkfs.btrfs, ours",
        }
    }

    /// A shell command, so that strace sees all of our programs.
    fn command(self, options: &[&str], devices: &[String]) -> Outcome<String> {
        let (options, devices) = (options.join(" "), devices.join(" "));
        Ok(match self {
            Self::Reference | Self::Rival => format!("{} -q -f {options} {devices}", self.name()),
            Self::Ours => {
                let (planner, executor) = (ours("btrfs-plan")?, ours("btrfs-exec")?);
                let [planner, executor] = [planner, executor].map(|it| it.get_program().to_string_lossy().into_owned());
                format!("{planner} -q -f {options} {devices} | {executor} -q --yes")
            }
            Self::DropIn => {
                let program = ours("mkfs-btrfs")?.get_program().to_string_lossy().into_owned();
                format!("{program} -q -f {options} {devices}")
            }
        })
    }
}

/// What one run did to the devices.
#[derive(Default)]
struct Traffic {
    writes: usize,
    bytes: u64,
    syncs: usize,
    discards: usize,
    discards_failed: usize,
}

fn main() {
    if !nix::unistd::geteuid().is_root() {
        eprintln!("formatting: skipped, it needs root for loop devices");
        return;
    }
    if let Err(error) = all() {
        eprintln!("error: {}", error.message().unwrap_or_default());
        std::process::exit(1);
    }
}

fn all() -> Outcome {
    let mut programs = vec![Program::Reference, Program::Ours, Program::DropIn];
    if tool("sh", ["-c", "command -v btrfs-mkfs"]).is_ok() {
        programs.insert(1, Program::Rival);
    }
    println!("reference: {}", tool("mkfs.btrfs", ["-V"])?.text().lines().next().unwrap_or_default());
    println!(
        "| case | program | median ms | min ms | of mkfs.btrfs | writes | bytes written | syncs | discards (failed) |"
    );
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (name, count, options) in CASES {
        measure(name, count, options, &programs)?;
    }
    Ok(())
}

fn measure(name: &str, count: usize, options: &[&str], programs: &[Program]) -> Outcome {
    let set = LoopSet::new(&vec![10 * GIB; count])?;
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); programs.len()];
    for round in 0..=ROUNDS {
        for (program, times) in programs.iter().zip(&mut times) {
            clean(&set)?;
            let command = program.command(options, &set.paths())?;
            let start = Instant::now();
            let output = Command::new("sh").args(["-c", &command]).stdin(Stdio::null()).output()?;
            let elapsed = start.elapsed();
            if !output.status.success() {
                return fail(format!("{command}: {}", String::from_utf8_lossy(&output.stderr)));
            }
            // The first round warms up.
            if round > 0 {
                times.push(elapsed);
            }
        }
    }
    let mut reference = None;
    for (program, times) in programs.iter().zip(&mut times) {
        times.sort_unstable();
        let (median, min) = (times[ROUNDS / 2].as_secs_f64() * 1e3, times[0].as_secs_f64() * 1e3);
        let ratio = median / *reference.get_or_insert(median);
        clean(&set)?;
        let Traffic { writes, bytes, syncs, discards, discards_failed } = traffic(*program, options, &set)?;
        println!(
            "| {name} | {} | {median:.1} | {min:.1} | {ratio:.2} | {writes} | {bytes} | {syncs} | {discards} ({discards_failed}) |",
            program.name()
        );
    }
    Ok(())
}

/// Leaves the devices as new: holes, and nothing in the page cache.
fn clean(set: &LoopSet) -> Outcome {
    for device in set.devices() {
        device.forget();
        tool("blkdiscard", ["-f".as_ref(), device.path().as_os_str()])?;
        tool("blockdev", ["--flushbufs".as_ref(), device.path().as_os_str()])?;
        File::open(device.backing())?.sync_all()?;
    }
    Ok(())
}

fn traffic(program: Program, options: &[&str], set: &LoopSet) -> Outcome<Traffic> {
    // A log for each process: calls of several in one log interrupt each other.
    let log = set.folder().join("trace");
    let calls = "trace=pwrite64,pwritev,pwritev2,write,writev,fsync,fdatasync,ioctl";
    let shell = program.command(options, &set.paths())?;
    let log_text = log.display().to_string();
    tool("strace", ["-ff", "-y", "-e", calls, "-o", &log_text, "sh", "-c", &shell])?;
    let mut traffic = Traffic::default();
    for entry in std::fs::read_dir(set.folder())? {
        let path = entry?.path();
        if path.file_stem() == log.file_stem() {
            traffic.count(&std::fs::read_to_string(&path)?);
            std::fs::remove_file(path)?;
        }
    }
    Ok(traffic)
}

impl Traffic {
    /// Counts the calls on device nodes in a trace; `-y` names them.
    fn count(&mut self, log: &str) {
        for line in log.lines().filter(|line| line.contains("</dev/loop")) {
            let Some((head, result)) = line.rsplit_once(" = ") else { continue };
            if head.contains("BLKDISCARD") || head.contains("_IOC(_IOC_NONE, 0x12, 0x77, 0)") {
                self.discards += 1;
                self.discards_failed += usize::from(!result.starts_with('0'));
            } else if head.contains("sync(") {
                self.syncs += 1;
            } else if head.contains("write") && !head.contains("ioctl(") {
                self.writes += 1;
                self.bytes += result.split_whitespace().next().and_then(|bytes| bytes.parse::<u64>().ok()).unwrap_or(0);
            }
        }
    }
}
