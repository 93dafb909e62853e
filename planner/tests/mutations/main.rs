//! The audit is proven by damage: good plans of many kinds, one thing changed, sealed again. Whatever changes the
//! filesystem that comes of it, or what is destroyed on the way, must be found: by reading the plan, or by its audit.

// A test may fail by panicking, and counts what it made itself.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod edit;
mod named;
mod plans;
mod random;
mod survivors;

use btrfs_planner::Plan;
use btrfs_planner::audit::{Finding, Severity, audit_plan};
use named::Expect;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How a mutation came out.
enum Verdict {
    /// Reading the document refuses it.
    Refused(String),
    /// The audit has errors.
    Found(Vec<Finding>),
    /// Nobody noticed.
    Survived,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(problem) => write!(f, "refused: {problem}"),
            Self::Found(findings) => {
                f.write_str("found")?;
                findings.iter().take(4).try_for_each(|finding| write!(f, "; {finding}"))
            }
            Self::Survived => f.write_str("survived"),
        }
    }
}

/// What becomes of a plan whose author seals whatever he did to it.
fn judge(mut plan: Plan) -> Verdict {
    plan.seal = plan.expected_seal();
    if let Err(problem) = plan.check() {
        return Verdict::Refused(problem.to_string());
    }
    let report = audit_plan(&plan);
    if report.is_clean() { Verdict::Survived } else { Verdict::Found(report.findings) }
}

#[test]
fn good_plans_are_clean() {
    let plans = plans::plans();
    assert!(plans.len() >= 30, "only {} plans", plans.len());
    let mut wrong = String::new();
    for (name, plan) in &plans {
        for finding in audit_plan(plan).findings.into_iter().filter(|finding| finding.severity == Severity::Error) {
            wrong.push_str(&format!("{name}: {finding}\n"));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_named_mutation_is_found() {
    let plans: BTreeMap<&str, Plan> = plans::plans().into_iter().collect();
    let (mut refused, mut found, mut wrong) = (0, 0, String::new());
    let mut names = BTreeSet::new();
    for mutation in named::mutations() {
        assert!(names.insert(mutation.name), "'{}' is there twice", mutation.name);
        for kind in mutation.plans {
            let before = plans.get(kind).unwrap_or_else(|| panic!("there is no plan '{kind}'"));
            let mut plan = before.clone();
            (mutation.change)(&mut plan);
            assert!(plan != *before, "'{}' changes nothing in '{kind}'", mutation.name);
            let expect = mutation.expect;
            let verdict = judge(plan);
            match &verdict {
                Verdict::Refused(_) => refused += 1,
                Verdict::Found(_) => found += 1,
                Verdict::Survived => {}
            }
            let met = match (&verdict, expect) {
                (Verdict::Refused(_), Expect::Refused) | (Verdict::Found(_), Expect::Any) => true,
                (Verdict::Found(findings), Expect::Code(code)) => findings.iter().any(|it| it.code.name() == code),
                _ => false,
            };
            if !met {
                wrong.push_str(&format!("{} ({kind}): expected {expect:?}, came {verdict}\n", mutation.name));
            }
        }
    }
    let count = names.len();
    println!(
        "named mutations: {count}, made {} times: {found} found by the audit, {refused} refused on reading",
        found + refused
    );
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(count >= 60, "only {count} mutations");
}

/// `MUTATIONS=1000000` makes more of them, `MUTATION_SEED=7` others.
#[test]
fn every_random_mutation_is_found_or_excused() {
    let number = |name: &str| std::env::var_os(name).map(|text| text.to_str().unwrap().parse::<u64>().unwrap());
    let count = number("MUTATIONS").unwrap_or(100_000);
    let tally = random::run(&plans::plans(), number("MUTATION_SEED").unwrap_or(1), count);
    println!(
        "random mutations: {}; {} refused on reading, {} found by the audit, {} survived with a reason",
        tally.made,
        tally.refused,
        tally.found,
        tally.excused.values().sum::<u64>(),
    );
    for (reason, count) in &tally.excused {
        println!("  {count:>6}  {reason}");
    }
    for (code, count) in &tally.codes {
        println!("  {count:>6}  {code}");
    }
    let survivors: Vec<String> =
        tally.survivors.iter().map(|(what, (count, example))| format!("{what} ({count}): {example}")).collect();
    assert!(survivors.is_empty(), "{} kinds of survivors without a reason:\n{}", survivors.len(), survivors.join("\n"));
    assert_eq!(tally.made, count);
}
