//! Headings, labelled lines and columns.

use crate::plan::ByteRange;
use crate::view::{Size, escaped};
use alloc::format;
use alloc::string::{String, ToString};

/// How text is to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether colours help. They never say anything by themselves.
    pub colour: bool,
    /// Whether characters beyond ASCII can be shown.
    pub unicode: bool,
    /// Columns of the terminal.
    pub width: usize,
}

impl Default for Style {
    /// ASCII, 80 columns, no colours.
    fn default() -> Self {
        Self { colour: false, unicode: false, width: 80 }
    }
}

/// Colours by what they stand for, as numbers of ECMA-48.
pub(super) mod paint {
    pub(crate) const BOLD: &str = "1";
    pub(crate) const DIM: &str = "2";
    pub(crate) const DANGER: &str = "1;31";
    pub(crate) const WARNING: &str = "33";
    pub(crate) const NAME: &str = "36";
}

/// Columns before the value of a labelled line.
const LABEL: usize = 16;

/// A text that grows.
pub(super) struct Lines {
    pub(super) style: Style,
    text: String,
}

impl Lines {
    pub(super) const fn new(style: Style) -> Self {
        Self { style, text: String::new() }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// A text in a colour, if colours are wanted.
    pub(super) fn painted(&self, paint: &str, text: &str) -> String {
        if self.style.colour && !text.is_empty() { format!("\u{1b}[{paint}m{text}\u{1b}[0m") } else { text.to_string() }
    }

    /// A line as it is.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// A heading, after an empty line unless it is the first.
    pub(super) fn heading(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let heading = self.painted(paint::BOLD, text);
        self.line(&heading);
    }

    /// `  label     value`, the value wrapped at spaces under itself; hard spaces become ordinary ones.
    pub(super) fn labelled(&mut self, label: &str, value: &str) {
        self.labelled_in("", label, value);
    }

    /// The same with the value in a colour.
    pub(super) fn labelled_in(&mut self, paint: &str, label: &str, value: &str) {
        let room = self.style.width.saturating_sub(LABEL).max(20);
        let mut label = label;
        let mut line = String::new();
        let mut columns = 0_usize;
        for word in value.split(' ') {
            let length = word.chars().count();
            if columns > 0 && columns.saturating_add(length).saturating_add(1) > room {
                self.labelled_line(paint, label, &line);
                (label, columns) = ("", 0);
                line.clear();
            }
            if columns > 0 {
                line.push(' ');
                columns = columns.saturating_add(1);
            }
            line.push_str(word);
            columns = columns.saturating_add(length);
        }
        self.labelled_line(paint, label, &line);
    }

    fn labelled_line(&mut self, paint: &str, label: &str, value: &str) {
        let value = value.replace('\u{a0}', " ");
        let label = format!("  {label:<width$}", width = LABEL.saturating_sub(2));
        let label = self.painted(paint::DIM, &label);
        let value = if paint.is_empty() { value } else { self.painted(paint, &value) };
        self.line(&format!("{label}{value}"));
    }
}

/// `one range`, `5 ranges`.
pub(in crate::view) fn counted(count: u64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// A range as its start and length in bytes.
pub(super) fn range(range: ByteRange) -> String {
    format!("{}+{}", range.start, range.length)
}

/// A size in words, and in bytes.
pub(super) fn size(bytes: u64) -> String {
    format!("{} ({bytes})", Size(bytes))
}

/// A text that may be missing.
pub(super) fn given(text: Option<&str>) -> String {
    text.map(|text| escaped(text).into_owned()).unwrap_or_default()
}
