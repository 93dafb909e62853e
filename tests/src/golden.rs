//! Golden layouts: what mkfs.btrfs 6.19 made of a command line, and the same view of a plan.
//!
//! `golden/README.md` explains the fields.

use crate::contents::{Contents, Item};
use crate::suite::{Outcome, fail};
use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::disk::chunk::{ChunkItem, StripeItem};
use btrfs_planner::disk::device::{DevExtent, DevItem};
use btrfs_planner::disk::key::{ItemType, Key};
use btrfs_planner::disk::root::TreeId;
use btrfs_planner::disk::superblock::Superblock;
use btrfs_planner::request::{DeviceFacts, DiscardStrategy, Profile};
use btrfs_planner::{Plan, Request};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::Path;
use zerocopy::FromBytes;

/// The bit of a chunk's type that says that it holds the remap tree.
const REMAP: u64 = 1 << 12;
/// The bits of a chunk's type that say what it holds.
pub const KINDS: u64 = 0b111 | REMAP;

/// One golden layout.
#[derive(Clone, Debug, Deserialize)]
pub struct Golden {
    /// Its name, which is its file's.
    pub name: String,
    /// The options after `mkfs.btrfs -f`.
    pub options: Vec<String>,
    /// The sizes of the devices, in order.
    pub device_sizes: Vec<u64>,
    /// Whether the reference made a filesystem.
    pub accepted: bool,
    /// Whether the reference was built for experiments.
    #[serde(default)]
    pub experimental: bool,
    /// Logical addresses of chunks that the reference leaves of its temporary filesystem, and a plan does not have.
    #[serde(default)]
    pub left_behind: Vec<u64>,
    /// What it said where it did not.
    #[serde(default)]
    pub reference_errors: Vec<String>,
    /// What it made where it did.
    #[serde(flatten)]
    pub layout: Map<String, Value>,
}

/// All golden layouts, by name.
pub fn all() -> Outcome<Vec<Golden>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut goldens: Vec<Golden> = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            goldens.push(serde_json::from_slice(&std::fs::read(&path)?)?);
        }
    }
    goldens.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(goldens)
}

/// A request for described devices of these sizes, with the options of an mkfs.btrfs command line.
pub fn request(options: &[String], device_sizes: &[u64]) -> Outcome<Request> {
    let devices = device_sizes.iter().map(|size| DeviceFacts {
        logical_sector: 512,
        physical_sector: 512,
        size: *size,
        ..DeviceFacts::default()
    });
    let mut request = Request::new(devices.collect(), "golden", 1_700_000_000);
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let mut value = || options.next().map_or_else(|| fail(format!("{option} has no value")), Ok);
        match option.as_str() {
            "-M" => request.mixed = true,
            "-K" => request.discard = DiscardStrategy::None,
            "-d" => request.data = Some(profile(value()?)?),
            "-m" => request.metadata = Some(profile(value()?)?),
            "-L" => request.label = value()?.clone(),
            "-b" => request.byte_count = Some(size(value()?)?),
            "-n" => request.node_size = Some(size(value()?)?.try_into()?),
            "-s" => request.sector_size = Some(size(value()?)?.try_into()?),
            "--csum" => match ChecksumType::from_name(value()?) {
                Some(checksum) => request.checksum = checksum,
                None => return fail("unknown checksum"),
            },
            "--param" => match value()?.strip_prefix("zone-size=") {
                Some(bytes) => request.emulated_zone_size = Some(size(bytes)?),
                None => return fail("unknown parameter"),
            },
            "--num-global-roots" => request.global_roots = Some(value()?.parse()?),
            "-O" => {
                for switch in value()?.split(',') {
                    request.features.push(switch.parse()?);
                }
            }
            unknown => return fail(format!("a golden has the option {unknown}, which this translation does not know")),
        }
    }
    Ok(request)
}

fn profile(name: &str) -> Outcome<Profile> {
    Profile::from_name(name).map_or_else(|| fail(format!("unknown profile {name}")), Ok)
}

fn size(text: &str) -> Outcome<u64> {
    let (digits, unit) = match text.strip_suffix('k') {
        Some(digits) => (digits, 1024),
        None => (text, 1),
    };
    Ok(digits.parse::<u64>()? * unit)
}

