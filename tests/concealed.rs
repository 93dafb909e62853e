//! Image files and loop devices whose use is hard to see: behind names that are gone, in other mount namespaces, without
//! sysfs. Every one is refused, by all programs, and what is on it stays.

use btrfs_plan_tests::programs::script;
use btrfs_plan_tests::suite::{self, root_case};
use std::process::ExitCode;

/// A name, and what is done in an empty folder. `attach FILE` makes a loop device of a file, its path in `$loop`; `use_it`
/// puts a filesystem with a file in it on that; `refused TARGET...` must be.
const CASES: [(&str, &str); 12] = [
    (
        "a mounted image under the name it had before a bind mount went away",
        "mkdir source bound; image source/disk; mount --bind source bound; attach bound/disk; umount -l bound; use_it
         refused source/disk",
    ),
    ("a mounted image by its second name, the first one deleted", "image disk; attach disk; use_it; ln disk link; rm disk; refused link"),
    ("a mounted image whose name ends with a space", "image 'disk '; attach 'disk '; use_it; refused 'disk '"),
    (
        "an image that is mounted in another mount namespace only",
        "mkdir source; image source/disk; mkfs.ext4 -q source/disk
         elsewhere 'mkdir bound; mount --bind source bound; loop=$(losetup --find --show bound/disk); echo $loop >loops; mount $loop used'
         loops+=($(cat loops)); refused source/disk",
    ),
    (
        "two loop devices on one deleted file",
        "image disk; attach disk; first=$loop; attach disk; rm disk; refused -d raid1 -m raid1 $first $loop",
    ),
    (
        "a loop device beside one that is mounted in another mount namespace",
        "image disk; attach disk; first=$loop; attach disk; mkfs.ext4 -q $loop; elsewhere \"mount $loop used\"; refused $first",
    ),
    (
        "an image that is mounted, without sysfs",
        "image disk; attach disk; use_it; without_sysfs refused disk",
    ),
    (
        "an image that is swap, without sysfs",
        "image disk; attach disk; mkswap -q $loop; swapon $loop; swap=$loop; without_sysfs refused disk",
    ),
    (
        "a swap file under the name it had before a bind mount went away",
        "mkdir source bound; image disk; swap_file source/disk; mount --bind source bound; swapon bound/disk; swap=source/disk
         umount -l bound; refused source/disk; said 'in use as swap' 'swapoff'",
    ),
    (
        "a swap file by its second name, the first one seen under a bind mount that went away",
        "mkdir source bound; image disk; swap_file source/first; ln source/first second; mount --bind source bound
         swapon bound/first; swap=second; umount -l bound; refused second; said 'in use as swap' 'swapoff'",
    ),
    (
        "a swap file that another mount namespace knows by another name",
        "mkdir source; image disk; swap_file source/disk; elsewhere 'mkdir bound; mount --bind source bound; swapon bound/disk'
         swap=source/disk; refused source/disk; said 'in use as swap' 'swapoff'",
    ),
    (
        "a program that runs",
        "image disk; cp $(type -P sleep) program; ./program 60 & program=$!; sleep 0.2; refused program; said 'a program that runs'",
    ),
];

/// What the cases are made of.
const WORDS: &str = r#"
    loops=() swap= helper= program=
    clean_up() {
        status=$?
        [[ -z $helper ]] || { rm -f busy; wait $helper || true; }
        [[ -z $swap ]] || swapoff $swap
        [[ -z $program ]] || { kill $program; wait $program || true; }
        mountpoint -q used && umount used
        for loop in "${loops[@]}"; do losetup --detach $loop; done
        exit $status
    }
    trap clean_up EXIT
    mkdir used
    image() { truncate --size 600M "$1"; btrfs-plan -q -o plan.json "$1"; }
    attach() { loop=$(losetup --find --show "$1"); loops+=($loop); }
    use_it() { mkfs.ext4 -q $loop; mount $loop used; echo precious >used/file; sync; }
    # A command in a mount namespace of its own, which stays until the end.
    elsewhere() {
        touch busy
        unshare --mount --propagation private bash -euc "$1; touch ready; while [[ -e busy ]]; do sleep 0.1; done; umount used" &
        helper=$!
        for ((tries = 0; tries < 100; tries++)); do [[ ! -e ready ]] || return 0; sleep 0.1; done
        return 1
    }
    without_sysfs() { export -f refused expect; unshare --mount --propagation private bash -euc 'mount -t tmpfs none /sys; "$@"' - "$@"; }
    expect() { code=$1; shift; status=0; "$@" >said 2>&1 || status=$?; [[ $status -eq $code ]] || { cat said; echo "exit code $status of: $*"; return 1; }; }
    swap_file() { fallocate --length 64M "$1"; chmod 600 "$1"; mkswap -q "$1"; }
    # What the programs said, in their order; each of them has to have said all of this.
    said() {
        for words in "$@"; do for program_said in said.1 said.2 said.3; do
            grep -q -- "$words" $program_said || { cat $program_said; echo "'$words' is not in $program_said"; return 1; }
        done; done
    }
    refused() {
        expect 1 mkfs.btrfs -q -f "$@"; mv said said.1
        expect 3 btrfs-plan -q -f -o /dev/null "$@"; mv said said.2
        # Made when nothing stood there.
        [[ ${!#} != */dev/* && $# -gt 1 ]] || { expect 3 btrfs-exec --yes --device "1=${!#}" plan.json; mv said said.3; }
        echo 3 >/proc/sys/vm/drop_caches
        [[ ! -e used/file || $(cat used/file) == precious ]]
    }
"#;

fn main() -> ExitCode {
    let cases = CASES.into_iter();
    suite::run(
        CASES.len(),
        cases.map(|(name, text)| root_case(name, move || script(&format!("{WORDS}\n{text}")))).collect(),
    )
}
