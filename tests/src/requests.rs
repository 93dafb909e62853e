//! Requests that differ in what their plans look like.

use btrfs_planner::Request;
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::request::{DeviceFacts, DeviceKind, DiscardLimits, Profile, Signature};

/// 1 GiB.
pub const GIB: u64 = 1 << 30;

/// Described devices of these sizes.
#[must_use]
pub fn described(sizes: &[u64]) -> Vec<DeviceFacts> {
    let device =
        |size: &u64| DeviceFacts { logical_sector: 512, physical_sector: 4096, size: *size, ..DeviceFacts::default() };
    sizes.iter().map(device).collect()
}

/// One of every shape of plan that the document tests should meet, with a name for messages.
#[must_use]
pub fn shapes() -> Vec<(&'static str, Request)> {
    let new = |sizes: &[u64]| Request::new(described(sizes), "shapes", 1_700_000_000);
    let mut labelled = new(&[10 * GIB; 2]);
    labelled.label = "Ünï \"quoted\" \\ / label".to_owned();
    let mut probed = new(&[2 * GIB]);
    probed.force = true;
    probed.devices[0] = DeviceFacts {
        discard: Some(DiscardLimits { alignment: 0, granularity: 4096, max_bytes: 1 << 32 }),
        kind: DeviceKind::Block,
        model: Some("Model <&> 1".to_owned()),
        path: Some("/dev/disk/by-id/example".to_owned()),
        rotational: true,
        serial: Some("S\u{e9}rial".to_owned()),
        signatures: vec![Signature {
            kind: "ext4".to_owned(),
            label: Some("old".to_owned()),
            length: 2,
            offset: 1080,
            usage: "filesystem".to_owned(),
            uuid: Some("01234567-89ab-cdef-0123-456789abcdef".to_owned()),
        }],
        ..probed.devices[0].clone()
    };
    let mut parity = new(&[10 * GIB; 4]);
    (parity.data, parity.metadata) = (Some(Profile::Raid6), Some(Profile::Raid6));
    parity.checksum = ChecksumType::Blake2b;
    let mut mixed = new(&[GIB; 3]);
    mixed.mixed = true;
    (mixed.data, mixed.metadata) = (Some(Profile::Raid1), Some(Profile::Raid1));
    let mut large_nodes = new(&[1 << 40]);
    large_nodes.node_size = Some(65536);
    vec![
        ("one device", new(&[10 * GIB])),
        ("label", labelled),
        ("probed device with a signature", probed),
        ("parity", parity),
        ("mixed", mixed),
        ("large nodes", large_nodes),
    ]
}
