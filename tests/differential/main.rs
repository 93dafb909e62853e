//! mkfs.btrfs as it is installed, and ours: the same questions, and answers that must be the same, or differ for a reason
//! that docs/differences.md gives.
//!
//! Options and devices are drawn at random, a hundred times a case, from seeds that stay the same.

mod answer;
mod detail;
mod question;
mod reason;

use answer::Answer;
use btrfs_plan_tests::dice::Dice;
use btrfs_plan_tests::golden;
use btrfs_plan_tests::loops::scratch;
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail, root_case};
use question::{Question, Shape};
use reason::{Seen, Version};
use std::collections::BTreeMap;
use std::process::ExitCode;

/// Answers without a difference.
const MADE: &str = "made alike";
const REFUSED: &str = "refused alike";

/// Questions of a case.
const QUESTIONS: u64 = 100;

/// What the questions of a case are about, and how many cases there are.
const CASES: [(Shape, u64); 7] = [
    (Shape::Profiles, 12),
    (Shape::Mixed, 4),
    (Shape::Sizes, 6),
    (Shape::Features, 6),
    (Shape::Zoned, 2),
    (Shape::Limits, 6),
    (Shape::Devices, 2),
];

fn main() -> ExitCode {
    let mut cases = vec![case("every reason is in docs/differences.md", reason::documented)];
    for (shape, count) in CASES {
        for batch in 0..count {
            let name = format!("{shape:?} {batch}");
            cases.push(match shape {
                Shape::Devices => root_case(name, move || ask(shape, batch)),
                _ => case(name, move || ask(shape, batch)),
            });
        }
    }
    suite::run(39, cases)
}

/// Asks both a hundred times, and tells everything that differs without a reason.
fn ask(shape: Shape, batch: u64) -> Outcome {
    let version = Version::installed()?;
    let folder = scratch()?;
    let mut dice = Dice::new(0x6d6b_6673 + ((shape as u64) << 32) + batch);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for _ in 0..QUESTIONS {
        let question = Question::new(shape, &mut dice);
        let theirs = Answer::of_reference(&question, folder.path())?;
        let ours = Answer::of_ours(&question, folder.path(), version)?;
        let differences = differences(&theirs, &ours, version);
        let seen = Seen { question: &question, theirs: &theirs, ours: &ours, version };
        let kind = match seen.reasons(&differences) {
            _ if differences.is_empty() && matches!(ours, Answer::Made(_)) => MADE.to_owned(),
            _ if differences.is_empty() => REFUSED.to_owned(),
            Some(reasons) => reasons.into_iter().collect::<Vec<_>>().join(", and "),
            None => {
                wrong.push(format!("{question}\n    {}", differences.join("\n    ")));
                continue;
            }
        };
        *counts.entry(kind).or_default() += 1;
    }
    println!("{shape:?} {batch}: {counts:?}");
    if !wrong.is_empty() {
        return fail(format!("{} of {QUESTIONS} differ:\n{}", wrong.len(), wrong.join("\n")));
    }
    ensure(counts.keys().any(|kind| kind != REFUSED), || "no filesystem was compared".to_owned())
}

fn differences(theirs: &Answer, ours: &Answer, version: Version) -> Vec<String> {
    match (theirs, ours) {
        (_, Answer::Crashed) => vec!["ours crashes".to_owned()],
        (Answer::Crashed, _) => vec![reason::CRASHED.to_owned()],
        (Answer::Refused(_), Answer::Refused(_)) => Vec::new(),
        (Answer::Refused(words), Answer::Made(_)) => vec![format!("only mkfs.btrfs refuses: {words}")],
        (Answer::Made(_), Answer::Refused(words)) => vec![format!("only ours refuses: {words}")],
        (Answer::Made(theirs), Answer::Made(ours)) => {
            let [theirs, ours] = [theirs, ours].map(|layout| reason::without_what_came_later(layout, version));
            golden::differences(&theirs, &ours)
        }
    }
}
