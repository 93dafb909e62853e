//! Sizes of devices and images, from the smallest to the largest.

use crate::scene::{GIB, MIB, Scene};
use btrfs_plan_tests::images::{audit, silent_but};
use btrfs_plan_tests::loops::{LoopDevice, sparse_file};
use btrfs_plan_tests::mounts::Mount;
use btrfs_plan_tests::programs::run;
use btrfs_plan_tests::suite::{Outcome, case, ensure, root_case};
use libtest_mimic::Trial;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

/// Options, and the smallest device that takes them.
const SMALLEST: [(&str, u64); 8] = [
    ("", 114_294_784),
    ("-m single", 47_185_920),
    ("-d dup", 240_123_904),
    ("-M", 16 * MIB),
    ("-M -n 16k -s 16k", 40 * MIB),
    ("-M -n 64k -s 64k", 136 * MIB),
    ("-n 64k", 114_294_784),
    ("-m raid0", 72_351_744),
];

pub(crate) fn cases() -> Vec<Trial> {
    let mut cases: Vec<Trial> = SMALLEST
        .into_iter()
        .map(|(options, least)| {
            case(format!("the smallest device with '{options}'"), move || {
                let scene = Scene::new()?;
                sparse_file(&scene.path("small"), least - 65536)?;
                let words = [(least - 65536).to_string(), least.to_string()];
                scene.refuses(&mut scene.mkfs(&format!("{options} small"))?, &words.each_ref().map(String::as_str))?;
                std::fs::File::options().write(true).open(scene.path("small"))?.set_len(least)?;
                scene.makes(&format!("-q {options} small"))?;
                silent_but(&audit([scene.path("small")])?, &[])
            })
        })
        .collect();
    cases.push(case("images that do not exist yet", || {
        let scene = Scene::new()?;
        scene.makes("-q -f -b 1g -d raid1 new newer disk")?;
        for name in ["new", "newer", "disk"] {
            let metadata = scene.path(name).metadata()?;
            ensure(metadata.len() == GIB && metadata.blocks() * 512 < 3 * MIB, || format!("{name}: {metadata:?}"))?;
        }
        silent_but(&audit(["new", "newer", "disk"].map(|name| scene.path(name)))?, &[])?;
        scene.refuses(&mut scene.mkfs("missing/new -b 1g")?, &["missing/new"])?;
        scene.refuses(&mut scene.mkfs("-b 100m newest")?, &["104857600", "114294784"])
    }));
    cases.push(case("a size that is no multiple of anything", || {
        let scene = Scene::new()?;
        sparse_file(&scene.path("odd"), GIB + 12_345)?;
        let text = scene.makes("odd")?.text();
        ensure(text.contains("Filesystem size:    1.00GiB"), || text)?;
        silent_but(&audit([scene.path("odd")])?, &[])
    }));
    cases.push(case("up to the largest that a file can be", || {
        for (size, shown) in
            [("16t", "16.00TiB"), ("1e", "1.00EiB"), ("7e", "7.00EiB"), ("9223372036854771712", "8.00EiB")]
        {
            let scene = Scene::new()?;
            let text = scene.makes(&format!("-b {size} large"))?.text();
            ensure(text.contains(&format!("Filesystem size:    {shown}\n")), || text)?;
            silent_but(&audit([scene.path("large")])?, &[])?;
        }
        let scene = Scene::new()?;
        scene.refuses(&mut scene.mkfs("-b 9e large")?, &["large"])?;
        ensure(!scene.path("large").exists(), || "it left a file".to_owned())
    }));
    cases.push(case("more devices than a shell allows open files", || {
        let scene = Scene::new()?;
        let names: Vec<String> = (0..300).map(|number| format!("many{number}")).collect();
        for name in &names {
            sparse_file(&scene.path(name), 200 * MIB)?;
        }
        let limited = |limit: &str| -> Outcome<Command> {
            let mut command = Command::new("prlimit");
            command.arg(format!("--nofile={limit}")).arg(scene.mkfs("")?.get_program()).arg("-q").args(&names);
            command.current_dir(scene.folder.path());
            Ok(command)
        };
        scene.refuses(&mut limited("128:128")?, &["Too many open files", "and ", " more", "ulimit -n"])?;
        run(&mut limited("128:1024")?)?.success()?;
        silent_but(&audit(names.iter().map(|name| scene.path(name)))?, &[])
    }));
    cases.push(case("a sum of sizes that is too large", || {
        let scene = Scene::new()?;
        scene.refuses(&mut scene.mkfs("-b 7e one two three")?, &["64 bits"])
    }));
    for sector in ["512", "4096"] {
        cases.push(root_case(format!("a device with sectors of {sector} bytes"), move || {
            let scene = Scene::new()?;
            let device = LoopDevice::attach(&scene.path("disk"), &["--sector-size", sector])?;
            let path = device.path().display();
            scene.makes(&format!("-q {path}"))?;
            scene.makes(&format!("-q -f -M -d dup -m dup {path}"))?;
            use_it(&device)
        }));
    }
    cases
}

/// A file is written and read.
fn use_it(device: &LoopDevice) -> Outcome {
    let mount = Mount::new(device.path(), "defaults")?;
    std::fs::write(mount.path().join("file"), b"words")?;
    ensure(std::fs::read(mount.path().join("file"))? == b"words", || "other words".to_owned())?;
    mount.unmount()
}
