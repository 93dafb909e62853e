//! Exactly the bytes that the filesystem needs are written: every copy of every block, parity beside it, and no more.

use super::at;
use super::slot::Slot;
use super::spans::Spans;
use super::striping::{Needs, Places, Striping};
use crate::audit::{Code, Findings, Place};
use crate::plan::Plan;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

/// The largest node that the format knows.
const LARGEST_NODE: u64 = 65536;

/// Where the blocks that a plan lists belong.
pub(super) struct Blocks<'a> {
    pub(super) needs: Needs,
    /// What the chunks take.
    pub(super) extents: Places,
    /// What blocks leave free of them, stripe by stripe.
    pub(super) holes: Places,
    chunks: Vec<Striping<'a>>,
    node_size: u64,
}

impl<'a> Blocks<'a> {
    /// Maps every block of a plan; nothing where sizes make no sense.
    pub(super) fn new(plan: &'a Plan, findings: &mut Findings) -> Option<Self> {
        let node_size = u64::from(plan.filesystem.node_size);
        if node_size == 0 || node_size > LARGEST_NODE {
            findings.add(Code::ScheduleNodeSize, Place::filesystem(), format!("at most {LARGEST_NODE}"), node_size);
            return None;
        }
        let (needs, extents, holes) = (Needs::default(), Places::new(), Places::new());
        let mut blocks = Self { needs, extents, holes, chunks: Vec::new(), node_size };
        let mut logicals: Vec<u64> = plan.blocks.iter().map(|block| block.logical.get()).collect();
        let ascends = logicals.iter().zip(logicals.iter().skip(1)).find(|(left, right)| left >= right);
        if let Some((left, right)) = ascends {
            findings.add(Code::BlockOrder, Place::logical(*right), format!("a block above {left}"), right);
            logicals.sort_unstable();
        }
        for (left, right) in plan.chunks.iter().zip(plan.chunks.iter().skip(1)) {
            if left.logical >= right.logical {
                let expected = format!("a chunk above {}", left.logical);
                findings.add(Code::ChunkOrder, Place::logical(right.logical.get()), expected, right.logical);
            }
        }
        let mut mapped = 0_usize;
        for chunk in &plan.chunks {
            let (start, end) = (chunk.logical.get(), chunk.logical.get().saturating_add(chunk.length));
            let Some(striping) = Striping::new(chunk) else {
                let expected = format!("stripes and a length that {} can have", chunk.profile);
                findings.add(Code::ChunkStripes, Place::logical(start), expected, chunk.stripes.len());
                continue;
            };
            let first = logicals.partition_point(|logical| *logical < start);
            let inside = |logical: &&u64| logical.saturating_add(node_size) <= end;
            let inside = logicals.iter().skip(first).take_while(inside);
            let span = |logical: &u64| {
                let at = logical.saturating_sub(start);
                (at, at.saturating_add(node_size))
            };
            let spans: Vec<(u64, u64)> = inside.map(span).collect();
            mapped = mapped.saturating_add(spans.len());
            striping.needs(&spans, &mut blocks.needs);
            striping.extents(&mut blocks.extents);
            for (start, end) in Spans::one(0, chunk.length).without(&Spans::of(spans)).iter() {
                striping.holes(start, end, &mut blocks.holes);
            }
            blocks.chunks.push(striping);
        }
        findings.equal(Code::BlockUnmapped, Place::filesystem(), logicals.len(), mapped);
        Some(blocks)
    }
}

/// Whether a device's writes are what its blocks need.
pub(super) fn check(slot: &Slot<'_>, findings: &mut Findings) {
    compare(slot, (Code::WriteMissing, Code::WriteNeedless), &slot.needed, &slot.written, findings);
    if let Some((start, end)) = slot.needed.within(&slot.committed).first() {
        let found = end.saturating_sub(start);
        findings.add(Code::WriteSuperblock, at(slot, start), "no block where a superblock stands", found);
    }
}

/// Adds a finding for what is missing of a set of bytes, and one for what is there beyond it.
pub(super) fn compare(
    slot: &Slot<'_>,
    (missing, needless): (Code, Code),
    expected: &Spans,
    found: &Spans,
    findings: &mut Findings,
) {
    for (code, more, less) in [(missing, expected, found), (needless, found, expected)] {
        let difference = more.without(less);
        if let Some((start, end)) = difference.first() {
            let (bytes, count) = (difference.bytes(), difference.count());
            let text = format!("{bytes} in {count} ranges, the first from {start} to {end}");
            let (expected, found) =
                if code == missing { (text.as_str(), "nothing") } else { ("nothing", text.as_str()) };
            findings.add(code, at(slot, start), expected, found);
        }
    }
}

/// Whether a reader who goes by `blocks` sees the bytes that are written, and whether every payload has a use.
pub(super) fn check_payloads(plan: &Plan, blocks: &Blocks<'_>, findings: &mut Findings) {
    let mut used: BTreeSet<u32> = BTreeSet::new();
    let mut at_place: BTreeMap<(u64, u64), u32> = BTreeMap::new();
    for device in &plan.devices {
        used.extend(device.writes.iter().chain(&device.commit).map(|write| write.payload));
        for write in &device.writes {
            at_place.insert((device.devid.get(), write.offset.get()), write.payload);
        }
    }
    if let Some(payload) = (0_u32..).zip(&plan.payloads).map(|(index, _)| index).find(|index| !used.contains(index)) {
        findings.add(
            Code::PayloadUnused,
            Place::filesystem(),
            "a write of every payload",
            format!("payload {payload} unused"),
        );
    }
    let payload = |index: u32| usize::try_from(index).ok().and_then(|index| plan.payloads.get(index));
    for block in &plan.blocks {
        let logical = block.logical.get();
        // Chunks ascend; where they do not, somebody else has found it.
        let behind = blocks.chunks.partition_point(|striping| striping.chunk.logical.get() <= logical);
        let Some(striping) = behind.checked_sub(1).and_then(|index| blocks.chunks.get(index)) else { continue };
        let start = logical.saturating_sub(striping.chunk.logical.get());
        for piece in striping.copies(start, start.saturating_add(blocks.node_size)) {
            let written = at_place.get(&(piece.devid, piece.offset)).copied();
            let same = written == Some(block.payload)
                || written.is_some_and(|written| payload(written) == payload(block.payload));
            if !same {
                let expected = format!("payload {}", block.payload);
                let found = written.map_or_else(|| "none".to_string(), |written| format!("payload {written}"));
                findings.add(Code::BlockPayload, Place::offset(piece.devid, piece.offset), expected, found);
            }
        }
    }
}
