//! Every golden layout against the plan for the same options and devices.

use btrfs_plan_tests::golden::{self, Golden};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail};
use std::process::ExitCode;

/// Goldens that are not compared yet, all for one reason: a request has no zones to describe.
const NOT_YET: [&str; 6] = ["z-100G-dup", "z-10G", "z-10G-dup", "z-1T", "z-4x10G-raid1", "z-4x10G-raid10"];

fn main() -> ExitCode {
    let goldens = match golden::all() {
        Ok(goldens) => goldens,
        Err(error) => {
            eprintln!("error: the goldens cannot be read: {}", error.message().unwrap_or_default());
            return ExitCode::FAILURE;
        }
    };
    let names: Vec<String> = goldens.iter().map(|golden| golden.name.clone()).collect();
    let mut cases = vec![case("those that wait are there", move || {
        let missing: Vec<_> = NOT_YET.iter().filter(|waiting| !names.iter().any(|name| name == *waiting)).collect();
        ensure(missing.is_empty(), || format!("there are no goldens {missing:?}"))
    })];
    for golden in goldens {
        if !NOT_YET.contains(&golden.name.as_str()) {
            cases.push(case(golden.name.clone(), move || compare(&golden)));
        }
    }
    suite::run(91, cases)
}

fn compare(golden: &Golden) -> Outcome {
    let name = &golden.name;
    let request = golden::request(&golden.options, &golden.device_sizes)?;
    match (btrfs_planner::plan(&request), golden.accepted) {
        (Err(_), false) => Ok(()),
        (Ok(_), false) => fail(format!("{name}: planned, but the reference refuses: {:?}", golden.reference_errors)),
        (Err(error), true) => fail(format!("{name}: refused: {error}")),
        (Ok(plan), true) => {
            let layout = golden::layout(&plan)?;
            let differences = golden::differences(&golden.layout, &layout);
            ensure(differences.is_empty(), || format!("{name}: {}", differences.join("; ")))
        }
    }
}
