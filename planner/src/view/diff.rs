//! Two plans compared by what they mean.
//!
//! What follows from something else is not told again: a new UUID changes every tree block, and that is one change.

use super::decode::{self, Field};
use super::overview::{Overview, TreeSummary};
use super::{DeviceView, Size, utc};
use crate::layout::{Chunk, ChunkKind};
use crate::plan::{Block, ByteRange, Device, Plan};
use crate::request::{DeviceFacts, Profile};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::Serialize;

/// What two plans differ in. In documents: the object that `btrfs-plan diff --json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Diff {
    /// The changes, by group.
    pub changes: Vec<Change>,
    /// Whether the plans are the same, seal included.
    pub same: bool,
    /// Always `diff`.
    pub view: &'static str,
}

/// A change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// What the second plan has; absent where it has nothing of the kind.
    pub after: Option<String>,
    /// What the first plan has; absent where it has nothing of the kind.
    pub before: Option<String>,
    /// What part of a plan it is about.
    pub group: Group,
    /// What it is about.
    pub subject: String,
}

/// What part of a plan a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Group {
    /// UUIDs, label, time.
    Identity,
    /// Sizes, profiles, checksum, features.
    Filesystem,
    /// Devices and what was found on them.
    Devices,
    /// Chunks.
    Layout,
    /// Trees and their blocks.
    Trees,
    /// What is done to devices.
    Schedule,
    /// What it costs.
    Statistics,
    /// What made the plan, and what it warns of.
    Planning,
}

impl Group {
    /// The heading.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identity => "Identity",
            Self::Filesystem => "Filesystem",
            Self::Devices => "Devices",
            Self::Layout => "Layout",
            Self::Trees => "Trees",
            Self::Schedule => "Schedule",
            Self::Statistics => "Statistics",
            Self::Planning => "Planning",
        }
    }
}

/// What changed from one plan to another.
#[must_use]
pub fn diff(before: &Plan, after: &Plan) -> Diff {
    if before.seal == after.seal {
        return Diff { changes: Vec::new(), same: true, view: "diff" };
    }
    let mut compare = Compare { changes: Vec::new() };
    let views = (Overview::of(before), Overview::of(after));
    compare.identity(before, after);
    compare.filesystem(before, after);
    compare.devices(before, after);
    compare.layout(before, after);
    compare.trees(&views.0.trees, &views.1.trees);
    compare.schedule(before, after, &views.0.devices, &views.1.devices);
    compare.statistics(before, after);
    compare.planning(before, after);
    if compare.changes.is_empty() {
        compare.contents(before, after);
    }
    if compare.changes.is_empty() {
        // The seal says that something differs, even where none of the above does.
        let (before, after) = (before.seal.to_string(), after.seal.to_string());
        compare.change(Group::Planning, "seal", Some(before), Some(after));
    }
    compare.changes.sort_by_key(|change| change.group);
    Diff { changes: compare.changes, same: false, view: "diff" }
}

struct Compare {
    changes: Vec<Change>,
}

impl Compare {
    fn change(&mut self, group: Group, subject: &str, before: Option<String>, after: Option<String>) {
        if before != after {
            self.changes.push(Change { after, before, group, subject: subject.into() });
        }
    }

    fn value<T: ToString>(&mut self, group: Group, subject: &str, before: T, after: T) {
        self.change(group, subject, Some(before.to_string()), Some(after.to_string()));
    }

    fn size(&mut self, group: Group, subject: &str, before: u64, after: u64) {
        self.value(group, subject, exact(before), exact(after));
    }

