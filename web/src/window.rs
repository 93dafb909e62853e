//! A part of a device's map, in as many cells as there is room for.

use btrfs_planner::Plan;
use btrfs_planner::request::ZoneState;
use btrfs_planner::units::Logical;
use btrfs_planner::view::{DeviceDetail, Fate, Holder, NotThere, Span, fit};
use serde::Serialize;
use std::collections::BTreeMap;

/// Edges of zones that a window is cut at; past so many they would be finer than anything that can be drawn.
const ZONE_EDGES: usize = 4096;

/// A part of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Window {
    /// The device.
    pub devid: u64,
    /// Bytes.
    pub length: u64,
    /// What is in it, ascending, without a gap.
    pub pieces: Vec<Piece>,
    /// First byte.
    pub start: u64,
    /// Bytes of the whole device.
    pub whole: u64,
    /// Bytes of a zone, where the device has zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone_size: Option<u64>,
}

/// Something to draw: a span, or neighbours that share a place because there is no room for each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Piece {
    /// How many cells wide.
    pub cells: u32,
    /// Logical addresses of the chunks in it.
    pub chunks: Vec<u64>,
    /// What happens to it.
    pub fate: Fate,
    /// Who holds it.
    pub holder: Holder,
    /// Bytes.
    pub length: u64,
    /// First byte.
    pub start: u64,
    /// Which stripe of its chunk it is, from 0, where it is in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stripe: Option<u64>,
    /// The state of its zones as found, where they are alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<ZoneState>,
}

impl Window {
    /// The bytes from `start` of a device, drawn in `cells`; what is not on the device is left out.
    pub fn of(plan: &Plan, devid: u64, start: u64, length: u64, cells: u32) -> Result<Self, NotThere> {
        let detail = DeviceDetail::of(plan, devid)?;
        let whole = detail.overview.map.iter().fold(0, |sum: u64, span| sum.saturating_add(span.length));
        let start = start.min(whole);
        let end = start.saturating_add(length).min(whole);
        let zones = detail.overview.found.zones.as_ref();
        // Where a piece ends for another reason than another holder or fate: an extent of another chunk, another zone.
        let mut edges: Vec<u64> = detail.extents.iter().map(|extent| extent.start).collect();
        if let Some(zones) = zones {
            edges.extend(zones.placed().map_while(Result::ok).take(ZONE_EDGES).map(|run| run.start));
        }
        edges.sort_unstable();
        let spans = cut(&detail.overview.map, start, end, &edges);
        let states: BTreeMap<u64, ZoneState> = zones
            .map(|zones| zones.placed().map_while(Result::ok).map(|run| (run.start, run.run.state)).collect())
            .unwrap_or_default();
        let cells = usize::try_from(cells).unwrap_or(usize::MAX).clamp(1, 4096);
        let pieces = fit(&spans, cells).into_iter().filter(|(span, _)| span.length > 0).map(|(span, cells)| {
            let end = span.start.saturating_add(span.length);
            let first =
                detail.extents.partition_point(|extent| extent.start.saturating_add(extent.length) <= span.start);
            let inside = detail.extents.iter().skip(first).take_while(|extent| extent.start < end);
            let extents: Vec<(Logical, u64)> = inside.map(|extent| (extent.chunk, extent.stripe)).take(64).collect();
            let mut runs = states.range(..end).rev();
            let last = runs.next();
            let zone = last.filter(|(at, _)| **at <= span.start).map(|(_, state)| *state);
            Piece {
                cells: u32::try_from(cells).unwrap_or(u32::MAX),
                chunks: extents.iter().map(|(chunk, _)| chunk.get()).collect(),
                fate: span.fate,
                holder: span.holder,
                length: span.length,
                start: span.start,
                stripe: if let [(_, stripe)] = extents.as_slice() { Some(*stripe) } else { None },
                zone,
            }
        });
        let zone_size = zones.map(|zones| zones.size);
        let pieces = pieces.collect();
        Ok(Self { devid, length: end.saturating_sub(start), pieces, start, whole, zone_size })
    }
}

/// The spans between two bytes, cut at `edges` as well, which ascend.
fn cut(spans: &[Span], start: u64, end: u64, edges: &[u64]) -> Vec<Span> {
    let mut pieces = Vec::new();
    for span in spans {
        let to = span.start.saturating_add(span.length).min(end);
        let mut from = span.start.max(start);
        if from >= to {
            continue;
        }
        let first = edges.partition_point(|edge| *edge <= from);
        for edge in edges.iter().skip(first).copied().take_while(|edge| *edge < to).chain([to]) {
            if edge > from {
                pieces.push(Span { start: from, length: edge.saturating_sub(from), ..*span });
                from = edge;
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::Request;
    use btrfs_planner::request::{DeviceFacts, Profile, Zones};

    #[test]
    fn windows_cover_what_they_show_and_name_chunks() {
        let mut request = Request::new(vec![DeviceFacts::described(10 << 30); 3], "w", 1);
        request.metadata = Some(Profile::Raid1c3);
        let plan = btrfs_planner::plan(&request).unwrap();
        for (start, length, cells) in
            [(0, 10 << 30, 100), (1 << 20, 64 << 20, 40), (5 << 30, u64::MAX, 7), (0, 65536, 3)]
        {
            let window = Window::of(&plan, 2, start, length, cells).unwrap();
            let mut at = start;
            for piece in &window.pieces {
                assert_eq!(piece.start, at);
                at += piece.length;
            }
            assert_eq!(at, start + window.length);
            assert_eq!(window.pieces.iter().map(|piece| piece.cells).sum::<u32>(), cells);
        }
        let window = Window::of(&plan, 1, 0, 10 << 30, 200).unwrap();
        let metadata = window.pieces.iter().find(|piece| piece.holder == Holder::Metadata).unwrap();
        assert_eq!((metadata.chunks.len(), metadata.stripe.is_some()), (1, true));
        assert!(Window::of(&plan, 4, 0, 1, 1).is_err());
    }

    #[test]
    fn zones_have_edges() {
        let mut request = Request::new(vec![DeviceFacts::described(16 << 30)], "w", 1);
        request.devices[0].zones = Some(Zones::described(16 << 30, 256 << 20, None, 4));
        let plan = btrfs_planner::plan(&request).unwrap();
        let window = Window::of(&plan, 1, 0, 16 << 30, 200).unwrap();
        assert!(window.pieces.iter().any(|piece| piece.zone == Some(ZoneState::Conventional)));
        assert!(window.pieces.iter().any(|piece| piece.start == 1 << 30 && piece.zone == Some(ZoneState::Empty)));
    }
}
