//! A plan as text: a line for every chunk, device and payload, so that it can be read, compared and reviewed.

use super::Plan;
use alloc::string::String;
use serde::Serialize;

impl Plan {
    /// The document, in the order of the canonical form, a line for every element of its lists.
    #[must_use]
    pub fn to_json(&self) -> String {
        let Self { blocks, chunks, devices, filesystem, format, payloads, planner, seal, statistics, warnings } = self;
        let mut text = String::from("{");
        list(&mut text, "blocks", blocks);
        list(&mut text, "chunks", chunks);
        list(&mut text, "devices", devices);
        value(&mut text, "filesystem", filesystem);
        value(&mut text, "format", format);
        list(&mut text, "payloads", payloads);
        value(&mut text, "planner", planner);
        value(&mut text, "seal", seal);
        value(&mut text, "statistics", statistics);
        list(&mut text, "warnings", warnings);
        // Every entry ends with a comma; JSON wants none after the last.
        text.pop();
        text.push_str("\n}\n");
        text
    }
}

fn value(text: &mut String, name: &str, value: &impl Serialize) {
    text.push_str("\n\"");
    text.push_str(name);
    text.push_str("\":");
    push(text, value);
    text.push(',');
}

fn list(text: &mut String, name: &str, elements: &[impl Serialize]) {
    text.push_str("\n\"");
    text.push_str(name);
    text.push_str("\":[");
    for (index, element) in elements.iter().enumerate() {
        text.push_str(if index == 0 { "\n" } else { ",\n" });
        push(text, element);
    }
    text.push_str("],");
}

fn push(text: &mut String, value: &impl Serialize) {
    // The document's types have string keys and no fallible parts: serialization into memory cannot fail.
    text.push_str(&serde_json::to_string(value).unwrap_or_default());
}
