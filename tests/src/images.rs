//! Image files as the disks that an audit reads.

use crate::suite::{Outcome, fail};
use btrfs_executor::audit::FileDisks;
use btrfs_planner::audit::{Code, Report, audit_disks};
use std::path::{Path, PathBuf};

/// What the audit says of these files.
pub fn audit(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Outcome<Report> {
    let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_path_buf()).collect();
    Ok(audit_disks(&FileDisks::open(&paths)?))
}

/// Fails unless the audit has nothing to say, neither errors nor warnings, but those of the `expected` codes.
pub fn silent_but(report: &Report, expected: &[Code]) -> Outcome {
    let unexpected = report.findings.iter().filter(|finding| !expected.contains(&finding.code));
    let lines: Vec<String> = unexpected.take(20).map(ToString::to_string).collect();
    if lines.is_empty() {
        return Ok(());
    }
    fail(format!("{} errors, {} warnings:\n{}", report.errors, report.warnings, lines.join("\n")))
}
