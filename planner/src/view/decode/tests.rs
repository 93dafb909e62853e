//! Every byte of real blocks has one meaning, and no bytes whatever make trouble.

use super::*;
use crate::disk::checksum::ChecksumType;
use crate::plan;
use crate::plan::Plan;
use crate::request::{DeviceFacts, FeatureSwitch, Profile, Request};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

/// How often each byte of a block is part of something.
fn coverage(decoded: &DecodedBlock, length: usize) -> Vec<u32> {
    let mut counts = vec![0; length];
    let mut count = |offset: u64, length: u64| {
        for byte in &mut counts[offset as usize..(offset + length) as usize] {
            *byte += 1;
        }
    };
    let items = decoded.items.iter().flat_map(|item| item.head.iter().chain(&item.fields));
    decoded.header.iter().chain(items).for_each(|field| count(field.offset, field.length));
    decoded.free.iter().for_each(|span| count(span.offset, span.length));
    counts
}

fn plans() -> Vec<Plan> {
    let mut requests = Vec::new();
    for (devices, profile, features) in [
        (1, Profile::Dup, ""),
        (1, Profile::Single, "^skinny-metadata,^no-holes,quota"),
        (2, Profile::Raid1, "squota"),
        (3, Profile::Raid5, "^block-group-tree"),
        (4, Profile::Raid10, "^free-space-tree,^block-group-tree"),
        (2, Profile::Raid1, "raid-stripe-tree"),
        (40, Profile::Raid6, ""),
    ] {
        for (checksum, node_size) in [(ChecksumType::Crc32c, 4096), (ChecksumType::Blake2b, 16384)] {
            let facts = DeviceFacts::described(10 << 30);
            let mut request = Request::new(vec![facts; devices], "decode", 1_700_000_000);
            (request.data, request.metadata) = (Some(profile), Some(profile));
            (request.checksum, request.node_size) = (checksum, Some(node_size));
            let switches = features.split(',').filter(|name| !name.is_empty());
            request.experimental = true;
            request.features = switches.map(|name| name.parse::<FeatureSwitch>().unwrap()).collect();
            requests.push(request);
        }
    }
    requests.iter().map(|request| plan(request).unwrap()).collect()
}

