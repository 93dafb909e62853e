//! Against what can be worked out by hand, and against what must hold of any pool.

use super::*;
use crate::request::{DeviceFacts, Request};
use crate::units::{GIB, MIB};
use crate::{Settings, layout::Layout};
use proptest::prelude::*;
use std::vec;

fn pool(sizes: &[u64], data: Profile, metadata: Profile) -> Option<Pool> {
    let facts = sizes.iter().map(|size| DeviceFacts::described(*size)).collect();
    let mut request = Request::new(facts, "capacity", 1);
    (request.data, request.metadata) = (Some(data), Some(metadata));
    let settings = Settings::resolve(&request).ok()?;
    let layout = Layout::new(&settings).ok()?;
    let device = |device: &crate::request::SettingsDevice| PoolDevice {
        devid: device.devid,
        size: device.size,
        zones: device.zones().cloned(),
    };
    let devices: Vec<PoolDevice> = settings.devices.iter().map(device).collect();
    let common =
        PoolSettings { data, metadata, mixed: false, node_size: settings.node_size, zone_size: settings.zone_size };
    Some(Pool::new(&devices, layout.chunks(), common).unwrap())
}

/// What is in reach of any allocator that fills the devices with the most room first.
#[test]
fn unequal_devices_hold_what_arithmetic_says() {
    const T: u64 = 1 << 40;
    for (sizes, data, expected) in [
        (vec![T], Profile::Single, T),
        (vec![T, 3 * T], Profile::Single, 4 * T),
        (vec![T, 3 * T], Profile::Raid1, T),
        (vec![T, T, 2 * T], Profile::Raid1, 2 * T),
        (vec![T, 2 * T, 4 * T], Profile::Raid1, 3 * T),
        (vec![T, 2 * T, 4 * T], Profile::Raid1c3, T),
        (vec![T, 2 * T, 4 * T], Profile::Raid0, 7 * T),
        // Three stripes until the first is full, then two.
        (vec![T, 2 * T, 4 * T], Profile::Raid5, 3 * T),
        (vec![T, T, 2 * T, 2 * T], Profile::Raid6, 2 * T),
        (vec![T, T, 2 * T, 2 * T], Profile::Raid10, 3 * T),
        (vec![20 * T; 100], Profile::Raid1, 1000 * T),
        (vec![1 << 60; 2], Profile::Raid1, 1 << 60),
    ] {
        let metadata = if sizes.len() == 1 { Profile::Dup } else { Profile::Raid1 };
        let filled = pool(&sizes, data, metadata).unwrap().fill(Metadata::None).unwrap();
        // Metadata, system chunks, the first MiBs, and a last chunk that is not whole.
        let slack = 12 * GIB + expected / 500;
        assert!(
            filled.data <= expected && filled.data + slack > expected,
            "{sizes:?} {data}: {} instead of {expected}",
            filled.data
        );
    }
}

#[test]
fn zones_count_with_what_they_can_take() {
    let zones = |sizes: &[u64], capacity| -> Vec<PoolDevice> {
        let device = |(size, devid): (&u64, u64)| PoolDevice {
            devid: DevId::new(devid),
            size: *size,
            zones: Some(Zones::described(*size, 256 * MIB, Some(capacity), 0)),
        };
        sizes.iter().zip(1..).map(device).collect()
    };
    let settings = PoolSettings {
        data: Profile::Single,
        metadata: Profile::Single,
        mixed: false,
        node_size: 16384,
        zone_size: Some(256 * MIB),
    };
    let filled = Pool::new(&zones(&[100 * GIB], 192 * MIB), &[], settings).unwrap().fill(Metadata::None).unwrap();
    // Four zones a GiB, two for the superblock log.
    assert_eq!(filled.data, 398 * 192 * MIB);
    let device = filled.devices[0];
    assert_eq!((device.reserved, device.tails, device.left), (512 * MIB, 398 * 64 * MIB, 0));
    let more = Pool::new(&zones(&[100 * GIB, 50 * GIB], 192 * MIB), &[], settings).unwrap();
    assert_eq!(more.fill(Metadata::None).unwrap().data, (398 + 198) * 192 * MIB);
    // Whoever wrote a plan may have put any zones in it: neither time nor memory goes by how many they are.
    let absurd = PoolDevice {
        devid: DevId::new(1),
        size: 1 << 60,
        zones: Some(Zones { size: 1, ..Zones::described(1 << 60, 1, None, 0) }),
    };
    let settings = PoolSettings { zone_size: Some(1), ..settings };
    assert!(Pool::new(&[absurd], &[], settings).unwrap().fill(Metadata::None).unwrap().data <= 1 << 60);
}

