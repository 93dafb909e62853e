//! What a requester should know although the request is planned.

use super::settings::SettingsDevice;
use super::{DeviceKind, Profile, Warning};
use crate::units::{GIB, wide};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Adds what is worth a warning about devices and profiles.
pub(super) fn warn(
    devices: &[SettingsDevice],
    mixed: bool,
    data: Profile,
    metadata: Profile,
    warnings: &mut Vec<Warning>,
) {
    let mut warn = |code: &str, message: String| warnings.push(Warning { code: code.to_string(), message });
    let count = devices.len();
    for (kind, profile) in [("metadata", metadata), ("data", data)] {
        match profile {
            Profile::Dup if count > 1 => warn(
                "dup-on-many",
                format!("{kind} is dup on {count} devices: both copies are on one device; raid1 survives its loss"),
            ),
            Profile::Raid5 | Profile::Raid6 => {
                warn(
                    "raid56",
                    format!("{kind} is {profile}: a crash can leave parity stale, and kernels advise against it"),
                );
                if wide(count) == profile.traits().parity.saturating_add(1) {
                    warn(
                        "raid56-few",
                        format!("{kind} is {profile} on {count} devices: raid1 does the same at less cost"),
                    );
                }
            }
            _ => {}
        }
    }
    let solid = |device: &SettingsDevice| device.facts.kind == DeviceKind::Block && !device.facts.rotational;
    if !mixed && data == Profile::Dup && devices.iter().any(solid) {
        warn(
            "dup-on-ssd",
            "data is dup on a device without seek time, which may keep the copies together, or only one of them"
                .to_string(),
        );
    }
    if metadata.traits().tolerated_failures < data.traits().tolerated_failures {
        warn(
            "redundancy",
            format!("metadata ({metadata}) survives fewer lost devices than data ({data}): data will be lost with it"),
        );
    }
    let smallest = devices.iter().map(|device| device.size).min().unwrap_or(0);
    if !mixed && smallest < GIB {
        warn(
            "small",
            "devices below 1 GiB can run out of room for metadata while data has room: consider mixed block groups (-M)"
                .to_string(),
        );
    }
    for device in devices {
        for signature in &device.facts.signatures {
            let (devid, kind) = (device.devid, &signature.kind);
            if signature.offset.checked_add(signature.length).is_none_or(|end| end > device.size) {
                warn("signature-stays", format!("device {devid}: {kind} beyond the planned size stays where it is"));
            } else {
                warn("signature-lost", format!("device {devid}: {kind} will be lost"));
            }
        }
    }
}
