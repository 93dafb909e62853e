//! The devices that a new chunk could stand on, those first that the kernel takes first.

use super::policy::Policy;
use super::room::Room;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// A device: the piece that it would give, its free bytes, its index. The kernel takes the greatest one first.
type Candidate = (u64, u64, Reverse<usize>);

/// Up to so many changes are cheaper one by one.
const FEW: usize = 24;

/// All devices with a piece that is of use. A step changes a few of them, and the others stay in order.
#[derive(Clone, Debug)]
pub(super) struct Order {
    policy: Policy,
    /// Ascending: most changes are among the greatest, at the end.
    candidates: Vec<Candidate>,
    /// Each device as it stands in that list, by index.
    known: Vec<Option<Candidate>>,
    /// Devices that have changed since, and whether each device is one of them.
    changed: Vec<usize>,
    is_changed: Vec<bool>,
}

impl Order {
    pub(super) fn new(policy: Policy, rooms: &[Room]) -> Self {
        let known: Vec<Option<Candidate>> =
            rooms.iter().enumerate().map(|(index, room)| candidate(&policy, index, room)).collect();
        let mut candidates: Vec<Candidate> = known.iter().copied().flatten().collect();
        candidates.sort();
        Self { policy, candidates, known, changed: Vec::new(), is_changed: vec![false; rooms.len()] }
    }

    /// A chunk was put on a device.
    pub(super) fn change(&mut self, index: usize) {
        if let Some(is_changed) = self.is_changed.get_mut(index)
            && !*is_changed
        {
            *is_changed = true;
            self.changed.push(index);
        }
    }

    /// Takes the devices that have changed to their places.
    pub(super) fn refresh(&mut self, rooms: &[Room]) {
        let few = self.changed.len() <= FEW;
        for index in &self.changed {
            let new = rooms.get(*index).and_then(|room| candidate(&self.policy, *index, room));
            let Some(known) = self.known.get_mut(*index) else { continue };
            let old = core::mem::replace(known, new);
            if few {
                if let Some(place) = old.and_then(|old| self.candidates.binary_search(&old).ok()) {
                    self.candidates.remove(place);
                }
                if let Some(new) = new
                    && let Err(place) = self.candidates.binary_search(&new)
                {
                    self.candidates.insert(place, new);
                }
            }
        }
        if !few {
            // Room only shrinks: none comes to the list that was not in it.
            self.candidates.retain_mut(|candidate| match self.known.get(candidate.2.0) {
                Some(Some(new)) => {
                    *candidate = *new;
                    true
                }
                _ => false,
            });
            // Those that changed and those that did not are in order already: a merge.
            self.candidates.sort();
        }
        for index in self.changed.drain(..) {
            if let Some(is_changed) = self.is_changed.get_mut(index) {
                *is_changed = false;
            }
        }
    }

    /// How many devices there are.
    pub(super) fn count(&self) -> usize {
        self.candidates.len()
    }

    /// Them, in the order in which the kernel takes them: each piece, and the device's index.
    pub(super) fn first(&self) -> impl Iterator<Item = (u64, usize)> {
        self.candidates.iter().rev().map(|(piece, _, index)| (*piece, index.0))
    }
}

/// Those with the longest piece first, then those with the most room, then those with the lowest number.
fn candidate(policy: &Policy, index: usize, room: &Room) -> Option<Candidate> {
    let piece = room.piece(policy.wanted);
    (piece >= policy.least).then(|| (piece, room.free(), Reverse(index)))
}
