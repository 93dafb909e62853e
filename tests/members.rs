//! Devices that another device is built on are never touched: device mapper, multipath and md as a kernel really shows them,
//! in a guest, since few kernels in test machines have all of these.

use btrfs_plan_tests::guest::{Ended, folder, guest_case, run_cases};
use btrfs_plan_tests::suite::{self, Outcome, fail};
use std::process::ExitCode;
use std::sync::OnceLock;

/// A name, and what is done in the guest; `zoned-guest/members.sh` has the words.
const CASES: [(&str, &str); 5] = [
    ("a member of device mapper", "on nullb 1 size=256M -- linear"),
    ("a disk with a partition in device mapper", "on nullb 1 size=256M -- on_partition"),
    ("the paths of a multipath device", "on nullb 2 size=256M -- multipath"),
    ("members of md", "on nullb 2 size=256M -- md raid1 clean"),
    ("members of md before it runs", "on nullb 2 size=256M -- md raid1 inactive"),
];

/// What the kernel needs beyond what every guest has, and the programs that make such devices.
const GUEST: [&str; 14] = [
    "--smp",
    "1",
    "--timeout",
    "600",
    "--module",
    "raid1",
    "--module",
    "dm_multipath",
    "--module",
    "dm_round_robin",
    "--bin",
    "dmsetup",
    "--bin",
    "sfdisk",
];

static ENDED: OnceLock<Result<Vec<Ended>, String>> = OnceLock::new();

fn main() -> ExitCode {
    let cases = CASES.into_iter().enumerate();
    suite::run(5, cases.map(|(number, (name, _))| guest_case(name, move || judge(number))).collect())
}

/// The first case to be judged runs all of them.
fn judge(number: usize) -> Outcome {
    let all = ENDED.get_or_init(|| {
        let words = format!("{}:/zoned/members.sh", folder().join("members.sh").display());
        let mut options = GUEST.to_vec();
        options.extend(["--add", &words]);
        let table: Vec<String> = CASES.iter().map(|(_, command)| format!(". /zoned/members.sh; {command}")).collect();
        let table: Vec<&str> = table.iter().map(String::as_str).collect();
        run_cases(&options, &table).map_err(|error| error.message().unwrap_or_default().to_owned())
    });
    match all {
        Ok(ended) => ended[number].judge(),
        Err(message) => fail(message),
    }
}
