//! `-O list-all`: the table of features.

use super::print::print;
use crate::exit::Failure;
use btrfs_planner::request::Feature;

/// Prints every feature that can be named.
pub(crate) fn list() -> Result<(), Failure> {
    print(table().as_bytes())
}

/// Every feature that can be named, oldest first.
pub(crate) fn table() -> String {
    let mut text = String::from("feature             kernel  default  meaning\n");
    for traits in Feature::ALL.map(Feature::traits) {
        if traits.switchable {
            let default = if traits.default { "on" } else { "" };
            let alias = traits.alias.map(|alias| format!(" (also {alias})")).unwrap_or_default();
            let line = format!("{:<18}  {:<6}  {default:<7}  {}{alias}\n", traits.name, traits.since, traits.summary);
            text.push_str(&line);
        }
    }
    text
}
