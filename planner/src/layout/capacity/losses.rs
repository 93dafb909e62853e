//! The losses of all single devices and of pairs, without looking at every set for each of them.
//!
//! A set that has none of the lost devices loses nothing. So what one device takes with it is the sum over the sets that it is
//! in; and two take what each of them takes, except for the sets that both are in.

use super::survival::{Held, Loss, Severity, StripeSet, too_few_for};
use super::tolerated;
use crate::layout::ChunkKind;
use crate::request::Profile;
use crate::units::{DevId, wide};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

/// The most pairs of devices that are tried one by one.
const MOST_PAIRS: usize = 20_000;

/// What devices take with them.
pub(super) struct Losses<'a> {
    sets: &'a [StripeSet],
    /// Every device: what its loss alone takes.
    alone: BTreeMap<DevId, Alone>,
    /// Mirrors of each other in striped sets: the bytes that both take with them, and whether those are of trees.
    mirrors: BTreeMap<[DevId; 2], (u128, bool)>,
    /// Profiles of which no chunk can be added without one device.
    too_few_for: Vec<Profile>,
    /// Sets of which the loss of any one stripe takes all bytes: two devices take them once.
    counted_twice: Bits,
    /// Sets of which any two stripes are needed, and one is not.
    needs_one_of_two: Bits,
    /// The same, if they hold trees.
    trees_need_one_of_two: Bits,
    /// Sets that are not written without two devices.
    frail: Bits,
    /// Sets of a shape that no rule makes: each pair is looked at.
    odd: Bits,
}

#[derive(Clone, Debug)]
struct Alone {
    unreadable: BTreeMap<ChunkKind, u64>,
    bytes: u128,
    trees: bool,
    writable: bool,
    /// The sets that it is in.
    sets: Bits,
}

/// A number of things that are there or not.
#[derive(Clone, Debug)]
struct Bits(Vec<u64>);

impl Bits {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    fn insert(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    /// What is in all three.
    fn common<'a>(&'a self, other: &'a Self, third: &'a Self) -> impl Iterator<Item = usize> + 'a {
        let words = self.0.iter().zip(&other.0).zip(&third.0).map(|((first, second), third)| first & second & third);
        (0_usize..).step_by(64).zip(words).filter(|(_, word)| *word != 0).flat_map(|(base, word)| ones(base, word))
    }
}

fn ones(base: usize, mut word: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lowest = usize::try_from(word.trailing_zeros()).ok().filter(|_| word != 0)?;
        word &= word.wrapping_sub(1);
        base.checked_add(lowest)
    })
}

impl<'a> Losses<'a> {
    pub(super) fn new(devices: &[DevId], sets: &'a [StripeSet]) -> Self {
        let none = || Bits::new(sets.len());
        let nothing = Alone { unreadable: BTreeMap::new(), bytes: 0, trees: false, writable: true, sets: none() };
        let mut losses = Self {
            sets,
            alone: devices.iter().map(|device| (*device, nothing.clone())).collect(),
            mirrors: BTreeMap::new(),
            too_few_for: too_few_for(sets, wide(devices.len()).saturating_sub(1)),
            counted_twice: none(),
            needs_one_of_two: none(),
            trees_need_one_of_two: none(),
            frail: none(),
            odd: none(),
        };
        for (index, set) in sets.iter().enumerate() {
            losses.count(index, set, &nothing);
        }
        losses
    }

    fn count(&mut self, index: usize, set: &StripeSet, nothing: &Alone) {
        let members: BTreeSet<DevId> = set.devices.iter().copied().collect();
        let striped_mirrors = set.profile == Profile::Raid10;
        let plain = members.len() == set.devices.len() && (!striped_mirrors || members.len().is_multiple_of(2));
        let readable_without_one = striped_mirrors || set.is_readable_without(1);
        for device in &members {
            let alone = self.alone.entry(*device).or_insert_with(|| nothing.clone());
            alone.sets.insert(index);
            alone.writable &= tolerated(set.profile) >= 1;
            let readable = if plain { readable_without_one } else { set.readable_without(&[*device].into()) };
            if !readable {
                let sum = alone.unreadable.entry(set.kind).or_default();
                *sum = sum.saturating_add(set.bytes);
                alone.bytes = alone.bytes.saturating_add(set.bytes.into());
                alone.trees |= set.kind != ChunkKind::Data;
            }
        }
        if tolerated(set.profile) <= 1 {
            self.frail.insert(index);
        }
        if !plain {
            self.odd.insert(index);
        } else if striped_mirrors {
            for pair in set.devices.chunks(2) {
                let [first, second] = pair else { continue };
                let (bytes, trees) = self.mirrors.entry([*first.min(second), *first.max(second)]).or_default();
                *bytes = bytes.saturating_add(set.bytes.into());
                *trees |= set.kind != ChunkKind::Data;
            }
        } else if !readable_without_one {
            self.counted_twice.insert(index);
        } else if !set.is_readable_without(2) {
            self.needs_one_of_two.insert(index);
            if set.kind != ChunkKind::Data {
                self.trees_need_one_of_two.insert(index);
            }
        }
    }

