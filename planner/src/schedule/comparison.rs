//! The discard requests of every device, three ways: for people who want to see what planning saves.

use super::zones::ZoneSteps;
use super::{ByteRange, Ranges, Ways, discard, limit, written};
use crate::layout::Layout;
use crate::request::{Request, RequestError, Settings};
use crate::trees::{Contents, Forest};
use crate::units::SizeOverflow;
use alloc::vec::Vec;
use serde::Serialize;

/// The discard requests of one device, before they are cut to granules, in the order in which they would go out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DiscardRequests {
    /// Merged, and gaps that are written anyway bridged.
    pub bridged: Vec<ByteRange>,
    /// For each free range of each block group on each of its stripes, then for each unallocated range.
    pub hole_by_hole: Vec<ByteRange>,
    /// The same ranges, queued, merged and ascending.
    pub merged: Vec<ByteRange>,
}

/// The discard requests of all devices of an empty filesystem, by devid from 1.
///
/// # Errors
///
/// As [`plan()`](crate::plan()).
pub fn discard_requests(request: &Request) -> Result<Vec<DiscardRequests>, RequestError> {
    let settings = Settings::resolve(request)?;
    let mut layout = Layout::new(&settings)?;
    let forest = Forest::plant(&settings, &mut layout, &Contents::default())?;
    let schedule = super::Schedule::new(&settings, &layout, &forest)?;
    let limits: Vec<u64> = settings.devices.iter().map(|device| limit(&settings, device)).collect();
    let free = discard::free(&layout, &forest, &limits)?;
    let devices = settings.devices.iter().zip(free).zip(&schedule.devices);
    let requests = devices.map(|((device, free), steps)| -> Result<DiscardRequests, SizeOverflow> {
        let kept = written(&schedule.payloads, &steps.writes)?.union(&written(&schedule.payloads, &steps.commit)?);
        let end = limit(&settings, device);
        let anywhere = ZoneSteps::new(device, end)?.conventional.unwrap_or_else(|| Ranges::one(0, end));
        let ways = Ways::new(free, &kept, &anywhere)?;
        let listed = |ranges: &Ranges| ranges.iter().collect();
        Ok(DiscardRequests {
            bridged: listed(&ways.bridged),
            hole_by_hole: ways.hole_by_hole,
            merged: listed(&ways.exact),
        })
    });
    Ok(requests.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{DeviceFacts, Profile};
    use std::vec;

    #[test]
    fn the_lists_are_as_long_as_the_plan_counts() {
        for (profile, count) in [(Profile::Dup, 1), (Profile::Raid1, 3), (Profile::Raid10, 4), (Profile::Raid6, 5)] {
            let mut request = Request::new(vec![DeviceFacts::described(20 << 30); count], "ways", 1);
            request.metadata = Some(profile);
            let counts = crate::plan(&request).unwrap().statistics.discard;
            let devices = discard_requests(&request).unwrap();
            let sum = |which: fn(&DiscardRequests) -> usize| devices.iter().map(which).sum::<usize>() as u64;
            assert_eq!(devices.len(), count);
            assert_eq!(sum(|device| device.bridged.len()), counts.bridged);
            assert_eq!(sum(|device| device.merged.len()), counts.merged);
            assert_eq!(sum(|device| device.hole_by_hole.len()), counts.hole_by_hole);
        }
    }
}
