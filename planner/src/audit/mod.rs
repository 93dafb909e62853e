//! Reads disks as if they were found in the wild, and says what is wrong with the btrfs on them.
//!
//! [`audit_disks`] takes any [`Disks`]; [`audit_plan`] takes a plan, [replays](Replay) its writes and reads them back. It
//! shares the structures of [`disk`](crate::disk) and the types of [`plan`](mod@crate::plan) with the planner and nothing
//! else, so that a mistake of the planner is not made again by its audit. What it reads is hostile: every number is
//! checked, every tree block is visited once (those that snapshots share a bounded number of times), and time and memory
//! are bounded by what there is to read.
//!
//! Words of a report: [`Code`] (the table of all kinds of findings), [`Finding`], [`Place`], [`Severity`], [`Report`].
//!
//! What is where, in the order of reading: `superblock` and `super_log` (copies and their places), `chunks` (items) and
//! `geometry` (mapping), `reader` (bytes of every copy), `block` (one tree block), `walk` (one tree), `filesystem` (all
//! trees, in order), and then a file for each concern: `devices`, `roots`, `extents`, `references`, `block_groups`,
//! `free_space`, `inodes`, `directories`, `checksums`, `stripes`, `parity`, `uuids`, `quotas`, `backup_roots`; `new` and `new_inodes`
//! for what holds only of a filesystem that nobody has used yet; `index` and `requires` for what a plan says of its own filesystem;
//! `schedule` and `document` for the plan itself.

mod backup_roots;
mod block;
mod block_groups;
mod checksums;
mod chunks;
mod code;
mod devices;
mod directories;
mod disks;
mod document;
mod extents;
mod filesystem;
mod finding;
mod free_space;
mod geometry;
mod index;
mod inodes;
mod new;
mod new_inodes;
mod parity;
mod quotas;
mod reader;
mod references;
mod replay;
mod report;
mod requires;
mod roots;
mod schedule;
mod stripes;
mod super_log;
mod superblock;
mod uuids;
mod walk;

pub use code::{Code, Subject};
pub use disks::{Disks, ReadFailed, Zone};
pub use finding::{Finding, Place, Severity, TreeNumber};
pub use replay::{Replay, UNKNOWN};
pub use report::{Counts, Findings, KEPT, Report};

use crate::plan::Plan;

/// What a filesystem may have been through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// It is new: more is known of it.
    New,
    /// It may have been used, by any kernel.
    Grown,
}

/// Audits the filesystem on these disks.
#[must_use]
pub fn audit_disks(disks: &dyn Disks) -> Report {
    filesystem::read(disks, Scope::Grown, Findings::default(), |_, _| {})
}

/// Audits a plan: its schedule, the filesystem that its writes make, and what it says of that filesystem.
#[must_use]
pub fn audit_plan(plan: &Plan) -> Report {
    let mut findings = Findings::default();
    document::check(plan, &mut findings);
    schedule::check(plan, &mut findings);
    filesystem::read(&Replay::new(plan), Scope::New, findings, |reader, contents| {
        new::times(reader, contents, plan.filesystem.time);
        index::check(plan, reader, contents.quota_tree);
        reader.findings.refuse_oddities();
    })
}
