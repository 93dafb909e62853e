//! Sorted items, their data in one piece of memory.

use crate::disk::key::Key;
use crate::units::wide;
use alloc::vec::Vec;

/// Items of one tree, by ascending key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Items {
    keys: Vec<Key>,
    /// Where each item's data ends in `data`; it starts where the one before ends.
    ends: Vec<usize>,
    data: Vec<u8>,
}

impl Items {
    /// No items.
    #[must_use]
    pub const fn new() -> Self {
        Self { keys: Vec::new(), ends: Vec::new(), data: Vec::new() }
    }

    /// Adds an item whose data is `parts` one after another. Keys must ascend; [`Items::sorted`] tells.
    pub fn push(&mut self, key: Key, parts: &[&[u8]]) {
        self.keys.push(key);
        for part in parts {
            self.data.extend_from_slice(part);
        }
        self.ends.push(self.data.len());
    }

    /// Adds all of `other`, whose keys must be above those here.
    pub fn append(&mut self, other: &Self) {
        let shift = self.data.len();
        self.keys.extend_from_slice(&other.keys);
        self.data.extend_from_slice(&other.data);
        self.ends.extend(other.ends.iter().map(|end| end.saturating_add(shift)));
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether every key is above the one before it.
    #[must_use]
    pub fn sorted(&self) -> bool {
        self.keys.is_sorted_by(|left, right| left < right)
    }

    /// Keys and data, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &[u8])> {
        let starts = core::iter::once(0).chain(self.ends.iter().copied());
        let data = starts.zip(&self.ends).map(|(start, end)| self.data.get(start..*end).unwrap_or_default());
        self.keys.iter().copied().zip(data)
    }

    /// Bytes of data of each item, in order.
    pub fn sizes(&self) -> impl ExactSizeIterator<Item = u64> {
        let mut start = 0;
        self.ends.iter().map(move |end| wide(end.saturating_sub(core::mem::replace(&mut start, *end))))
    }

    /// The key of the item with this number.
    #[must_use]
    pub fn key(&self, index: usize) -> Option<Key> {
        self.keys.get(index).copied()
    }
}
