//! Devices from what `lsblk` prints: for people who sit in front of another machine.

use btrfs_planner::request::{DeviceFacts, DeviceKind, DiscardLimits};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

/// Devices, and what was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Imported {
    /// Whole disks.
    pub devices: Vec<DeviceFacts>,
    /// Others by name, with the reason.
    pub left_out: Vec<String>,
}

/// Why a text is not what `lsblk -Jb` prints.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LsblkError {
    /// Not JSON of that shape.
    #[error("this is not what `lsblk -JbO` prints: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// No disk in it.
    #[error("there is no whole disk with a size in bytes in it; print it with `lsblk -JbO`")]
    NoDisk,
}

#[derive(Deserialize)]
struct Listing {
    blockdevices: Vec<Value>,
}

/// The whole disks of `lsblk -Jb` or, with more to tell, `lsblk -JbO`.
///
/// What lsblk does not tell (the zones of a zoned disk, the places of signatures) is not in the devices: a request that
/// `btrfs-plan --print-request` saved on the machine itself has it.
pub fn lsblk(text: &str) -> Result<Imported, LsblkError> {
    let listing: Listing = serde_json::from_str(text)?;
    let mut imported = Imported { devices: Vec::new(), left_out: Vec::new() };
    for entry in &listing.blockdevices {
        let name = word(entry, "path").or_else(|| word(entry, "name")).unwrap_or_else(|| "?".to_owned());
        let kind = word(entry, "type").unwrap_or_default();
        let used = entry.get("children").is_some_and(|children| !children.as_array().is_none_or(Vec::is_empty));
        let zoned = word(entry, "zoned").is_some_and(|zoned| zoned.starts_with("host"));
        let size = number(entry, "size").filter(|size| *size > 0);
        let reason = match (kind.as_str(), size) {
            ("disk", Some(_)) if zoned => "is zoned, and lsblk does not tell its zones",
            ("disk", Some(size)) => {
                imported.devices.push(device(entry, &name, size));
                if !used {
                    continue;
                }
                "is taken, although it has partitions or is part of something"
            }
            ("disk", None) => "has no size in bytes",
            _ => "is no whole disk",
        };
        imported.left_out.push(format!("{name} {reason}"));
    }
    if imported.devices.is_empty() { Err(LsblkError::NoDisk) } else { Ok(imported) }
}

fn device(entry: &Value, name: &str, size: u64) -> DeviceFacts {
    let small = |name: &str| number(entry, name).and_then(|value| u32::try_from(value).ok()).filter(|value| *value > 0);
    let logical_sector = small("log-sec").unwrap_or(512);
    let granularity = number(entry, "disc-gran").filter(|granularity| *granularity > 0);
    let discard = granularity.map(|granularity| DiscardLimits {
        alignment: number(entry, "disc-aln").unwrap_or(0),
        granularity,
        max_bytes: number(entry, "disc-max").unwrap_or(1 << 50).min(1 << 50),
    });
    let path = if name.starts_with('/') { name.to_owned() } else { format!("/dev/{name}") };
    DeviceFacts {
        discard,
        kind: DeviceKind::Described,
        logical_sector,
        model: word(entry, "model"),
        path: Some(path),
        physical_sector: small("phy-sec").unwrap_or(logical_sector),
        rotational: matches!(entry.get("rota"), Some(Value::Bool(true))) || word(entry, "rota").as_deref() == Some("1"),
        serial: word(entry, "serial"),
        signatures: Vec::new(),
        size,
        zones: None,
    }
}

fn word(entry: &Value, name: &str) -> Option<String> {
    let text = entry.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// Numbers are numbers in newer versions of lsblk, and strings in older ones.
fn number(entry: &Value, name: &str) -> Option<u64> {
    let value = entry.get(name)?;
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_are_taken_and_others_named() {
        let text = r#"{"blockdevices":[
            {"name":"sda","type":"disk","size":10737418240,"rota":true,"log-sec":4096,"phy-sec":4096,"model":"M ","disc-gran":0},
            {"name":"nvme0n1","type":"disk","size":"2147483648","rota":"0","disc-gran":512,"disc-max":2199023255040,"children":[{}]},
            {"name":"sdz","type":"disk","size":1,"zoned":"host-managed"},
            {"name":"sr0","type":"rom","size":5}]}"#;
        let imported = lsblk(text).unwrap();
        let [disk, nvme] = imported.devices.as_slice() else { panic!("{imported:?}") };
        assert_eq!((disk.size, disk.rotational, disk.logical_sector), (10 << 30, true, 4096));
        assert_eq!((disk.model.as_deref(), disk.path.as_deref()), (Some("M"), Some("/dev/sda")));
        assert_eq!((nvme.size, nvme.rotational), (2 << 30, false));
        assert_eq!(nvme.discard.map(|limits| limits.granularity), Some(512));
        assert_eq!(imported.left_out.len(), 3);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in
            ["", "{}", "[]", r#"{"blockdevices":[]}"#, r#"{"blockdevices":[{"name":"a","type":"disk","size":"10G"}]}"#]
        {
            assert!(lsblk(text).is_err(), "{text}");
        }
    }
}
