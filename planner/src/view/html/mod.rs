//! A plan as one HTML file, for a change request: it loads nothing, runs nothing, and prints well.

mod sections;

use super::markup::Markup;
use super::{Overview, svg};
use crate::audit::Report;
use alloc::format;
use alloc::string::String;

const STYLE: &str = include_str!("report.css");

/// The report. `audit`: what an audit found; absent where there was none.
#[must_use]
pub fn html(view: &Overview, audit: Option<&Report>) -> String {
    let mut document = Markup::new("<!DOCTYPE html>\n");
    let filesystem = &view.filesystem;
    let label = if filesystem.label.is_empty() { "without a label" } else { &filesystem.label };
    let title = format!("Plan for a btrfs filesystem, {label}");
    document.element("html", &[("lang", "en")], |document| {
        document.element("head", &[], |document| {
            document.empty("meta", &[("charset", "utf-8")]);
            // Nothing of it asks for anything; this keeps it so, whatever texts it has.
            let policy = "default-src 'none'; style-src 'unsafe-inline'";
            document.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", policy)]);
            document.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
            document.empty("meta", &[("name", "color-scheme"), ("content", "light dark")]);
            document.leaf("title", &[], &title);
            document.element("style", &[], |document| document.own(STYLE));
        });
        document.line();
        document.element("body", &[], |document| {
            document.element("main", &[], |document| {
                document.leaf("h1", &[], &title);
                sections::summary(document, view);
                sections::losses(document, view);
                sections::audit(document, audit);
                sections::warnings(document, view);
                document.element("section", &[("class", "wide")], |document| {
                    document.leaf("h2", &[], "The devices afterwards");
                    svg::draw(document, view, false);
                    let note = "Each device has a scale of its own. What is narrower than four pixels is drawn four \
                                pixels wide. Upper bar: who holds each part. Lower bar: what happens to it.";
                    document.leaf("p", &[("class", "note")], note);
                });
                sections::schedule(document, view);
                sections::chunks(document, view);
                sections::trees(document, view);
                sections::cost(document, view);
            });
        });
    });
    document.finish()
}
