//! What an audit comes to.

use super::{Code, Finding, Place, Severity, Subject};
use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt::Display;
use serde::Serialize;

/// Findings that are kept; more are only counted. A disk full of nonsense must not fill memory with words about it.
pub const KEPT: usize = 1000;

/// Findings as they come in.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    kept: Vec<Finding>,
    errors: u64,
    warnings: u64,
    /// Warnings about the filesystem.
    odd: u64,
}

impl Findings {
    /// Adds a finding. Its texts are made only where it is kept.
    pub fn add(&mut self, code: Code, place: Place, expected: impl Display, found: impl Display) {
        let severity = code.severity();
        let count = match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count = count.saturating_add(1);
        if severity == Severity::Warning && code.subject() != Subject::Schedule {
            self.odd = self.odd.saturating_add(1);
        }
        if self.kept.len() < KEPT {
            let (expected, found) = (expected.to_string(), found.to_string());
            self.kept.push(Finding { code, severity, place, expected, found });
        }
    }

    /// Adds a finding unless both values are equal.
    pub fn equal<T: PartialEq + Display>(&mut self, code: Code, place: Place, expected: T, found: T) {
        if expected != found {
            self.add(code, place, expected, found);
        }
    }

    /// What is only odd in a used filesystem is wrong in a new one.
    pub(super) fn refuse_oddities(&mut self) {
        if self.odd > 0 {
            self.add(Code::NewOdd, Place::filesystem(), "no warnings about a new filesystem", self.odd);
        }
    }

    /// How many errors there are so far.
    #[must_use]
    pub const fn errors(&self) -> u64 {
        self.errors
    }
}

/// How much an audit has read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "AuditCounts"))]
pub struct Counts {
    /// Devices.
    pub devices: u64,
    /// Superblock copies that were whole.
    pub superblocks: u64,
    /// Tree blocks, each counted once however many copies and references there are.
    pub blocks: u64,
    /// Items in leaves.
    pub items: u64,
    /// Bytes read from devices.
    pub bytes: u64,
}

/// What an audit comes to.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// The first [`KEPT`] findings, in the order of reading.
    pub findings: Vec<Finding>,
    /// How many errors there are, kept or not.
    pub errors: u64,
    /// How many warnings there are, kept or not.
    pub warnings: u64,
    /// How much was read.
    pub read: Counts,
}

impl Report {
    pub(super) fn new(findings: Findings, read: Counts) -> Self {
        let Findings { kept, errors, warnings, odd: _ } = findings;
        Self { findings: kept, errors, warnings, read }
    }

    /// Whether there are no errors. Warnings may be there.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.errors == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_findings_are_kept_but_all_are_counted() {
        let mut findings = Findings::default();
        for number in 0..KEPT + 5 {
            findings.add(Code::ReadFailed, Place::filesystem(), "", number);
        }
        let report = Report::new(findings, Counts::default());
        assert_eq!((report.findings.len(), report.errors), (KEPT, (KEPT + 5) as u64));
        assert!(!report.is_clean());
    }
}
