//! How large image files may become, and filesystems without room: a dry run says what the real run says, and what could not
//! be made is not left behind.

use btrfs_plan_tests::programs::script;
use btrfs_plan_tests::suite::{self, case, root_case};
use libtest_mimic::Trial;
use std::process::ExitCode;

/// A name, and what is done in an empty folder. `small OPTIONS` mounts an ext4 of 8 MiB on `small`,
/// `fill` leaves little of it free; `plan ARGUMENTS` makes
/// `plan.json`.
const ROOT: [(&str, &str); 7] = [
    (
        "larger than a file on the filesystem can be",
        "small; plan -b 20T small/new
         expect 3 btrfs-exec --dry-run plan.json; said 'cannot become 21990232555520 bytes large: files on its filesystem have at most' 'XFS'
         mv said dry; expect 3 btrfs-exec --yes plan.json; cmp said dry
         expect 1 mkfs.btrfs -q -b 20T small/new; cmp said dry
         [[ ! -e small/new ]]",
    ),
    (
        "an image that is there and would grow larger than a file can be",
        "small; truncate --size 300M small/old; plan -b 7E small/old
         expect 3 btrfs-exec --dry-run plan.json; said 'files on its filesystem have at most' 'XFS'
         mv said dry; expect 3 btrfs-exec --yes plan.json; cmp said dry
         expect 1 mkfs.btrfs -q -b 7E small/old; cmp said dry
         [[ $(stat --format %s small/old) -eq 314572800 ]]",
    ),
    (
        "a filesystem that fills up while an image is created",
        "small; fill; plan -b 300M small/new
         expect 1 btrfs-exec --yes plan.json; said 'No space left on device' 'removed again' 'make room' 'nothing is left of it'
         [[ ! -e small/new ]]
         expect 1 mkfs.btrfs -b 300M small/new; said 'No space left on device' 'removed again' 'make room'
         [[ ! -e small/new ]]",
    ),
    (
        "a filesystem that fills up while an image is written that was there",
        "small; fill; truncate --size 300M small/old; plan small/old
         expect 1 btrfs-exec --yes plan.json; said 'No space left on device' 'make room' 'damaged or gone'
         unsaid 'removed again' 'nothing is left of it'
         [[ $(stat --format %s small/old) -eq 314572800 ]]",
    ),
    (
        "one of two images finds no room",
        "small; fill; plan -d raid1 -b 300M new small/new
         expect 1 btrfs-exec --yes plan.json; said 'No space left on device' 'nothing is left of it'
         [[ ! -e new && ! -e small/new ]]",
    ),
    (
        "an immutable image, which root is not to become root for",
        "small; plan -b 300M small/old; truncate --size 300M small/old; chattr +i small/old
         expect 3 btrfs-exec --yes plan.json; said 'Operation not permitted' 'immutable'; unsaid sudo
         expect 1 mkfs.btrfs small/old; said 'Operation not permitted' 'immutable'; unsaid sudo",
    ),
    (
        "a filesystem that takes no more files",
        "small -N 16; plan -b 300M small/new; for number in {1..20}; do touch small/$number 2>/dev/null || break; done
         expect 3 btrfs-exec --yes plan.json; said \"cannot create 'small/new': No space left on device\" 'make room'
         expect 1 mkfs.btrfs -b 300M small/new; said \"cannot create 'small/new': No space left on device\" 'make room'",
    ),
];

const OTHERS: [(&str, &str); 2] = [
    (
        "larger than the shell allows",
        "plan -b 300M new
         limited() { (ulimit -f 1000; exec \"$@\"); }
         expect 3 limited btrfs-exec --dry-run plan.json; said 'may write files of at most 1024000 bytes' 'ulimit -f unlimited'
         mv said dry; expect 3 limited btrfs-exec --yes plan.json; cmp said dry
         expect 1 limited mkfs.btrfs -q -b 300M new; cmp said dry
         [[ ! -e new ]]
         truncate --size 300M new; expect 3 limited btrfs-exec --yes plan.json; cmp said dry
         expect 1 limited mkfs.btrfs -q new; cmp said dry",
    ),
    (
        "a document that is larger than the shell allows",
        "limited() { (ulimit -f 2; exec \"$@\"); }
         expect 3 limited btrfs-plan -q -o new.json size=1G; said \"cannot write 'new.json': File too large\" 'ulimit -f'
         [[ ! -e new.json && $(ls) == said ]]
         into_file() { (ulimit -f 2; exec \"$@\" >out); }
         expect 3 into_file btrfs-plan -q size=1G; said 'cannot write to standard output: File too large'",
    ),
];

const WORDS: &str = r#"
    clean_up() { status=$?; mountpoint -q small && umount small; exit $status; }
    trap clean_up EXIT
    small() {
        truncate --size 8M ext4; mkfs.ext4 -q -m 0 "$@" ext4; mkdir small; mount -o loop ext4 small
        chmod 777 small
    }
    # All of it but less than a filesystem needs.
    fill() { cat /dev/zero >small/filler 2>/dev/null || truncate --size=-100K small/filler; sync; }
    plan() { btrfs-plan -q -o plan.json "$@"; }
    expect() { code=$1; shift; status=0; "$@" >output 2>said || status=$?; [[ $status -eq $code ]] || { cat said; echo "exit code $status of: $*"; return 1; }; rm -f output; }
    said() { for words in "$@"; do grep -q -- "$words" said || { cat said; echo "'$words' is not in it"; return 1; }; done; }
    unsaid() { for words in "$@"; do ! grep -q -- "$words" said || { cat said; echo "'$words' is in it"; return 1; }; done; }
"#;

fn main() -> ExitCode {
    let text = |text: &str| format!("{WORDS}\n{text}");
    let root = ROOT.into_iter().map(|(name, steps)| root_case(name, move || script(&text(steps))));
    let others = OTHERS.into_iter().map(|(name, steps)| case(name, move || script(&text(steps))));
    let cases: Vec<Trial> = root.chain(others).collect();
    suite::run(ROOT.len() + OTHERS.len(), cases)
}