/// A plan in the form of a golden layout, read from the bytes that will stand on the devices. The chunks are read twice,
/// once from the chunk tree and once from the document's own list, which must say the same.
pub fn layout(plan: &Plan) -> Outcome<Map<String, Value>> {
    let contents = Contents::of(plan)?;
    let chunks = chunks(&contents)?;
    let listed: Vec<Value> = plan
        .chunks
        .iter()
        .map(|chunk| {
            let stripes: Vec<_> = chunk.stripes.iter().map(|stripe| (stripe.devid, stripe.offset)).collect();
            json!({
                "kind": chunk.kind, "profile": chunk.profile, "logical": chunk.logical, "length": chunk.length,
                "stripes": stripes
            })
        })
        .collect();
    if chunks != listed {
        return fail(format!("the chunk tree says {chunks:?}, the document says {listed:?}"));
    }
    layout_of(&contents)
}

/// A filesystem in the form of a golden layout.
pub fn layout_of(contents: &Contents) -> Outcome<Map<String, Value>> {
    let mut layout = Map::new();
    layout.insert("superblock".to_owned(), superblock(contents));
    layout.insert("superblock_mirrors".to_owned(), mirrors(contents));
    layout.insert("devices".to_owned(), devices(contents)?);
    layout.insert("chunks".to_owned(), chunks(contents)?.into());
    layout.insert("dev_extents".to_owned(), dev_extents(contents)?);
    layout.insert("items".to_owned(), items(contents));
    Ok(layout)
}

fn superblock(contents: &Contents) -> Value {
    let superblock = &contents.superblocks[0][0].superblock;
    let mut fields = fields(superblock);
    if superblock.nr_global_roots.get() != 0 {
        fields["global_roots"] = superblock.nr_global_roots.get().into();
    }
    fields
}

fn fields(superblock: &Superblock) -> Value {
    let label: Vec<u8> = superblock.label.iter().copied().take_while(|byte| *byte != 0).collect();
    json!({
        "csum_type": superblock.csum_type.get(),
        "label": String::from_utf8_lossy(&label),
        "sys_array_size": superblock.sys_chunk_array_size.get(),
        "total_bytes": superblock.total_bytes.get(),
        "bytes_used": superblock.bytes_used.get(),
        "sectorsize": superblock.sectorsize.get(),
        "nodesize": superblock.nodesize.get(),
        "stripesize": superblock.stripesize.get(),
        "root_dir": superblock.root_dir_objectid.get(),
        "num_devices": superblock.num_devices.get(),
        "compat_flags": superblock.compat_flags.get(),
        "compat_ro_flags": superblock.compat_ro_flags.get(),
        "incompat_flags": superblock.incompat_flags.get(),
        "cache_generation": superblock.cache_generation.get(),
        "root_level": superblock.root_level,
        "chunk_root_level": superblock.chunk_root_level,
    })
}

fn mirrors(contents: &Contents) -> Value {
    let offsets = |copies: &Vec<_>| copies.iter().map(|copy: &crate::contents::SuperblockCopy| copy.offset).collect();
    contents.superblocks.iter().map(offsets).collect::<Vec<Vec<u64>>>().into()
}

fn devices(contents: &Contents) -> Outcome<Value> {
    let mut devices = Vec::new();
    for item in of_type(contents.tree(TreeId::Chunk), ItemType::DEV_ITEM) {
        let device: DevItem = item.read()?;
        devices.push(json!({
            "devid": item.key.offset, "total_bytes": device.total_bytes.get(), "bytes_used": device.bytes_used.get()
        }));
    }
    Ok(devices.into())
}

fn chunks(contents: &Contents) -> Outcome<Vec<Value>> {
    let mut chunks = Vec::new();
    for item in of_type(contents.tree(TreeId::Chunk), ItemType::CHUNK_ITEM) {
        let chunk: ChunkItem = item.read()?;
        let mut stripes = Vec::new();
        for bytes in item.data[size_of::<ChunkItem>()..].chunks(size_of::<StripeItem>()) {
            let stripe = StripeItem::read_from_bytes(bytes).map_err(|_| "a stripe is cut off")?;
            stripes.push((stripe.devid.get(), stripe.offset.get()));
        }
        let bits = chunk.chunk_type.get();
        let kind = match bits & KINDS {
            0b001 => "data",
            0b010 => "system",
            0b100 => "metadata",
            0b101 => "data+metadata",
            REMAP => "remap",
            other => return fail(format!("a chunk has the type {other:#b}")),
        };
        let Some(profile) = Profile::ALL.into_iter().find(|profile| profile.traits().flags.bits() == bits & !KINDS)
        else {
            return fail(format!("a chunk has the profile bits {:#x}", bits & !KINDS));
        };
        if usize::from(chunk.num_stripes.get()) != stripes.len() {
            return fail(format!("a chunk of {} stripes lists {}", chunk.num_stripes, stripes.len()));
        }
        chunks.push(json!({
            "kind": kind, "profile": profile, "logical": item.key.offset, "length": chunk.length.get(), "stripes": stripes
        }));
    }
    Ok(chunks)
}

