//! Output that is lost is an error, whichever program, form and stream; and a reader that has gone is none. What was begun
//! is finished in any case: nobody's devices are left half written for a message.

use btrfs_plan_tests::images::audit;
use btrfs_plan_tests::loops::{scratch, sparse_file};
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::{Ran, ours, run};
use btrfs_plan_tests::sparse::files;
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, root_case};
use libtest_mimic::Trial;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Everything that a program prints without writing to a device: the command line, and its exit code where all is well.
const RESULTS: [(&str, i32); 41] = [
    ("btrfs-plan --help", 0),
    ("btrfs-plan -h", 0),
    ("btrfs-plan --version", 0),
    ("btrfs-plan help show", 0),
    ("btrfs-plan capacity --help", 0),
    ("btrfs-plan -q -O list-all", 0),
    ("btrfs-plan -q disk", 0),
    ("btrfs-plan disk", 0),
    ("btrfs-plan -q -o - disk", 0),
    ("btrfs-plan -q --compress disk", 0),
    ("btrfs-plan -q --print-request disk", 0),
    ("btrfs-plan show plan.json", 0),
    ("btrfs-plan show --json plan.json", 0),
    ("btrfs-plan show --svg plan.json", 0),
    ("btrfs-plan show --html plan.json", 0),
    ("btrfs-plan show --plan plan.json", 0),
    ("btrfs-plan show --tree root plan.json", 0),
    ("btrfs-plan show --tree root --json plan.json", 0),
    ("btrfs-plan show --device 1 plan.json", 0),
    ("btrfs-plan show --device 1 --json plan.json", 0),
    ("btrfs-plan show --superblock 1 plan.json", 0),
    ("btrfs-plan show --superblock 1 --json plan.json", 0),
    ("btrfs-plan show --block 1m plan.json", 3),
    ("btrfs-plan audit plan.json", 0),
    ("btrfs-plan audit --json plan.json", 0),
    ("btrfs-plan audit --device made", 0),
    ("btrfs-plan audit --device made --json", 0),
    ("btrfs-plan audit --device disk", 3),
    ("btrfs-plan diff plan.json plan.json", 0),
    ("btrfs-plan diff plan.json other.json", 1),
    ("btrfs-plan diff --json plan.json other.json", 1),
    ("btrfs-plan capacity size=1T", 0),
    ("btrfs-plan capacity --json size=1T", 0),
    ("btrfs-plan minimum", 0),
    ("btrfs-plan minimum --json", 0),
    ("btrfs-plan schema", 0),
    ("btrfs-plan schema request", 0),
    ("btrfs-exec --help", 0),
    ("btrfs-exec --version", 0),
    ("btrfs-exec --dry-run plan.json", 0),
    ("btrfs-exec --dry-run --events=json plan.json", 0),
];

/// What `mkfs.btrfs` prints without writing to a device, and where.
const MKFS: [(&str, Stream); 3] =
    [("--version", Stream::Output), ("--help", Stream::Error), ("-O list-all", Stream::Error)];

#[derive(Clone, Copy, PartialEq)]
enum Stream {
    Output,
    Error,
}

/// Where output goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sink {
    /// A disk without room.
    Full,
    /// Nowhere: the stream is closed.
    Closed,
    /// A pipe that nobody reads.
    Gone,
}

const SINKS: [Sink; 3] = [Sink::Full, Sink::Closed, Sink::Gone];

fn main() -> ExitCode {
    let mut cases = Vec::new();
    for (line, code) in RESULTS {
        for sink in SINKS {
            cases.push(case(format!("{line}, {sink:?}"), move || result(line, code, sink)));
        }
    }
    for (line, stream) in MKFS {
        for sink in SINKS {
            cases.push(case(format!("mkfs.btrfs {line}, {sink:?}"), move || of_mkfs(line, stream, sink)));
        }
    }
    cases.extend(files_of_results());
    cases.extend(runs());
    suite::run(140, cases)
}

