//! Command lines: those that make no sense, those that only ask, and the spellings that scripts use.

use crate::scene::Scene;
use btrfs_plan_tests::contents::Contents;
use btrfs_plan_tests::programs::run;
use btrfs_plan_tests::suite::{Outcome, case, ensure};
use libtest_mimic::Trial;

/// What is refused, and what the message says.
const REFUSED: [(&str, &[&str]); 48] = [
    ("", &["no device", "Usage: mkfs.btrfs"]),
    ("-q -f", &["no device"]),
    ("-x disk", &["-x", "Usage: mkfs.btrfs"]),
    ("-h", &["-h", "Usage: mkfs.btrfs"]),
    ("-A 1 disk", &["-A"]),
    ("--frobnicate disk", &["--frobnicate"]),
    ("--no disk", &["--no"]),
    ("disk -b", &["--byte-count"]),
    ("-b 1k disk", &["byte count 1024", "minimum", "114294784", "larger byte count"]),
    ("-b 1b disk", &["byte count 1 ", "minimum"]),
    ("-b 5 new", &["byte count 5 ", "minimum"]),
    ("-b 0 new", &["'new' does not exist", "a byte count of 0 means all of a device"]),
    ("-b -1 disk", &["'-1' is not a size"]),
    ("-n -1 disk", &["'-1' is not a size"]),
    ("-s -4k disk", &["-4k"]),
    ("-K --discard exact disk", &["--nodiscard (-K) discards nothing", "leave out one"]),
    ("--discard bridge -K disk", &["--nodiscard (-K) discards nothing", "leave out one"]),
    ("-b 1.5g disk", &["1.5g"]),
    ("-b 99e disk", &["99e", "64 bits"]),
    ("-d raid7 disk", &["raid7", "raid1c4"]),
    ("-m raid1 disk", &["raid1", "at least 2", "there are 1"]),
    ("-d raid1c4 -m raid1c3 disk other", &["raid1c3", "at least 3"]),
    ("-d raid6 disk other", &["raid6", "at least 3"]),
    ("-M -n 16k disk", &["16384", "4096"]),
    ("-M -d dup disk", &["dup", "single"]),
    ("-n 12k disk", &["12288", "power of two"]),
    ("-n 2k disk", &["2048"]),
    ("-n 128k disk", &["131072"]),
    ("-s 512 disk", &["512"]),
    ("-s 16k -n 4k disk", &["4096", "16384"]),
    ("--csum md5 disk", &["md5", "blake2b"]),
    ("-O frobnication disk", &["frobnication", "list-all"]),
    ("-O list-all,frobnication disk", &["frobnication"]),
    ("-O ^mixed-backref disk", &["mixed-backref"]),
    ("-R no-holes disk", &["no-holes", "-R"]),
    ("-R frobnication disk", &["frobnication"]),
    ("-O quota,squota disk", &["quota", "squota"]),
    ("-U zz disk", &["zz"]),
    ("--device-uuid zz disk", &["zz"]),
    ("-O zoned -M disk", &["mixed-bg", "zoned"]),
    ("-O zoned -d raid5 disk other", &["raid5", "zoned"]),
    ("-r . disk", &["--rootdir", "not offered yet"]),
    ("-u ro:x disk", &["--subvol", "not offered yet"]),
    ("--inode-flags nodatacow:x disk", &["--inode-flags", "not offered yet"]),
    ("--compress zstd:3 disk", &["--compress", "not offered yet"]),
    ("--reflink disk", &["--reflink", "not offered yet"]),
    ("--shrink disk", &["--shrink", "not offered yet"]),
    ("disk missing", &["missing", "does not exist", "--byte-count"]),
];

/// Different spellings of one command line: the filesystem is the same.
const SPELLINGS: [&str; 6] = [
    "-f -q -L data -d raid1 -m raid1 -n 8192 -s 4096 -O ^no-holes disk other",
    "disk other -fqLdata -draid1 -mraid1 -n8k -s4k -O^no-holes",
    "-fqL data disk -d raid1 --metadata=RAID1 other --nodesize 8K --sectorsize=4k --features ^no-holes",
    "--forc --qui --lab data --data RAID1 --meta raid1 --nodes 8k disk other --feat ^no-holes,extref -s 0",
    "-qf -L other -L data -d single -d raid1 -m dup -m raid1 -n 4k -n 8k -O no-holes -O ^no-holes disk other",
    "-vvqf -Ldata -draid1 -mraid1 -n8k -O,quota,^quota,^no-holes --compress no -U= --csum CRC32C -- disk other",
];

pub(crate) fn cases() -> Vec<Trial> {
    let refused = REFUSED.into_iter().map(|(line, says)| {
        case(format!("refused: {line}"), move || {
            let scene = Scene::new()?;
            scene.refuses(&mut scene.mkfs(line)?, says)
        })
    });
    let asking = [
        ("--help", "", "Usage: mkfs.btrfs [OPTIONS] [DEVICE]..."),
        ("-f --help disk", "", "--byte-count <SIZE>"),
        ("-V", "mkfs.btrfs, part of btrfs-plan v", ""),
        ("--version disk", "mkfs.btrfs, part of btrfs-plan v", ""),
        ("-O list-all disk", "", "block-group-tree"),
        ("-O ^extref,list-all", "", "free-space-tree"),
        ("-R list-all", "", "quota"),
    ];
    let asking = asking.into_iter().map(|(line, stdout, stderr)| {
        case(format!("only asked: {line}"), move || {
            let scene = Scene::new()?;
            let ran = scene.makes(line)?;
            ensure(ran.text().starts_with(stdout) && ran.text().is_empty() == stdout.is_empty(), || ran.text())?;
            ensure(ran.stderr.contains(stderr), || ran.stderr.clone())?;
            scene.refuses(&mut scene.mkfs("-x disk")?, &[])?;
            ensure(Contents::on(&[scene.path("disk")]).is_err(), || "it made a filesystem".to_owned())
        })
    });
    let spellings = case("all spellings are one command line", || {
        let made = |line: &str| {
            let scene = Scene::new()?;
            let ran = scene.makes(&format!("--seed spellings --time 7 {line}"))?;
            ensure(ran.stdout.is_empty(), || format!("it said {}", ran.text()))?;
            let contents = Contents::on(&[scene.path("disk"), scene.path("other")])?;
            Outcome::Ok(format!("{contents:?}"))
        };
        let expected = made(SPELLINGS[0])?;
        for line in &SPELLINGS[1..] {
            ensure(made(line)? == expected, || format!("another filesystem: {line}"))?;
        }
        Ok(())
    });
    let planner = case("the planner takes the same spellings", || {
        for line in SPELLINGS {
            let line = line.replace("--forc --qui --lab data", "-f -q -L data").replace("--meta ", "-m ");
            let line = line.replace("--nodes ", "-n ").replace("--feat ", "-O ").replace("--compress no", "");
            let scene = Scene::new()?;
            let mut planner = btrfs_plan_tests::programs::ours("btrfs-plan")?;
            planner.args(line.replace(" -- ", " ").split_whitespace()).current_dir(scene.folder.path());
            let plan = btrfs_planner::Plan::from_json(&run(&mut planner)?.success()?.stdout)?;
            let filesystem = &plan.filesystem;
            let found = (filesystem.label.as_str(), filesystem.node_size, plan.devices.len());
            ensure(found == ("data", 8192, 2), || format!("{line}: {found:?}"))?;
        }
        Ok(())
    });
    refused.chain(asking).chain([spellings, planner]).collect()
}
