//! Byte ranges of a device, and what is done with sets of them.

use crate::units::{Checked, SizeOverflow, round_down, round_up};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A range of bytes on a device; in documents `[start, length]`. Never empty in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct ByteRange {
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub length: u64,
}

impl ByteRange {
    /// The byte behind the range, if it has an address.
    #[must_use]
    pub const fn end(self) -> Option<u64> {
        self.start.checked_add(self.length)
    }
}

impl From<(u64, u64)> for ByteRange {
    fn from((start, length): (u64, u64)) -> Self {
        Self { start, length }
    }
}

impl From<ByteRange> for (u64, u64) {
    fn from(range: ByteRange) -> Self {
        (range.start, range.length)
    }
}

/// A set of bytes as ranges: ascending, merged where they touch, none empty, every end an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges {
    /// Start and end.
    ranges: Vec<(u64, u64)>,
}

impl Ranges {
    /// The bytes from `start` up to `end`; none if there are none.
    #[must_use]
    pub fn one(start: u64, end: u64) -> Self {
        Self { ranges: if start < end { Vec::from([(start, end)]) } else { Vec::new() } }
    }

    /// The bytes of any ranges, in any order, overlapping or not. O(n log n).
    pub fn from_unordered(ranges: Vec<ByteRange>) -> Result<Self, SizeOverflow> {
        let mut bounds = Vec::with_capacity(ranges.len());
        for range in ranges {
            bounds.push((range.start, range.end().ok_or(SizeOverflow)?));
        }
        bounds.sort_unstable();
        Ok(Self::merged(bounds))
    }

    /// Merges bounds that ascend by start.
    fn merged(bounds: impl IntoIterator<Item = (u64, u64)>) -> Self {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (start, end) in bounds {
            match ranges.last_mut() {
                Some((_, last)) if *last >= start => *last = (*last).max(end),
                _ if start < end => ranges.push((start, end)),
                _ => {}
            }
        }
        Self { ranges }
    }

    /// The ranges, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = ByteRange> {
        self.ranges.iter().map(|(start, end)| ByteRange { start: *start, length: end.saturating_sub(*start) })
    }

    /// How many ranges there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether there is no byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> Result<u64, SizeOverflow> {
        self.iter().try_fold(0_u64, |sum, range| sum.plus(range.length))
    }

    /// The bytes that are in either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut left = self.ranges.iter().copied().peekable();
        let mut right = other.ranges.iter().copied().peekable();
        Self::merged(core::iter::from_fn(|| match (left.peek(), right.peek()) {
            (Some(from_left), Some(from_right)) if from_left > from_right => right.next(),
            (None, _) => right.next(),
            _ => left.next(),
        }))
    }

    /// The bytes that are here and not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        let mut cuts = other.ranges.iter().copied().peekable();
        for &(mut start, end) in &self.ranges {
            while let Some((cut_start, cut_end)) = cuts.peek().copied()
                && cut_start < end
            {
                if start < cut_start {
                    ranges.push((start, cut_start));
                }
                start = start.max(cut_end.min(end));
                if cut_end > end {
                    break;
                }
                cuts.next();
            }
            if start < end {
                ranges.push((start, end));
            }
        }
        Self { ranges }
    }

    /// The bytes that are in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.difference(&self.difference(other))
    }

    /// What remains of each range between the first and the last byte that it shares with `other`.
    #[must_use]
    pub fn shrunk_around(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        let mut inner = other.ranges.iter().copied().peekable();
        for &(start, end) in &self.ranges {
            let mut hull: Option<(u64, u64)> = None;
            while let Some((first, last)) = inner.peek().copied()
                && first < end
            {
                if last > start {
                    let (from, to) = (first.max(start), last.min(end));
                    hull = Some(hull.map_or((from, to), |(hull_start, _)| (hull_start, to)));
                }
                if last > end {
                    break;
                }
                inner.next();
            }
            ranges.extend(hull);
        }
        Self { ranges }
    }

    /// What remains of each range when its ends move inward to whole granules, the first of which starts at `offset`.
    pub fn shrunk_to(&self, granule: u64, offset: u64) -> Result<Self, SizeOverflow> {
        let mut ranges = Vec::with_capacity(self.ranges.len());
        for (start, end) in &self.ranges {
            let start = round_up(start.saturating_sub(offset), granule)?.plus(offset)?;
            let Ok(end) = end.minus(offset) else { continue };
            let end = round_down(end, granule).plus(offset)?;
            if start < end {
                ranges.push((start, end));
            }
        }
        Ok(Self { ranges })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const SPACE: u64 = 64;

    fn ranges() -> impl Strategy<Value = Vec<ByteRange>> {
        let range =
            (0..SPACE, 0..12u64).prop_map(|(start, length)| ByteRange { start, length: length.min(SPACE - start) });
        prop::collection::vec(range, 0..12)
    }

    /// The model: a set of single bytes.
    fn model(ranges: &[ByteRange]) -> BTreeSet<u64> {
        ranges.iter().flat_map(|range| range.start..range.start + range.length).collect()
    }

    fn bytes(ranges: &Ranges) -> BTreeSet<u64> {
        let all: Vec<ByteRange> = ranges.iter().collect();
        assert!(all.windows(2).all(|pair| pair[0].end().unwrap() < pair[1].start), "apart: {all:?}");
        assert!(all.iter().all(|range| range.length > 0), "not empty: {all:?}");
        model(&all)
    }

    proptest! {
        #[test]
        fn sets_behave_like_sets_of_bytes(left in ranges(), right in ranges()) {
            let (left_model, right_model) = (model(&left), model(&right));
            let (left, right) = (Ranges::from_unordered(left).unwrap(), Ranges::from_unordered(right).unwrap());
            prop_assert_eq!(&bytes(&left), &left_model);
            prop_assert_eq!(bytes(&left.union(&right)), &left_model | &right_model);
            prop_assert_eq!(bytes(&left.difference(&right)), &left_model - &right_model);
            prop_assert_eq!(bytes(&left.intersection(&right)), &left_model & &right_model);
            prop_assert_eq!(left.bytes().unwrap(), left_model.len() as u64);
            let around = left.iter().flat_map(|range| {
                let shared: Vec<u64> = (range.start..range.start + range.length).filter(|byte| right_model.contains(byte)).collect();
                shared.first().map_or(0..0, |first| *first..shared[shared.len() - 1] + 1)
            });
            prop_assert_eq!(bytes(&left.shrunk_around(&right)), around.collect::<BTreeSet<u64>>());
        }

        #[test]
        fn shrinking_keeps_just_the_whole_granules(set in ranges(), granule in 1..9u64, offset in 0..9u64) {
            let all = model(&set);
            let shrunk = Ranges::from_unordered(set).unwrap().shrunk_to(granule, offset).unwrap();
            let whole = (0..SPACE).map(|index| offset + index * granule);
            let kept = whole.map(|start| start..start + granule).filter(|range| range.clone().all(|byte| all.contains(&byte)));
            prop_assert_eq!(model(&shrunk.iter().collect::<Vec<_>>()), kept.flatten().collect::<BTreeSet<u64>>());
        }
    }

    #[test]
    fn an_end_without_an_address_is_refused() {
        let beyond = ByteRange { start: u64::MAX, length: 2 };
        assert_eq!(Ranges::from_unordered(Vec::from([beyond])), Err(SizeOverflow));
    }
}
