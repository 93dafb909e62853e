//! Inodes of a filesystem that nobody has used yet: what a kernel counts in them is still at its beginning.

use super::reader::Reader;
use super::{Code, Place};
use crate::disk::inode::InodeItem;
use alloc::format;

/// Inode flags that a kernel knows of files.
const KNOWN_FLAGS: u64 = 0xfff;

/// Checks an inode item.
pub(super) fn check(reader: &mut Reader<'_>, place: Place, item: &InodeItem) {
    let generation = reader.filesystem.superblock.generation.get();
    let findings = &mut reader.findings;
    findings.equal(Code::NewGeneration, place, generation, item.generation.get());
    // Only device nodes have a number.
    let is_node = matches!(item.mode.get() >> 12, 2 | 6);
    let begun = [item.block_group.get(), item.sequence.get(), if is_node { 0 } else { item.rdev.get() }];
    if begun != [0; 3] || item.reserved.iter().any(|field| field.get() != 0) {
        findings.add(Code::NewInode, place, "zeros in fields that are not in use", "something else");
    }
    if item.transid.get() > generation || item.flags.get() & !KNOWN_FLAGS != 0 {
        let found = format!("transaction {}, flags {:#x}", item.transid, item.flags);
        findings.add(Code::NewInode, place, "a transaction and flags that there can be", found);
    }
}
