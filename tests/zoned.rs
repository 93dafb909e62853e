//! Zoned filesystems, on devices that only a guest has: planned and made by our programs in it, then in the hands of its
//! kernel, of scrub and of `btrfs check`; and what must be refused.

use btrfs_plan_tests::guest::{Ended, guest_case, run_cases};
use btrfs_plan_tests::suite::{self, Outcome, fail};
use std::process::ExitCode;
use std::sync::OnceLock;

const ZNS: &str = "size=512M,zone=8M,cap=6M";

/// One processor, with which emulation is safest, and two emulated ZNS drives, whose zones hold less than their size. The
/// guest is stopped if it hangs.
const GUEST: [&str; 8] = ["--smp", "1", "--zns", ZNS, "--zns", ZNS, "--timeout", "900"];

/// A name, and what is done in the guest; `zoned-guest/functions.sh` has the words. In all of `make_and_use` every zone is
/// dirty before, and the device sees one reset.
const CASES: [(&str, &str); 24] = [
    ("single metadata", "on nullb 1 size=256M zone=4M -- make_and_use -m single -d single"),
    ("dup metadata", "on nullb 1 size=256M zone=4M -- make_and_use"),
    ("dup metadata, small zone capacity", "on nullb 1 size=256M zone=4M cap=3M -- make_and_use"),
    ("dup metadata, conventional zones", "on nullb 1 size=256M zone=4M conv=3 -- make_and_use"),
    ("two devices, single metadata", "on nullb 2 size=256M zone=4M -- make_and_use -m single -d single"),
    ("two devices, raid0 metadata", "on nullb 2 size=256M zone=4M -- make_and_use -m raid0 -d single"),
    (
        "two devices, raid1 metadata, conventional zones, small capacity",
        "on nullb 2 size=256M zone=4M conv=3 cap=3M -- make_and_use -m raid1 -d single",
    ),
    ("four devices, raid10 metadata", "on nullb 4 size=128M zone=4M -- make_and_use -m raid10 -d single"),
    ("four devices, raid1c3 metadata", "on nullb 4 size=128M zone=4M -- make_and_use -m raid1c3 -d single"),
    ("scsi, conventional zones", "on scsi 1 size=256M zone=4M conv=2 -- make_and_use"),
    ("two of scsi, raid1 metadata", "on scsi 2 size=256M zone=4M conv=2 -- make_and_use -m raid1 -d single"),
    ("zns, small capacity", "on zns 1 -- make_and_use"),
    ("two of zns, raid1 metadata, small capacity", "on zns 2 -- make_and_use -m raid1 -d single"),
    ("as few active zones as are safe", "on nullb 1 size=256M zone=4M max_active=10 max_open=10 -- make_and_use"),
    ("a part of two devices", "on nullb 2 size=256M zone=4M conv=2 -- make_on_part 192M"),
    ("a filesystem is planned over only by force", "on nullb 1 size=256M zone=4M -- make_again"),
    ("too few active zones", "on nullb 1 size=256M zone=4M max_active=7 -- planning_refused 3 'zones active'"),
    ("few active zones", "on nullb 1 size=256M zone=4M max_active=9 -- planning_warns 'sync can hang'"),
    ("few open zones", "on nullb 1 size=256M zone=4M max_open=8 -- planning_warns 'sync can hang'"),
    ("as few zones as last, single metadata", "on nullb 1 size=48M zone=4M -- make_and_change -m single -d single"),
    ("as few zones as last, dup metadata", "on nullb 1 size=96M zone=4M max_active=10 -- make_and_change"),
    ("few zones", "on nullb 1 size=92M zone=4M max_active=10 -- planning_warns 'finds no empty one'"),
    ("few zones to be kept active", "on nullb 1 size=156M zone=4M -- planning_warns 'sync can hang'"),
    ("too few zones", "on nullb 1 size=44M zone=4M -- planning_refused 3 'below the minimum'"),
];

/// Cases are dealt to two guests in turn, which run side by side: emulated, each takes one processor.
static ENDED: [OnceLock<Result<Vec<Ended>, String>>; 2] = [const { OnceLock::new() }; 2];

fn main() -> ExitCode {
    let cases = CASES.into_iter().enumerate();
    let cases = cases.map(|(number, (name, _))| guest_case(name, move || judge(number))).collect();
    suite::run(24, cases)
}

/// The first case in each guest to be judged runs all that are in it.
fn judge(number: usize) -> Outcome {
    let (guest, place) = (number % ENDED.len(), number / ENDED.len());
    let all = ENDED[guest].get_or_init(|| {
        let table: Vec<&str> = CASES.iter().skip(guest).step_by(ENDED.len()).map(|(_, command)| *command).collect();
        run_cases(&GUEST, &table).map_err(|error| error.message().unwrap_or_default().to_owned())
    });
    match all {
        Ok(ended) => ended[place].judge(),
        Err(message) => fail(message),
    }
}