#[test]
fn losses_are_judged_by_chunks() {
    let set = |profile, devices: &[u64], kind| StripeSet {
        bytes: GIB,
        devices: devices.iter().map(|devid| DevId::new(*devid)).collect(),
        kind,
        profile,
    };
    let devices: Vec<DevId> = (1..=4).map(DevId::new).collect();
    for (profile, members, any, pair_survives) in [
        (Profile::Raid1, vec![1, 2], 1, false),
        (Profile::Raid10, vec![1, 2, 3, 4], 1, false),
        (Profile::Raid1c3, vec![1, 2, 3], 2, true),
        (Profile::Raid5, vec![1, 2, 3, 4], 1, false),
        (Profile::Raid6, vec![1, 2, 3, 4], 2, true),
        (Profile::Raid0, vec![1, 2, 3, 4], 0, false),
        (Profile::Dup, vec![1, 1], 0, false),
    ] {
        let survival = survival(&devices, &[set(profile, &members, ChunkKind::Data)]);
        assert_eq!(survival.any, any, "{profile}");
        assert_eq!(survival.worst_pair.unwrap().survived(), pair_survives, "{profile}");
    }
    // The kernel counts missing devices, not mirrors: it does not write to this, though all can be read.
    let raid10 = [set(Profile::Raid10, &[1, 2, 3, 4], ChunkKind::Data)];
    let lost = Loss::of(&[1, 3].map(DevId::new).into(), &raid10, 4);
    assert!(lost.survived() && !lost.writable);
    let raid1 = [set(Profile::Raid1, &[1, 2], ChunkKind::Metadata), set(Profile::Single, &[2], ChunkKind::Data)];
    let survival = survival(&devices[..2], &raid1);
    assert!(survival.single[0].survived() && survival.single[0].writable);
    assert_eq!(survival.single[0].too_few_for, [Profile::Raid1]);
    assert_eq!(survival.single[1].unreadable, [Held { bytes: GIB, kind: ChunkKind::Data }]);
    assert_eq!((survival.any, survival.worst_pair), (0, None));
}

proptest! {
    #[test]
    fn every_byte_is_accounted_for(
        sizes in prop::collection::vec(300 * MIB..3000 * GIB, 1..9),
        data in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        let metadata = if sizes.len() == 1 { Profile::Single } else { Profile::Raid1 };
        let sizes: Vec<u64> = sizes.iter().map(|size| size / 4096 * 4096).collect();
        let Some(pool) = pool(&sizes, data, metadata) else { return Ok(()) };
        let filled = pool.fill(Metadata::None).unwrap();
        for device in &filled.devices {
            prop_assert_eq!(device.allocated + device.left + device.reserved + device.tails, device.size);
            prop_assert_eq!(device.left > 0, device.reason.is_some());
        }
        // Too few devices with a useful piece are left.
        let useful = filled.devices.iter().filter(|device| device.reason == Some(Reason::NoPartner)).count() as u64;
        prop_assert!(useful < data.traits().min_devices.max(1) || data == Profile::Dup && useful == 0);
        let raw: u64 = filled.devices.iter().map(|device| device.allocated).sum();
        prop_assert!(filled.data <= raw);
        let with = pool.fill(Metadata::PerData { bytes: 1, data: 100 }).unwrap();
        // Other chunks may happen to pack a little better.
        prop_assert!(with.data <= filled.data + sizes.len() as u64 * GIB && with.metadata >= filled.metadata);
    }
}
