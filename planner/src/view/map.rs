//! A device as a map: who holds each part of it afterwards, and what happens to it on the way.

use super::overview::written;
use crate::disk::superblock::LOG_OFFSETS;
use crate::layout::{ChunkKind, Geometry};
use crate::plan::{ByteRange, Device, Plan};
use crate::units::{MIB, round_down, wide};
use alloc::vec::Vec;
use serde::Serialize;

/// Who holds a part of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    /// Beyond what the filesystem uses.
    Outside,
    /// Nobody: chunks to come.
    Unallocated,
    /// No chunk may: the first MiB, or zones that hold superblocks.
    Reserved,
    /// A data chunk.
    Data,
    /// A chunk of data and metadata.
    Mixed,
    /// A metadata chunk.
    Metadata,
    /// A system chunk.
    System,
    /// A superblock.
    Superblock,
}

impl Holder {
    /// All of them, those that matter least first.
    pub const ALL: [Self; 8] = [
        Self::Outside,
        Self::Unallocated,
        Self::Reserved,
        Self::Data,
        Self::Mixed,
        Self::Metadata,
        Self::System,
        Self::Superblock,
    ];

    /// The name in legends.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Outside => "not used",
            Self::Unallocated => "unallocated",
            Self::Reserved => "reserved",
            Self::Data => "data",
            Self::Mixed => "data+metadata",
            Self::Metadata => "metadata",
            Self::System => "system",
            Self::Superblock => "superblock",
        }
    }

    fn index(self) -> usize {
        Self::ALL.iter().position(|other| *other == self).unwrap_or(0)
    }
}

/// What happens to a part of a device: the last that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// Nothing: what is there stays.
    Kept,
    /// It is discarded: what is there is lost, and what it reads as afterwards is the device's affair.
    Discarded,
    /// Its zones are reset: what is there is lost.
    Reset,
    /// It reads as zeros.
    Zeroed,
    /// It is written.
    Written,
}

impl Fate {
    /// All of them; a later one covers those before it.
    pub const ALL: [Self; 5] = [Self::Kept, Self::Discarded, Self::Reset, Self::Zeroed, Self::Written];

    /// The name in legends.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Discarded => "discarded",
            Self::Reset => "reset",
            Self::Zeroed => "zeroed",
            Self::Written => "written",
        }
    }

    fn index(self) -> usize {
        Self::ALL.iter().position(|other| *other == self).unwrap_or(0)
    }
}

/// A part of a device that has one holder and one fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// What happens to it.
    pub fate: Fate,
    /// Who holds it.
    pub holder: Holder,
    /// Bytes.
    pub length: u64,
    /// First byte.
    pub start: u64,
}

/// What covers a part of a device.
#[derive(Clone, Copy)]
enum Cover {
    Holder(Holder),
    Fate(Fate),
}

