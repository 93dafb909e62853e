//! Against what can be worked out by hand, and against what must hold of any pool.

use super::*;
use crate::request::{DeviceFacts, Request};
use crate::units::{GIB, MIB};
use crate::{Settings, layout::Layout};
use alloc::collections::BTreeSet;
use core::cmp::Reverse;
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

/// The next chunk, where all devices are put in order for it.
fn slow_shape(policy: &Policy, rooms: &[Room]) -> Option<Shape> {
    let candidates = rooms.iter().enumerate().map(|(index, room)| (room.piece(policy.wanted), room.free(), index));
    let mut candidates: Vec<(u64, u64, usize)> = candidates.filter(|(piece, ..)| *piece >= policy.least).collect();
    candidates.sort_by_key(|(piece, free, _)| Reverse((*piece, *free)));
    policy.shape(candidates.len(), || candidates.iter().map(|(piece, _, index)| (*piece, *index)))
}

/// Fills a pool with data, and with a chunk of metadata now and then; every chunk is the one that the slow way finds.
fn fills_like_the_slow_way(pool: &Pool, metadata_every: usize) {
    let mut filling = Filling::new(pool).unwrap();
    for step in 1.. {
        let kind = if step % metadata_every == 0 { ChunkKind::Metadata } else { ChunkKind::Data };
        let expected = slow_shape(&filling.policy(kind), &filling.rooms);
        assert_eq!(filling.shape(kind).map(|(_, shape)| shape), expected, "step {step}");
        if !filling.add(kind, u64::MAX).unwrap() {
            break;
        }
    }
}

/// Every loss by looking at every set.
fn slow_survival(devices: &[DevId], sets: &[StripeSet]) -> Survival {
    let count = devices.len() as u64;
    let loss = |lost: &[DevId]| Loss::of(&lost.iter().copied().collect(), sets, count);
    let single: Vec<Loss> = devices.iter().map(|device| loss(&[*device])).collect();
    let mut pairs: BTreeSet<[DevId; 2]> = BTreeSet::new();
    let worst = single.iter().max_by_key(|loss| loss.severity()).and_then(|loss| loss.devices.first().copied());
    let few = devices.len() <= 100;
    let groups = sets.iter().map(|set| set.devices.as_slice()).filter(|_| !few);
    for group in groups.chain(few.then_some(devices)) {
        for (index, first) in group.iter().enumerate() {
            for second in &group[index + 1..] {
                if first != second && pairs.len() < 20_000 {
                    pairs.insert([*first.min(second), *first.max(second)]);
                }
            }
        }
    }
    if let Some(worst) = worst {
        let with_worst = devices.iter().filter(|device| **device != worst);
        pairs.extend(with_worst.map(|device| [*device.min(&worst), *device.max(&worst)]));
    }
    let worst_pair = pairs.into_iter().map(|pair| loss(&pair)).max_by_key(Loss::severity);
    let worst_pair = worst_pair.filter(|_| devices.len() > 2);
    let tolerated = sets.iter().map(|set| tolerated(set.profile)).min().unwrap_or(0);
    let any = match () {
        () if single.iter().any(|loss| !loss.survived()) => 0,
        () if worst_pair.as_ref().is_some_and(|loss| !loss.survived()) => 1,
        () => tolerated.max(u64::from(devices.len() > 1)),
    };
    Survival { any, single, worst_pair }
}

const KINDS: [ChunkKind; 3] = [ChunkKind::Data, ChunkKind::Metadata, ChunkKind::System];

/// Sets as chunks make them, and some that none makes: with a device twice, or too few of them.
fn a_set() -> impl Strategy<Value = StripeSet> {
    let bytes = prop_oneof![0..9_u64, Just(u64::MAX / 3)];
    let devices = prop::collection::vec(1..9_u64, 1..7);
    let kind = prop::sample::select(KINDS.to_vec());
    (bytes, devices, kind, prop::sample::select(Profile::ALL.to_vec()), any::<bool>()).prop_map(
        |(bytes, devices, kind, profile, distinct)| {
            let mut seen = BTreeSet::new();
            let devices = devices.into_iter().filter(|devid| seen.insert(*devid) || !distinct);
            StripeSet { bytes, devices: devices.map(DevId::new).collect(), kind, profile }
        },
    )
}

#[test]
fn a_hundred_devices_and_more_are_judged_like_few() {
    for (data, metadata) in
        [(Profile::Raid5, Profile::Raid1), (Profile::Raid0, Profile::Raid10), (Profile::Raid1, Profile::Raid1c3)]
    {
        let sizes: Vec<u64> = (0..104).map(|number| (400 + number * 7 % 64 * 16) * MIB).collect();
        let pool = pool(&sizes, data, metadata).unwrap();
        let devices: Vec<DevId> = (1..=104).map(DevId::new).collect();
        let sets = pool.fill(Metadata::None).unwrap().sets;
        assert_eq!(survival(&devices, &sets), slow_survival(&devices, &sets), "{data}");
    }
}

proptest! {
    #[test]
    fn chunks_are_those_of_the_slow_way(
        sizes in prop::collection::vec((1..16_u64, 0..4_u64), 1..70),
        unit in prop::sample::select(vec![256 * MIB, 7 * GIB]),
        data in prop::sample::select(Profile::ALL.to_vec()),
        metadata_every in 2..9_usize,
    ) {
        let metadata = if sizes.len() == 1 { Profile::Single } else { Profile::Raid1 };
        let sizes: Vec<u64> = sizes.iter().map(|(units, pages)| (units + 1) * unit + pages * 4096).collect();
        if let Some(pool) = pool(&sizes, data, metadata) {
            fills_like_the_slow_way(&pool, metadata_every);
        }
    }

    #[test]
    fn zones_are_filled_as_the_slow_way_does(
        zones in prop::collection::vec((3..40_u64, 1..=4_u64, 0..3_u64), 1..40),
        data in prop::sample::select(Profile::ALL.to_vec()),
    ) {
        const ZONE: u64 = 256 * MIB;
        let device = |((count, capacity, conventional), devid): (&(u64, u64, u64), u64)| PoolDevice {
            devid: DevId::new(devid),
            size: count * ZONE,
            zones: Some(Zones::described(count * ZONE, ZONE, Some(capacity * ZONE / 4), *conventional)),
        };
        let devices: Vec<PoolDevice> = zones.iter().zip(1..).map(device).collect();
        let settings =
            PoolSettings { data, metadata: Profile::Single, mixed: false, node_size: 16384, zone_size: Some(ZONE) };
        fills_like_the_slow_way(&Pool::new(&devices, &[], settings).unwrap(), 5);
    }

    #[test]
    fn losses_are_those_of_the_slow_way(sets in prop::collection::vec(a_set(), 0..9), devices in 1..9_u64) {
        let devices: Vec<DevId> = (1..=devices).map(DevId::new).collect();
        prop_assert_eq!(survival(&devices, &sets), slow_survival(&devices, &sets));
    }
}
