//! The filesystem that image files hold.

use super::{Blocks, Contents, Item, Reader, SuperblockCopy};
use crate::golden::KINDS;
use crate::suite::{Outcome, ensure, fail};
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::disk::chunk::{ChunkItem, StripeItem};
use btrfs_planner::disk::key::{DiskKey, ItemType};
use btrfs_planner::disk::superblock::{MAGIC, SUPERBLOCK_OFFSETS, Superblock};
use btrfs_planner::layout::{Chunk, ChunkKind, Geometry, Stripe};
use btrfs_planner::request::Profile;
use btrfs_planner::units::{DevId, Logical, Physical};
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use zerocopy::FromBytes;

impl Contents {
    /// Reads all of what is on these disks, in the order of their devids.
    pub fn on(disks: &[impl AsRef<Path>]) -> Outcome<Self> {
        let files = disks.iter().map(File::open).collect::<Result<Vec<File>, _>>()?;
        let superblocks = files.iter().map(superblocks).collect::<Outcome<Vec<_>>>()?;
        let Some(first) = superblocks.first().and_then(|copies| copies.first()) else {
            return fail("disk 1 has no superblock");
        };
        let superblock = &first.superblock;
        let node_size = superblock.nodesize.get() as usize;
        let chunks = system_chunks(superblock)?;
        let mut reader = Reader::new(superblock, OnDisks { files: &files, chunks, node_size, taken: BTreeSet::new() })?;
        let items = reader.tree(3, superblock.chunk_root.get(), superblock.chunk_root_level)?;
        reader.blocks.chunks = items
            .iter()
            .filter(|item| item.key.item_type == ItemType::CHUNK_ITEM)
            .map(chunk)
            .collect::<Outcome<_>>()?;
        reader.blocks.taken.clear();
        let trees = reader.trees(superblock)?;
        Ok(Self { superblocks, trees })
    }
}

/// The copies that a disk has, each checked by itself.
fn superblocks(file: &File) -> Outcome<Vec<SuperblockCopy>> {
    let mut copies = Vec::new();
    let size = file.metadata()?.len();
    for offset in SUPERBLOCK_OFFSETS.into_iter().filter(|offset| offset + 4096 <= size) {
        let mut bytes = [0; 4096];
        file.read_exact_at(&mut bytes, offset)?;
        let Ok(superblock) = Superblock::read_from_bytes(&bytes) else { return fail("a superblock has 4096 bytes") };
        if superblock.magic != MAGIC {
            continue;
        }
        let checksum = ChecksumType::from_on_disk(superblock.csum_type.get());
        ensure(superblock.bytenr.get() == offset && checksum.is_some_and(|checksum| checksum.holds(&bytes)), || {
            format!("the superblock at {offset} is damaged")
        })?;
        copies.push(SuperblockCopy { offset, superblock });
    }
    Ok(copies)
}

fn system_chunks(superblock: &Superblock) -> Outcome<Vec<Chunk>> {
    let length = superblock.sys_chunk_array_size.get() as usize;
    let mut rest = superblock.sys_chunk_array.get(..length).unwrap_or_default();
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let (key, behind) = DiskKey::read_from_prefix(rest).map_err(|_| "a key of the chunk array is cut off")?;
        let (head, _) = ChunkItem::read_from_prefix(behind).map_err(|_| "an item of the chunk array is cut off")?;
        let size = size_of::<ChunkItem>() + size_of::<StripeItem>() * usize::from(head.num_stripes.get());
        let Some((data, behind)) = behind.split_at_checked(size) else { return fail("a stripe is cut off") };
        chunks.push(chunk(&Item { key: key.into(), data: data.to_vec() })?);
        rest = behind;
    }
    Ok(chunks)
}

fn chunk(item: &Item) -> Outcome<Chunk> {
    let head: ChunkItem = item.read()?;
    let bits = head.chunk_type.get();
    let profile = Profile::ALL.into_iter().find(|profile| profile.traits().flags.bits() == bits & !KINDS);
    let Some(profile) = profile else { return fail(format!("a chunk has the type {bits:#x}")) };
    let stripes = item.data[size_of::<ChunkItem>()..].chunks_exact(size_of::<StripeItem>()).map(|bytes| {
        let stripe = StripeItem::read_from_bytes(bytes).map_err(|_| "a stripe is cut off")?;
        Ok(Stripe { devid: DevId::new(stripe.devid.get()), offset: Physical::new(stripe.offset.get()) })
    });
    Ok(Chunk {
        // Where its bytes lie does not depend on what they are.
        kind: ChunkKind::Metadata,
        length: head.length.get(),
        logical: Logical::new(item.key.offset),
        profile,
        stripes: stripes.collect::<Outcome<_>>()?,
    })
}

struct OnDisks<'a> {
    files: &'a [File],
    chunks: Vec<Chunk>,
    node_size: usize,
    taken: BTreeSet<u64>,
}

impl Blocks for OnDisks<'_> {
    fn take(&mut self, logical: u64) -> Outcome<Vec<u8>> {
        ensure(self.taken.insert(logical), || format!("reaches {logical} a second time"))?;
        let holds = |chunk: &&Chunk| (chunk.logical.get()..chunk.logical.get() + chunk.length).contains(&logical);
        let Some(chunk) = self.chunks.iter().find(holds) else { return fail(format!("no chunk holds {logical}")) };
        let geometry = Geometry::new(chunk);
        // A block lies in one stripe element.
        let copies = geometry.copies(geometry.position(Logical::new(logical))?)?;
        let Some(copy) = copies.first() else { return fail(format!("no device holds {logical}")) };
        let file = usize::try_from(copy.devid.get()).ok().and_then(|devid| self.files.get(devid.checked_sub(1)?));
        let Some(file) = file else { return fail(format!("{logical} is on device {}", copy.devid)) };
        let mut bytes = vec![0; self.node_size];
        file.read_exact_at(&mut bytes, copy.offset.get())?;
        Ok(bytes)
    }
}
