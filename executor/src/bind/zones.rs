//! Whether the zones of a device are those that were planned, in a state that the plan can begin with.

use btrfs_planner::plan::{ByteRange, Device as Slot};
use btrfs_planner::request::{DeviceKind, ZoneModel, ZoneRun, ZoneState, Zones};
use std::fmt;

/// In what the zones of a device are not as planned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ZoneDifference {
    /// There are some, and none were planned for; or the other way round.
    Presence {
        /// Whether the device has zones.
        found: bool,
    },
    /// Zones that are written otherwise.
    Model,
    /// Zones of another size.
    Size {
        /// As planned, in bytes.
        planned: u64,
        /// As found.
        found: u64,
    },
    /// Fewer zones may be active or open at once.
    Limit {
        /// Of what.
        what: &'static str,
        /// As planned; 0 for no limit.
        planned: u32,
        /// As found.
        found: u32,
    },
    /// A zone that is of another kind, or holds more or less.
    Kind {
        /// Which one, from 0.
        zone: u64,
        /// As planned.
        planned: String,
        /// As found.
        found: String,
    },
    /// A zone that the plan takes for empty and does not reset.
    NotEmpty {
        /// Which one, from 0.
        zone: u64,
        /// Its first byte.
        start: u64,
    },
    /// A range to reset that holds a zone which cannot be.
    NoReset {
        /// Which one, from 0.
        zone: u64,
        /// What it is.
        state: ZoneState,
    },
    /// A range to reset that is not of whole zones.
    Unaligned {
        /// Its first byte.
        start: u64,
    },
}

impl fmt::Display for ZoneDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Presence { found: true } => f.write_str("it has zones, planned was for a device without"),
            Self::Presence { found: false } => f.write_str("it has no zones, planned was for a device with zones"),
            Self::Model => f.write_str("its zones are written in another way (host-managed or host-aware)"),
            Self::Size { planned, found } => write!(f, "its zones have {found} bytes instead of {planned}"),
            Self::Limit { what, planned: 0, found } => {
                write!(f, "only {found} of its zones may be {what} at once, planned was for no limit")
            }
            Self::Limit { what, planned, found } => {
                write!(f, "only {found} of its zones may be {what} at once instead of {planned}")
            }
            Self::Kind { zone, planned, found } => write!(f, "zone {zone} is {found}, planned was {planned}"),
            Self::NotEmpty { zone, start } => {
                write!(f, "zone {zone} at {start} was written since, and the plan does not reset it")
            }
            Self::NoReset { zone, state } => {
                write!(f, "zone {zone} is {}, and the plan resets a range with it", state.name())
            }
            Self::Unaligned { start } => write!(f, "the range to reset at {start} is not of whole zones"),
        }
    }
}

/// In what the zones that are `found` now are not those of the plan.
pub(super) fn difference(slot: &Slot, found: Option<&Zones>) -> Option<ZoneDifference> {
    // On an emulated one, zones are only a way of laying out.
    let planned = slot.found.zones.as_ref().filter(|zones| zones.model != ZoneModel::Emulated);
    let (planned, found) = match (planned, found) {
        (None, None) => return (!slot.reset_zones.is_empty()).then_some(ZoneDifference::Presence { found: false }),
        (Some(planned), Some(found)) => (planned, found),
        (_, found) => return Some(ZoneDifference::Presence { found: found.is_some() }),
    };
    if planned.size != found.size {
        return Some(ZoneDifference::Size { planned: planned.size, found: found.size });
    }
    let described = slot.found.kind == DeviceKind::Described;
    if planned.model != found.model && !described {
        return Some(ZoneDifference::Model);
    }
    for (what, planned, found) in
        [("active", planned.max_active, found.max_active), ("open", planned.max_open, found.max_open)]
    {
        let fewer = found != 0 && (planned == 0 || found < planned);
        // A description that says nothing of limits promises nothing.
        if fewer && !(described && planned == 0) {
            return Some(ZoneDifference::Limit { what, planned, found });
        }
    }
    pattern(planned, found).or_else(|| resets(slot, found)).or_else(|| not_empty(slot, found))
}

/// What of a zone does not change by use.
fn kind(run: &ZoneRun, size: u64) -> (u8, u64) {
    let capacity = run.capacity.unwrap_or(size);
    match run.state {
        ZoneState::Conventional => (0, size),
        ZoneState::ReadOnly => (1, capacity),
        ZoneState::Offline => (2, capacity),
        ZoneState::Empty | ZoneState::Open | ZoneState::Closed | ZoneState::Full => (3, capacity),
    }
}

