//! Superblocks.

use super::cursor::{Cursor, Taken, raw};
use super::{DecodedBlock, Field, names, space};
use crate::disk::checksum::ChecksumType;
use crate::disk::superblock::{LABEL_SIZE, SUPERBLOCK_SIZE, SYSTEM_CHUNK_ARRAY_SIZE};
use crate::request::FeatureBit;
use crate::units::wide;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

/// The field of keys and chunks.
const ARRAY: &str = "sys_chunk_array";

/// Takes a superblock apart. It has no items: its fields are all in the header.
#[must_use]
pub fn superblock(bytes: &[u8], checksum: ChecksumType) -> DecodedBlock {
    let mut cursor = Cursor::new(bytes, 0);
    let mut used = 0;
    let mut problems = Vec::new();
    if let Err(cut_off) = fields(&mut cursor, &mut used) {
        problems.push(cut_off.to_string());
    }
    if wide(bytes.len()) != SUPERBLOCK_SIZE {
        problems.push(format!("a superblock has {SUPERBLOCK_SIZE} bytes, this one {}", bytes.len()));
    }
    let mut header = cursor.finish();
    expand_array(bytes, used, &mut header, &mut problems);
    DecodedBlock { checksum_holds: checksum.holds(bytes), free: vec![], header, items: vec![], problems }
}

/// `used`: set to the bytes of the system chunk array that are in use.
fn fields(cursor: &mut Cursor<'_>, used: &mut usize) -> Taken {
    cursor.bytes("csum", 32)?;
    cursor.uuid("fsid")?;
    cursor.u64("bytenr")?;
    cursor.flags("flags", 8, &names::SUPERBLOCK)?;
    cursor.text("magic", 8)?;
    for name in ["generation", "root", "chunk_root", "log_root", "log_root_transid", "total_bytes", "bytes_used"] {
        cursor.u64(name)?;
    }
    cursor.u64("root_dir_objectid")?;
    cursor.u64("num_devices")?;
    for name in ["sectorsize", "nodesize", "leafsize", "stripesize"] {
        cursor.u32(name)?;
    }
    let array_size = cursor.u32("sys_chunk_array_size")?;
    cursor.u64("chunk_root_generation")?;
    cursor.shown("compat_flags", 8, |bits| names::flags(bits, &[]))?;
    cursor.shown("compat_ro_flags", 8, |bits| {
        names::features(bits, |bit| if let FeatureBit::CompatRo(bits) = bit { bits } else { 0 })
    })?;
    cursor.shown("incompat_flags", 8, |bits| {
        names::features(bits, |bit| if let FeatureBit::Incompat(bits) = bit { bits } else { 0 })
    })?;
    cursor.shown("csum_type", 2, |number| {
        let kind = u16::try_from(number).ok().and_then(ChecksumType::from_on_disk);
        kind.map_or_else(|| number.to_string(), |kind| format!("{number} ({kind})"))
    })?;
    for name in ["root_level", "chunk_root_level", "log_root_level"] {
        cursor.u8(name)?;
    }
    cursor.within("dev_item", space::device_fields)?;
    cursor.padded_text("label", LABEL_SIZE)?;
    cursor.u64("cache_generation")?;
    cursor.u64("uuid_tree_generation")?;
    cursor.uuid("metadata_uuid")?;
    cursor.u64("nr_global_roots")?;
    cursor.u64("remap_root")?;
    cursor.u64("remap_root_generation")?;
    cursor.u8("remap_root_level")?;
    cursor.reserved("reserved", 199)?;
    *used = usize::try_from(array_size).unwrap_or(usize::MAX).min(SYSTEM_CHUNK_ARRAY_SIZE);
    cursor.content(ARRAY, SYSTEM_CHUNK_ARRAY_SIZE, |_| format!("{array_size} bytes in use"))?;
    for number in 0..4 {
        cursor.numbered("backup_root", number, backup)?;
    }
    cursor.reserved("padding", 565)
}

fn backup(cursor: &mut Cursor<'_>) -> Taken {
    for name in ["tree_root", "tree_root_gen", "chunk_root", "chunk_root_gen", "extent_root", "extent_root_gen"] {
        cursor.u64(name)?;
    }
    for name in ["fs_root", "fs_root_gen", "dev_root", "dev_root_gen", "csum_root", "csum_root_gen"] {
        cursor.u64(name)?;
    }
    for name in ["total_bytes", "bytes_used", "num_devices"] {
        cursor.u64(name)?;
    }
    cursor.reserved("unused", 32)?;
    for name in ["tree_root_level", "chunk_root_level", "extent_root_level"] {
        cursor.u8(name)?;
    }
    for name in ["fs_root_level", "dev_root_level", "csum_root_level"] {
        cursor.u8(name)?;
    }
    cursor.reserved("unused_8", 10)
}

/// Puts the keys and chunks of the array in the place of its one field.
fn expand_array(bytes: &[u8], used: usize, header: &mut Vec<Field>, problems: &mut Vec<String>) {
    let Some(place) = header.iter().position(|field| field.name == ARRAY) else { return };
    let Some(start) = header.get(place).map(|field| field.offset) else { return };
    let array = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
    let array = array.get(..SYSTEM_CHUNK_ARRAY_SIZE).unwrap_or(array);
    let (used, rest) = array.split_at_checked(used).unwrap_or((array, &[]));
    let mut cursor = Cursor::new(used, start);
    let mut number = 0_usize;
    while cursor.left() > 0 {
        let taken = cursor.numbered("sys_chunk", number, |cursor| {
            cursor.key("key")?;
            space::chunk_fields(cursor)
        });
        if let Err(cut_off) = taken {
            problems.push(format!("system chunk {number} is {cut_off}"));
            break;
        }
        number = number.saturating_add(1);
    }
    let mut fields = cursor.finish();
    if !rest.is_empty() {
        let zeros = rest.iter().all(|byte| *byte == 0);
        let value = if zeros { "0".to_string() } else { raw(rest) };
        let (length, name) = (wide(rest.len()), format!("{ARRAY}.unused"));
        fields.push(Field { length, name, offset: start.saturating_add(wide(used.len())), raw: !zeros, value });
    }
    header.splice(place..=place, fields);
}