    /// Members of a set that come and go.
    fn set<'a>(
        &mut self,
        group: Group,
        subject: &str,
        before: impl IntoIterator<Item = &'a str>,
        after: impl IntoIterator<Item = &'a str>,
    ) {
        let (before, after): (BTreeSet<&str>, BTreeSet<&str>) =
            (before.into_iter().collect(), after.into_iter().collect());
        for gone in before.difference(&after) {
            self.change(group, subject, Some((*gone).to_string()), None);
        }
        for come in after.difference(&before) {
            self.change(group, subject, None, Some((*come).to_string()));
        }
    }

    fn identity(&mut self, before: &Plan, after: &Plan) {
        let (old, new) = (&before.filesystem, &after.filesystem);
        self.value(Group::Identity, "label", &*old.label, &*new.label);
        self.value(Group::Identity, "time", utc(old.time), utc(new.time));
        self.value(Group::Identity, "UUID of the filesystem (and with it every tree block)", old.fsid, new.fsid);
        let chunk_tree = |plan: &Plan| header_field(plan, "chunk_tree_uuid");
        self.value(Group::Identity, "UUID of the chunk tree", chunk_tree(before), chunk_tree(after));
        self.value(Group::Identity, "UUID of the top-level subvolume", subvolume(before), subvolume(after));
        for (old, new) in before.devices.iter().zip(&after.devices) {
            self.value(Group::Identity, &format!("UUID of device {}", old.devid), old.uuid, new.uuid);
        }
    }

    fn filesystem(&mut self, before: &Plan, after: &Plan) {
        let (old, new) = (&before.filesystem, &after.filesystem);
        let group = Group::Filesystem;
        self.size(group, "size", old.total_size, new.total_size);
        self.value(group, "data profile", old.profiles.data, new.profiles.data);
        self.value(group, "metadata profile", old.profiles.metadata, new.profiles.metadata);
        self.value(group, "system profile", old.profiles.system, new.profiles.system);
        self.value(group, "node size", old.node_size, new.node_size);
        self.value(group, "sector size", old.sector_size, new.sector_size);
        self.value(group, "page size", old.page_size, new.page_size);
        self.value(group, "needs", &old.requires, &new.requires);
        let zone_size = |size: Option<u64>| size.map_or_else(|| "none".to_string(), exact);
        self.value(group, "zone size", zone_size(old.zone_size), zone_size(new.zone_size));
        self.value(group, "checksum", old.checksum, new.checksum);
        self.value(group, "generation", old.generation, new.generation);
        self.set(group, "feature", old.features.iter().map(String::as_str), new.features.iter().map(String::as_str));
        if old.features == new.features {
            self.value(group, "incompat flags", hex(old.flags.incompat), hex(new.flags.incompat));
            self.value(group, "compat_ro flags", hex(old.flags.compat_ro), hex(new.flags.compat_ro));
        }
    }

    fn devices(&mut self, before: &Plan, after: &Plan) {
        let pairs = before.devices.iter().zip(&after.devices);
        for (old, new) in pairs {
            let name = format!("device {}", old.devid);
            let of = |what: &str| format!("{name}: {what}");
            self.size(Group::Devices, &of("size"), old.size, new.size);
            let whole = |device: &Device| device.size == device.limit && device.size == device.found.size;
            if !(whole(old) && whole(new)) {
                let text = |device: &Device| format!("{} of {}", exact(device.limit), exact(device.found.size));
                self.value(Group::Devices, &of("may be touched up to"), text(old), text(new));
            }
            self.facts(&name, &old.found, &new.found);
        }
        let common = before.devices.len().min(after.devices.len());
        let text = |device: &Device| Some(format!("{}{}", exact(device.size), path(&device.found)));
        for device in before.devices.iter().skip(common) {
            self.change(Group::Devices, &format!("device {}", device.devid), text(device), None);
        }
        for device in after.devices.iter().skip(common) {
            self.change(Group::Devices, &format!("device {}", device.devid), None, text(device));
        }
    }

    fn facts(&mut self, name: &str, old: &DeviceFacts, new: &DeviceFacts) {
        let group = Group::Devices;
        let of = |what: &str| format!("{name}: {what}");
        self.change(group, &of("path"), old.path.clone(), new.path.clone());
        self.change(group, &of("model"), old.model.clone(), new.model.clone());
        self.change(group, &of("serial"), old.serial.clone(), new.serial.clone());
        self.value(group, &of("kind"), old.kind.name(), new.kind.name());
        let sectors = |facts: &DeviceFacts| format!("{}/{}", facts.logical_sector, facts.physical_sector);
        self.value(group, &of("sectors"), sectors(old), sectors(new));
        self.value(group, &of("rotational"), old.rotational, new.rotational);
        let discard = |facts: &DeviceFacts| {
            facts.discard.map(|limits| {
                let crate::request::DiscardLimits { alignment, granularity, max_bytes } = limits;
                format!("granules of {granularity} from {alignment}, at most {max_bytes}")
            })
        };
        self.change(group, &of("discard"), discard(old), discard(new));
        let zones = |facts: &DeviceFacts| {
            facts.zones.as_ref().map(|zones| {
                let count = zones.count().unwrap_or(u64::MAX);
                let runs = serde_json::to_string(&zones.runs).unwrap_or_default();
                let limits = format!("{} active, {} open at most", zones.max_active, zones.max_open);
                format!("{count} of {}, {limits}: {runs}", Size(zones.size))
            })
        };
        self.change(group, &of("zones"), zones(old), zones(new));
        let lost = |facts: &DeviceFacts| -> Vec<String> { facts.signatures.iter().map(super::text::lost).collect() };
        let (old, new) = (lost(old), lost(new));
        self.set(group, &of("signature"), old.iter().map(String::as_str), new.iter().map(String::as_str));
    }

    fn layout(&mut self, before: &Plan, after: &Plan) {
        let mut kinds: BTreeMap<(ChunkKind, Profile), [Vec<&Chunk>; 2]> = BTreeMap::new();
        for (chunks, side) in [(&before.chunks, 0_usize), (&after.chunks, 1)] {
            for chunk in chunks {
                let sides = kinds.entry((chunk.kind, chunk.profile)).or_default();
                if let Some(chunks) = sides.get_mut(side) {
                    chunks.push(chunk);
                }
            }
        }
        for ((kind, profile), [old, new]) in kinds {
            let common = old.len().min(new.len());
            for (number, (old, new)) in old.iter().zip(&new).enumerate() {
                let name = match (common, number) {
                    (1, _) => format!("{kind} {profile} chunk"),
                    (_, number) => format!("{kind} {profile} chunk {number}"),
                };
                self.size(Group::Layout, &format!("{name}: length"), old.length, new.length);
                self.value(Group::Layout, &format!("{name}: logical address"), old.logical, new.logical);
                self.value(Group::Layout, &format!("{name}: stripes"), stripes(old), stripes(new));
            }
            let text = |chunk: &Chunk| Some(format!("{} at {}, {}", Size(chunk.length), chunk.logical, stripes(chunk)));
            for chunk in old.iter().skip(common) {
                self.change(Group::Layout, &format!("{kind} {profile} chunk"), text(chunk), None);
            }
            for chunk in new.iter().skip(common) {
                self.change(Group::Layout, &format!("{kind} {profile} chunk"), None, text(chunk));
            }
        }
    }

    fn trees(&mut self, before: &[TreeSummary], after: &[TreeSummary]) {
        let names: BTreeSet<&str> = before.iter().chain(after).map(|tree| tree.name.as_str()).collect();
        for name in names {
            let of = |trees: &[TreeSummary]| {
                trees.iter().find(|tree| tree.name == name).map(|tree| {
                    let [blocks, levels, items] =
                        [(tree.blocks, "block"), (tree.levels, "level"), (tree.items, "item")]
                            .map(|(count, one)| super::text::counted(count, one));
                    format!("{blocks} in {levels}, {items}")
                })
            };
            self.change(Group::Trees, &format!("{name} tree"), of(before), of(after));
        }
    }

    fn schedule(&mut self, before: &Plan, after: &Plan, old: &[DeviceView], new: &[DeviceView]) {
        let strategy = |plan: &Plan| plan.filesystem.discard.name();
        self.value(Group::Schedule, "discard strategy", strategy(before), strategy(after));
        for ((old, new), (first, second)) in old.iter().zip(new).zip(before.devices.iter().zip(&after.devices)) {
            let ranges = |plan: &Plan, device: &Device| -> [Vec<ByteRange>; 6] {
                [
                    device.wipe.clone(),
                    device.discard.clone(),
                    device.reset_zones.clone(),
                    device.zero.clone(),
                    super::overview::written(plan, &device.writes).collect(),
                    super::overview::written(plan, &device.commit).collect(),
                ]
            };
            let pairs = ranges(before, first).into_iter().zip(ranges(after, second));
            for (((name, old_step), (_, new_step)), (first, second)) in
                old.steps.named().into_iter().zip(new.steps.named()).zip(pairs)
            {
                if first == second {
                    continue;
                }
                let text = |step: &super::Step| (step.count > 0).then(|| super::text::step_text(name, step));
                let (mut before, mut after) = (text(old_step), text(new_step));
                if before == after {
                    // They differ behind the ranges that are named.
                    let apart = first.iter().zip(&second).find(|(first, second)| first != second);
                    before = apart.map(|(first, _)| format!("..., {}+{}", first.start, first.length));
                    after = apart.map(|(_, second)| format!("..., {}+{}", second.start, second.length));
                }
                self.change(Group::Schedule, &format!("device {}: {name}", old.devid), before, after);
            }
        }
    }

    fn statistics(&mut self, before: &Plan, after: &Plan) {
        let group = Group::Statistics;
        let (old, new) = (before.statistics, after.statistics);
        self.size(group, "bytes of tree blocks", before.filesystem.bytes_used, after.filesystem.bytes_used);
        self.size(group, "bytes written", old.bytes_written, new.bytes_written);
        self.value(group, "write calls", old.writes, new.writes);
        self.value(group, "discards hole by hole", old.discard.hole_by_hole, new.discard.hole_by_hole);
        self.value(group, "discards merged", old.discard.merged, new.discard.merged);
        self.value(group, "discards bridged", old.discard.bridged, new.discard.bridged);
        self.value(group, "zone resets, zone by zone", old.zone_resets.zone_by_zone, new.zone_resets.zone_by_zone);
        self.value(group, "zone resets, in ranges", old.zone_resets.ranges, new.zone_resets.ranges);
    }

    fn planning(&mut self, before: &Plan, after: &Plan) {
        let planner = |plan: &Plan| format!("{} {}", plan.planner.name, plan.planner.version);
        self.value(Group::Planning, "planner", planner(before), planner(after));
        let warnings = |plan: &Plan| -> Vec<String> {
            plan.warnings.iter().map(|warning| format!("{} [{}]", warning.message, warning.code)).collect()
        };
        let (old, new) = (warnings(before), warnings(after));
        self.set(Group::Planning, "warning", old.iter().map(String::as_str), new.iter().map(String::as_str));
    }

    /// Fields of tree blocks, where nothing else explains why plans differ.
    fn contents(&mut self, before: &Plan, after: &Plan) {
        const MOST: usize = 20;
        let pairs = before.blocks.iter().zip(&after.blocks);
        for (old, new) in pairs.filter(|(old, new)| old.tree == new.tree) {
            let (old_fields, new_fields) = (fields(before, old), fields(after, new));
            for ((name, old_value), (other, new_value)) in old_fields.into_iter().zip(new_fields) {
                if self.changes.len() >= MOST {
                    return;
                }
                if (&name, &old_value) != (&other, &new_value) && name != "csum" {
                    self.value(Group::Trees, &format!("{} tree: {name}", old.tree), old_value, new_value);
                }
            }
        }
    }
}

