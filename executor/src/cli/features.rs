//! `-O list-all`: the table of features.

use super::print::print;
use crate::exit::Failure;
use btrfs_planner::view;

/// Prints every feature.
pub(crate) fn list() -> Result<(), Failure> {
    print(table().as_bytes())
}

/// Every feature, oldest first.
pub(crate) fn table() -> String {
    view::features()
}