/// All of a device as spans, ascending, without a gap; neighbours differ. O(n log n).
pub(super) fn spans(plan: &Plan, device: &Device) -> Vec<Span> {
    let whole = device.found.size.max(device.size);
    let mut events: Vec<(u64, bool, Cover)> = Vec::new();
    let mut cover = |start: u64, length: u64, what: Cover| {
        let end = start.saturating_add(length).min(whole);
        if start < end {
            events.push((start, true, what));
            events.push((end, false, what));
        }
    };
    cover(0, device.size, Cover::Holder(Holder::Unallocated));
    match device.found.zones.as_ref().filter(|_| plan.filesystem.features.iter().any(|name| name == "zoned")) {
        Some(zones) => {
            for log in LOG_OFFSETS {
                let length = zones.size.saturating_mul(2).min(device.size.saturating_sub(log));
                cover(round_down(log, zones.size), length, Cover::Holder(Holder::Reserved));
            }
        }
        None => cover(0, MIB.min(device.size), Cover::Holder(Holder::Reserved)),
    }
    for chunk in &plan.chunks {
        let length = Geometry::new(chunk).stripe_length();
        let holder = match chunk.kind {
            ChunkKind::Data => Holder::Data,
            ChunkKind::Mixed => Holder::Mixed,
            ChunkKind::Metadata | ChunkKind::Remap => Holder::Metadata,
            ChunkKind::System => Holder::System,
        };
        for stripe in chunk.stripes.iter().filter(|stripe| stripe.devid == device.devid) {
            cover(stripe.offset.get(), length, Cover::Holder(holder));
        }
    }
    let mut fate = |ranges: &mut dyn Iterator<Item = ByteRange>, fate: Fate| {
        ranges.for_each(|range| cover(range.start, range.length, Cover::Fate(fate)));
    };
    fate(&mut device.discard.iter().copied(), Fate::Discarded);
    fate(&mut device.reset_zones.iter().copied(), Fate::Reset);
    fate(&mut device.wipe.iter().chain(&device.zero).copied(), Fate::Zeroed);
    fate(&mut written(plan, &device.writes), Fate::Written);
    fate(&mut written(plan, &device.commit), Fate::Written);
    for range in written(plan, &device.commit) {
        cover(range.start, range.length, Cover::Holder(Holder::Superblock));
    }
    sweep(events, whole)
}

/// Goes over the edges of everything that covers something.
fn sweep(mut events: Vec<(u64, bool, Cover)>, whole: u64) -> Vec<Span> {
    events.sort_unstable_by_key(|(at, ..)| *at);
    let mut spans: Vec<Span> = Vec::new();
    let mut holders = [0_u32; Holder::ALL.len()];
    let mut fates = [0_u32; Fate::ALL.len()];
    let mut at = 0;
    let end = (whole, false, Cover::Fate(Fate::Kept));
    for (edge, opens, cover) in events.into_iter().chain([end]) {
        if edge > at {
            let top = |counts: &[u32]| counts.iter().rposition(|count| *count > 0).unwrap_or(0);
            let holder = Holder::ALL.get(top(&holders)).copied().unwrap_or(Holder::Outside);
            let fate = Fate::ALL.get(top(&fates)).copied().unwrap_or(Fate::Kept);
            push(&mut spans, Span { fate, holder, length: edge.saturating_sub(at), start: at });
            at = edge;
        }
        let count = match cover {
            Cover::Holder(holder) => holders.get_mut(holder.index()),
            Cover::Fate(fate) => fates.get_mut(fate.index()),
        };
        if let Some(count) = count {
            *count = if opens { count.saturating_add(1) } else { count.saturating_sub(1) };
        }
    }
    spans
}

fn push(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if last.holder == span.holder && last.fate == span.fate => {
            last.length = last.length.saturating_add(span.length);
        }
        _ => spans.push(span),
    }
}

/// A map drawn in `cells`: spans and how many cells each gets, in order; together exactly `cells`.
///
/// Every span gets at least one cell, the rest goes by length: small things beside huge ones stay visible, and are wider
/// than to scale. Where there are more spans than half the cells, the smallest neighbours share one, and what matters
/// most among them is shown.
#[must_use]
pub fn fit(spans: &[Span], cells: usize) -> Vec<(Span, usize)> {
    let mut spans = spans.to_vec();
    let most = (cells / 2).max(1);
    while spans.len() > most {
        spans = joined(&spans, spans.len().saturating_sub(most));
    }
    let whole = spans.iter().fold(0_u128, |sum, span| sum.saturating_add(u128::from(span.length))).max(1);
    let spare = cells.saturating_sub(spans.len());
    let share = |span: &Span| {
        let share = u128::from(span.length).saturating_mul(u128::from(wide(spare))).checked_div(whole).unwrap_or(0);
        usize::try_from(share).unwrap_or(0).saturating_add(1)
    };
    let mut fitted: Vec<(Span, usize)> = spans.iter().map(|span| (*span, share(span))).collect();
    let taken = fitted.iter().fold(0_usize, |sum, (_, cells)| sum.saturating_add(*cells));
    if let Some((_, largest)) = fitted.iter_mut().max_by_key(|(span, _)| span.length) {
        *largest = largest.saturating_add(cells).saturating_sub(taken);
    }
    fitted
}

