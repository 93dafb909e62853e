//! Files that are not what somebody took them for: texts under the name of an image, images under the name of a document. They
//! are refused, and stay.

use btrfs_plan_tests::programs::script;
use btrfs_plan_tests::suite::{self, case, root_case};
use libtest_mimic::Trial;
use std::process::ExitCode;

/// A name, and what is done in an empty folder. `text FILE` writes one; `refused CODE COMMAND...` ends with that code, and
/// `kept` says that all texts are what they were.
const CASES: [(&str, &str); 11] = [
    (
        "a text where an image was to be created",
        "text notes; refused 1 mkfs.btrfs -q -b 1G notes; refused 3 btrfs-plan -q -b 1G -o plan notes; kept notes",
    ),
    (
        "a text where an image was planned",
        "truncate -s 1G disk; btrfs-plan -q -o plan disk; text disk; refused 3 btrfs-exec --yes plan; kept disk",
    ),
    (
        "a text where nothing was",
        "btrfs-plan -q -b 1G -o plan disk; text disk; refused 3 btrfs-exec --yes plan; kept disk",
    ),
    (
        "a text for a device that was described",
        "btrfs-plan -q -o plan size=1G; text notes; refused 3 btrfs-exec --yes --device 1=notes plan; kept notes",
    ),
    (
        "a text behind a hole",
        "truncate -s 300M notes; text more; cat more >>notes; refused 1 mkfs.btrfs -q -b 1G notes",
    ),
    (
        "an image that has grown",
        "truncate -s 1G disk; btrfs-plan -q -o plan disk; truncate -s 2G disk; refused 3 btrfs-exec --yes plan",
    ),
    (
        "a text, by force",
        "text notes; mkfs.btrfs -q -f -b 1G notes; [[ $(stat -c %s notes) == 1073741824 ]]; btrfs check notes",
    ),
    (
        "a hole that is too short, and an empty file",
        "truncate -s 1M disk; : >empty; for file in disk empty; do mkfs.btrfs -q -b 1G $file; btrfs check $file; done",
    ),
    (
        "a plan where its device is",
        "truncate -s 1G disk; refused 3 btrfs-plan -q -o disk disk; ln -s disk link; refused 3 btrfs-plan -q -o link disk; [[ $(stat -c %s disk) == 1073741824 ]]",
    ),
    (
        "a plan where a filesystem is",
        "mkfs.btrfs -q -b 1G disk; refused 3 btrfs-plan -q -o disk size=1T; btrfs-plan -q -o plan size=1T; refused 3 btrfs-plan show --html -o disk plan; btrfs check disk",
    ),
    (
        "a plan where a plan was",
        "btrfs-plan -q -o plan size=1T; btrfs-plan -q -o plan -m single size=2T; btrfs-plan audit plan",
    ),
];

/// The same, for root.
const ROOT_CASES: [(&str, &str); 1] = [(
    "a plan where a loop device stands on",
    "truncate -s 1G disk; loop=$(losetup --find --show disk); trap 'losetup --detach $loop' EXIT; refused 3 btrfs-plan -q -o disk size=1T",
)];

/// What the cases are made of.
const WORDS: &str = r#"
    text() { seq 100000 >"$1"; }
    kept() { [[ $(cksum <"$1") == $(seq 100000 | cksum) ]]; }
    refused() {
        code=$1 status=0
        shift
        "$@" >said 2>&1 || status=$?
        [[ $status -eq $code ]] || { cat said; echo "exit code $status of: $*"; return 1; }
    }
"#;

fn main() -> ExitCode {
    let run = |text: &'static str| move || script(&format!("{WORDS}\n{text}"));
    let cases = CASES.into_iter().map(|(name, text)| case(name, run(text)));
    let root: Vec<Trial> = ROOT_CASES.into_iter().map(|(name, text)| root_case(name, run(text))).collect();
    suite::run(CASES.len(), cases.chain(root).collect())
}
