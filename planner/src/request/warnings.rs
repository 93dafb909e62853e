//! What a requester should know although the request is planned.

use super::settings::SettingsDevice;
use super::{DeviceKind, Profile, Warning};
use crate::disk::chunk::{ChunkItem, StripeItem};
use crate::disk::key::DiskKey;
use crate::disk::superblock::{SUPERBLOCK_OFFSETS, SUPERBLOCK_SIZE, SYSTEM_CHUNK_ARRAY_SIZE};
use crate::units::{GIB, round_down, wide};
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
    let stripes = system_stripes(metadata, wide(count));
    if two_system_chunks(stripes) > wide(SYSTEM_CHUNK_ARRAY_SIZE) {
        warn(
            "system-chunk",
            format!(
                "metadata is {metadata} on {count} devices: two system chunks of {stripes} stripes do not fit into the \
                 superblock (65 bytes for each, 32 for each stripe, of {SYSTEM_CHUNK_ARRAY_SIZE}); kernels add a second one in a \
                 balance or a scrub, and cannot mount the filesystem any more: use raid1, raid1c3 or raid1c4, or at most 29 \
                 devices"
            ),
        );
    }
    for device in devices.iter().filter(|device| device.real_zones().is_none()) {
        for offset in
            SUPERBLOCK_OFFSETS.into_iter().filter(|offset| device.size == offset.saturating_add(SUPERBLOCK_SIZE))
        {
            let devid = device.devid;
            warn(
                "superblock-edge",
                format!(
                    "device {devid}: its superblock copy at {offset} ends with it; kernels do not keep such a copy up to date, \
                     and a scrub then counts an error: use one sector more or less (-b)"
                ),
            );
        }
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

/// The most stripes of a system chunk, as kernels count: what fits beside another chunk of one stripe.
const MOST_SYSTEM_STRIPES: u64 = 58;

/// Stripes of the system chunks that kernels add.
const fn system_stripes(metadata: Profile, devices: u64) -> u64 {
    let traits = metadata.traits();
    match traits.stripes {
        Some(stripes) => stripes,
        None if devices < MOST_SYSTEM_STRIPES => round_down(devices, traits.stripe_multiple),
        None => round_down(MOST_SYSTEM_STRIPES, traits.stripe_multiple),
    }
}

/// Bytes that two system chunks of so many stripes take in the superblock.
fn two_system_chunks(stripes: u64) -> u64 {
    let head = wide(size_of::<DiskKey>().saturating_add(size_of::<ChunkItem>()));
    head.saturating_add(stripes.saturating_mul(wide(size_of::<StripeItem>()))).saturating_mul(2)
}