/// Joins neighbours: the `surplus` smallest spans, each with one beside it that is as small if there is one.
fn joined(spans: &[Span], surplus: usize) -> Vec<Span> {
    let mut lengths: Vec<u64> = spans.iter().map(|span| span.length).collect();
    let (_, limit, _) = lengths.select_nth_unstable(surplus.min(spans.len().saturating_sub(1)));
    let limit = *limit;
    let mut result: Vec<Span> = Vec::with_capacity(spans.len());
    let mut left = surplus;
    let mut open = false;
    for span in spans {
        match result.last_mut() {
            Some(last) if open && left > 0 && span.length <= limit && last.length <= limit => {
                join(last, span);
                left = left.saturating_sub(1);
                open = false;
            }
            _ => {
                result.push(*span);
                open = true;
            }
        }
    }
    if result.len() == spans.len() {
        // Small ones only beside large ones: every second joins the one before it.
        let pairs = spans.chunks(2).filter_map(|pair| {
            let mut pair = pair.iter();
            let mut first = *pair.next()?;
            pair.for_each(|span| join(&mut first, span));
            Some(first)
        });
        return pairs.collect();
    }
    result
}

fn join(span: &mut Span, other: &Span) {
    span.length = span.length.saturating_add(other.length);
    span.holder = span.holder.max(other.holder);
    span.fate = span.fate.max(other.fate);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{DeviceFacts, Profile, Request};
    use proptest::prelude::*;
    use std::vec;

    #[test]
    fn a_map_covers_its_device_and_shows_what_is_small() {
        for (count, size) in [(1, 10 << 30), (4, 1 << 44), (2, 1 << 55)] {
            let mut request = Request::new(vec![DeviceFacts::described(size); count], "map", 1);
            request.metadata = Some(if count == 4 { Profile::Raid6 } else { Profile::Dup });
            let plan = crate::plan(&request).unwrap();
            for device in &plan.devices {
                let spans = spans(&plan, device);
                let mut at = 0;
                for span in &spans {
                    assert_eq!(span.start, at);
                    at += span.length;
                }
                assert_eq!(at, device.found.size);
                for cells in [20, 60, 200] {
                    let fitted = fit(&spans, cells);
                    assert_eq!(fitted.iter().map(|(_, cells)| cells).sum::<usize>(), cells);
                    let shown = |holder| fitted.iter().any(|(span, _)| span.holder == holder);
                    assert!(shown(Holder::Superblock), "{size}: {fitted:?}");
                    assert!(fitted.iter().any(|(span, _)| span.fate == Fate::Written));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_spans_fit(lengths in prop::collection::vec(1_u64..1 << 40, 1..300), cells in 2_usize..200) {
            let mut start = 0;
            let spans: Vec<Span> = lengths.iter().enumerate().map(|(number, length)| {
                let holder = Holder::ALL[number % 8];
                let span = Span { fate: Fate::ALL[number % 5], holder, length: *length, start };
                start += length;
                span
            }).collect();
            let fitted = fit(&spans, cells);
            prop_assert_eq!(fitted.iter().map(|(_, cells)| cells).sum::<usize>(), cells);
            prop_assert!(fitted.iter().all(|(_, cells)| *cells > 0));
            prop_assert_eq!(fitted.iter().map(|(span, _)| span.length).sum::<u64>(), start);
            // Those that matter most are shown in any case.
            if lengths.len() > 7 {
                prop_assert!(fitted.iter().any(|(span, _)| span.holder == Holder::Superblock));
            }
        }
    }
}
