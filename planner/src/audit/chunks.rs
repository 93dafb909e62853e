//! Chunk items: in the superblock's array, which leads to the chunk tree, and in the chunk tree, which has them all.

use super::geometry::{Chunk, Chunks, KINDS, Stripe, shape};
use super::superblock::{Filesystem, MIXED_GROUPS, RAID_STRIPE_TREE, REMAP_TREE, ZONED};
use super::{Code, Findings, Place, Scope};
use crate::disk::block_group::BlockGroupFlags;
use crate::disk::chunk::{ChunkItem, FIRST_CHUNK_TREE, STRIPE_LENGTH, StripeItem};
use crate::disk::key::{DiskKey, ItemType, Key};
use crate::disk::root::TreeId;
use crate::units::{in_memory, wide};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use zerocopy::FromBytes;

/// The chunks of the superblock's array.
pub(super) fn of_superblock(filesystem: &Filesystem, scope: Scope, findings: &mut Findings) -> Chunks {
    let block = &filesystem.superblock;
    let size = in_memory(u64::from(block.sys_chunk_array_size.get())).unwrap_or(0);
    let (mut rest, unused) = block.sys_chunk_array.split_at_checked(size).unwrap_or((&[], &[]));
    let mut chunks = Chunks::default();
    while !rest.is_empty() {
        let Ok((key, behind)) = DiskKey::read_from_prefix(rest) else {
            findings.add(Code::SystemChunkArray, Place::filesystem(), "a key", format!("{} bytes", rest.len()));
            break;
        };
        let key = Key::from(key);
        let place = Place::filesystem().key(key);
        let stripes = ChunkItem::read_from_prefix(behind).map_or(0, |(item, _)| usize::from(item.num_stripes.get()));
        let length = stripes.saturating_mul(size_of::<StripeItem>()).saturating_add(size_of::<ChunkItem>());
        let Some((item, behind)) = behind.split_at_checked(length) else {
            findings.add(Code::SystemChunkArray, place, "a chunk item", format!("{} bytes", behind.len()));
            break;
        };
        if let Some(chunk) = parse(filesystem, scope, findings, place, key, item) {
            if !chunk.flags.contains(BlockGroupFlags::SYSTEM) {
                findings.add(Code::SystemChunkArray, place, "a system chunk", format!("{:#x}", chunk.flags.bits()));
            }
            add(&mut chunks, findings, place, chunk);
        }
        rest = behind;
    }
    if scope == Scope::New && unused.iter().any(|byte| *byte != 0) {
        findings.add(Code::SystemChunkArray, Place::filesystem(), "zeros behind the array", "something else");
    }
    chunks
}

/// Adds a chunk that must not overlap the others.
pub(super) fn add(chunks: &mut Chunks, findings: &mut Findings, place: Place, chunk: Chunk) {
    if let Some(other) = chunks.overlapping(chunk.logical, chunk.end()) {
        let expected = format!("no other chunk from {} to {}", chunk.logical, chunk.end());
        findings.add(Code::ChunksOverlap, place, expected, format!("one from {} to {}", other.logical, other.end()));
    } else {
        chunks.0.insert(chunk.logical, chunk);
    }
}

/// Whether a chunk was moved: what its addresses mean now, only the remap tree says.
pub(super) fn moved(filesystem: &Filesystem, scope: Scope, item: &[u8]) -> bool {
    let flags = ChunkItem::read_from_prefix(item).map(|(head, _)| BlockGroupFlags::from(head.chunk_type.get()));
    let moved = flags.is_ok_and(|flags| flags.contains(BlockGroupFlags::REMAPPED));
    moved && scope == Scope::Grown && filesystem.incompat(REMAP_TREE)
}

