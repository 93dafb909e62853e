//! Superblocks: every copy on every disk, and what they say of the filesystem as a whole.

use super::{Code, Counts, Disks, Findings, Place, Scope, super_log};
use crate::disk::checksum::ChecksumType;
use crate::disk::root::ROOT_TREE_DIR;
use crate::disk::superblock::{
    MAGIC, SUPERBLOCK_OFFSETS, SUPERBLOCK_SIZE, SUPERBLOCK_WRITTEN, SYSTEM_CHUNK_ARRAY_SIZE, Superblock,
};
use crate::units::wide;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use zerocopy::{FromBytes, IntoBytes};

/// `incompat_flags`: the filesystem has data and metadata in the same block groups.
pub(super) const MIXED_GROUPS: u64 = 1 << 2;
/// `incompat_flags`: extent items of tree blocks are keyed by level.
pub(super) const SKINNY_METADATA: u64 = 1 << 8;
/// `incompat_flags`: holes in files take no item.
pub(super) const NO_HOLES: u64 = 1 << 9;
/// `incompat_flags`: tree blocks have another UUID than the superblock.
const METADATA_UUID: u64 = 1 << 10;
/// `incompat_flags`: zones are written in order.
pub(super) const ZONED: u64 = 1 << 12;
/// `incompat_flags`: there may be several extent trees.
pub(super) const EXTENT_TREE_V2: u64 = 1 << 13;
/// `incompat_flags`: where data lies on its stripes is kept in a tree.
pub(super) const RAID_STRIPE_TREE: u64 = 1 << 14;
/// `incompat_flags`: block groups that were moved are found through a tree.
pub(super) const REMAP_TREE: u64 = 1 << 17;
/// `incompat_flags` that the audit knows: all up to the raid stripe tree, simple quota, and the remap tree.
const KNOWN_INCOMPAT: u64 = 0x1fff | EXTENT_TREE_V2 | RAID_STRIPE_TREE | 1 << 16 | REMAP_TREE;
/// `compat_ro_flags`: there is a free space tree.
pub(super) const FREE_SPACE_TREE: u64 = 1 << 0;
/// `compat_ro_flags`: it is whole.
pub(super) const FREE_SPACE_TREE_VALID: u64 = 1 << 1;
/// `compat_ro_flags`: block groups have a tree of their own.
pub(super) const BLOCK_GROUP_TREE: u64 = 1 << 3;
/// `compat_ro_flags` that the audit knows: those and fs-verity.
const KNOWN_COMPAT_RO: u64 = 0xf;
/// The highest level of a tree block, and one.
pub(super) const MAX_LEVEL: u8 = 8;

/// A copy that is whole.
struct Copy {
    place: Place,
    block: Superblock,
}

/// What the superblocks say, checked so far that the trees can be read.
pub(super) struct Filesystem {
    /// The one that the others are compared with.
    pub(super) superblock: Superblock,
    /// The checksum of all blocks.
    pub(super) checksum: ChecksumType,
    /// Bytes of a tree block: a power of two, at most 64 KiB.
    pub(super) node_size: u32,
    /// Bytes of a sector.
    pub(super) sector_size: u32,
    /// What stands as UUID in tree blocks.
    pub(super) fsid: [u8; 16],
    /// Disks by devid.
    pub(super) disks: BTreeMap<u64, Disk>,
}

/// A disk that is a device of the filesystem.
pub(super) struct Disk {
    /// Its place among the disks.
    pub(super) index: usize,
    /// Its bytes, whatever the filesystem uses of them.
    pub(super) size: u64,
    /// The superblock that it holds.
    pub(super) superblock: Superblock,
}

impl Filesystem {
    /// Whether a bit of `incompat_flags` is set.
    pub(super) const fn incompat(&self, bit: u64) -> bool {
        self.superblock.incompat_flags.get() & bit != 0
    }

    /// Whether a bit of `compat_ro_flags` is set.
    pub(super) const fn compat_ro(&self, bit: u64) -> bool {
        self.superblock.compat_ro_flags.get() & bit != 0
    }
}

