//! What is discarded: all that the strategy promises, in whole granules, and nothing else.

use super::slot::Slot;
use super::spans::Spans;
use super::{at, coverage};
use crate::audit::{Code, Findings};
use crate::plan::{DeviceKind, DiscardStrategy, Plan};

/// What two strategies come to on a device, before edges are cut to granules.
pub(super) struct Discards {
    pub(super) exact: Spans,
    pub(super) bridged: Spans,
}

pub(super) fn check(plan: &Plan, slot: &Slot<'_>, findings: &mut Findings) -> Discards {
    let device = slot.device;
    // Rows with parity are free as a whole or not at all.
    let exact = slot.anywhere.without(&slot.kept).without(&slot.rows);
    let bridged = slot.anywhere.hulls(&exact);
    let planned = Spans::listed(&device.discard);
    let limits = device.found.discard;
    if device.found.kind == DeviceKind::Block && limits.is_none() {
        if let Some((start, end)) = planned.first() {
            let length = end.saturating_sub(start);
            findings.add(Code::DiscardUnsupported, at(slot, start), "no discard on a device that has none", length);
        }
        return Discards { exact, bridged };
    }
    let whole = |spans: &Spans| {
        let granules = limits.map(|limits| spans.whole(limits.granularity, limits.alignment));
        granules.as_ref().unwrap_or(spans).whole(slot.sector, 0)
    };
    let granules = whole(&planned);
    if let Some((start, end)) = planned.without(&granules).first() {
        let length = end.saturating_sub(start);
        findings.add(Code::DiscardGranularity, at(slot, start), "whole granules of the device", length);
    }
    let expected = match plan.filesystem.discard {
        DiscardStrategy::None => Spans::default(),
        DiscardStrategy::Exact => whole(&exact),
        DiscardStrategy::Bridge => whole(&bridged),
    };
    coverage::compare(slot, (Code::DiscardMissing, Code::DiscardNeedless), &expected, &planned, findings);
    Discards { exact, bridged }
}