fn exact(bytes: u64) -> String {
    format!("{} ({bytes})", Size(bytes))
}

fn hex(bits: u64) -> String {
    format!("{bits:#x}")
}

fn path(facts: &DeviceFacts) -> String {
    facts.path.as_ref().map(|path| format!(", {path}")).unwrap_or_default()
}

fn stripes(chunk: &Chunk) -> String {
    let stripes: Vec<String> =
        chunk.stripes.iter().map(|stripe| format!("{}:{}", stripe.devid, stripe.offset)).collect();
    format!("on {}", stripes.join(" "))
}

/// The bytes of a block, taken apart.
fn decoded(plan: &Plan, block: &Block) -> Option<decode::DecodedBlock> {
    let payload = usize::try_from(block.payload).ok().and_then(|index| plan.payloads.get(index))?;
    Some(decode::block(&payload.expand().ok()?, plan.filesystem.checksum))
}

/// A field of the header that all blocks have in common.
fn header_field(plan: &Plan, name: &str) -> String {
    let block = plan.blocks.first().and_then(|block| decoded(plan, block));
    let fields = block.map(|block| block.header).unwrap_or_default();
    fields.into_iter().find(|field| field.name == name).map(|field| field.value).unwrap_or_default()
}

/// The UUID of the top-level subvolume, as the root tree has it.
fn subvolume(plan: &Plan) -> String {
    let leaves = plan.blocks.iter().filter(|block| block.tree == "root" && block.level == 0);
    let items = leaves.filter_map(|block| decoded(plan, block)).flat_map(|block| block.items);
    let mut roots = items.filter(|item| item.key.r#type == 132 && item.key.objectid == 5);
    let fields = roots.next().map(|item| item.fields).unwrap_or_default();
    fields.into_iter().find(|field| field.name == "uuid").map(|field| field.value).unwrap_or_default()
}

/// The fields of a block, with the key of their item before their names.
fn fields(plan: &Plan, block: &Block) -> Vec<(String, String)> {
    let Some(decoded) = decoded(plan, block) else { return Vec::new() };
    let header = decoded.header.into_iter().map(|field: Field| (field.name, field.value));
    let items = decoded.items.into_iter().flat_map(|item| {
        let key = item.key.text;
        let fields = item.head.into_iter().chain(item.fields);
        fields.map(move |field| (format!("{key} {}", field.name), field.value)).collect::<Vec<_>>()
    });
    header.chain(items).collect()
}

#[cfg(test)]
mod tests;
