//! What a plan says that a machine needs, against what stands in the superblock.

use super::reader::Reader;
use super::superblock::{EXTENT_TREE_V2, RAID_STRIPE_TREE, REMAP_TREE};
use super::{Code, Place};
use crate::plan::{KernelVersion, PageRequirement, Plan, Requirements};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

const fn version(major: u16, minor: u16) -> KernelVersion {
    KernelVersion::new(major, minor, 0)
}

/// Bits of `incompat_flags`, and the first kernel that knows each.
const INCOMPAT: [(u64, KernelVersion); 12] = [
    (1 << 0, KernelVersion::new(2, 6, 31)),
    (1 << 2, KernelVersion::new(2, 6, 37)),
    (1 << 6, version(3, 7)),
    (1 << 7, version(3, 9)),
    (1 << 8, version(3, 10)),
    (1 << 9, version(3, 14)),
    (1 << 11, version(5, 5)),
    (1 << 12, version(5, 12)),
    (EXTENT_TREE_V2, version(5, 15)),
    (RAID_STRIPE_TREE, version(6, 7)),
    (1 << 16, version(6, 7)),
    (REMAP_TREE, version(6, 20)),
];
/// Bits of `compat_ro_flags`, the same.
const COMPAT_RO: [(u64, KernelVersion); 2] = [(1 << 0, version(4, 5)), (1 << 3, version(6, 1))];
/// The first kernel with quota groups.
const QUOTA: KernelVersion = version(3, 4);

/// Compares the two.
pub(super) fn check(plan: &Plan, reader: &mut Reader<'_>, quota: bool) {
    let superblock = reader.filesystem.superblock;
    let (incompat, compat_ro) = (superblock.incompat_flags.get(), superblock.compat_ro_flags.get());
    let (sector, node) = (superblock.sectorsize.get(), superblock.nodesize.get());
    let newest = |table: &[(u64, KernelVersion)], bits: u64| {
        let known = table.iter().filter(|(bit, _)| bits & bit == *bit);
        known.map(|(_, version)| *version).max().unwrap_or(version(0, 0))
    };
    let mut read = newest(&INCOMPAT, incompat);
    if superblock.csum_type.get() != 0 {
        read = read.max(version(5, 5));
    }
    if node > sector {
        read = read.max(version(3, 4));
    }
    let mut write = read.max(newest(&COMPAT_RO, compat_ro));
    if quota {
        write = write.max(QUOTA);
    }
    let pages = [4096, 8192, 16384, 32768, 65536].into_iter().filter_map(|page: u32| {
        let kernel = match (sector, page) {
            (sector, page) if sector == page => write,
            (4096, 65536) => write.max(version(5, 15)),
            (4096, _) => write.max(version(5, 19)),
            _ => return None,
        };
        Some(PageRequirement { kernel, page_size: page })
    });
    let expected = Requirements {
        experimental: incompat & (EXTENT_TREE_V2 | RAID_STRIPE_TREE | REMAP_TREE) != 0,
        kernel: write,
        kernel_read_only: read,
        page_sizes: pages.collect(),
    };
    let said = &plan.filesystem.requires;
    reader.findings.equal(Code::IndexFilesystem, Place::filesystem(), words(&expected), words(said));
}

fn words(requires: &Requirements) -> String {
    let pages: Vec<String> =
        requires.page_sizes.iter().map(|page| format!("{} on {}", page.kernel, page.page_size)).collect();
    let experimental = if requires.experimental { ", built for experiments" } else { "" };
    format!("kernel {}, {} to read, {}{experimental}", requires.kernel, requires.kernel_read_only, pages.join(", "),)
}