fn words((kind, capacity): (u8, u64)) -> String {
    match kind {
        0 => "conventional".to_string(),
        1 => "read-only".to_string(),
        2 => "offline".to_string(),
        _ => format!("sequential with a capacity of {capacity} bytes"),
    }
}

/// The first zone that is not of the planned kind.
fn pattern(planned: &Zones, found: &Zones) -> Option<ZoneDifference> {
    let size = planned.size;
    let runs = |zones: &Zones| {
        let kinds = zones.runs.iter().map(move |run| (run.count, kind(run, size)));
        kinds.collect::<Vec<_>>().into_iter()
    };
    let (mut left, mut right) = (runs(planned), runs(found));
    let (mut from_left, mut from_right) = (left.next(), right.next());
    let mut zone = 0_u64;
    // One that ends first is that of a description, which leaves out a shorter last zone. Sizes were compared before.
    while let (Some((left_count, planned)), Some((right_count, found))) = (from_left, from_right) {
        if planned != found {
            return Some(ZoneDifference::Kind { zone, planned: words(planned), found: words(found) });
        }
        let both = left_count.min(right_count);
        zone = zone.saturating_add(both);
        from_left = if left_count > both { Some((left_count - both, planned)) } else { left.next() };
        from_right = if right_count > both { Some((right_count - both, found)) } else { right.next() };
    }
    None
}

/// Zones with their places: number of the first, first byte, byte behind the last, state.
fn placed(zones: &Zones) -> impl Iterator<Item = (u64, u64, u64, ZoneState)> {
    let mut zone = 0_u64;
    zones.runs.iter().map(move |run| {
        let first = zone;
        zone = zone.saturating_add(run.count);
        (first, first.saturating_mul(zones.size), zone.saturating_mul(zones.size), run.state)
    })
}

/// Whether every range to reset is one that can be: of whole zones, all of them sequential; or the whole device.
fn resets(slot: &Slot, found: &Zones) -> Option<ZoneDifference> {
    for range in &slot.reset_zones {
        if !is_whole(slot, range, found.size) {
            return Some(ZoneDifference::Unaligned { start: range.start });
        }
    }
    let all = |range: &&ByteRange| range.start == 0 && range.length == slot.found.size;
    if slot.reset_zones.iter().any(|range| all(&range)) {
        return None;
    }
    let mut ranges = slot.reset_zones.iter().peekable();
    for (first, start, end, state) in placed(found) {
        while ranges.peek().is_some_and(|range| range.end().is_none_or(|behind| behind <= start)) {
            ranges.next();
        }
        let Some(range) = ranges.peek().filter(|range| range.start < end) else { continue };
        if state == ZoneState::Conventional || !state.usable() {
            let zone = first.max(range.start.checked_div(found.size).unwrap_or(first));
            return Some(ZoneDifference::NoReset { zone, state });
        }
    }
    None
}

/// Whether a range to reset begins with a zone, and ends with one or with the device.
pub(crate) fn is_whole(slot: &Slot, range: &ByteRange, zone_size: u64) -> bool {
    let end = range.end();
    let ends = |end: u64| end.is_multiple_of(zone_size) || end == slot.found.size;
    range.start.is_multiple_of(zone_size) && end.is_some_and(ends)
}

