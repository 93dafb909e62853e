//! Mutations with a name: what is changed, in which plans, and how it must be found.

mod blocks;
mod bounds;
mod document;
mod experimental;
mod items;
mod preparing;
mod superblocks;
mod writing;

use btrfs_planner::Plan;
use btrfs_planner::plan::ByteRange;

/// One change.
pub(crate) struct Mutation {
    pub(crate) name: &'static str,
    /// The plans that it is made to.
    pub(crate) plans: &'static [&'static str],
    pub(crate) expect: Expect,
    pub(crate) change: fn(&mut Plan),
}

/// How a change must be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// Reading refuses the plan.
    Refused,
    /// By the audit, with this code among others.
    Code(&'static str),
    /// By the audit.
    Any,
}

/// All of them.
pub(crate) fn mutations() -> impl Iterator<Item = &'static Mutation> {
    let schedules = bounds::MUTATIONS.iter().chain(preparing::MUTATIONS).chain(writing::MUTATIONS);
    let bytes = superblocks::MUTATIONS.iter().chain(blocks::MUTATIONS).chain(items::MUTATIONS);
    schedules.chain(document::MUTATIONS).chain(bytes).chain(experimental::MUTATIONS)
}

fn range(start: u64, length: u64) -> ByteRange {
    ByteRange { start, length }
}

/// Puts a range where it belongs in its list.
fn insert(list: &mut Vec<ByteRange>, range: ByteRange) {
    let at = list.partition_point(|other| other.start < range.start);
    list.insert(at, range);
}
