//! What a plan does to its devices, judged from the document alone: the schedule is worked out a second time, from chunks,
//! blocks and what was found, by other code than the planner's, and every difference is a finding.
//!
//! Whether the bytes make a filesystem is not asked here. [`spans`] and [`striping`] are the arithmetic; [`slot`] is a
//! device with what it needs; each of the other files judges one thing.

mod bounds;
mod commit;
mod coverage;
mod discard;
mod signatures;
mod slot;
mod spans;
mod statistics;
mod striping;
mod zones;

use super::{Code, Findings, Place};
use crate::plan::Plan;
use coverage::Blocks;
use slot::Slot;

/// Judges every step of every device of a plan, whose seal is its reader's concern. Lists that are not sound are not looked at any closer.
pub(super) fn check(plan: &Plan, findings: &mut Findings) {
    if let Err(problem) = plan.check() {
        findings.add(Code::ScheduleUnsound, Place::filesystem(), "a schedule that makes sense", problem);
        return;
    }
    let Some(blocks) = Blocks::new(plan, findings) else { return };
    let mut totals = statistics::Totals::default();
    for device in &plan.devices {
        let slot = Slot::new(plan, device, &blocks.needs);
        bounds::check(plan, &slot, findings);
        zones::check(&slot, findings);
        signatures::check(&slot, findings);
        coverage::check(&slot, findings);
        commit::check(plan, &slot, findings);
        let discards = discard::check(plan, &slot, findings);
        totals.add(&slot, &discards, &blocks);
    }
    coverage::check_payloads(plan, &blocks, findings);
    totals.check(plan, findings);
}

/// A device of a plan, and a byte of it.
fn at(slot: &Slot<'_>, offset: u64) -> Place {
    Place::offset(slot.devid, offset)
}
