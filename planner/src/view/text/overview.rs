//! The overview as text.

use super::lines::{Lines, Style, counted, given, paint, range, size};
use super::map::{Drawn, draw, legend};
use crate::request::{DeviceKind, Signature};
use crate::view::{ChunkView, DeviceView, Overview, Size, Step, TreeSummary, escaped, utc};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// A plan at a glance: what it makes, what will be lost, and what is done to every device.
#[must_use]
pub fn overview(view: &Overview, style: Style) -> String {
    let mut lines = Lines::new(style);
    filesystem(&mut lines, view);
    let mut drawn = Drawn::default();
    for device in &view.devices {
        lines.heading(&title(device));
        about(&mut lines, device);
        draw(&mut lines, &device.map, &mut drawn);
    }
    lines.heading("Map");
    legend(&mut lines, &drawn);
    chunks(&mut lines, &view.chunks);
    trees(&mut lines, &view.trees);
    cost(&mut lines, view);
    for warning in &view.warnings {
        let label = lines.painted(paint::WARNING, "warning:");
        lines.line(&format!("{label} {} [{}]", escaped(&warning.message), escaped(&warning.code)));
    }
    lines.finish()
}

fn filesystem(lines: &mut Lines, view: &Overview) {
    let filesystem = &view.filesystem;
    lines.heading("Filesystem");
    let label =
        if filesystem.label.is_empty() { "(none)".to_string() } else { format!("\"{}\"", escaped(&filesystem.label)) };
    lines.labelled("label", &label);
    lines.labelled("UUID", &filesystem.fsid.to_string());
    let devices = u64::try_from(view.devices.len()).unwrap_or(u64::MAX);
    lines.labelled("size", &format!("{} on {}", size(filesystem.total_size), counted(devices, "device")));
    let profiles = filesystem.profiles;
    let text = format!("data {}, metadata {}, system {}", profiles.data, profiles.metadata, profiles.system);
    lines.labelled("profiles", &text);
    lines.labelled("node, sector", &format!("{}, {} bytes", filesystem.node_size, filesystem.sector_size));
    lines.labelled("checksum", filesystem.checksum.name());
    lines.labelled("features", &escaped(&filesystem.features.join(" ")));
    lines.labelled("needs", &filesystem.requires.to_string());
    lines.labelled("created", &utc(filesystem.time));
    lines.labelled("planned by", &escaped(&format!("{} {}", view.planner.name, view.planner.version)));
    lines.labelled("seal", &view.seal.to_string());
}

/// `Device 1: /dev/sda, 10.00GiB, MODEL, serial SERIAL`.
pub(super) fn title(device: &DeviceView) -> String {
    let found = &device.found;
    let path = found.path.as_deref().map_or_else(|| "described, not bound yet".to_string(), |path| given(Some(path)));
    let mut title = format!("Device {}: {path}, {}", device.devid, Size(found.size));
    if let Some(model) = &found.model {
        title.push_str(&format!(", {}", escaped(model)));
    }
    if let Some(serial) = &found.serial {
        title.push_str(&format!(", serial {}", escaped(serial)));
    }
    title
}

/// What is known of a device, what will be lost on it, and what is done to it.
pub(super) fn about(lines: &mut Lines, device: &DeviceView) {
    let found = &device.found;
    if found.signatures.is_empty() {
        let text = match found.kind {
            DeviceKind::Described => "not known: the device is only described",
            DeviceKind::Block | DeviceKind::File => "no signature was found when this was planned",
        };
        lines.labelled("there now", text);
    }
    for signature in &found.signatures {
        lines.labelled_in(paint::DANGER, "WILL BE LOST", &lost(signature));
    }
    lines.labelled("UUID", &device.uuid.to_string());
    let kind = match found.kind {
        DeviceKind::Block => "block device",
        DeviceKind::File => "image file",
        DeviceKind::Described => "described device",
    };
    let turning = if found.rotational { ", rotational" } else { "" };
    let sectors = format!("{kind}, sectors of {}/{} bytes{turning}", found.logical_sector, found.physical_sector);
    lines.labelled("device", &sectors);
    if let Some(zones) = &device.zones {
        let text = format!(
            "{} of {}: {} conventional, {} not empty, {} unusable",
            zones.total,
            Size(zones.size),
            zones.conventional,
            zones.not_empty,
            zones.unusable
        );
        lines.labelled("zones", &text);
    }
    let used = format!("{}, {} of it in chunks", size(device.size), Size(device.allocated));
    lines.labelled("used", &used);
    if device.limit < found.size {
        let rest = found.size.saturating_sub(device.limit);
        lines.labelled("left alone", &format!("the last {}", size(rest)));
    }
    for (name, step) in device.steps.named() {
        if step.count > 0 {
            lines.labelled(name, &step_text(name, step));
        }
    }
}

