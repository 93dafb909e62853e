//! The fuzz targets without a fuzzer: the corpus is replayed, and for a moment each target gets random bytes and random
//! changes to what is in the corpus. `make fuzz` runs them with libFuzzer, for as long as one likes.

use btrfs_plan_tests::fuzzing;
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail};
use libtest_mimic::Trial;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// For how long each target gets random input.
const TIME: Duration = Duration::from_secs(4);
/// The most bytes of one input.
const MOST: usize = 4096;

type Target = (&'static str, fn(&[u8]));

const TARGETS: [Target; 5] = [
    ("plan", fuzzing::plan),
    ("compressed_plan", fuzzing::compressed_plan),
    ("request", fuzzing::request),
    ("disks", fuzzing::disks),
    ("zone_report", fuzzing::zone_report),
];

fn main() -> ExitCode {
    let cases: Vec<Trial> = TARGETS.into_iter().map(|(name, take)| case(name, move || run(name, take))).collect();
    suite::run(TARGETS.len(), cases)
}

fn run(name: &str, take: fn(&[u8])) -> Outcome {
    let corpus = corpus(name)?;
    ensure(corpus.len() >= 4, || format!("the corpus of {name} has {} files", corpus.len()))?;
    for (path, bytes) in &corpus {
        let began = Instant::now();
        if catch_unwind(|| take(bytes)).is_err() {
            return fail(format!("{} panics", path.display()));
        }
        ensure(began.elapsed() < Duration::from_secs(10), || format!("{} takes too long", path.display()))?;
    }
    let mut dice = name.len() as u64;
    let (begin, mut executions) = (Instant::now(), 0_u64);
    while begin.elapsed() < TIME {
        let input = changed(&corpus, &mut dice);
        if catch_unwind(|| take(&input)).is_err() {
            let path = std::env::temp_dir().join(format!("btrfs-plan-fuzz-{name}"));
            std::fs::write(&path, &input)?;
            return fail(format!("an input panics; it is kept at {}", path.display()));
        }
        executions += 1;
    }
    println!("{name}: {} files and {executions} random inputs", corpus.len());
    ensure(executions > 20, || format!("only {executions} inputs"))
}

fn corpus(name: &str) -> Outcome<Vec<(PathBuf, Vec<u8>)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(name);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        files.push((path.clone(), std::fs::read(path)?));
    }
    files.sort();
    Ok(files)
}

/// SplitMix64.
fn random(dice: &mut u64) -> usize {
    *dice = dice.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*dice ^ (*dice >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed >> 33) as usize
}

fn changed(corpus: &[(PathBuf, Vec<u8>)], dice: &mut u64) -> Vec<u8> {
    let mut input = corpus[random(dice) % corpus.len()].1.clone();
    for _ in 0..=random(dice) % 8 {
        let at = random(dice) % (input.len() + 1);
        match random(dice) % 4 {
            0 => input.truncate(at),
            1 => (0..random(dice) % 24).for_each(|_| input.insert(at.min(input.len()), random(dice) as u8)),
            _ if at < input.len() => input[at] = random(dice) as u8,
            _ => input.push(random(dice) as u8),
        }
    }
    input.truncate(MOST);
    input
}
