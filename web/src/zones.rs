//! Zones before and after.

use btrfs_planner::Plan;
use btrfs_planner::request::ZoneState;
use serde::Serialize;
use std::collections::BTreeMap;

/// Zones that are listed at most: each has a row of its own in a table.
const LISTED: usize = 512;

/// A zone in which something is, before or after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ZoneView {
    /// Its write pointer afterwards, in bytes from its start; none where it has no write pointer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    /// Its write pointer as found, where the report says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Its number on the device, from 0.
    pub index: u64,
    /// Whether it is reset.
    pub reset: bool,
    /// First byte.
    pub start: u64,
    /// Its state as found.
    pub state: ZoneState,
}

/// The zones of a device that are written, reset, or not empty as found.
pub(crate) fn zones(plan: &Plan, devid: u64) -> Vec<ZoneView> {
    let Some(device) = plan.devices.iter().find(|device| device.devid.get() == devid) else { return Vec::new() };
    let Some(report) = &device.found.zones else { return Vec::new() };
    let number = |offset: u64| offset.checked_div(report.size).unwrap_or(0);
    let mut written: BTreeMap<u64, u64> = BTreeMap::new();
    for write in device.writes.iter().chain(&device.commit) {
        let payload = usize::try_from(write.payload).ok().and_then(|index| plan.payloads.get(index));
        let end = write.offset.get().saturating_add(payload.map_or(0, |payload| payload.length));
        let zone = number(write.offset.get());
        let start = zone.saturating_mul(report.size);
        let pointer = written.entry(zone).or_default();
        *pointer = (*pointer).max(end.saturating_sub(start));
    }
    let mut views = Vec::new();
    for placed in report.placed().map_while(Result::ok) {
        let run = placed.run;
        let (first, behind) = (number(placed.start), number(placed.end));
        let dirty = run.state != ZoneState::Empty && run.state != ZoneState::Conventional;
        let all = if dirty { first..behind } else { first..first };
        let others = written.range(first..behind).map(|(zone, _)| *zone).filter(|_| !dirty);
        for index in all.chain(others).take(LISTED.saturating_sub(views.len())) {
            let start = index.saturating_mul(report.size);
            let resets = device.reset_zones.iter().chain(&device.wipe);
            let mut resets = resets.map(|range| range.start..range.end().unwrap_or(u64::MAX));
            let reset = run.state.needs_reset() && resets.any(|range| range.contains(&start));
            let before = run.write_pointer.or(match run.state {
                ZoneState::Empty => Some(0),
                ZoneState::Full => Some(run.capacity.unwrap_or(report.size)),
                _ => None,
            });
            let after = match run.state {
                ZoneState::Conventional | ZoneState::ReadOnly | ZoneState::Offline => None,
                _ => Some(written.get(&index).copied().unwrap_or(if reset { 0 } else { before.unwrap_or(0) })),
            };
            views.push(ZoneView { after, before, index, reset, start, state: run.state });
        }
    }
    views
}

#[cfg(test)]
mod tests {
    use super::*;
    use btrfs_planner::Request;
    use btrfs_planner::request::{DeviceFacts, ZoneRun, Zones};

    #[test]
    fn write_pointers_before_and_after() {
        let zone = 256 << 20;
        let mut request = Request::new(vec![DeviceFacts::described(16 << 30)], "z", 1);
        let mut zones_found = Zones::described(16 << 30, zone, None, 0);
        zones_found.runs = vec![
            ZoneRun::new(60, ZoneState::Empty),
            ZoneRun { write_pointer: Some(4096), ..ZoneRun::new(1, ZoneState::Open) },
            ZoneRun::new(3, ZoneState::Full),
        ];
        request.devices[0].zones = Some(zones_found);
        let plan = btrfs_planner::plan(&request).unwrap();
        let views = zones(&plan, 1);
        let open = views.iter().find(|view| view.index == 60).unwrap();
        assert_eq!((open.before, open.after, open.reset), (Some(4096), Some(0), true));
        assert_eq!(views.iter().filter(|view| view.state == ZoneState::Full && view.before == Some(zone)).count(), 3);
        // The superblock's log zone holds one superblock afterwards.
        assert_eq!((views[0].index, views[0].after), (0, Some(4096)));
        assert!(zones(&plan, 2).is_empty());
    }
}