/// The first zone with something in it that nobody planned to reset: it was written since.
///
/// Not only those that the plan writes: the others are parts of a filesystem that takes them for empty.
fn not_empty(slot: &Slot, found: &Zones) -> Option<ZoneDifference> {
    if found.model == ZoneModel::HostAware && slot.reset_zones.is_empty() {
        // Planned like any disk.
        return None;
    }
    let mut ranges = slot.reset_zones.iter().peekable();
    for (_, start, end, state) in placed(found) {
        let end = end.min(slot.limit);
        if start >= end || !state.needs_reset() {
            continue;
        }
        let mut at = start;
        while at < end {
            while ranges.peek().is_some_and(|range| range.end().is_none_or(|behind| behind <= at)) {
                ranges.next();
            }
            match ranges.peek() {
                Some(range) if range.start <= at => at = range.end().unwrap_or(end),
                _ => {
                    let zone = at.checked_div(found.size).unwrap_or(0);
                    return Some(ZoneDifference::NotEmpty { zone, start: at });
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::request::{DeviceFacts, Request};

    const ZONE: u64 = 64 << 20;

    /// A plan for 32 zones, in this state when they were looked at.
    fn slot(zones: &Zones) -> Slot {
        let facts =
            DeviceFacts { kind: DeviceKind::Block, zones: Some(zones.clone()), ..DeviceFacts::described(32 * ZONE) };
        let plan = btrfs_planner::plan(&Request::new(vec![facts], "a test", 0)).unwrap();
        plan.devices.into_iter().next().unwrap()
    }

    fn zones(runs: &[(u64, ZoneState)]) -> Zones {
        let runs = runs.iter().map(|(count, state)| ZoneRun::new(*count, *state)).collect();
        Zones { runs, ..Zones::described(32 * ZONE, ZONE, None, 0) }
    }

    use ZoneState::{Conventional, Empty, Full, Offline};

    #[test]
    fn the_planned_zones_will_do_in_a_state_that_the_plan_can_begin_with() {
        let planned = zones(&[(4, Conventional), (10, Full), (18, Empty)]);
        let of = |found: &Zones| difference(&slot(&planned), Some(found));
        assert_eq!(of(&planned), None);
        // Emptied since, or the planned ones written on: they are reset.
        assert_eq!(of(&zones(&[(4, Conventional), (28, Empty)])), None);
        let whole = slot(&planned).reset_zones;
        assert_eq!(whole, [ByteRange { start: 0, length: 32 * ZONE }], "one command");
        assert_eq!(of(&zones(&[(4, Conventional), (28, Full)])), None);

        let kind = |zone| move |difference: &ZoneDifference| matches!(difference, ZoneDifference::Kind { zone: at, .. } if *at == zone);
        assert!(of(&zones(&[(5, Conventional), (27, Empty)])).is_some_and(|difference| kind(4)(&difference)));
        assert!(of(&zones(&[(4, Conventional), (27, Empty), (1, Offline)])).is_some_and(|d| kind(31)(&d)));
        let smaller = ZoneRun { capacity: Some(ZONE / 2), ..ZoneRun::new(28, Empty) };
        let smaller = Zones { runs: vec![ZoneRun::new(4, Conventional), smaller], ..planned.clone() };
        assert!(of(&smaller).is_some_and(|difference| kind(4)(&difference)));
        assert_eq!(difference(&slot(&planned), None), Some(ZoneDifference::Presence { found: false }));
        let limited = Zones { max_active: 12, ..planned.clone() };
        assert_eq!(of(&limited), Some(ZoneDifference::Limit { what: "active", planned: 0, found: 12 }));
        let other = Zones { model: ZoneModel::HostAware, ..planned.clone() };
        assert_eq!(of(&other), Some(ZoneDifference::Model));
    }

    #[test]
    fn what_was_written_since_is_not_overwritten() {
        let empty = zones(&[(32, Empty)]);
        assert!(slot(&empty).reset_zones.is_empty());
        let written = zones(&[(7, Empty), (1, Full), (24, Empty)]);
        let not_empty = Some(ZoneDifference::NotEmpty { zone: 7, start: 7 * ZONE });
        assert_eq!(difference(&slot(&empty), Some(&written)), not_empty);
        assert_eq!(difference(&slot(&written), Some(&written)), None);
        let more = zones(&[(7, Empty), (2, Full), (23, Empty)]);
        assert_eq!(
            difference(&slot(&written), Some(&more)),
            Some(ZoneDifference::NotEmpty { zone: 8, start: 8 * ZONE })
        );
    }

    #[test]
    fn a_range_to_reset_holds_whole_sequential_zones() {
        let found = zones(&[(4, Conventional), (28, Full)]);
        let with = |start: u64, length: u64| {
            let mut slot = slot(&found);
            slot.reset_zones = vec![ByteRange { start, length }];
            difference(&slot, Some(&found))
        };
        assert_eq!(with(3 * ZONE, 29 * ZONE), Some(ZoneDifference::NoReset { zone: 3, state: Conventional }));
        assert_eq!(with(4 * ZONE, 28 * ZONE), None);
        assert_eq!(with(4 * ZONE, ZONE / 2), Some(ZoneDifference::Unaligned { start: 4 * ZONE }));
    }

    #[test]
    fn a_plan_for_an_ordinary_device_wants_one() {
        let facts = DeviceFacts { kind: DeviceKind::Block, ..DeviceFacts::described(1 << 30) };
        let plan = btrfs_planner::plan(&Request::new(vec![facts], "a test", 0)).unwrap();
        assert_eq!(difference(&plan.devices[0], None), None);
        let found = zones(&[(32, Empty)]);
        assert_eq!(difference(&plan.devices[0], Some(&found)), Some(ZoneDifference::Presence { found: true }));
    }
}
