//! Which losses of devices a layout survives.

use super::losses::Losses;
use super::{fewest_devices, tolerated};
use crate::layout::ChunkKind;
use crate::request::Profile;
use crate::units::{DevId, wide};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use serde::Serialize;

/// Devices that hold chunks together. Mirrors that matter to each other stand side by side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StripeSet {
    /// Logical bytes of the chunks on just these devices.
    pub bytes: u64,
    /// The devices, in stripe order where that matters.
    pub devices: Vec<DevId>,
    /// What the chunks hold.
    pub kind: ChunkKind,
    /// How it is spread.
    pub profile: Profile,
}

/// Sets of devices, chunks on the same ones counted together.
#[derive(Debug, Default)]
pub(super) struct Sets(BTreeMap<(ChunkKind, Profile, Vec<DevId>), u64>);

impl Sets {
    pub(super) fn add(&mut self, kind: ChunkKind, profile: Profile, mut devices: Vec<DevId>, bytes: u64) {
        if profile == Profile::Raid10 {
            // Which devices mirror each other matters, and nothing else.
            let mut pairs: Vec<Vec<DevId>> = devices.chunks(2).map(<[DevId]>::to_vec).collect();
            pairs.iter_mut().for_each(|pair| pair.sort_unstable());
            pairs.sort_unstable();
            devices = pairs.concat();
        } else {
            devices.sort_unstable();
        }
        let sum = self.0.entry((kind, profile, devices)).or_default();
        *sum = sum.saturating_add(bytes);
    }

    pub(super) fn finish(self) -> Vec<StripeSet> {
        let set = |((kind, profile, devices), bytes)| StripeSet { bytes, devices, kind, profile };
        self.0.into_iter().map(set).collect()
    }
}

impl StripeSet {
    /// Whether all its bytes can be read without these devices.
    #[must_use]
    pub fn readable_without(&self, lost: &BTreeSet<DevId>) -> bool {
        let gone = |device: &&DevId| lost.contains(device);
        let missing = wide(self.devices.iter().filter(gone).count());
        match self.profile {
            Profile::Raid10 => self.devices.chunks(2).all(|pair| !pair.iter().all(|device| lost.contains(device))),
            _ => self.is_readable_without(missing),
        }
    }

    /// Whether all its bytes can be read without so many of its stripes, where it does not matter which they are.
    pub(super) fn is_readable_without(&self, missing: u64) -> bool {
        match self.profile {
            Profile::Dup | Profile::Raid1 | Profile::Raid1c3 | Profile::Raid1c4 => missing < wide(self.devices.len()),
            profile => missing <= profile.traits().parity,
        }
    }

    /// Whether the kernel mounts it for writing without these devices: it goes by the profile alone.
    fn writable_without(&self, lost: &BTreeSet<DevId>) -> bool {
        let missing: BTreeSet<&DevId> = self.devices.iter().filter(|device| lost.contains(device)).collect();
        wide(missing.len()) <= tolerated(self.profile)
    }
}

/// Bytes of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Held {
    /// Logical bytes of chunks.
    pub bytes: u64,
    /// What they hold.
    pub kind: ChunkKind,
}

/// What becomes of a filesystem when it loses devices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Loss {
    /// The devices lost.
    pub devices: Vec<DevId>,
    /// Profiles of which no chunk can be added with the devices left.
    pub too_few_for: Vec<Profile>,
    /// What can be read no more; empty where everything can.
    pub unreadable: Vec<Held>,
    /// Whether the kernel mounts it for writing (with the option `degraded`).
    pub writable: bool,
}

impl Loss {
    /// Whether every byte can still be read.
    #[must_use]
    pub const fn survived(&self) -> bool {
        self.unreadable.is_empty()
    }

    pub(super) fn of(lost: &BTreeSet<DevId>, sets: &[StripeSet], count: u64) -> Self {
        let mut unreadable: BTreeMap<ChunkKind, u64> = BTreeMap::new();
        for set in sets.iter().filter(|set| !set.readable_without(lost)) {
            let sum = unreadable.entry(set.kind).or_default();
            *sum = sum.saturating_add(set.bytes);
        }
        Self {
            devices: lost.iter().copied().collect(),
            too_few_for: too_few_for(sets, count.saturating_sub(wide(lost.len()))),
            unreadable: unreadable.into_iter().map(|(kind, bytes)| Held { bytes, kind }).collect(),
            writable: sets.iter().all(|set| set.writable_without(lost)),
        }
    }

    pub(super) fn severity(&self) -> Severity {
        let bytes = self.unreadable.iter().fold(0_u64, |sum, held| sum.saturating_add(held.bytes));
        let trees = self.unreadable.iter().any(|held| held.kind != ChunkKind::Data);
        (trees, bytes, !self.writable)
    }
}

/// How bad a loss is: whether trees cannot be read, without which nothing of a filesystem is left; how many bytes cannot; and
/// whether nothing can be written.
pub(super) type Severity = (bool, u64, bool);

/// The profiles of these sets of which no chunk can be added with so many devices.
pub(super) fn too_few_for(sets: &[StripeSet], left: u64) -> Vec<Profile> {
    let profiles: BTreeSet<Profile> = sets.iter().map(|set| set.profile).collect();
    profiles.into_iter().filter(|profile| fewest_devices(*profile) > left).collect()
}

/// What a layout survives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Survival {
    /// How many devices may be lost, whichever they are.
    pub any: u64,
    /// The loss of each single device.
    pub single: Vec<Loss>,
    /// The worst loss of two devices; absent where there are fewer than three.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst_pair: Option<Loss>,
}

/// What becomes of these sets when devices are lost.
#[must_use]
pub fn survival(devices: &[DevId], sets: &[StripeSet]) -> Survival {
    let losses = Losses::new(devices, sets);
    let single: Vec<Loss> = devices.iter().map(|device| losses.of_one(*device)).collect();
    let worst_pair = losses.worst_pair(devices, &single).filter(|_| devices.len() > 2);
    let worst_pair = worst_pair.map(|pair| Loss::of(&pair.into(), sets, wide(devices.len())));
    let tolerated = sets.iter().map(|set| tolerated(set.profile)).min().unwrap_or(0);
    // Chunks say more than profiles: what lies on one device is safe from the loss of others, but not of that one.
    let any = match () {
        () if single.iter().any(|loss| !loss.survived()) => 0,
        () if worst_pair.as_ref().is_some_and(|loss| !loss.survived()) => 1,
        () => tolerated.max(u64::from(devices.len() > 1)),
    };
    Survival { any, single, worst_pair }
}
