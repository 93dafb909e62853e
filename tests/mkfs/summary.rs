//! What is said on standard output.

use crate::scene::Scene;
use btrfs_plan_tests::suite::{case, ensure};
use libtest_mimic::Trial;

const UUID: &str = "01234567-89ab-4def-8123-456789abcdef";

pub(crate) fn cases() -> Vec<Trial> {
    vec![
        case("the summary", || {
            let scene = Scene::new()?;
            let line = format!("-U {UUID} -L home -d raid1 -m raid1 --csum sha256 -O quota disk other");
            let ran = scene.makes(&line)?;
            let expected = format!(
                "btrfs-plan v{}

NOTE: default settings have changed as in btrfs-progs 6.19, for Linux 6.1 and newer:
      - block-group-tree is on (-O ^block-group-tree for older kernels)

Label:              home
UUID:               {UUID}
Node size:          16384
Sector size:        4096\t(CPU page size: 4096)
Filesystem size:    512.00MiB
Block group profiles:
  Data:             RAID1            64.00MiB
  Metadata:         RAID1            32.00MiB
  System:           RAID1             8.00MiB
SSD detected:       no
Zoned device:       no
Features:           quota, extref, skinny-metadata, no-holes, free-space-tree, block-group-tree
Checksum:           sha256
Number of devices:  2
Devices:
   ID        SIZE  PATH
    1   256.00MiB  disk
    2   256.00MiB  other

",
                env!("CARGO_PKG_VERSION")
            );
            ensure(ran.text() == expected, || format!("instead of\n{expected}it says\n{}", ran.text()))
        }),
        case("no note of defaults that were asked for", || {
            for line in ["-O bgt disk", "--defaults 6.19 disk", "-O ^block-group-tree disk", "-O ^free-space-tree disk"]
            {
                let scene = Scene::new()?;
                let text = scene.makes(line)?.text();
                ensure(text.starts_with("btrfs-plan v") && !text.contains("NOTE"), || format!("{line}: {text}"))?;
            }
            Ok(())
        }),
        case("quiet says nothing", || {
            let ran = Scene::new()?.makes("-v -q disk")?;
            ensure(ran.stdout.is_empty() && ran.stderr.is_empty(), || format!("{}{}", ran.text(), ran.stderr))?;
            // Of the two the last one counts.
            let text = Scene::new()?.makes("-q -v disk")?.text();
            ensure(text.contains("\nmade "), || text)
        }),
        case("verbose says more", || {
            let scene = Scene::new()?;
            let ran = scene.makes("-v disk")?;
            ensure(ran.text().contains("\nmade ") && ran.text().contains("written in"), || ran.text())?;
            let ran = scene.makes("-f -vv disk")?;
            ensure(ran.stderr.contains("disk: 268435456 bytes, sectors of 512"), || ran.stderr)
        }),
        case("nobody who has gone is missed", || {
            let scene = Scene::new()?;
            let program = scene.mkfs("")?.get_program().to_owned();
            let mut shell = std::process::Command::new("bash");
            shell.args(["-c", "\"$0\" -v disk | true; exit ${PIPESTATUS[0]}"]).arg(program);
            btrfs_plan_tests::programs::run(shell.current_dir(scene.folder.path()))?.success()?;
            Ok(())
        }),
    ]
}
