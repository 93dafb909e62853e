//! A tree as text: its blocks, and a line for every item.

use super::lines::{Lines, Style, counted, paint};
use crate::view::decode::{DecodedItem, Field};
use crate::view::{BlockView, TreeView, escaped};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A tree from the top block down, with every item and its fields.
#[must_use]
pub fn tree(view: &TreeView, style: Style) -> String {
    let mut lines = Lines::new(style);
    for block in &view.blocks {
        lines.heading(&title(block));
        problems(&mut lines, block);
        for item in &block.decoded.items {
            let key = lines.painted(paint::NAME, &item.key.text);
            lines.line(&format!("  {key}"));
            let fields = if block.block.level == 0 { &item.fields } else { &item.head };
            let shown = fields.iter().filter(|field| !field.name.starts_with("key."));
            let words: Vec<String> = shown.map(word).collect();
            wrapped(&mut lines, &words);
            problem(&mut lines, item);
        }
    }
    lines.finish()
}

/// `Tree fs, level 0, 2 items, at 30654464`.
pub(super) fn title(view: &BlockView) -> String {
    let block = &view.block;
    let what = if block.level == 0 { "item" } else { "pointer" };
    let items = counted(u64::from(block.items), what);
    format!("Tree {}, level {}, {items}, at {}", escaped(&block.tree), block.level, block.logical)
}

pub(super) fn problems(lines: &mut Lines, block: &BlockView) {
    for problem in &block.decoded.problems {
        let label = lines.painted(paint::DANGER, "problem:");
        lines.line(&format!("  {label} {}", escaped(problem)));
    }
}

pub(super) fn problem(lines: &mut Lines, item: &DecodedItem) {
    if let Some(problem) = &item.problem {
        let label = lines.painted(paint::DANGER, "problem:");
        lines.line(&format!("    {label} {}", escaped(problem)));
    }
}

fn word(field: &Field) -> String {
    let raw = if field.raw { "raw " } else { "" };
    format!("{raw}{} {}", field.name, escaped(&field.value))
}

/// Fields behind each other, as many as a line takes.
fn wrapped(lines: &mut Lines, words: &[String]) {
    const INDENT: usize = 4;
    let mut line = String::new();
    let mut columns = INDENT;
    for word in words {
        let length = word.chars().count().saturating_add(2);
        if columns > INDENT && columns.saturating_add(length) > lines.style.width {
            lines.line(&format!("    {}", line.trim_end()));
            line.clear();
            columns = INDENT;
        }
        line.push_str(word);
        line.push_str("; ");
        columns = columns.saturating_add(length);
    }
    if !line.is_empty() {
        lines.line(&format!("    {}", line.trim_end().trim_end_matches(';')));
    }
}
