//! A comparison as text.

use super::lines::{Lines, Style, paint};
use crate::view::{Diff, escaped};
use alloc::format;
use alloc::string::{String, ToString};

/// The changes, by group: `-` and `+` before what only one of the plans has.
#[must_use]
pub fn diff(view: &Diff, style: Style) -> String {
    let mut lines = Lines::new(style);
    if view.same {
        lines.line("the plans are the same");
        return lines.finish();
    }
    let mut group = None;
    for change in &view.changes {
        if group != Some(change.group) {
            lines.heading(change.group.name());
            group = Some(change.group);
        }
        let subject = escaped(&change.subject);
        let shown = |text: &Option<String>| match text.as_deref() {
            None => "(none)".to_string(),
            Some("") => "\"\"".to_string(),
            Some(text) => escaped(text).into_owned(),
        };
        let (before, after) = (shown(&change.before), shown(&change.after));
        match (&change.before, &change.after) {
            (Some(_), None) => {
                let line = lines.painted(paint::DANGER, &format!("- {subject}: {before}"));
                lines.line(&format!("  {line}"));
            }
            (None, Some(_)) => {
                let line = lines.painted(paint::NAME, &format!("+ {subject}: {after}"));
                lines.line(&format!("  {line}"));
            }
            _ => {
                let line = format!("  {subject}: {before} -> {after}");
                if line.chars().count() <= lines.style.width {
                    lines.line(&line);
                } else {
                    lines.line(&format!("  {subject}:"));
                    lines.line(&format!("      {before}"));
                    lines.line(&format!("   -> {after}"));
                }
            }
        }
    }
    lines.finish()
}
