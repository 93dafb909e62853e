//! Image files as the disks that an audit reads.

use crate::suite::{Outcome, fail};
use btrfs_planner::audit::{Code, Disks, ReadFailed, Report, audit_disks};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Image files.
#[derive(Debug)]
pub struct Images(Vec<(File, u64)>);

impl Images {
    /// Opens files for reading.
    pub fn open(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Outcome<Self> {
        let mut images = Vec::new();
        for path in paths {
            let file = File::open(path)?;
            let size = file.metadata()?.len();
            images.push((file, size));
        }
        Ok(Self(images))
    }

    /// What the audit says of them.
    #[must_use]
    pub fn audit(&self) -> Report {
        audit_disks(self)
    }
}

impl Disks for Images {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn size(&self, disk: usize) -> u64 {
        self.0.get(disk).map_or(0, |(_, size)| *size)
    }

    fn read(&self, disk: usize, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        let (file, _) = self.0.get(disk).ok_or(ReadFailed)?;
        file.read_exact_at(buffer, offset).map_err(|_| ReadFailed)
    }
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