/// Looks at every copy on every disk. `None` where nothing can be read by what they say.
pub(super) fn read(
    disks: &dyn Disks,
    scope: Scope,
    findings: &mut Findings,
    counts: &mut Counts,
) -> Option<Filesystem> {
    let mut best: Vec<(usize, Copy)> = Vec::new();
    for index in 0..disks.count() {
        let copies = of_disk(disks, index, scope, findings, counts);
        counts.superblocks = counts.superblocks.saturating_add(wide(copies.len()));
        let newest = copies.into_iter().reduce(|best, copy| {
            compare(findings, copy.place, &best.block, &copy.block);
            if copy.block.generation.get() > best.block.generation.get() { copy } else { best }
        });
        best.extend(newest.map(|copy| (index, copy)));
    }
    let reference =
        best.iter().max_by_key(|(index, copy)| (copy.block.generation.get(), core::cmp::Reverse(*index)))?;
    let superblock = reference.1.block;
    let place = reference.1.place;
    let mut devices = BTreeMap::new();
    for (index, copy) in &best {
        let block = &copy.block;
        if copy.place != place {
            compare(findings, copy.place, &shared(&superblock), &shared(block));
        }
        let disk = Disk { index: *index, size: disks.size(*index), superblock: *block };
        let devid = block.dev_item.devid.get();
        if let Some(other) = devices.insert(devid, disk) {
            let found = format!("disks {} and {}", other.index.saturating_add(1), index.saturating_add(1));
            findings.add(Code::DeviceTwice, Place::device(devid), "one disk", found);
        }
    }
    let expected = superblock.num_devices.get();
    if expected != wide(devices.len()) {
        findings.add(Code::DeviceCount, place, format!("{expected} devices"), format!("{} disks", devices.len()));
    }
    fields(findings, scope, place, &superblock).then(|| Filesystem {
        superblock,
        checksum: ChecksumType::from_on_disk(superblock.csum_type.get()).unwrap_or_default(),
        node_size: superblock.nodesize.get(),
        sector_size: superblock.sectorsize.get(),
        fsid: if superblock.incompat_flags.get() & METADATA_UUID == 0 {
            superblock.fsid
        } else {
            superblock.metadata_uuid
        },
        disks: devices,
    })
}

/// The copies on a disk that are whole, the primary one first.
fn of_disk(disks: &dyn Disks, disk: usize, scope: Scope, findings: &mut Findings, counts: &mut Counts) -> Vec<Copy> {
    let mut copies: Vec<Copy> = Vec::new();
    let number = wide(disk).saturating_add(1);
    for (mirror, bytenr) in SUPERBLOCK_OFFSETS.into_iter().enumerate() {
        let Some(offset) = super_log::place(disks, disk, mirror) else { continue };
        // A filesystem may use less of a disk than there is.
        let size = copies.first().map_or(u64::MAX, |copy| copy.block.dev_item.total_bytes.get()).min(disks.size(disk));
        let end = offset.saturating_add(SUPERBLOCK_SIZE);
        // A kernel leaves a copy alone that would end with the device.
        let room = if scope == Scope::New { end <= size } else { end < size };
        if !room || !super_log::fits(disks, disk, mirror, size) {
            continue;
        }
        let devid = copies.first().map_or(number, |copy| copy.block.dev_item.devid.get());
        let place = Place::offset(devid, offset);
        let mut bytes = [0; 4096];
        counts.bytes = counts.bytes.saturating_add(wide(bytes.len()));
        if disks.read(disk, offset, &mut bytes).is_err() {
            findings.add(Code::ReadFailed, place, "a superblock", "a read error");
            continue;
        }
        let Ok(block) = Superblock::read_from_bytes(&bytes) else { continue };
        if block.magic != MAGIC {
            findings.add(Code::SuperblockMissing, place, "the magic of btrfs", hex::encode(block.magic));
            continue;
        }
        let Some(kind) = ChecksumType::from_on_disk(block.csum_type.get()) else {
            findings.add(Code::SuperblockChecksumType, place, "0 to 3", block.csum_type);
            continue;
        };
        if !kind.holds(&bytes) {
            let right = bytes.get(32..).map(|rest| hex::encode(kind.of(rest))).unwrap_or_default();
            findings.add(Code::SuperblockChecksum, place, right, hex::encode(block.csum));
            continue;
        }
        findings.equal(Code::SuperblockPlace, place, bytenr, block.bytenr.get());
        copies.push(Copy { place, block });
    }
    copies
}

/// A superblock without what may differ between copies on a device.
fn content(block: &Superblock) -> Superblock {
    Superblock { csum: [0; 32], bytenr: 0.into(), ..*block }
}

/// A superblock without what may differ between devices.
fn shared(block: &Superblock) -> Superblock {
    let mut block = content(block);
    block.dev_item.as_mut_bytes().fill(0);
    block
}

fn compare(findings: &mut Findings, place: Place, expected: &Superblock, found: &Superblock) {
    let (expected, found) = (content(expected), content(found));
    if expected.as_bytes() == found.as_bytes() {
        return;
    }
    let differs = expected.as_bytes().iter().zip(found.as_bytes()).position(|(left, right)| left != right);
    let at = differs.unwrap_or(0);
    let byte = |block: &Superblock| block.as_bytes().get(at).copied().unwrap_or(0);
    findings.add(
        Code::SuperblocksDiffer,
        place,
        format!("generation {}, byte {at} as {:#04x} as in the other copy", expected.generation, byte(&expected)),
        format!("generation {}, {:#04x}", found.generation, byte(&found)),
    );
}

