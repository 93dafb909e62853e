//! What a run discards: the ranges of the plan and no others, each in one request, all devices at once.

use btrfs_plan_tests::loops::scratch;
use btrfs_plan_tests::programs::{btrfs_exec, btrfs_plan, tool};
use btrfs_plan_tests::slow::{Discard, SlowDevices};
use btrfs_plan_tests::sparse::{extents, fill};
use btrfs_plan_tests::suite::{self, Outcome, ensure, fail, root_case};
use btrfs_planner::Plan;
use libtest_mimic::Trial;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::process::ExitCode;

const MIB: u64 = 1 << 20;
const SIZE_MIB: u64 = 160;
const CELL: usize = 4096;

fn main() -> ExitCode {
    suite::run(9, cases())
}

/// Options, number of devices, and how many discards each device sees.
const CASES: [(&str, usize, Requests); 8] = [
    ("-m single -d single", 1, Requests::One),
    ("-m dup -d single", 1, Requests::One),
    ("-m raid1 -d single", 2, Requests::One),
    ("-m raid1 -d single", 10, Requests::One),
    ("-m raid1 -d single -b 100m", 2, Requests::One),
    ("-m raid1 -d single --discard exact", 2, Requests::AsPlanned),
    ("-m dup -d single --discard exact -b 120m", 1, Requests::AsPlanned),
    ("-m raid1 -d single -K", 2, Requests::None),
];

#[derive(Clone, Copy)]
enum Requests {
    None,
    One,
    AsPlanned,
}

fn cases() -> Vec<Trial> {
    let mut trials: Vec<Trial> = CASES
        .into_iter()
        .map(|(options, count, requests)| {
            root_case(format!("{count} devices: {options}"), move || discards_as_planned(options, count, requests))
        })
        .collect();
    trials.push(root_case("ten devices discard at once", all_at_once));
    trials
}

fn discards_as_planned(options: &str, count: usize, requests: Requests) -> Outcome {
    let slow = SlowDevices::with_content(count, SIZE_MIB, &[], |file| fill(file, 0, SIZE_MIB * MIB))?;
    let plan = plan_and_execute(options, &slow)?;
    let seen = slow.discards()?;
    for (device, slot) in plan.devices.iter().enumerate() {
        let seen: Vec<(u64, u64)> =
            seen.iter().filter(|seen| seen.device == device).map(|seen| (seen.start, seen.length)).collect();
        let planned: Vec<(u64, u64)> = slot.discard.iter().map(|range| (range.start, range.length)).collect();
        ensure(seen == planned, || format!("device {device}: planned {planned:?}, seen {seen:?}"))?;
        let right = match requests {
            Requests::None => seen.is_empty(),
            Requests::One => seen.len() == 1,
            Requests::AsPlanned => seen.len() > 1,
        };
        ensure(right, || format!("device {device} saw {} discards", seen.len()))?;
    }
    // What was written may still be in the page cache of the loop device; its file has all after that is flushed.
    tool("blockdev", ["--flushbufs".to_owned()].into_iter().chain(slow.paths()))?;
    (0..count).try_for_each(|device| only_planned_ranges_changed(&plan, &slow, device))
}

/// Every cell of the file is what the plan makes of it: written, or else a hole where it was discarded, or else as before.
fn only_planned_ranges_changed(plan: &Plan, slow: &SlowDevices, device: usize) -> Outcome {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Cell {
        AsBefore,
        Hole,
        Written,
    }
    let slot = &plan.devices[device];
    let mut cells = vec![Cell::AsBefore; usize::try_from(SIZE_MIB * MIB)? / CELL];
    let mut mark = |start: u64, length: u64, what: Cell| -> Outcome {
        let (first, end) = (usize::try_from(start)? / CELL, usize::try_from(start + length)?.div_ceil(CELL));
        cells[first..end].fill(what);
        Ok(())
    };
    for range in &slot.discard {
        mark(range.start, range.length, Cell::Hole)?;
    }
    // What has to read as zeros is a hole already, or was written.
    if slot.discard.is_empty() {
        for range in &slot.zero {
            mark(range.start, range.length, Cell::Written)?;
        }
    }
    for write in slot.writes.iter().chain(&slot.commit) {
        mark(write.offset.get(), plan.payloads[write.payload as usize].length, Cell::Written)?;
    }
    let path = slow.stored_in(device);
    let stored = extents(&path)?;
    let file = File::open(&path)?;
    let mut content = vec![0; CELL];
    for (place, cell) in (0_u64..).step_by(CELL).zip(cells) {
        let is_stored = stored.iter().any(|extent| extent.start <= place && place < extent.end);
        file.read_exact_at(&mut content, place)?;
        let right = match cell {
            Cell::Hole => !is_stored,
            Cell::Written => is_stored,
            Cell::AsBefore => is_stored && content.iter().all(|byte| *byte == 0xa5),
        };
        if !right {
            return fail(format!("device {device} at {place}: {cell:?} in the plan, stored: {is_stored}"));
        }
    }
    Ok(())
}

/// No discard ends before all devices have begun theirs: one after another, the first would never end.
fn all_at_once() -> Outcome {
    let slow = SlowDevices::new(10, SIZE_MIB, &["together=10"])?;
    plan_and_execute("-m raid1 -d single", &slow)?;
    let seen: Vec<Discard> = slow.discards()?;
    ensure(seen.len() == 10, || format!("{seen:?}"))
}

fn plan_and_execute(options: &str, slow: &SlowDevices) -> Outcome<Plan> {
    let folder = scratch()?;
    let path = folder.path().join("plan.json").display().to_string();
    let words = ["-q", "-f", "-o", &path].into_iter().chain(options.split_whitespace()).map(str::to_owned);
    btrfs_plan(words.chain(slow.paths()))?.success()?;
    let ran = btrfs_exec(["--yes", &path])?.success()?;
    ensure(!ran.stderr.contains("warning"), || ran.stderr.clone())?;
    Ok(Plan::from_json(&std::fs::read(path)?)?)
}
