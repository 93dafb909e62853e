//! A block field by field as text, its bytes beside it.

use super::lines::{Lines, Style, paint};
use super::tree::{problem, problems, title};
use crate::units::wide;
use crate::view::decode::{DecodedBlock, Field};
use crate::view::{BlockView, Role, SuperblockView, escaped};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Bytes of a line of a dump.
const ROW: usize = 16;

/// A block: where its copies stand, and its fields with their bytes.
#[must_use]
pub fn block(view: &BlockView, style: Style) -> String {
    let mut lines = Lines::new(style);
    lines.heading(&title(view));
    if let Some(chunk) = view.chunk {
        lines.labelled("chunk", &format!("{} {} at {}", chunk.kind, chunk.profile, chunk.logical));
    }
    for place in &view.copies {
        let role = match place.role {
            Role::Copy => "copy on",
            Role::Parity => "parity on",
        };
        let written = if place.written { "" } else { " (no write of the plan starts there)" };
        lines.labelled(role, &format!("device {} at {}{written}", place.devid, place.offset));
    }
    let holds = if view.decoded.checksum_holds { "right" } else { "WRONG" };
    lines.labelled("checksum", holds);
    problems(&mut lines, view);
    lines.heading("Header");
    dump(&mut lines, &view.bytes, &view.decoded.header);
    for (number, item) in view.decoded.items.iter().enumerate() {
        let what = if view.block.level == 0 { "Item" } else { "Pointer" };
        lines.heading(&format!("{what} {number}: {}", item.key.text));
        problem(&mut lines, item);
        dump(&mut lines, &view.bytes, &item.head);
        dump(&mut lines, &view.bytes, &item.fields);
    }
    free(&mut lines, &view.bytes, &view.decoded);
    lines.finish()
}

/// A superblock: its fields with their bytes.
#[must_use]
pub fn superblock(view: &SuperblockView, style: Style) -> String {
    let mut lines = Lines::new(style);
    lines.heading(&format!("Superblock of device {}, at {}", view.devid, view.offset));
    let holds = if view.decoded.checksum_holds { "right" } else { "WRONG" };
    lines.labelled("checksum", holds);
    for problem in &view.decoded.problems {
        lines.labelled_in(paint::DANGER, "problem", &escaped(problem));
    }
    dump(&mut lines, &view.bytes, &view.decoded.header);
    lines.finish()
}

/// Bytes of a field that still has its name behind them.
const SHORT: usize = 8;

/// The fields in order, each with its offset, its bytes and its characters: on one line where there is room.
fn dump(lines: &mut Lines, bytes: &[u8], fields: &[Field]) {
    for field in fields {
        let own = slice(bytes, field.offset, field.length);
        let raw = if field.raw { " (not understood)" } else { "" };
        let value = format!("{} = {}{raw}", field.name, escaped(&field.value));
        if own.len() <= SHORT {
            let start = format!("{:>6x}  {:<23}  {:<8}", field.offset, digits(own), characters(own));
            let columns = start.chars().count().saturating_add(value.chars().count()).saturating_add(4);
            if columns <= lines.style.width {
                let (start, value) = (lines.painted(paint::DIM, &start), lines.painted(paint::NAME, &value));
                lines.line(&format!("  {start}  {value}"));
                continue;
            }
        }
        let value = lines.painted(paint::NAME, &value);
        lines.line(&format!("          {value}"));
        rows(lines, own, field.offset);
    }
}

fn slice(bytes: &[u8], offset: u64, length: u64) -> &[u8] {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    bytes.get(start..start.saturating_add(length)).unwrap_or_default()
}

fn digits(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(" ")
}

fn characters(bytes: &[u8]) -> String {
    let printable = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' };
    bytes.iter().map(printable).collect()
}

fn rows(lines: &mut Lines, bytes: &[u8], offset: u64) {
    let mut at = offset;
    let mut skipped = false;
    let mut before: Option<&[u8]> = None;
    let count = bytes.len().div_ceil(ROW);
    for (number, row) in bytes.chunks(ROW).enumerate() {
        let last = number.saturating_add(1) == count;
        // Like other dumps: a star stands for rows that repeat.
        if before == Some(row) && !last {
            if !skipped {
                lines.line("       *");
            }
            skipped = true;
        } else {
            skipped = false;
            let line = format!("{at:>6x}  {:<47}  {}", digits(row), characters(row));
            let line = lines.painted(paint::DIM, &line);
            lines.line(&format!("  {line}"));
        }
        before = Some(row);
        at = at.saturating_add(wide(row.len()));
    }
}

fn free(lines: &mut Lines, bytes: &[u8], decoded: &DecodedBlock) {
    for span in &decoded.free {
        let own = slice(bytes, span.offset, span.length);
        let zeros = own.iter().all(|byte| *byte == 0);
        let what = if zeros { "all zero".to_string() } else { "NOT zero".to_string() };
        lines.heading(&format!("Free: {} bytes at {:#x}, {what}", span.length, span.offset));
        if !zeros {
            rows(lines, own, span.offset);
        }
    }
}
