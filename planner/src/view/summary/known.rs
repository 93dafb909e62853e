//! The lines that scripts know from mkfs.btrfs.

use super::super::Size;
use super::super::escape::escaped;
use crate::layout::ChunkKind;
use crate::plan::Plan;
use crate::request::{Feature, Profile, ZoneModel};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Write};

/// A new filesystem and its devices, as mkfs.btrfs tells of them: lines of a name and a value. `solid` says whether the first
/// device has no seek time.
#[must_use]
pub fn summary_of_mkfs(plan: &Plan, solid: bool) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(&mut text, plan, solid);
    text
}

fn write_all(text: &mut String, plan: &Plan, solid: bool) -> fmt::Result {
    filesystem(text, plan)?;
    writeln!(text, "SSD detected:       {}", yes(solid))?;
    let zoning = zoning(plan);
    writeln!(text, "Zoned device:       {}", yes(zoning.is_some()))?;
    if let Some((size, mode)) = zoning {
        writeln!(text, "  Zone size:        {}", Size(size))?;
        writeln!(text, "  Mode:             {mode}")?;
    }
    features(text, plan)?;
    checksum(text, plan)?;
    devices(text, plan)?;
    writeln!(text)
}

/// From the label to the block groups.
pub(super) fn filesystem(text: &mut String, plan: &Plan) -> fmt::Result {
    let filesystem = &plan.filesystem;
    let label = if filesystem.label.is_empty() { "(null)" } else { &filesystem.label };
    writeln!(text, "Label:              {}", escaped(label))?;
    writeln!(text, "UUID:               {}", filesystem.fsid)?;
    writeln!(text, "Node size:          {}", filesystem.node_size)?;
    writeln!(text, "Sector size:        {}\t(CPU page size: {})", filesystem.sector_size, filesystem.page_size)?;
    writeln!(text, "Filesystem size:    {}", Size(filesystem.total_size))?;
    writeln!(text, "Block group profiles:")?;
    // Of each kind the sum: a zoned filesystem has more than one of data.
    let mut groups: BTreeMap<ChunkKind, (Profile, u64)> = BTreeMap::new();
    for chunk in &plan.chunks {
        let (_, length) = groups.entry(chunk.kind).or_insert((chunk.profile, 0));
        *length = length.saturating_add(chunk.length);
    }
    for (kind, (profile, length)) in groups {
        let profile =
            if profile == Profile::Single { "single".to_string() } else { profile.name().to_ascii_uppercase() };
        writeln!(text, "  {:<18}{profile:<8}{:>17}", format!("{}:", name(kind)), Size(length))?;
    }
    Ok(())
}

pub(super) fn features(text: &mut String, plan: &Plan) -> fmt::Result {
    let names = plan.filesystem.features.iter().map(String::as_str);
    // The oldest one is on in every filesystem.
    let names: Vec<&str> = names.filter(|name| *name != Feature::MixedBackref.name()).collect();
    writeln!(text, "Features:           {}", escaped(&names.join(", ")))
}

pub(super) fn checksum(text: &mut String, plan: &Plan) -> fmt::Result {
    writeln!(text, "Checksum:           {}", plan.filesystem.checksum)
}

pub(super) fn devices(text: &mut String, plan: &Plan) -> fmt::Result {
    let zone_size = zoning(plan).map(|(size, _)| size);
    writeln!(text, "Number of devices:  {}", plan.devices.len())?;
    writeln!(text, "Devices:")?;
    let zones = if zone_size.is_some() { "  ZONES" } else { "" };
    writeln!(text, "   ID        SIZE{zones}  PATH")?;
    for device in &plan.devices {
        let path = device.found.path.as_deref().unwrap_or("(described)");
        let zones = zone_size.and_then(|size| device.size.checked_div(size));
        let zones = zones.map(|count| format!("  {count:>5}")).unwrap_or_default();
        writeln!(text, "{:>5}  {:>10}{zones}  {}", device.devid, Size(device.size), escaped(path))?;
    }
    Ok(())
}

