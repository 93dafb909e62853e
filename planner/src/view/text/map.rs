//! The device map in a terminal: one bar for who holds the device, one for what happens to it.

use super::lines::{Lines, paint};
use crate::view::{Fate, Holder, Size, Span, fit};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Columns before a bar.
const GUTTER: usize = 10;

/// Which character stands for it, in Unicode and in ASCII, and in which colour.
const fn holder_mark(holder: Holder) -> (char, char, &'static str) {
    match holder {
        Holder::Outside => (' ', ' ', "2"),
        Holder::Unallocated => ('·', '.', "2"),
        Holder::Reserved => ('╳', 'r', "2"),
        Holder::Data => ('█', 'd', "34"),
        Holder::Mixed => ('▚', 'x', "36"),
        Holder::Metadata => ('▒', 'm', "32"),
        Holder::System => ('▓', 'y', "35"),
        Holder::Superblock => ('┃', 'S', "33"),
    }
}

const fn fate_mark(fate: Fate) -> (char, char, &'static str) {
    match fate {
        Fate::Kept => (' ', ' ', "2"),
        Fate::Discarded => ('─', '-', "2"),
        Fate::Reset => ('═', '=', "2"),
        Fate::Zeroed => ('0', '0', "36"),
        Fate::Written => ('■', 'W', "31"),
    }
}

/// What was drawn, for the legend.
#[derive(Default)]
pub(super) struct Drawn {
    holders: BTreeSet<Holder>,
    fates: BTreeSet<Fate>,
}

/// Draws a device.
pub(super) fn draw(lines: &mut Lines, spans: &[Span], drawn: &mut Drawn) {
    let cells = lines.style.width.saturating_sub(GUTTER.saturating_add(2)).clamp(20, 400);
    let fitted = fit(spans, cells);
    drawn.holders.extend(fitted.iter().map(|(span, _)| span.holder));
    drawn.fates.extend(fitted.iter().map(|(span, _)| span.fate));
    bar(lines, "holds", fitted.iter().map(|(span, cells)| (holder_mark(span.holder), *cells)));
    bar(lines, "fate", fitted.iter().map(|(span, cells)| (fate_mark(span.fate), *cells)));
    let whole = spans.iter().fold(0_u64, |sum, span| sum.saturating_add(span.length));
    let end = Size(whole).to_string();
    let scale = format!("{:GUTTER$} 0{end:>width$}", "", width = cells.saturating_sub(1));
    let scale = lines.painted(paint::DIM, &scale);
    lines.line(&scale);
}

fn bar(lines: &mut Lines, name: &str, parts: impl Iterator<Item = ((char, char, &'static str), usize)>) {
    let edge = if lines.style.unicode { "│" } else { "|" };
    let mut line = format!("  {name:<width$}{edge}", width = GUTTER.saturating_sub(2));
    for ((unicode, ascii, colour), cells) in parts {
        let mark = if lines.style.unicode { unicode } else { ascii };
        let run: String = core::iter::repeat_n(mark, cells).collect();
        line.push_str(&lines.painted(colour, &run));
    }
    line.push_str(edge);
    lines.line(&line);
}

/// What the marks that were drawn mean.
pub(super) fn legend(lines: &mut Lines, drawn: &Drawn) {
    // A hard space keeps a mark beside its name when lines are wrapped.
    let text = |marks: (char, char, &str), name: &str| match if lines.style.unicode { marks.0 } else { marks.1 } {
        ' ' => format!("(blank)\u{a0}{name}"),
        mark => format!("{mark}\u{a0}{name}"),
    };
    let holders: Vec<String> =
        drawn.holders.iter().rev().map(|holder| text(holder_mark(*holder), holder.name())).collect();
    let fates: Vec<String> = drawn.fates.iter().rev().map(|fate| text(fate_mark(*fate), fate.name())).collect();
    for (label, names) in [("holds", holders), ("fate", fates)] {
        lines.labelled(label, &names.join(", "));
    }
    lines.labelled("scale", "each device to its own; what is narrower than a column still gets one");
}