/// `ext4 (filesystem) "old", UUID ..., at byte 1080`.
pub(in crate::view) fn lost(signature: &Signature) -> String {
    let mut text = format!("{} ({})", escaped(&signature.kind), escaped(&signature.usage));
    if let Some(label) = &signature.label {
        text.push_str(&format!(" \"{}\"", escaped(label)));
    }
    if let Some(uuid) = &signature.uuid {
        text.push_str(&format!(", UUID {}", escaped(uuid)));
    }
    text.push_str(&format!(", at byte {}", signature.offset));
    text
}

/// `4.00KiB in 1 range: 0+4096`.
pub(in crate::view) fn step_text(name: &str, step: &Step) -> String {
    let what = match name {
        "write" => "run",
        "commit" => "superblock",
        _ => "range",
    };
    let first: Vec<String> = step.first.iter().map(|first| range(*first)).collect();
    let named = u64::try_from(first.len()).unwrap_or(u64::MAX);
    let more = match step.count.saturating_sub(named) {
        0 => String::new(),
        more => format!(", {more} more"),
    };
    format!("{} in {}: {}{more}", Size(step.bytes), counted(step.count, what), first.join(", "))
}

fn chunks(lines: &mut Lines, chunks: &[ChunkView]) {
    lines.heading("Chunks");
    let head = format!("  {:<13} {:<8} {:>20} {:>11}  device:offset", "kind", "profile", "logical", "length");
    let head = lines.painted(paint::DIM, &head);
    lines.line(&head);
    for ChunkView { chunk, .. } in chunks {
        let length = Size(chunk.length).to_string();
        let start = format!("  {:<13} {:<8} {:>20} {length:>11}  ", chunk.kind, chunk.profile, chunk.logical.get());
        let stripes: Vec<String> =
            chunk.stripes.iter().map(|stripe| format!("{}:{}", stripe.devid, stripe.offset)).collect();
        columns(lines, &start, &stripes);
    }
}

/// Words behind the start of a line, and under each other where they do not fit.
fn columns(lines: &mut Lines, start: &str, words: &[String]) {
    let indent = start.chars().count();
    let mut line = start.to_string();
    let mut column = indent;
    for word in words {
        let length = word.chars().count();
        if column > indent && column.saturating_add(length) > lines.style.width {
            lines.line(&line);
            line = format!("{:indent$}", "");
            column = indent;
        }
        line.push_str(word);
        line.push(' ');
        column = column.saturating_add(length).saturating_add(1);
    }
    lines.line(&line);
}

fn trees(lines: &mut Lines, trees: &[TreeSummary]) {
    lines.heading("Trees");
    let head = format!("  {:<13} {:>7} {:>7} {:>8} {:>22}", "tree", "blocks", "levels", "items", "top block at");
    let head = lines.painted(paint::DIM, &head);
    lines.line(&head);
    for TreeSummary { name, blocks, levels, items, top } in trees {
        lines.line(&format!("  {:<13} {blocks:>7} {levels:>7} {items:>8} {top:>22}", escaped(name)));
    }
}

fn cost(lines: &mut Lines, view: &Overview) {
    lines.heading("Cost");
    let ladder = view.discard;
    let how = view.filesystem.discard.name();
    let text = format!(
        "{} ({how}); hole by hole {}, merged {}, bridged {}",
        counted(ladder.planned, "request"),
        ladder.hole_by_hole,
        ladder.merged,
        ladder.bridged
    );
    lines.labelled("discard", &text);
    if view.devices.iter().any(|device| device.zones.is_some()) {
        let resets = view.statistics.zone_resets;
        let text = format!("{}; zone by zone {}", counted(resets.ranges, "request"), resets.zone_by_zone);
        lines.labelled("zone resets", &text);
    }
    let (bytes, calls) = (view.statistics.bytes_written, view.statistics.writes);
    lines.labelled("write", &format!("{} in {}", size(bytes), counted(calls, "call")));
}