fn dev_extents(contents: &Contents) -> Outcome<Value> {
    let mut extents = Vec::new();
    for item in of_type(contents.tree(TreeId::Dev), ItemType::DEV_EXTENT) {
        let extent: DevExtent = item.read()?;
        extents.push(json!([item.key.objectid, item.key.offset, extent.chunk_offset.get(), extent.length.get()]));
    }
    Ok(extents.into())
}

fn of_type(items: &[Item], item_type: ItemType) -> impl Iterator<Item = &Item> {
    items.iter().filter(move |item| item.key.item_type == item_type)
}

/// The keys of every tree whose keys do not depend on where blocks stand; trees without items are left out.
fn items(contents: &Contents) -> Value {
    let mut trees = Map::new();
    for (id, items) in &contents.trees {
        let name = tree_name(*id);
        if !items.is_empty() && name != "EXTENT_TREE" && name != "FREE_SPACE_TREE" {
            trees.insert(name, items.iter().map(|item| printed(item.key)).collect::<Vec<_>>().into());
        }
    }
    trees.into()
}

fn tree_name(id: u64) -> String {
    let name = TreeId::ALL
        .into_iter()
        .find(|tree| tree.objectid() == id)
        .map_or_else(|| id.to_string(), |tree| tree.name().to_owned());
    format!("{}_TREE", name.to_uppercase().replace('-', "_"))
}

/// A key as the usual dump prints it.
fn printed(key: Key) -> Value {
    let Key { objectid, item_type, offset } = key;
    let plain = |name| (name, objectid.to_string(), offset.to_string());
    let inode = |name| {
        let objectid = match objectid {
            5 => "FS_TREE".to_owned(),
            6 => "ROOT_TREE_DIR".to_owned(),
            number => number.to_string(),
        };
        (name, objectid, offset.to_string())
    };
    let quota_group = |name| (name, objectid.to_string(), format!("{}/{}", offset >> 48, offset & ((1 << 48) - 1)));
    let (name, objectid, offset) = match item_type {
        ItemType::INODE_ITEM => inode("INODE_ITEM"),
        ItemType::INODE_REF => inode("INODE_REF"),
        ItemType::DIR_ITEM => inode("DIR_ITEM"),
        ItemType::ROOT_ITEM => ("ROOT_ITEM", tree_name(objectid), offset.to_string()),
        ItemType::BLOCK_GROUP_ITEM => plain("BLOCK_GROUP_ITEM"),
        ItemType::DEV_EXTENT => plain("DEV_EXTENT"),
        ItemType::DEV_ITEM if objectid == 1 => ("DEV_ITEM", "DEV_ITEMS".to_owned(), offset.to_string()),
        ItemType::CHUNK_ITEM if objectid == 256 => ("CHUNK_ITEM", "FIRST_CHUNK_TREE".to_owned(), offset.to_string()),
        ItemType::PERSISTENT_ITEM if objectid == 0 => ("PERSISTENT_ITEM", "DEV_STATS".to_owned(), offset.to_string()),
        ItemType::QGROUP_STATUS => plain("QGROUP_STATUS"),
        ItemType::QGROUP_INFO => quota_group("QGROUP_INFO"),
        ItemType::QGROUP_LIMIT => quota_group("QGROUP_LIMIT"),
        ItemType::UUID_KEY_SUBVOL => ("UUID_KEY_SUBVOL", format!("{objectid:#018x}"), format!("{offset:#018x}")),
        ItemType(number) => return json!([objectid.to_string(), format!("UNKNOWN.{number}"), offset.to_string()]),
    };
    json!([objectid, name, offset])
}

