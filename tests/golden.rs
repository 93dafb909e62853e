//! Every golden layout against the plan for the same options and devices.

use btrfs_plan_tests::golden::{self, Golden};
use btrfs_plan_tests::suite::{self, Outcome, case, ensure, fail};
use btrfs_planner::Plan;
use btrfs_planner::layout::ChunkKind;
use btrfs_planner::request::Profile;
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
    suite::run(134, cases)
}

fn compare(golden: &Golden) -> Outcome {
    let name = &golden.name;
    let mut request = golden::request(&golden.options, &golden.device_sizes)?;
    request.experimental = golden.experimental;
    match (btrfs_planner::plan(&request), golden.accepted) {
        (Err(_), false) => Ok(()),
        (Ok(_), false) => fail(format!("{name}: planned, but the reference refuses: {:?}", golden.reference_errors)),
        (Err(error), true) => fail(format!("{name}: refused: {error}")),
        (Ok(plan), true) => {
            let (mut theirs, mut ours) = (golden.layout.clone(), golden::layout(&plan)?);
            golden::without_chunks(&mut theirs, &golden.left_behind)?;
            golden::without_chunks(&mut ours, &kept_apart(golden, &plan)?)?;
            let differences = golden::differences(&theirs, &ours);
            ensure(differences.is_empty(), || format!("{name}: {}", differences.join("; ")))
        }
    }
}

/// The reference leaves its temporary chunk to the remap tree; a plan has one of the metadata's profile, behind all others.
fn kept_apart(golden: &Golden, plan: &Plan) -> Outcome<Vec<u64>> {
    let ours = plan.chunks.iter().filter(|chunk| chunk.kind == ChunkKind::Remap);
    let theirs = plan.filesystem.profiles.metadata == Profile::Single || golden.left_behind.is_empty();
    let mut apart = Vec::new();
    for chunk in ours.filter(|_| !theirs) {
        let last = plan.chunks.iter().all(|other| other.logical <= chunk.logical);
        ensure(last && chunk.profile == plan.filesystem.profiles.metadata, || {
            format!("the remap tree is in {chunk:?}")
        })?;
        apart.push(chunk.logical.get());
    }
    Ok(apart)
}
