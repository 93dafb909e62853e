//! Sets of bytes of a device, as the audit counts them: none of the planner's own arithmetic.

use crate::plan::ByteRange;
use rangemap::RangeSet;

/// Bytes as spans from a start to an end: ascending, not touching, none empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spans(RangeSet<u64>);

impl Spans {
    /// The bytes from `start` up to `end`.
    pub(super) fn one(start: u64, end: u64) -> Self {
        Self::of([(start, end)])
    }

    /// The bytes of spans in any order, which may overlap. Those that end before they start have none.
    pub(super) fn of(spans: impl IntoIterator<Item = (u64, u64)>) -> Self {
        Self(spans.into_iter().filter(|(start, end)| start < end).map(|(start, end)| start..end).collect())
    }

    /// The bytes of a list of a plan.
    pub(super) fn listed(ranges: &[ByteRange]) -> Self {
        Self::of(ranges.iter().map(|range| (range.start, range.start.saturating_add(range.length))))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.0.iter().map(|span| (span.start, span.end))
    }

    /// How many spans there are.
    pub(super) fn count(&self) -> u64 {
        u64::try_from(self.0.len()).unwrap_or(u64::MAX)
    }

    /// How many bytes there are.
    pub(super) fn bytes(&self) -> u64 {
        self.iter().fold(0, |sum, (start, end)| end.saturating_sub(start).saturating_add(sum))
    }

    /// The first span.
    pub(super) fn first(&self) -> Option<(u64, u64)> {
        self.0.first().map(|span| (span.start, span.end))
    }

    /// The bytes that are in either.
    pub(super) fn with(&self, other: &Self) -> Self {
        Self(self.0.union(&other.0).collect())
    }

    /// The bytes that are in both.
    pub(super) fn within(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).collect())
    }

    /// The bytes that are here and not in `other`.
    pub(super) fn without(&self, other: &Self) -> Self {
        let mut left = self.0.clone();
        other.0.iter().for_each(|span| left.remove(span.clone()));
        Self(left)
    }

    /// From the first to the last byte of `inner` that each span holds.
    pub(super) fn hulls(&self, inner: &Self) -> Self {
        let mut hulls = RangeSet::new();
        let shared = self.within(inner);
        let mut shared = shared.iter().peekable();
        for (_, end) in self.iter() {
            let mut hull: Option<(u64, u64)> = None;
            while let Some((from, to)) = shared.next_if(|(from, _)| *from < end) {
                hull = Some((hull.map_or(from, |(first, _)| first), to));
            }
            hulls.extend(hull.map(|(first, last)| first..last));
        }
        Self(hulls)
    }

    /// The first byte from `start` to `end` that is here.
    pub(super) fn first_within(&self, start: u64, end: u64) -> Option<u64> {
        let first = if start < end { self.0.overlapping(start..end).next() } else { None };
        first.map(|span| start.max(span.start))
    }

    /// How many pieces of the bytes from `start` to `end` are not here.
    pub(super) fn pieces_beside(&self, start: u64, end: u64) -> u64 {
        let pieces = if start < end { self.0.gaps(&(start..end)).count() } else { 0 };
        u64::try_from(pieces).unwrap_or(u64::MAX)
    }

    /// What is left when each span shrinks to whole units, the first of which starts at `first`.
    pub(super) fn whole(&self, unit: u64, first: u64) -> Self {
        let unit = unit.max(1);
        let inside = |(start, end): (u64, u64)| {
            let start = start.saturating_sub(first).checked_next_multiple_of(unit)?.checked_add(first)?;
            let end = end.checked_sub(first)?;
            let end = end.checked_sub(end.checked_rem(unit)?)?.checked_add(first)?;
            Some((start, end))
        };
        Self::of(self.iter().filter_map(inside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::vec::Vec;

    fn spans() -> impl Strategy<Value = Vec<(u64, u64)>> {
        prop::collection::vec((0..60u64, 0..60u64), 0..10)
    }

    fn model(spans: &Spans) -> BTreeSet<u64> {
        let all: Vec<(u64, u64)> = spans.iter().collect();
        assert!(all.windows(2).all(|pair| pair[0].1 < pair[1].0), "ascending, not touching: {all:?}");
        all.into_iter().flat_map(|(start, end)| start..end).collect()
    }

    proptest! {
        #[test]
        fn spans_are_sets_of_bytes(left in spans(), right in spans(), unit in 1..7u64, first in 0..7u64) {
            let bytes = |spans: &[(u64, u64)]| spans.iter().flat_map(|(start, end)| *start..*end).collect::<BTreeSet<u64>>();
            let (left_bytes, right_bytes) = (bytes(&left), bytes(&right));
            let (left, right) = (Spans::of(left), Spans::of(right));
            prop_assert_eq!(&model(&left), &left_bytes);
            prop_assert_eq!(model(&left.with(&right)), &left_bytes | &right_bytes);
            prop_assert_eq!(model(&left.within(&right)), &left_bytes & &right_bytes);
            prop_assert_eq!(model(&left.without(&right)), &left_bytes - &right_bytes);
            prop_assert_eq!(left.bytes(), left_bytes.len() as u64);
            let hulls = left.iter().flat_map(|(start, end)| {
                let inner: Vec<u64> = (start..end).filter(|byte| right_bytes.contains(byte)).collect();
                inner.first().zip(inner.last()).map_or(0..0, |(first, last)| *first..*last + 1)
            });
            prop_assert_eq!(model(&left.hulls(&right)), hulls.collect::<BTreeSet<u64>>());
            for (start, end) in right.iter() {
                let shared = Spans::one(start, end).within(&left).first();
                prop_assert_eq!(left.first_within(start, end), shared.map(|(byte, _)| byte));
                prop_assert_eq!(left.pieces_beside(start, end), Spans::one(start, end).without(&left).count());
            }
            let units = (0..60).map(|index| first + index * unit).map(|start| start..start + unit);
            let whole = units.filter(|bytes| bytes.clone().all(|byte| left_bytes.contains(&byte))).flatten();
            prop_assert_eq!(model(&left.whole(unit, first)), whole.collect::<BTreeSet<u64>>());
        }
    }

    #[test]
    fn lists_of_a_plan_may_say_anything() {
        let beyond = [ByteRange { start: u64::MAX - 1, length: 9 }, ByteRange { start: 5, length: 0 }];
        assert_eq!(Spans::listed(&beyond).iter().collect::<Vec<_>>(), [(u64::MAX - 1, u64::MAX)]);
    }
}
