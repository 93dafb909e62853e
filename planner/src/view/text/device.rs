//! One device in full as text.

use super::lines::{Lines, Style, paint};
use super::map::{Drawn, draw, legend};
use super::overview::{about, title};
use crate::plan::ByteRange;
use crate::view::{DeviceDetail, PlannedWrite, Size, escaped};
use alloc::format;
use alloc::string::ToString;

/// A device: what is known of it, its map, its extents, every range and every write.
#[must_use]
pub fn device(view: &DeviceDetail, style: Style) -> alloc::string::String {
    let mut lines = Lines::new(style);
    lines.heading(&title(&view.overview));
    about(&mut lines, &view.overview);
    let mut drawn = Drawn::default();
    draw(&mut lines, &view.overview.map, &mut drawn);
    legend(&mut lines, &drawn);
    lines.heading("Extents");
    head(&mut lines, "chunk, stripe, kind, profile");
    for extent in &view.extents {
        let what = format!("{}, {}, {}, {}", extent.chunk, extent.stripe, extent.kind, extent.profile);
        row(&mut lines, extent.start, extent.length, &what);
    }
    for (name, ranges) in [
        ("Wipe", &view.wipe),
        ("Discard", &view.discard),
        ("Reset zones", &view.reset_zones),
        ("Make zero", &view.zero),
    ] {
        ranges_of(&mut lines, name, ranges);
    }
    writes(&mut lines, "Write", &view.writes);
    writes(&mut lines, "Commit, in this order", &view.commit);
    lines.finish()
}

fn head(lines: &mut Lines, what: &str) {
    let head = format!("  {:>16} {:>14} {:>11}  {what}", "offset", "bytes", "");
    let head = lines.painted(paint::DIM, &head);
    lines.line(&head);
}

fn row(lines: &mut Lines, start: u64, length: u64, what: &str) {
    let size = Size(length).to_string();
    lines.line(&format!("  {start:>16} {length:>14} {size:>11}  {what}"));
}

fn ranges_of(lines: &mut Lines, name: &str, ranges: &[ByteRange]) {
    if !ranges.is_empty() {
        lines.heading(name);
        head(lines, "");
        ranges.iter().for_each(|range| row(lines, range.start, range.length, ""));
    }
}

fn writes(lines: &mut Lines, name: &str, writes: &[PlannedWrite]) {
    lines.heading(name);
    head(lines, "what");
    for write in writes {
        let what = match &write.block {
            Some((tree, logical)) => format!("{} tree, block {logical}", escaped(tree)),
            None if name == "Write" => "parity".to_string(),
            None => "superblock".to_string(),
        };
        row(lines, write.offset.get(), write.length, &what);
    }
}
