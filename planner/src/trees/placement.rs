//! Addresses for tree blocks, and what they leave free.

use crate::disk::root::TreeId;
use crate::layout::{Chunk, ChunkKind, Layout};
use crate::request::{RequestError, Settings};
use crate::units::{Checked, Logical, SizeOverflow, round_up};
use alloc::collections::BTreeMap;
use alloc::vec::Vec;

/// Where every tree block stands.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// Addresses of each tree's blocks, leaves first, level by level.
    pub trees: BTreeMap<TreeId, Vec<Logical>>,
    /// Every chunk's space, ascending.
    pub groups: Vec<BlockGroupSpace>,
}

/// What a block group has in use and free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockGroupSpace {
    /// Logical address of its chunk.
    pub logical: Logical,
    /// Bytes of tree blocks.
    pub used: u64,
    /// Free ranges, ascending and apart, as start and length.
    pub free: Vec<(Logical, u64)>,
}

/// Places blocks packed from the start of their chunks, so that the blocks of one chunk are one write; only superblock
/// copies interrupt them. `levels` names the blocks of each tree by level; chunks are added where those there are full.
pub(super) fn place(
    settings: &Settings,
    layout: &mut Layout,
    levels: &BTreeMap<TreeId, Vec<usize>>,
) -> Result<Placement, RequestError> {
    let main = if settings.mixed() { ChunkKind::Mixed } else { ChunkKind::Metadata };
    let home = |tree: TreeId| match tree {
        TreeId::Chunk => ChunkKind::System,
        TreeId::Remap => ChunkKind::Remap,
        _ => main,
    };
    let mut placement = Placement::default();
    let mut of_kind: Vec<(ChunkKind, Vec<Logical>)> = Vec::new();
    for kind in [ChunkKind::System, ChunkKind::Remap, main] {
        let trees = || levels.iter().filter(|(tree, _)| home(**tree) == kind);
        let sum = |sizes: &[usize]| sizes.iter().fold(0_usize, |sum, count| sum.saturating_add(*count));
        let total = trees().fold(0_usize, |total, (_, sizes)| total.saturating_add(sum(sizes)));
        let places = slots(settings, layout, kind, total)?;
        let mut free = places.iter().copied();
        for (tree, sizes) in trees() {
            placement.trees.insert(*tree, free.by_ref().take(sum(sizes)).collect());
        }
        of_kind.push((kind, places));
    }
    for chunk in layout.chunks() {
        let slots = of_kind.iter().find(|(kind, _)| *kind == chunk.kind).map_or(&[][..], |(_, places)| places);
        placement.groups.push(space(chunk, slots, u64::from(settings.node_size))?);
    }
    Ok(placement)
}

/// The first `count` places for blocks in chunks of a kind, ascending.
fn slots(
    settings: &Settings,
    layout: &mut Layout,
    kind: ChunkKind,
    count: usize,
) -> Result<Vec<Logical>, RequestError> {
    let mut slots = Vec::with_capacity(count);
    let mut next_chunk = 0;
    let mut new = false;
    while slots.len() < count {
        let Some(chunk) = layout.chunks().iter().filter(|chunk| chunk.kind == kind).nth(next_chunk) else {
            layout.allocate(kind, settings.metadata)?;
            new = true;
            continue;
        };
        let usable = layout.usable_length(chunk)?;
        let before = slots.len();
        fill(chunk, usable, u64::from(settings.node_size), count, &mut slots)?;
        if new && slots.len() == before {
            // Nor would the next one: chunks would be added for ever.
            let (kind, profile, node_size) = (kind.name(), chunk.profile, settings.node_size);
            return Err(RequestError::NoRoomInChunk { kind, profile, usable, node_size });
        }
        next_chunk = next_chunk.saturating_add(1);
    }
    Ok(slots)
}

/// Adds the places in the first `usable` bytes of a chunk until there are `count`.
fn fill(
    chunk: &Chunk,
    usable: u64,
    node_size: u64,
    count: usize,
    slots: &mut Vec<Logical>,
) -> Result<(), SizeOverflow> {
    let end = chunk.logical.plus(usable)?;
    let mut reserved = chunk.reserved()?.into_iter().peekable();
    let mut place = chunk.logical;
    while slots.len() < count {
        let after = place.plus(node_size)?;
        if after > end {
            break;
        }
        match reserved.peek().copied() {
            Some((start, length)) if start.plus(length)? <= place => {
                reserved.next();
            }
            Some((start, length)) if start < after => {
                // Block sizes divide 64 KiB and so do chunk starts, hence block places stay aligned behind it.
                let behind = start.plus(length)?.distance_from(chunk.logical)?;
                place = chunk.logical.plus(round_up(behind, node_size)?)?;
            }
            _ => {
                slots.push(place);
                place = after;
            }
        }
    }
    Ok(())
}

/// What blocks at `slots`, ascending, leave free in a chunk.
fn space(chunk: &Chunk, slots: &[Logical], node_size: u64) -> Result<BlockGroupSpace, SizeOverflow> {
    let end = chunk.logical.plus(chunk.length)?;
    let first = slots.partition_point(|slot| *slot < chunk.logical);
    let behind = slots.partition_point(|slot| *slot < end);
    let mut group = BlockGroupSpace { logical: chunk.logical, used: 0, free: Vec::new() };
    let mut free = chunk.logical;
    for slot in slots.get(first..behind).unwrap_or_default() {
        if *slot > free {
            group.free.push((free, slot.distance_from(free)?));
        }
        free = slot.plus(node_size)?;
        group.used = group.used.plus(node_size)?;
    }
    if end > free {
        group.free.push((free, end.distance_from(free)?));
    }
    Ok(group)
}
