//! Warnings: what the plan says, and what only the running kernel knows.

use crate::cli::options::Options;
use crate::console;
use crate::running_kernel::RunningKernel;
use btrfs_planner::Plan;
use btrfs_planner::request::Feature;

/// Warnings about what was asked for on purpose, or about devices that cannot be chosen: `--quiet` silences them.
const QUIET: [&str; 2] = ["signature-lost", "small"];

/// Tells what should be known before the filesystem is used.
pub(super) fn tell(plan: &Plan, quiet: bool) {
    let kernel = RunningKernel::ask();
    let mounts = |size| kernel.as_ref().is_some_and(|kernel| kernel.takes_sectors(size));
    for warning in &plan.warnings {
        let known_better = warning.code == "sector-size" && mounts(plan.filesystem.sector_size);
        let unwanted = quiet && QUIET.contains(&warning.code.as_str());
        if !known_better && !unwanted {
            console::warning(&warning.message);
        }
    }
    let Some(kernel) = kernel else { return };
    let unknown = Feature::ALL.into_iter().filter(|feature| is_on(plan, *feature) && !kernel.knows(*feature));
    let (zoned, others): (Vec<Feature>, Vec<Feature>) = unknown.partition(|feature| *feature == Feature::Zoned);
    if !zoned.is_empty() {
        // Tried with Linux 6.18: the mount succeeds, and later `btrfs check` finds block groups that are no zones.
        console::warning("the running kernel was built without zones: it would mount this, and break it");
    }
    if !others.is_empty() {
        let named = others.iter().map(|feature| format!("{feature} (Linux {})", feature.traits().since));
        let named = named.collect::<Vec<_>>().join(", ");
        console::warning(&format!("the running kernel cannot mount this: it does not know {named}"));
    }
}

/// A feature that is on because nobody said anything about it, and that not every kernel in use can mount.
pub(super) fn changed_default(plan: &Plan, options: &Options) -> Option<String> {
    let feature = Feature::BlockGroupTree;
    let traits = feature.traits();
    let named = |text: &String| {
        let name = text.strip_prefix('^').unwrap_or(text);
        name == traits.name || Some(name) == traits.alias
    };
    let asked = options.defaults.is_some() || options.features.iter().any(named);
    if asked || !is_on(plan, feature) {
        return None;
    }
    Some(format!(
        "NOTE: default settings have changed as in btrfs-progs 6.19, for Linux {} and newer:\n      - {feature} is on \
         (-O ^{feature} for older kernels)\n\n",
        traits.since
    ))
}

fn is_on(plan: &Plan, feature: Feature) -> bool {
    plan.filesystem.features.iter().any(|name| name == feature.name())
}