#[test]
fn every_byte_of_real_plans_has_one_meaning() {
    let mut types = BTreeSet::new();
    let mut nodes = 0;
    for plan in plans() {
        let checksum = plan.filesystem.checksum;
        for entry in &plan.blocks {
            let bytes = plan.payloads[entry.payload as usize].expand().unwrap();
            let decoded = block(&bytes, checksum);
            assert_eq!(decoded.problems, Vec::<String>::new());
            assert_eq!(decoded.items.len(), entry.items as usize);
            for item in &decoded.items {
                assert_eq!(item.problem, None, "{}", item.key.text);
                assert!(item.fields.iter().all(|field| !field.raw));
                types.insert(item.key.r#type);
            }
            nodes += u32::from(entry.level > 0);
            assert!(coverage(&decoded, bytes.len()).iter().all(|count| *count == 1));
            for span in &decoded.free {
                let free = &bytes[span.offset as usize..(span.offset + span.length) as usize];
                assert!(free.iter().all(|byte| *byte == 0));
            }
        }
        for write in plan.devices.iter().flat_map(|device| &device.commit) {
            let bytes = plan.payloads[write.payload as usize].expand().unwrap();
            let decoded = superblock(&bytes, checksum);
            assert_eq!(decoded.problems, Vec::<String>::new());
            assert!(decoded.header.iter().all(|field| !field.raw));
            assert!(coverage(&decoded, bytes.len()).iter().all(|count| *count == 1));
            let value = |name: &str| &decoded.header.iter().find(|field| field.name == name).unwrap().value;
            assert_eq!(value("magic"), "\"_BHRfS_M\"");
            assert_eq!(*value("fsid"), plan.filesystem.fsid.to_string());
            assert_eq!(*value("sys_chunk[0].key.type"), "228 (CHUNK_ITEM)");
            assert!(value("padding") == "0" && value("reserved") == "0");
        }
    }
    assert!(nodes > 0, "a plan has nodes");
    let expected = [1, 12, 84, 132, 168, 169, 192, 198, 199, 204, 216, 228, 240, 242, 244, 249, 251];
    assert_eq!(types, BTreeSet::from(expected), "these types of items were met");
}

/// Structures that no plan has yet, as bytes and the names and values they come to.
#[test]
fn structures_of_used_filesystems() {
    let parse = |item_type: u8, data: &[u8]| {
        let mut cursor = cursor::Cursor::new(data, 1000);
        let taken = items::taker(item_type).unwrap()(&mut cursor, ChecksumType::Crc32c);
        let fields = cursor.finish();
        assert_eq!(fields.iter().map(|field| field.length).sum::<u64>(), data.len() as u64);
        (taken.is_ok(), fields)
    };
    let number = |value: u64, bytes: usize| value.to_le_bytes()[..bytes].to_vec();
    let file = |kind: u8| [number(7, 8), number(5, 8), vec![3, 0, 0, 0, kind]].concat();
    let regular = [file(1), number(1 << 20, 8), number(4096, 8), number(0, 8), number(8192, 8)].concat();
    let inline = [file(0), b"hello".to_vec()].concat();
    let xattr = [vec![0; 17], number(7, 8), number(3, 2), number(4, 2), vec![8], b"userabc".to_vec()].concat();
    let data_extent = [
        number(3, 8),
        number(7, 8),
        number(1, 8),
        [vec![178], number(5, 8), number(257, 8), number(0, 8), number(2, 4)].concat(),
        [vec![184], number(1 << 30, 8), number(1, 4)].concat(),
        [vec![172], number(5, 8)].concat(),
    ]
    .concat();
    let reference = [number(256, 8), number(2, 8), number(3, 2), b"sub".to_vec()].concat();
    let extref = [number(256, 8), number(2, 8), number(1, 2), b"x".to_vec()].concat();
    let mut bitmap = vec![0; 256];
    bitmap[0] = 7;
    for (item_type, data, name, value) in [
        (108, regular.clone(), "compression", "3 (zstd)"),
        (108, regular, "num_bytes", "8192"),
        (108, inline, "data", "68656c6c6f"),
        (24, xattr.clone(), "data", "\"abc\""),
        (24, xattr, "name", "\"user\""),
        (168, data_extent.clone(), "ref[0].count", "2"),
        (168, data_extent.clone(), "ref[1].parent", "1073741824"),
        (168, data_extent, "ref[2].root", "5 (fs)"),
        (156, reference, "name", "\"sub\""),
        (13, extref, "parent", "256"),
        (128, vec![1, 2, 3, 4, 5, 6, 7, 8], "sector[1].csum", "05060708"),
        (200, bitmap, "bitmap", "3 of 2048 bits set"),
        (230, [number(1, 8), number(4096, 8)].concat(), "stride[0].physical", "4096"),
    ] {
        let (whole, fields) = parse(item_type, &data);
        assert!(whole, "{item_type}: {fields:?}");
        let field = fields.iter().find(|field| field.name == name).unwrap_or_else(|| panic!("{name}: {fields:?}"));
        assert_eq!(field.value, value, "{item_type}");
        // One byte less is a structure that ends too early, or one with less of what there may be any number of.
        let (_, fields) = parse(item_type, &data[..data.len() - 1]);
        assert!(!fields.is_empty());
    }
}

fn checked(bytes: &[u8]) {
    let decoded = block(bytes, ChecksumType::Crc32c);
    assert!(coverage(&decoded, bytes.len()).iter().all(|count| *count == 1), "every byte once: {decoded:?}");
    let decoded = superblock(bytes, ChecksumType::Crc32c);
    assert!(coverage(&decoded, bytes.len()).iter().all(|count| *count == 1), "every byte once: {decoded:?}");
}

proptest! {
    #[test]
    fn any_bytes_are_shown(bytes in prop::collection::vec(any::<u8>(), 0..6000)) {
        checked(&bytes);
    }

    /// Random bytes are hardly ever close to a block; these are.
    #[test]
    fn damaged_blocks_are_shown(
        number in any::<prop::sample::Index>(),
        damage in prop::collection::vec((0_usize..700, any::<u8>()), 1..20),
        from_the_end in prop::collection::vec((0_usize..700, any::<u8>()), 0..20),
        cut in prop::option::of(0_usize..4096),
    ) {
        let facts = DeviceFacts::described(10 << 30);
        let mut request = Request::new(vec![facts; 3], "damage", 1);
        request.node_size = Some(4096);
        let plan = plan(&request).unwrap();
        let mut bytes = number.get(&plan.payloads).expand().unwrap();
        let length = bytes.len();
        for (at, byte) in damage {
            bytes[at] = byte;
        }
        for (at, byte) in from_the_end {
            bytes[length - 1 - at] = byte;
        }
        bytes.truncate(cut.unwrap_or(length));
        checked(&bytes);
    }
}
