//! What a plan says of its filesystem, against the filesystem that its writes make.

use super::geometry::Chunk;
use super::reader::Reader;
use super::superblock::ZONED;
use super::{Code, Place, TreeNumber, requires};
use crate::disk::block_group::BlockGroupFlags;
use crate::plan::{ChunkKind, Plan};
use crate::units::wide;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Features by name: the bit of `incompat_flags`, the bit of `compat_ro_flags`.
const FEATURES: [(&str, u64, u64); 14] = [
    ("mixed-backref", 1 << 0, 0),
    ("mixed-bg", 1 << 2, 0),
    ("extref", 1 << 6, 0),
    ("raid56", 1 << 7, 0),
    ("skinny-metadata", 1 << 8, 0),
    ("no-holes", 1 << 9, 0),
    ("free-space-tree", 0, 1 << 0 | 1 << 1),
    ("raid1c34", 1 << 11, 0),
    ("zoned", 1 << 12, 0),
    ("extent-tree-v2", 1 << 13, 0),
    ("block-group-tree", 0, 1 << 3),
    ("raid-stripe-tree", 1 << 14, 0),
    ("squota", 1 << 16, 0),
    ("remap-tree", 1 << 17, 0),
];
/// `incompat_flags`: nodes are larger than a page.
const BIG_METADATA: u64 = 1 << 5;

/// Compares the two.
pub(super) fn check(plan: &Plan, reader: &mut Reader<'_>, quota: bool) {
    blocks(plan, reader);
    chunks(plan, reader);
    devices(plan, reader);
    filesystem(plan, reader);
    features(plan, reader, quota);
    zones(plan, reader);
    requires::check(plan, reader, quota);
}

/// On zones every stripe is one, so they tell the zone size, as they tell it to kernels.
fn zones(plan: &Plan, reader: &mut Reader<'_>) {
    let said = plan.filesystem.zone_size;
    if said.is_some() != reader.filesystem.incompat(ZONED) {
        let expected = if said.is_some() { "no zone size" } else { "a zone size" };
        reader.findings.add(Code::IndexFilesystem, Place::filesystem(), expected, "the opposite");
    }
    let Some(said) = said else { return };
    for (logical, chunk) in &reader.chunks.0 {
        let (place, found) = (Place::logical(*logical), chunk.stripe_length());
        reader.findings.equal(Code::IndexFilesystem, place, found, said);
    }
}

/// Every block that was read is in the index, and nothing else.
fn blocks(plan: &Plan, reader: &mut Reader<'_>) {
    let mut left = reader.blocks.clone();
    for block in &plan.blocks {
        let place = Place::logical(block.logical.get());
        let Some(found) = left.remove(&block.logical.get()) else {
            if !reader.incomplete {
                reader.findings.add(Code::IndexBlock, place, "no block in the index", "one that no tree has");
            }
            continue;
        };
        let say = |tree: &dyn core::fmt::Display, level, items| format!("tree {tree}, level {level}, {items} items");
        let expected = say(&TreeNumber(found.tree), found.level, found.items);
        reader.findings.equal(Code::IndexBlock, place, expected, say(&block.tree, block.level, block.items));
        let payload = usize::try_from(block.payload).ok().and_then(|index| plan.payloads.get(index));
        let same = payload.and_then(|payload| payload.expand().ok()) == reader.first_good_copy(block.logical.get());
        if !same {
            reader.findings.add(Code::IndexBlock, place, "the payload that is written there", "another");
        }
    }
    for (logical, block) in left {
        reader.findings.add(Code::IndexBlock, Place::block(block.tree, logical), "a block of the index", "none");
    }
}

fn chunks(plan: &Plan, reader: &mut Reader<'_>) {
    let mut left = reader.chunks.0.clone();
    for chunk in &plan.chunks {
        let place = Place::logical(chunk.logical.get());
        let mut said = format!("{} {} {}:", chunk.kind, chunk.profile, chunk.length);
        for stripe in &chunk.stripes {
            said.push_str(&format!(" {}@{}", stripe.offset, stripe.devid));
        }
        let profiles = &plan.filesystem.profiles;
        for (profile, has) in [
            (profiles.data, matches!(chunk.kind, ChunkKind::Data | ChunkKind::Mixed)),
            (profiles.metadata, matches!(chunk.kind, ChunkKind::Metadata | ChunkKind::Mixed | ChunkKind::Remap)),
            (profiles.system, chunk.kind == ChunkKind::System),
        ] {
            if has {
                reader.findings.equal(Code::IndexFilesystem, place, chunk.profile.name(), profile.name());
            }
        }
        let found = left.remove(&chunk.logical.get()).map_or_else(|| "none".to_string(), |chunk| say(&chunk));
        reader.findings.equal(Code::IndexChunk, place, found, said);
    }
    for logical in left.into_keys() {
        reader.findings.add(Code::IndexChunk, Place::logical(logical), "a chunk in the plan", "none");
    }
}

