//! What is warned of on standard error.

use crate::scene::Scene;
use btrfs_plan_tests::loops::LoopDevice;
use btrfs_plan_tests::suite::{Outcome, case, ensure, root_case};
use libtest_mimic::Trial;
use std::path::Path;

/// Options, a part of the warning, and whether it comes with `-q` as well.
const WARNINGS: [(&str, &str, bool); 11] = [
    ("-m dup disk other", "metadata is dup on 2 devices", true),
    ("-d dup -m raid1 disk other", "data is dup on 2 devices", true),
    ("-m raid5 disk other third", "metadata is raid5: a crash", true),
    ("-d raid5 -m raid5 disk other", "data is raid5 on 2 devices", true),
    ("-d raid6 -m raid6 disk other third", "metadata is raid6 on 3 devices", true),
    ("-d raid1 -m single disk other", "metadata (single) survives fewer", true),
    ("-R quota disk", "-R is deprecated", true),
    ("-s 8k disk", "sectors of 8192 bytes on pages of 4096", true),
    ("-O ^no-holes disk", "block-group-tree is off, since it needs no-holes", true),
    ("-O ^free-space-tree disk", "block-group-tree is off, since it needs free-space-tree", true),
    ("disk", "below 1 GiB", false),
];

pub(crate) fn cases() -> Vec<Trial> {
    let mut cases: Vec<Trial> = WARNINGS
        .into_iter()
        .map(|(line, words, quiet)| {
            case(format!("warned: {line}"), move || {
                let scene = Scene::new()?;
                let warned =
                    |ran: String| ran.lines().any(|line| line.starts_with("warning: ") && line.contains(words));
                let said = scene.makes(line)?.stderr;
                ensure(warned(said.clone()), || format!("'{words}' is not in: {said}"))?;
                let said = scene.makes(&format!("-q -f {line}"))?.stderr;
                ensure(warned(said.clone()) == quiet, || format!("with -q: {said}"))
            })
        })
        .collect();
    cases.push(case("an old filesystem that is lost", || {
        let scene = Scene::new()?;
        scene.makes("disk")?;
        let said = scene.makes("-f disk")?.stderr;
        ensure(said.contains("btrfs will be lost"), || said)
    }));
    cases.push(root_case("features that the running kernel does not know", || {
        let driver = Path::new("/sys/fs/btrfs/features");
        let scene = Scene::new()?;
        let said = scene.makes("-q --experimental -O raid-stripe-tree disk")?.stderr;
        let known = !driver.exists() || driver.join("raid_stripe_tree").exists();
        let warned = said.contains("does not know raid-stripe-tree (Linux 6.7)");
        ensure(warned != known, || said.clone())?;
        let said = scene.makes("-q -f -O quota,mixed-bg disk")?.stderr;
        ensure(!said.contains("does not know"), || said.clone())
    }));
    cases.push(root_case("data twice on a device without seek time", || {
        let scene = Scene::new()?;
        let device = LoopDevice::attach(&scene.path("disk"), &[])?;
        let path = device.path().display().to_string();
        let rotational = format!("/sys/block/{}/queue/rotational", device.name());
        let before = std::fs::read_to_string(&rotational)?;
        let said = |value: &str| -> Outcome<(String, String)> {
            std::fs::write(&rotational, value)?;
            let ran = scene.makes(&format!("-f -m single -d dup -b 250m {path}"))?;
            Ok((ran.text(), ran.stderr))
        };
        let (solid, turning) = (said("0"), said("1"));
        std::fs::write(&rotational, before)?;
        let ((text, solid), (other, turning)) = (solid?, turning?);
        ensure(solid.contains("data is dup on a device without seek time"), || solid)?;
        ensure(!turning.contains("without seek time"), || turning)?;
        ensure(text.contains("SSD detected:       yes") && other.contains("SSD detected:       no"), || text)
    }));
    cases
}
