//! `-O list-all`: the table of features.

use super::options::Options;
use super::request;
use crate::exit::Failure;
use btrfs_planner::view;

/// Every feature, oldest first. Those that were named beside it are known.
pub(crate) fn table(options: &Options) -> Result<String, Failure> {
    request::switches(options, true)?;
    Ok(view::features())
}
