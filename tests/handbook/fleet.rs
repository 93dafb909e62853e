//! The playbooks of the page about fleets, on three hosts that all are this machine, each with two loop devices.

use super::blocks;
use btrfs_plan_tests::loops::{LoopSet, scratch};
use btrfs_plan_tests::programs::script;
use btrfs_plan_tests::suite::Outcome;
use std::fmt::Write;

const PAGE: &str = "how-to/fleet.md";
const HOSTS: [&str; 3] = ["alpha", "beta", "gamma"];

/// What happens between the lines of the page. `$1` and so on are the loop devices.
const STORY: &str = r#"
facts() { blkid -p -o value -s UUID "$@" | sort -u; }
seals() { jq -r .filesystem.fsid "plans/$1.json"; }
# How many tasks of a host changed something, were skipped, or failed in the last play.
count() { sed -n "s/^$2 .*$1=\([0-9]*\).*/\1/p" recap; }
is() { [[ "$2" == "$3" ]] || { echo "$1: '$2' instead of '$3'" >&2; cat recap >&2; exit 1; }; }
play() { ansible-playbook -i inventory "$@" >recap 2>&1; }
trap 'status=$?; ((status == 0)) || cat recap >&2; rm -f $(jq -r "\"/run/\" + .seal + \".json\"" plans/*.json 2>/dev/null)' EXIT

play collect.yml
page
play make.yml
is "the first play on alpha changes" "$(count changed alpha)" 2
is "alpha's filesystem" "$(facts "$1" "$2")" "$(seals alpha)"
is "beta's filesystem" "$(facts "$3" "$4")" "$(seals beta)"

play make.yml
is "the second play on beta changes" "$(count changed beta)" 0
is "the second play on beta skips" "$(count skipped beta)" 2

# Two hosts lose theirs, and one of them has got another disk.
wipefs -qa "$1" "$2" "$3" "$4"
truncate -s 2G "$(losetup -nO BACK-FILE "$3" | xargs)"
losetup -c "$3"
status=0
play make.yml || status=$?
is "the third play's status" "$status" 2
is "it fails on beta" "$(count failed beta)" 1
is "it changes alpha" "$(count failed alpha) $(count changed alpha)" "0 1"
is "alpha's filesystem again" "$(facts "$1" "$2")" "$(seals alpha)"
is "beta keeps what it has" "$(facts "$3" "$4")" ""
grep -q '"rc": 3' recap
is "gamma's filesystem all the time" "$(facts "$5" "$6")" "$(seals gamma)"
"#;

pub(super) fn playbooks() -> Outcome {
    let folder = scratch()?;
    let devices = LoopSet::new(&[1 << 30; 6])?;
    let mut inventory = "[storage]\n".to_owned();
    for (host, disks) in HOSTS.iter().zip(devices.paths().chunks(2)) {
        writeln!(inventory, "{host} disk1={} disk2={}", disks[0], disks[1])?;
    }
    inventory.push_str("[storage:vars]\nansible_connection=local\nansible_python_interpreter=/usr/bin/python3\n");
    let [collect, make] = <[String; 2]>::try_from(blocks(PAGE, "yaml")?).map_err(|_| "there are two playbooks")?;
    let mut text = String::new();
    for (name, content) in [("inventory", &inventory), ("collect.yml", &collect), ("make.yml", &make)] {
        writeln!(text, "cat >{name} <<'END'\n{content}END")?;
    }
    let page = blocks(PAGE, "sh")?.concat();
    let folder = folder.path().display();
    writeln!(text, "export ANSIBLE_NOCOLOR=1 ANSIBLE_LOCAL_TEMP={folder} ANSIBLE_REMOTE_TEMP={folder}")?;
    writeln!(text, "page() {{\n{page}}}\nset --")?;
    for path in devices.paths() {
        writeln!(text, "set -- \"$@\" {path}")?;
    }
    text.push_str(STORY);
    script(&text)
}
