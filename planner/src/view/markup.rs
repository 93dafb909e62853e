//! Writes SVG and HTML that is well-formed XML, whatever texts go into it.

use super::escape::markup;
use alloc::string::String;

/// A document that grows.
pub(super) struct Markup {
    document: String,
}

impl Markup {
    /// A document that starts like this.
    pub(super) fn new(start: &str) -> Self {
        Self { document: start.into() }
    }

    pub(super) fn finish(mut self) -> String {
        self.document.push('\n');
        self.document
    }

    fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.document.push('<');
        self.document.push_str(name);
        for (name, value) in attributes {
            self.document.push(' ');
            self.document.push_str(name);
            self.document.push_str("=\"");
            self.document.push_str(&markup(value));
            self.document.push('"');
        }
    }

    /// An element with what `inside` puts into it.
    pub(super) fn element(&mut self, name: &str, attributes: &[(&str, &str)], inside: impl FnOnce(&mut Self)) {
        self.open(name, attributes);
        self.document.push('>');
        inside(self);
        self.document.push_str("</");
        self.document.push_str(name);
        self.document.push('>');
    }

    /// An element that holds a text.
    pub(super) fn leaf(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.element(name, attributes, |document| document.text(text));
    }

    /// An element that never holds anything.
    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.open(name, attributes);
        self.document.push_str("/>");
    }

    /// A text.
    pub(super) fn text(&mut self, text: &str) {
        self.document.push_str(&markup(text));
    }

    /// Something that is part of this program and needs no escaping: a style sheet.
    pub(super) fn own(&mut self, text: &'static str) {
        self.document.push_str(text);
    }

    /// A line break, for people who look at the source.
    pub(super) fn line(&mut self) {
        self.document.push('\n');
    }
}