/// Takes chunks out of a layout, with everything that is there because of them.
pub fn without_chunks(layout: &mut Map<String, Value>, chunks: &[u64]) -> Outcome {
    if chunks.is_empty() {
        return Ok(());
    }
    fn list<'a>(layout: &'a mut Map<String, Value>, name: &str) -> Outcome<&'a mut Vec<Value>> {
        layout.get_mut(name).and_then(Value::as_array_mut).map_or_else(|| fail(format!("a layout has no {name}")), Ok)
    }
    let gone = |logical: &Value| logical.as_u64().is_some_and(|logical| chunks.contains(&logical));
    let text = |number: &Value| number.to_string();
    list(layout, "chunks")?.retain(|chunk| !gone(&chunk["logical"]));
    let extents = list(layout, "dev_extents")?;
    let removed: Vec<Value> = extents.iter().filter(|extent| gone(&extent[2])).cloned().collect();
    extents.retain(|extent| !gone(&extent[2]));
    for device in list(layout, "devices")? {
        let of_device = removed.iter().filter(|extent| extent[0] == device["devid"]);
        let bytes: u64 = of_device.filter_map(|extent| extent[3].as_u64()).sum();
        let left = device["bytes_used"].as_u64().and_then(|used| used.checked_sub(bytes));
        device["bytes_used"] = json!(left);
    }
    let chunks: Vec<String> = chunks.iter().map(u64::to_string).collect();
    let Some(trees) = layout.get_mut("items").and_then(Value::as_object_mut) else {
        return fail("a layout has no items");
    };
    for keys in trees.values_mut().filter_map(Value::as_array_mut) {
        keys.retain(|key| match key[1].as_str() {
            Some("CHUNK_ITEM") => !chunks.iter().any(|chunk| key[2] == chunk.as_str()),
            Some("BLOCK_GROUP_ITEM") => !chunks.iter().any(|chunk| key[0] == chunk.as_str()),
            Some("DEV_EXTENT") => !removed.iter().any(|it| key[0] == text(&it[0]) && key[2] == text(&it[1])),
            _ => true,
        });
    }
    Ok(())
}

/// Where two layouts differ, a line for each place. The key of the UUID tree is a UUID that the reference drew at random,
/// so only its type is compared.
#[must_use]
pub fn differences(golden: &Map<String, Value>, plan: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    compare("", &Value::Object(golden.clone()), &Value::Object(plan.clone()), &mut found);
    found
}

fn compare(place: &str, golden: &Value, plan: &Value, found: &mut Vec<String>) {
    match (golden, plan) {
        (Value::Object(left), Value::Object(right)) => {
            let names: std::collections::BTreeSet<&String> = left.keys().chain(right.keys()).collect();
            for name in names {
                let place = format!("{place}.{name}");
                compare(&place, left.get(name).unwrap_or(&Value::Null), right.get(name).unwrap_or(&Value::Null), found);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                compare(&format!("{place}[{index}]"), left, right, found);
            }
        }
        (Value::String(_), Value::String(_)) if place.contains("UUID_TREE[") && !place.ends_with("[1]") => {}
        _ if golden == plan => {}
        _ => found.push(format!("{}: golden {golden}, plan {plan}", place.trim_start_matches('.'))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_difference_has_its_place() {
        let layout = |value: Value| value.as_object().cloned().unwrap();
        let golden = layout(json!({"a": [1, {"b": 2}], "items": {"UUID_TREE": [["0x1", "UUID_KEY_SUBVOL", "0x2"]]}}));
        let same = layout(json!({"a": [1, {"b": 2}], "items": {"UUID_TREE": [["0x3", "UUID_KEY_SUBVOL", "0x4"]]}}));
        let other = layout(json!({"a": [1, {"b": 3}], "items": {"UUID_TREE": [["0x1", "UUID_KEY", "0x2"]]}, "c": 0}));
        assert_eq!(differences(&golden, &same), Vec::<String>::new());
        assert_eq!(
            differences(&golden, &other),
            [
                "a[1].b: golden 2, plan 3",
                "c: golden null, plan 0",
                "items.UUID_TREE[0][1]: golden \"UUID_KEY_SUBVOL\", plan \"UUID_KEY\"",
            ]
        );
    }
}
