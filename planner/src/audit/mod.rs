//! Reads disks as if they were found in the wild, and says what is wrong with the btrfs on them.
//!
//! [`audit_disks`] takes any [`Disks`]; [`audit_plan`] takes a plan, [replays](Replay) its writes and reads them back. It
//! shares the structures of [`disk`](crate::disk) and the types of [`plan`](mod@crate::plan) with the planner and nothing
//! else, so that a mistake of the planner is not made again by its audit. What it reads is hostile: every number is
//! checked, every tree block is visited once, and time and memory are bounded by what there is to read.
//!
//! Words of a report: [`Code`] (the table of all kinds of findings), [`Finding`], [`Place`], [`Severity`], [`Report`].

mod code;
mod disks;
mod finding;
mod replay;
mod report;
mod schedule;
mod superblock;

pub use code::{Code, Subject};
pub use disks::{Disks, ReadFailed, Zone};
pub use finding::{Finding, Place, Severity, TreeNumber};
pub use replay::{Replay, UNKNOWN};
pub use report::{Counts, Findings, KEPT, Report};

use crate::plan::Plan;

/// Audits the filesystem on these disks.
#[must_use]
pub fn audit_disks(disks: &dyn Disks) -> Report {
    let mut findings = Findings::default();
    let read = read(disks, &mut findings);
    Report::new(findings, read)
}

/// Audits a plan: its schedule, the filesystem that its writes make, and what it says of that filesystem.
#[must_use]
pub fn audit_plan(plan: &Plan) -> Report {
    let mut findings = Findings::default();
    schedule::check(plan, &mut findings);
    let read = read(&Replay::new(plan), &mut findings);
    Report::new(findings, read)
}

fn read(disks: &dyn Disks, findings: &mut Findings) -> Counts {
    superblock::check(disks, findings);
    Counts::default()
}