/// A chunk by its item; `None` where nothing can be mapped by it.
pub(super) fn parse(
    filesystem: &Filesystem,
    scope: Scope,
    findings: &mut Findings,
    place: Place,
    key: Key,
    item: &[u8],
) -> Option<Chunk> {
    let sector = u64::from(filesystem.sector_size);
    let mut bad = |code, expected: &dyn core::fmt::Display, found: &dyn core::fmt::Display| {
        findings.add(code, place, expected, found);
    };
    if key.item_type != ItemType::CHUNK_ITEM || key.objectid != FIRST_CHUNK_TREE {
        bad(Code::ChunkItem, &"a key (256 228 logical)", &"another");
        return None;
    }
    let Ok((head, stripes)) = ChunkItem::read_from_prefix(item) else {
        bad(Code::ChunkItem, &"48 bytes and stripes", &format_args!("{} bytes", item.len()));
        return None;
    };
    let count = u64::from(head.num_stripes.get());
    if wide(stripes.len()) != count.saturating_mul(wide(size_of::<StripeItem>())) {
        bad(Code::ChunkItem, &format_args!("{count} stripes"), &format_args!("{} bytes of them", stripes.len()));
        return None;
    }
    let flags = BlockGroupFlags::from(head.chunk_type.get());
    let Some(shape) = shape(flags) else {
        bad(Code::ChunkFlags, &"one known profile", &format_args!("{:#x}", flags.bits()));
        return None;
    };
    let mixed = BlockGroupFlags::DATA.with(BlockGroupFlags::METADATA).bits();
    let kind = flags.bits() & KINDS.bits();
    let remap = flags.contains(BlockGroupFlags::METADATA_REMAP);
    if kind.count_ones() != 1 && !(kind == mixed && filesystem.incompat(MIXED_GROUPS))
        || remap && !filesystem.incompat(REMAP_TREE)
    {
        bad(Code::ChunkFlags, &"data, metadata or system", &format_args!("{:#x}", flags.bits()));
    }
    let appended = filesystem.incompat(ZONED) && flags.contains(BlockGroupFlags::DATA) && shape.name != "single";
    let unordered = filesystem.incompat(ZONED) && shape.parity > 0;
    if unordered || appended && !filesystem.incompat(RAID_STRIPE_TREE) {
        bad(Code::ChunkFlags, &"a profile that zones can have", &shape.name);
    }
    if !(shape.fewest..=shape.most).contains(&count) || count.checked_rem(shape.copies) != Some(0) && shape.striped {
        bad(Code::ChunkStripes, &format_args!("as many stripes as {} has", shape.name), &count);
        return None;
    }
    let sub_stripes = head.sub_stripes.get();
    let (fewest, most) = match (shape.name, scope) {
        ("raid10", _) => (2, 2),
        (_, Scope::New) => (1, 1),
        // mkfs.btrfs makes its first chunk with none.
        (_, Scope::Grown) => (0, 1),
    };
    if !(fewest..=most).contains(&sub_stripes) {
        bad(Code::ChunkItem, &format_args!("the sub-stripes of {}", shape.name), &sub_stripes);
    }
    let align = head.io_align.get();
    for (expected, found) in [
        (STRIPE_LENGTH, head.stripe_len.get()),
        (TreeId::Extent.objectid(), head.owner.get()),
        (sector, u64::from(head.sector_size.get())),
        (if scope == Scope::Grown && u64::from(align) == sector { sector } else { STRIPE_LENGTH }, u64::from(align)),
        (u64::from(align), u64::from(head.io_width.get())),
    ] {
        if expected != found {
            bad(Code::ChunkItem, &expected, &found);
        }
    }
    let (logical, length) = (key.offset, head.length.get());
    let aligned = |value: u64| value.checked_rem(sector) == Some(0);
    if !aligned(logical) || !aligned(length) || length == 0 || logical.checked_add(length).is_none() {
        bad(Code::ChunkRange, &"whole sectors within 64 bits", &format_args!("{length} bytes at {logical}"));
        return None;
    }
    let stripes = stripes.chunks_exact(size_of::<StripeItem>()).filter_map(|bytes| {
        let item = StripeItem::read_from_bytes(bytes).ok()?;
        Some(Stripe { devid: item.devid.get(), offset: item.offset.get(), uuid: item.dev_uuid })
    });
    let chunk = Chunk { logical, length, flags, stripes: stripes.collect(), item: item.to_vec() };
    if length.checked_rem(chunk.columns()) != Some(0) || !aligned(chunk.stripe_length()) {
        bad(Code::ChunkRange, &format_args!("a length for {} columns", chunk.columns()), &length);
        return None;
    }
    if chunk.stripes.iter().any(|stripe| stripe.offset.checked_add(chunk.stripe_length()).is_none()) {
        bad(Code::ChunkRange, &"stripes within 64 bits", &"an offset beyond");
        return None;
    }
    stripes_fit(filesystem, findings, place, &chunk);
    Some(chunk)
}

/// Whether the stripes are on devices that there are, and apart where the profile promises that.
fn stripes_fit(filesystem: &Filesystem, findings: &mut Findings, place: Place, chunk: &Chunk) {
    let sector = u64::from(filesystem.sector_size);
    for stripe in &chunk.stripes {
        if stripe.offset.checked_rem(sector) != Some(0) {
            findings.add(Code::ChunkStripes, place, "stripes at whole sectors", stripe.offset);
        }
        let Some(disk) = filesystem.disks.get(&stripe.devid) else {
            findings.add(Code::ChunkDevice, place, "a device that is there", format!("device {}", stripe.devid));
            continue;
        };
        if disk.superblock.dev_item.uuid != stripe.uuid {
            let (expected, found) = (hex::encode(disk.superblock.dev_item.uuid), hex::encode(stripe.uuid));
            findings.add(Code::ChunkDevice, place, format!("device {} as {expected}", stripe.devid), found);
        }
        let end = stripe.offset.saturating_add(chunk.stripe_length());
        if end > disk.superblock.dev_item.total_bytes.get() {
            let expected = format!("an end within device {}", stripe.devid);
            findings.add(Code::ChunkStripes, place, expected, end);
        }
    }
    let mut devids: Vec<u64> = chunk.stripes.iter().map(|stripe| stripe.devid).collect();
    devids.sort_unstable();
    let count = devids.len();
    devids.dedup();
    let one = chunk.shape().name == "dup";
    if chunk.shape().apart && devids.len() != count || one && devids.len() != 1 {
        let expected = if one { "both stripes on one device" } else { "every stripe on a device of its own" };
        findings.add(Code::ChunkDevice, place, expected, format!("{} devices", devids.len()));
    }
}

/// Compares the array with the chunk tree.
pub(super) fn compare(findings: &mut Findings, array: &Chunks, tree: &Chunks) {
    for (logical, chunk) in &array.0 {
        match tree.0.get(logical) {
            Some(other) if other.item == chunk.item => {}
            Some(_) => {
                findings.add(Code::SystemChunkArray, Place::logical(*logical), "the chunk tree's item", "another")
            }
            None => findings.add(Code::SystemChunkArray, Place::logical(*logical), "a chunk of the chunk tree", "none"),
        }
    }
    for (logical, chunk) in &tree.0 {
        if chunk.flags.contains(BlockGroupFlags::SYSTEM) && !array.0.contains_key(logical) {
            let found = "none in the superblock".to_string();
            findings.add(Code::SystemChunkArray, Place::logical(*logical), "every system chunk", found);
        }
    }
}