/// Two images, one of them made; the plan for the other one, and another plan.
fn scene() -> Outcome<tempfile::TempDir> {
    let folder = scratch()?;
    for name in ["disk", "made"] {
        sparse_file(&folder.path().join(name), 256 << 20)?;
    }
    for line in ["btrfs-plan -q -o plan.json disk", "btrfs-plan -q -L other -o other.json disk", "mkfs-btrfs -q made"] {
        run(&mut words(folder.path(), line)?)?.success()?;
    }
    Ok(folder)
}

fn words(folder: &Path, line: &str) -> Outcome<Command> {
    let mut words = line.split_whitespace();
    let mut command = ours(words.next().unwrap_or_default())?;
    command.args(words).current_dir(folder);
    Ok(command)
}

/// Runs a command line with a stream that leads to a sink.
fn into_sink(folder: &Path, line: &str, stream: Stream, sink: Sink) -> Outcome<Ran> {
    let number = if stream == Stream::Output { 1 } else { 2 };
    let plain = words(folder, line)?;
    let mut command = Command::new("bash");
    let redirect = match sink {
        Sink::Full => format!("{number}>/dev/full"),
        Sink::Closed => format!("{number}>&-"),
        // Opening a pipe for both makes its reader, which is closed before the program starts.
        Sink::Gone => format!("{number}>&$out"),
    };
    let gone = "exec {out}> >(:); wait $!; ";
    let prepare = if sink == Sink::Gone { gone } else { "" };
    command.args(["-c", &format!("{prepare}exec \"$0\" \"$@\" {redirect}")]).arg(plain.get_program());
    command.args(plain.get_args()).current_dir(folder).stdin(Stdio::null());
    run(&mut command)
}

const TOLD: &str = "error: cannot write to standard output: ";

fn why(sink: Sink) -> &'static str {
    match sink {
        Sink::Full => "No space left on device",
        Sink::Closed => "Bad file descriptor",
        Sink::Gone => "",
    }
}

fn is_told(ran: &Ran, sink: Sink, code: i32) -> Outcome {
    ensure(ran.code == Some(code), || format!("exit code {:?} instead of {code}: {}", ran.code, ran.stderr))?;
    let told = format!("{TOLD}{}", why(sink));
    ensure(ran.stderr.contains(&told), || format!("'{told}' is not in: {}", ran.stderr))?;
    ensure(ran.stderr.contains("hint: "), || format!("no hint in: {}", ran.stderr))
}

fn is_quiet(ran: &Ran, code: i32) -> Outcome {
    ensure(ran.code == Some(code), || format!("exit code {:?} instead of {code}: {}", ran.code, ran.stderr))?;
    ensure(!ran.stderr.contains("standard output"), || ran.stderr.clone())
}

fn result(line: &str, code: i32, sink: Sink) -> Outcome {
    let scene = scene()?;
    let usual = run(&mut words(scene.path(), line)?)?;
    ensure(usual.code == Some(code), || format!("exit code {:?} without a sink: {}", usual.code, usual.stderr))?;
    let ran = into_sink(scene.path(), line, Stream::Output, sink)?;
    if sink == Sink::Gone || usual.stdout.is_empty() { is_quiet(&ran, code) } else { is_told(&ran, sink, 3) }
}

fn of_mkfs(line: &str, stream: Stream, sink: Sink) -> Outcome {
    let folder = scratch()?;
    let ran = into_sink(folder.path(), &format!("mkfs-btrfs {line}"), stream, sink)?;
    match (sink, stream) {
        (Sink::Gone, _) => is_quiet(&ran, 0),
        (_, Stream::Output) => is_told(&ran, sink, 1),
        // There is nowhere to tell it.
        (_, Stream::Error) => ensure(ran.code == Some(1), || format!("exit code {:?}", ran.code)),
    }
}