/// The size of the zones that the filesystem sees, and whose they are.
fn zoning(plan: &Plan) -> Option<(u64, &'static str)> {
    let size = plan.filesystem.zone_size?;
    let zones = plan.devices.first().and_then(|device| device.found.zones.as_ref());
    let mode = match zones.map(|zones| zones.model) {
        Some(ZoneModel::HostManaged) => "host-managed",
        Some(ZoneModel::HostAware) => "host-aware",
        Some(ZoneModel::Emulated) | None => "emulated",
    };
    Some((size, mode))
}

const fn name(kind: ChunkKind) -> &'static str {
    match kind {
        ChunkKind::Data => "Data",
        ChunkKind::Mixed => "Data+Metadata",
        ChunkKind::Metadata => "Metadata",
        ChunkKind::System => "System",
        ChunkKind::Remap => "Remap",
    }
}

const fn yes(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Request;
    use crate::request::{DeviceFacts, Identity};
    use std::vec;
    use uuid::Uuid;

    fn plan(devices: usize, change: impl Fn(&mut Request)) -> Plan {
        let device = |index: usize| DeviceFacts {
            path: Some(format!("/dev/{}", ["sda", "mapper/b"][index])),
            ..DeviceFacts::described(8 << 30)
        };
        let mut request = Request::new((0..devices).map(device).collect(), "a test", 0);
        request.identity = Identity { fsid: Some(Uuid::from_u128(7)), ..request.identity };
        change(&mut request);
        crate::plan(&request).unwrap()
    }

    #[test]
    fn lines_are_those_that_scripts_know() {
        let plan = plan(2, |request| request.label = "home".to_string());
        assert_eq!(
            summary_of_mkfs(&plan, true),
            "Label:              home
UUID:               00000000-0000-0000-0000-000000000007
Node size:          16384
Sector size:        4096\t(CPU page size: 4096)
Filesystem size:    16.00GiB
Block group profiles:
  Data:             single            8.00MiB
  Metadata:         RAID1           256.00MiB
  System:           RAID1             8.00MiB
SSD detected:       yes
Zoned device:       no
Features:           extref, skinny-metadata, no-holes, free-space-tree, block-group-tree
Checksum:           crc32c
Number of devices:  2
Devices:
   ID        SIZE  PATH
    1     8.00GiB  /dev/sda
    2     8.00GiB  /dev/mapper/b

"
        );
    }

    /// What both say is the same; the rest is each one's own.
    #[test]
    fn the_planner_says_it_in_the_same_lines() {
        let own = ["SSD detected", "Zoned device", "  Zone size", "  Mode"];
        for features in [vec![], vec!["zoned".parse().unwrap()]] {
            let plan = plan(1, |request| request.features.clone_from(&features));
            let planned = crate::view::summary(&plan);
            for line in summary_of_mkfs(&plan, true)
                .lines()
                .filter(|line| !line.is_empty() && !own.iter().any(|own| line.starts_with(own)))
            {
                assert!(planned.lines().any(|found| found == line), "{line:?} is not in\n{planned}");
            }
        }
    }

    #[test]
    fn zones_and_mixed_block_groups_have_lines_of_their_own() {
        let zoned = summary_of_mkfs(&plan(1, |request| request.features = vec!["zoned".parse().unwrap()]), false);
        for line in [
            "Label:              (null)\n",
            "  Data:             single          512.00MiB\n",
            "Zoned device:       yes\n  Zone size:        256.00MiB\n  Mode:             emulated\n",
            "   ID        SIZE  ZONES  PATH\n    1     8.00GiB     32  /dev/sda\n",
        ] {
            assert!(zoned.contains(line), "{line} in {zoned}");
        }
        let mixed = summary_of_mkfs(&plan(1, |request| request.mixed = true), false);
        assert!(mixed.contains("  Data+Metadata:    single            8.00MiB\n  System: "), "{mixed}");
    }
}