    /// The loss of one device.
    pub(super) fn of_one(&self, device: DevId) -> Loss {
        let alone = self.alone.get(&device);
        let unreadable = alone.into_iter().flat_map(|alone| &alone.unreadable);
        Loss {
            devices: vec![device],
            too_few_for: self.too_few_for.clone(),
            unreadable: unreadable.map(|(kind, bytes)| Held { bytes: *bytes, kind: *kind }).collect(),
            writable: alone.is_none_or(|alone| alone.writable),
        }
    }

    /// How bad the loss of two devices is.
    fn severity(&self, [first, second]: [DevId; 2]) -> Severity {
        let (Some(one), Some(two)) = (self.alone.get(&first), self.alone.get(&second)) else {
            return (false, 0, false);
        };
        let bytes = |sets: &Bits| {
            let common = one.sets.common(&two.sets, sets).filter_map(|index| self.sets.get(index));
            common.fold(0_u128, |sum, set| sum.saturating_add(set.bytes.into()))
        };
        let is_any = |sets: &Bits| one.sets.common(&two.sets, sets).next().is_some();
        let (mirrored, mirrored_trees) = self.mirrors.get(&[first, second]).copied().unwrap_or_default();
        let mut sum = one.bytes.saturating_add(two.bytes).saturating_sub(bytes(&self.counted_twice));
        sum = sum.saturating_add(bytes(&self.needs_one_of_two)).saturating_add(mirrored);
        let mut trees = one.trees || two.trees || mirrored_trees || is_any(&self.trees_need_one_of_two);
        for set in one.sets.common(&two.sets, &self.odd).filter_map(|index| self.sets.get(index)) {
            let lost = |devices: &[DevId]| !set.readable_without(&devices.iter().copied().collect());
            let already = [first, second].map(|device| lost(&[device]));
            let weight = u128::from(set.bytes);
            match already {
                [true, true] => sum = sum.saturating_sub(weight),
                [false, false] if lost(&[first, second]) => {
                    sum = sum.saturating_add(weight);
                    trees |= set.kind != ChunkKind::Data;
                }
                _ => {}
            }
        }
        let writable = one.writable && two.writable && !is_any(&self.frail);
        (trees, u64::try_from(sum).unwrap_or(u64::MAX), !writable)
    }

    /// The worst loss of two devices.
    pub(super) fn worst_pair(&self, devices: &[DevId], single: &[Loss]) -> Option<[DevId; 2]> {
        self.pairs(devices, single).into_iter().max_by_key(|pair| self.severity(*pair))
    }

    /// The pairs worth trying: all of them, or, where there are very many, those of devices that share a chunk.
    fn pairs(&self, devices: &[DevId], single: &[Loss]) -> BTreeSet<[DevId; 2]> {
        let mut pairs: BTreeSet<[DevId; 2]> = BTreeSet::new();
        let worst = single.iter().max_by_key(|loss| loss.severity()).and_then(|loss| loss.devices.first().copied());
        let few = devices.len() <= 100;
        let groups = self.sets.iter().map(|set| set.devices.as_slice()).filter(|_| !few);
        // There are no more than these: what is left of the groups has nothing new.
        let known = self.alone.len();
        let all = known.saturating_mul(known.saturating_sub(1)) / 2;
        'groups: for group in groups.chain(few.then_some(devices)) {
            for (index, first) in group.iter().enumerate() {
                for second in group.iter().skip(index.saturating_add(1)) {
                    if pairs.len() >= MOST_PAIRS.min(all) {
                        break 'groups;
                    }
                    if first != second {
                        pairs.insert([*first.min(second), *first.max(second)]);
                    }
                }
            }
        }
        if let Some(worst) = worst {
            let with_worst = devices.iter().filter(|device| **device != worst);
            pairs.extend(with_worst.map(|device| [*device.min(&worst), *device.max(&worst)]));
        }
        pairs
    }
}
