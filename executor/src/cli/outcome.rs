//! What people are told afterwards.

use crate::console;
use crate::exit::{ExitStatus, Failure};
use crate::run::{DeviceReport, Outcome, Report, Step};
use crate::size::Human;
use btrfs_planner::Plan;
use std::fmt::Write;
use std::io;

/// Warnings and errors to standard error; what was done, where wanted, to standard output, which may not take it.
pub(crate) fn tell(plan: &Plan, report: &Report, quiet: bool, results: bool) -> io::Result<()> {
    for device in &report.devices {
        let named = |text: &String| format!("{}: {text}", device.name);
        device.warnings.iter().for_each(|text| console::warning(&named(text)));
        if !quiet {
            device.notes.iter().for_each(|text| console::tell(&console::escaped(&format!("note: {}", named(text)))));
        }
    }
    if report.outcome == Outcome::Done {
        return if !quiet && results { console::print(done(plan, report).as_bytes()) } else { Ok(()) };
    }
    for error in report.errors() {
        let message = format!("{error}: {}", error.source);
        console::failure(&Failure { status: ExitStatus::Failed, message, hint: error.hint().map(str::to_string) });
    }
    if report.outcome == Outcome::Interrupted {
        console::failure(&Failure { status: ExitStatus::Interrupted, message: "interrupted".to_string(), hint: None });
    }
    for device in &report.devices {
        let DeviceReport { devid, name, .. } = device;
        console::tell(&console::escaped(&format!("  device {devid} ({name}): {}", device.reached())));
    }
    console::hint(what_now(report));
    Ok(())
}

fn what_now(report: &Report) -> &'static str {
    let committing = report
        .devices
        .iter()
        .flat_map(|device| &device.steps)
        .any(|step| step.step == Step::Commit || step.step == Step::Seal);
    let left = report.devices.iter().any(|device| device.touched && !device.removed);
    if report.committed {
        "the filesystem is there, but was not read back as a whole: run btrfs check before use"
    } else if !report.touched() {
        "nothing was written"
    } else if !left {
        "nothing is left of it: run it again when the cause is gone"
    } else if committing {
        "some superblocks may be there, the first device's is not: plan and run again before any use"
    } else {
        "no superblock was written; what was on the devices is damaged or gone: plan and run again"
    }
}

fn done(plan: &Plan, report: &Report) -> String {
    let mut text = String::new();
    let seconds = report.elapsed.as_secs_f64();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "made {} in {seconds:.3} s", plan.filesystem.fsid);
    for device in &report.devices {
        let _ =
            writeln!(text, "  device {} ({}): {}", device.devid, console::escaped(&device.name), what_was_done(device));
    }
    text
}

fn what_was_done(device: &DeviceReport) -> String {
    const WRITING: [Step; 5] = [Step::Wipe, Step::Zero, Step::Writes, Step::Commit, Step::Seal];
    let discards = device.total(&[Step::Discard], |step| step.requests);
    let discarded = device.total(&[Step::Discard], |step| step.bytes);
    let bytes = device.total(&WRITING, |step| step.bytes);
    let requests = device.total(&WRITING, |step| step.requests);
    let flushes = device.total(&WRITING, |step| step.flushes);
    let discarded = match discards {
        0 => "nothing discarded".to_string(),
        count => format!("{} discarded in {}", Human(discarded), counted(count, "request")),
    };
    let reset = match device.total(&[Step::Reset], |step| step.requests) {
        0 => String::new(),
        count => {
            let bytes = device.total(&[Step::Reset], |step| step.bytes);
            format!(", zones of {} reset in {}", Human(bytes), counted(count, "request"))
        }
    };
    let verified = match device.total(&[Step::Verify], |step| step.bytes) {
        0 => String::new(),
        bytes => format!(", {} read back", Human(bytes)),
    };
    let (writes, flushes) = (counted(requests, "write"), counted(flushes, "flush"));
    format!("{discarded}{reset}, {} written in {writes} and {flushes}{verified}", Human(bytes))
}

fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ if noun.ends_with('h') => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}