/// Checks fields by themselves. False where trees cannot be read by them.
fn fields(findings: &mut Findings, scope: Scope, place: Place, block: &Superblock) -> bool {
    let (sector, node) = (block.sectorsize.get(), block.nodesize.get());
    let size = |size: u32| size.is_power_of_two() && (4096..=65536).contains(&size);
    let mut readable = true;
    if !size(sector) || !size(node) || node < sector {
        let expected = "powers of two from 4096 to 65536, nodes no smaller than sectors";
        findings.add(Code::SuperblockSizes, place, expected, format!("sectors of {sector}, nodes of {node}"));
        readable = false;
    }
    findings.equal(Code::SuperblockSizes, place, node, block.leafsize.get());
    findings.equal(Code::SuperblockSizes, place, sector, block.stripesize.get());
    if block.flags.get() != SUPERBLOCK_WRITTEN {
        findings.add(Code::SuperblockFlags, place, SUPERBLOCK_WRITTEN, block.flags);
    }
    for (name, found, known) in [
        ("incompat", block.incompat_flags.get(), KNOWN_INCOMPAT),
        ("compat_ro", block.compat_ro_flags.get(), KNOWN_COMPAT_RO),
        ("compat", block.compat_flags.get(), 0),
    ] {
        if found & !known != 0 {
            let expected = format!("{name} flags within {known:#x}");
            findings.add(Code::SuperblockFeatures, place, expected, format!("{found:#x}"));
        }
    }
    experiments(findings, place, block);
    let generation = block.generation.get();
    for (root, level) in [(block.root, block.root_level), (block.chunk_root, block.chunk_root_level)] {
        let aligned = root.get().checked_rem(u64::from(sector)) == Some(0);
        if !aligned || root.get() == 0 || level >= MAX_LEVEL {
            findings.add(Code::SuperblockRoots, place, "a block and a level below 8", format!("{root}, level {level}"));
            readable = false;
        }
    }
    if block.chunk_root_generation.get() > generation {
        findings.add(Code::SuperblockRoots, place, format!("at most {generation}"), block.chunk_root_generation);
    }
    if generation == 0 {
        findings.add(Code::SuperblockRoots, place, "a generation", generation);
    }
    if block.sys_chunk_array_size.get() > u32::try_from(SYSTEM_CHUNK_ARRAY_SIZE).unwrap_or(u32::MAX) {
        findings.add(Code::SystemChunkArray, place, "at most 2048 bytes", block.sys_chunk_array_size);
        readable = false;
    }
    findings.equal(Code::SuperblockRootDirectory, place, ROOT_TREE_DIR, block.root_dir_objectid.get());
    if block.log_root.get() != 0 {
        findings.add(Code::LogTree, place, "no log tree", format!("one at {}", block.log_root));
    }
    let end = block.label.iter().position(|byte| *byte == 0);
    match end {
        None => findings.add(Code::SuperblockLabel, place, "a label that ends", "256 bytes without a zero"),
        Some(end) if scope == Scope::New && block.label.iter().skip(end).any(|byte| *byte != 0) => {
            findings.add(Code::SuperblockLabel, place, "zeros behind the label", "something else");
        }
        Some(_) => {}
    }
    if block.uuid_tree_generation.get() > generation {
        findings.add(Code::SuperblockUuidTree, place, format!("at most {generation}"), block.uuid_tree_generation);
    }
    readable
}

/// What kernels ask of filesystems with experimental features.
fn experiments(findings: &mut Findings, place: Place, block: &Superblock) {
    let (incompat, compat_ro) = (block.incompat_flags.get(), block.compat_ro_flags.get());
    let needs = FREE_SPACE_TREE | FREE_SPACE_TREE_VALID | BLOCK_GROUP_TREE;
    for (feature, without) in [(EXTENT_TREE_V2, ZONED), (REMAP_TREE, MIXED_GROUPS | ZONED)] {
        if incompat & feature == 0 {
            continue;
        }
        if incompat & NO_HOLES == 0 || compat_ro & needs != needs {
            let expected = format!("no-holes, free-space-tree and block-group-tree with {feature:#x}");
            findings.add(Code::SuperblockFeatures, place, expected, format!("{incompat:#x}, {compat_ro:#x}"));
        }
        if incompat & without != 0 {
            let expected = format!("nothing of {without:#x} with {feature:#x}");
            findings.add(Code::SuperblockFeatures, place, expected, format!("{incompat:#x}"));
        }
    }
    if (incompat & EXTENT_TREE_V2 == 0) != (block.nr_global_roots.get() == 0) {
        let expected = "a number of extent trees exactly if there may be several";
        findings.add(Code::SuperblockFeatures, place, expected, block.nr_global_roots);
    }
}
