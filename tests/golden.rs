//! Every golden layout against the plan for the same options and devices.

use btrfs_plan_tests::golden::{self, Golden};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail};
use std::process::ExitCode;

fn main() -> ExitCode {
    let goldens = match golden::all() {
        Ok(goldens) => goldens,
        Err(error) => {
            eprintln!("error: the goldens cannot be read: {}", error.message().unwrap_or_default());
            return ExitCode::FAILURE;
        }
    };
    let cases = goldens.into_iter().map(|golden| case(golden.name.clone(), move || compare(&golden))).collect();
    suite::run(96, cases)
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
