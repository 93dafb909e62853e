//! What an audit found, in the words of both programs, and what follows from it.

use crate::console;
use crate::exit::{ExitStatus, Failure};
use btrfs_planner::Plan;
use btrfs_planner::audit::{Finding, Report, Severity, audit_plan};
use std::fmt::Write;

/// How many findings are listed where they are not what was asked for.
const LISTED: usize = 20;

/// A report as text: findings, the worst first, and what was read.
#[must_use]
pub fn text(report: &Report) -> String {
    let mut text = String::new();
    for finding in worst_first(report) {
        line(&mut text, finding);
    }
    let all = report.errors.saturating_add(report.warnings);
    let kept = u64::try_from(report.findings.len()).unwrap_or(u64::MAX);
    // Writing to a String cannot fail.
    if all > kept {
        let _ = writeln!(text, "... and {} more", all - kept);
    }
    let read = &report.read;
    let _ = writeln!(
        text,
        "read: {}, {}, {}, {}, {}",
        counted(read.devices, "device"),
        counted(read.superblocks, "superblock"),
        counted(read.blocks, "tree block"),
        counted(read.items, "item"),
        counted(read.bytes, "byte"),
    );
    let _ = writeln!(text, "{}", verdict(report));
    console::escaped_lines(&text).into_owned()
}

/// `clean`, or how much is wrong.
#[must_use]
pub fn verdict(report: &Report) -> String {
    match (report.is_clean(), report.warnings) {
        (true, 0) => "clean".to_string(),
        (true, warnings) => format!("clean, with {}", counted(warnings, "warning")),
        (false, 0) => counted(report.errors, "error"),
        (false, warnings) => format!("{}, {}", counted(report.errors, "error"), counted(warnings, "warning")),
    }
}

/// Audits a plan before it is run, and refuses one that is not clean.
pub fn refuse_unless_clean(plan: &Plan) -> Result<(), Failure> {
    let report = audit_plan(plan);
    if report.is_clean() {
        return Ok(());
    }
    let mut text = String::new();
    let errors = || worst_first(&report).filter(|finding| finding.severity == Severity::Error);
    errors().take(LISTED).for_each(|finding| line(&mut text, finding));
    let listed = u64::try_from(errors().take(LISTED).count()).unwrap_or(u64::MAX);
    if report.errors > listed {
        let _ = writeln!(text, "... and {} more", report.errors - listed);
    }
    console::tell(console::escaped_lines(&text).trim_end());
    Err(Failure {
        status: ExitStatus::Refused,
        message: format!("the plan does not pass its audit: {}; nothing was opened", verdict(&report)),
        hint: Some("btrfs-plan audit lists all of it; plan again, and do not run this plan".to_string()),
    })
}

fn worst_first(report: &Report) -> impl Iterator<Item = &Finding> {
    let of = |severity| report.findings.iter().filter(move |finding| finding.severity == severity);
    of(Severity::Error).chain(of(Severity::Warning))
}

/// A finding in a line, whatever line breaks are in it.
fn line(text: &mut String, finding: &Finding) {
    let finding = format!("{}: {finding}", finding.severity);
    let _ = writeln!(text, "{}", console::escaped(&finding));
}

fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::audit::{Code, Place};

    fn finding(code: Code, found: &str) -> Finding {
        let (expected, found) = ("none".to_string(), found.to_string());
        Finding { code, severity: code.severity(), place: Place::offset(1, 4096), expected, found }
    }

    #[test]
    fn the_worst_comes_first_and_nothing_reaches_the_terminal_raw() {
        let findings = vec![finding(Code::SignatureStays, "ext4\u{1b}[2J\n"), finding(Code::CommitMissing, "1")];
        let report = Report { findings, errors: 1, warnings: 4, ..Report::default() };
        assert_eq!(
            text(&report),
            "error: device 1, offset 4096: commit-missing: expected none, found 1\n\
             warning: device 1, offset 4096: signature-stays: expected none, found ext4\\u{1b}[2J\\n\n\
             ... and 3 more\n\
             read: 0 devices, 0 superblocks, 0 tree blocks, 0 items, 0 bytes\n\
             1 error, 4 warnings\n"
        );
        assert_eq!(verdict(&Report { warnings: 1, ..Report::default() }), "clean, with 1 warning");
        assert_eq!(verdict(&Report::default()), "clean");
    }
}