fn say(chunk: &Chunk) -> String {
    let has = |flag| chunk.flags.contains(flag);
    let kind = match (has(BlockGroupFlags::SYSTEM), has(BlockGroupFlags::METADATA), has(BlockGroupFlags::DATA)) {
        (true, ..) => ChunkKind::System,
        (_, true, true) => ChunkKind::Mixed,
        (_, true, false) => ChunkKind::Metadata,
        _ if has(BlockGroupFlags::METADATA_REMAP) => ChunkKind::Remap,
        _ => ChunkKind::Data,
    };
    let mut text = format!("{kind} {} {}:", chunk.shape().name, chunk.length);
    for stripe in &chunk.stripes {
        text.push_str(&format!(" {}@{}", stripe.offset, stripe.devid));
    }
    text
}

fn devices(plan: &Plan, reader: &mut Reader<'_>) {
    for device in &plan.devices {
        let place = Place::device(device.devid.get());
        let Some(disk) = reader.filesystem.disks.get(&device.devid.get()) else {
            reader.findings.add(Code::IndexDevice, place, "no device in the plan", "one that has no superblock");
            continue;
        };
        let item = disk.superblock.dev_item;
        reader.findings.equal(Code::IndexDevice, place, item.total_bytes.get(), device.size);
        if item.uuid != device.uuid.into_bytes() {
            reader.findings.add(Code::IndexDevice, place, hex::encode(item.uuid), device.uuid);
        }
    }
    let (expected, found) = (wide(reader.filesystem.disks.len()), wide(plan.devices.len()));
    reader.findings.equal(Code::IndexDevice, Place::filesystem(), expected, found);
}

fn filesystem(plan: &Plan, reader: &mut Reader<'_>) {
    let (said, read) = (&plan.filesystem, reader.filesystem.superblock);
    let place = Place::filesystem();
    let findings = &mut reader.findings;
    if read.fsid != said.fsid.into_bytes() {
        findings.add(Code::IndexFilesystem, place, hex::encode(read.fsid), said.fsid);
    }
    let label = read.label.split(|byte| *byte == 0).next().unwrap_or_default();
    if label != said.label.as_bytes() {
        let expected = String::from_utf8_lossy(label).escape_debug().to_string();
        findings.add(Code::IndexFilesystem, place, expected, said.label.escape_debug());
    }
    for (name, expected, found) in [
        ("used bytes", read.bytes_used.get(), said.bytes_used),
        ("incompat flags", read.incompat_flags.get(), said.flags.incompat),
        ("compat_ro flags", read.compat_ro_flags.get(), said.flags.compat_ro),
        ("generation", read.generation.get(), said.generation.get()),
        ("node size", read.nodesize.get().into(), said.node_size.into()),
        ("sector size", read.sectorsize.get().into(), said.sector_size.into()),
        ("checksum", read.csum_type.get().into(), said.checksum.on_disk().into()),
        ("size", read.total_bytes.get(), said.total_size),
    ] {
        if expected != found {
            findings.add(Code::IndexFilesystem, place, format!("{name} {expected}"), found);
        }
    }
}

/// The names of the features, against the bits and trees that stand for them.
fn features(plan: &Plan, reader: &mut Reader<'_>, quota: bool) {
    let (said, read) = (&plan.filesystem, reader.filesystem.superblock);
    let (incompat, compat_ro) = (read.incompat_flags.get(), read.compat_ro_flags.get());
    let simple = incompat & 1 << 16 != 0;
    let mut expected: Vec<&str> = FEATURES
        .into_iter()
        .filter(|(_, bit, bit_ro)| incompat & bit == *bit && compat_ro & bit_ro == *bit_ro)
        .map(|(name, ..)| name)
        .chain((quota && !simple).then_some("quota"))
        .collect();
    let mut found: Vec<&str> = said.features.iter().map(String::as_str).collect();
    expected.sort_unstable();
    found.sort_unstable();
    let place = Place::filesystem();
    reader.findings.equal(Code::IndexFilesystem, place, expected.join(" "), found.join(" "));
    let big = said.node_size > said.page_size;
    if big != (incompat & BIG_METADATA != 0) {
        let expected = format!("the bit for nodes larger than a page of {}: {big}", said.page_size);
        reader.findings.add(Code::IndexFilesystem, place, expected, !big);
    }
}