/// The same fault behind `-o`: the same exit code.
fn files_of_results() -> Vec<Trial> {
    let lines = [
        "-q disk",
        "show plan.json",
        "show --json plan.json",
        "capacity size=1T",
        "minimum",
        "diff plan.json other.json",
    ];
    let of = |line: &'static str| {
        case(format!("btrfs-plan {line} -o FILE"), move || {
            let scene = scene()?;
            let ran = run(&mut words(scene.path(), &format!("btrfs-plan {line} -o /dev/full"))?)?;
            ensure(ran.code == Some(3), || format!("exit code {:?}: {}", ran.code, ran.stderr))?;
            let told = "error: cannot write '/dev/full': No space left on device";
            ensure(ran.stderr.contains(told), || ran.stderr.clone())?;
            let usual = run(&mut words(scene.path(), &format!("btrfs-plan {line} -o usual"))?)?;
            let gone =
                into_sink(scene.path(), &format!("btrfs-plan {line} -o /dev/stdout"), Stream::Output, Sink::Gone)?;
            ensure(gone.code == usual.code && !gone.stderr.contains("error"), || {
                format!("{:?}: {}", gone.code, gone.stderr)
            })
        })
    };
    lines.into_iter().map(of).collect()
}

/// Runs that write a device.
fn runs() -> Vec<Trial> {
    let untouched = |line: &'static str, code: i32, sinks: &'static [Sink]| {
        case(format!("{line}: refused before it writes"), move || {
            for sink in sinks {
                let scene = scene()?;
                let before = files(scene.path())?;
                is_told(&into_sink(scene.path(), line, Stream::Output, *sink)?, *sink, code)?;
                ensure(files(scene.path())? == before, || format!("{sink:?}: a file changed"))?;
            }
            Ok(())
        })
    };
    let gone = |line: &'static str, image: &'static str| {
        case(format!("{line}: goes on when the reader has gone"), move || {
            let scene = scene()?;
            is_quiet(&into_sink(scene.path(), line, Stream::Output, Sink::Gone)?, 0)?;
            audit([scene.path().join(image)]).map(drop)
        })
    };
    let quiet = |line: &'static str, image: &'static str| {
        case(format!("{line}: says nothing, and needs no output"), move || {
            for sink in SINKS {
                let scene = scene()?;
                is_quiet(&into_sink(scene.path(), line, Stream::Output, sink)?, 0)?;
                audit([scene.path().join(image)])?;
            }
            Ok(())
        })
    };
    // The first lines fit, what comes after the writing does not.
    let made = |line: &'static str, image: &'static str, room: usize| {
        root_case(format!("{line}: finishes, and tells that its report is lost"), move || {
            let scene = scene()?;
            let small = Mount::of_type("tmpfs", Path::new("none"), "size=4k")?;
            let mut report = File::create_new(small.path().join("report"))?;
            report.write_all(&vec![b'\n'; 4096 - room])?;
            let ran = run(Command::new("sh")
                .args(["-c", "out=$1; shift; exec \"$@\" >>\"$out\"", "-"])
                .arg(small.path().join("report"))
                .arg(words(scene.path(), line)?.get_program())
                .args(line.split_whitespace().skip(1))
                .current_dir(scene.path())
                .stdin(Stdio::null()))?;
            is_told(&ran, Sink::Full, 1)?;
            ensure(ran.stderr.contains("the filesystem is made"), || ran.stderr.clone())?;
            let made = audit([scene.path().join(image)]).map(drop);
            drop(report);
            small.unmount()?;
            made
        })
    };
    let nowhere = &[Sink::Full, Sink::Closed];
    vec![
        untouched("btrfs-exec --yes --events=json plan.json", 3, nowhere),
        untouched("btrfs-exec --yes plan.json", 3, &nowhere[1..]),
        untouched("mkfs-btrfs disk", 1, nowhere),
        untouched("mkfs-btrfs -b 300m new", 1, nowhere),
        gone("btrfs-exec --yes plan.json", "disk"),
        gone("btrfs-exec --yes --events=json plan.json", "disk"),
        gone("mkfs-btrfs disk", "disk"),
        quiet("btrfs-exec --yes -q plan.json", "disk"),
        quiet("mkfs-btrfs -q disk", "disk"),
        made("btrfs-exec --yes plan.json", "disk", 0),
        made("btrfs-exec --yes --events=json plan.json", "disk", 300),
        made("mkfs-btrfs disk", "disk", 40),
    ]
}
