//! The sections of the report, in order.

use crate::audit::{Finding, Report};
use crate::view::markup::Markup;
use crate::view::text::{counted, lost, step_text};
use crate::view::{DeviceView, Overview, Size, utc};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub(super) fn summary(document: &mut Markup, view: &Overview) {
    let filesystem = &view.filesystem;
    let profiles = filesystem.profiles;
    let label = if filesystem.label.is_empty() { "(none)" } else { &filesystem.label };
    let rows: [(&str, String); 11] = [
        ("Label", label.to_string()),
        ("UUID", filesystem.fsid.to_string()),
        ("Size", format!("{} on {} devices", Size(filesystem.total_size), view.devices.len())),
        ("Profiles", format!("data {}, metadata {}, system {}", profiles.data, profiles.metadata, profiles.system)),
        ("Node and sector", format!("{} and {} bytes", filesystem.node_size, filesystem.sector_size)),
        ("Checksum", filesystem.checksum.to_string()),
        ("Features", filesystem.features.join(", ")),
        ("Needs", filesystem.requires.to_string()),
        ("Created", utc(filesystem.time)),
        ("Planned by", format!("{} {}", view.planner.name, view.planner.version)),
        ("To be written", format!("{} in {} writes", Size(view.statistics.bytes_written), view.statistics.writes)),
    ];
    document.element("section", &[], |document| {
        document.element("dl", &[], |document| {
            for (name, value) in rows {
                document.leaf("dt", &[], name);
                document.leaf("dd", &[], &value);
            }
            document.leaf("dt", &[], "Seal");
            document.leaf("dd", &[("class", "seal")], &view.seal.to_string());
        });
        let note = "The seal is the SHA-256 of the plan. To run this plan and no other: ";
        document.element("p", &[("class", "note")], |document| {
            document.text(note);
            document.leaf("code", &[], &format!("btrfs-exec --expect {} PLAN", view.seal));
        });
    });
    document.line();
}

pub(super) fn losses(document: &mut Markup, view: &Overview) {
    document.element("section", &[("class", "danger")], |document| {
        document.leaf("h2", &[], "What will be lost");
        document.leaf("p", &[], "Everything on these devices, and in particular:");
        document.element("ul", &[], |document| {
            for device in &view.devices {
                let name = name(device);
                if device.found.signatures.is_empty() {
                    let known = match device.found.path {
                        Some(_) => "no signature was found when this was planned",
                        None => "only described: look at the device before running this",
                    };
                    document.leaf("li", &[], &format!("{name}: {known}"));
                }
                for signature in &device.found.signatures {
                    document.element("li", &[], |document| {
                        document.text(&format!("{name}: "));
                        document.leaf("strong", &[], &lost(signature));
                    });
                }
            }
        });
    });
    document.line();
}

/// `Device 1, /dev/sda (MODEL, serial SERIAL)`.
fn name(device: &DeviceView) -> String {
    let found = &device.found;
    let path = found.path.as_deref().unwrap_or("described");
    let serial = found.serial.as_ref().map(|serial| format!("serial {serial}"));
    let known: Vec<String> = found.model.clone().into_iter().chain(serial).collect();
    let known = if known.is_empty() { String::new() } else { format!(" ({})", known.join(", ")) };
    format!("Device {}, {path}{known}", device.devid)
}

pub(super) fn audit(document: &mut Markup, audit: Option<&Report>) {
    let Some(report) = audit else { return };
    document.element("section", &[], |document| {
        document.leaf("h2", &[], "Audit");
        let Report { findings, errors, warnings, read } = report;
        let what = format!(
            "The schedule was checked, and the filesystem that it leaves was read back: {} superblocks, {} tree blocks, \
             {} items on {} devices. ",
            read.superblocks, read.blocks, read.items, read.devices
        );
        let outcome = match (errors, warnings) {
            (0, 0) => "Nothing was found.".to_string(),
            _ => format!("Found: {}, {}.", counted(*errors, "error"), counted(*warnings, "warning")),
        };
        document.leaf("p", &[], &format!("{what}{outcome}"));
        if findings.is_empty() {
            return;
        }
        table(document, &["Severity", "Code", "Place", "Expected", "Found"], &[], |document| {
            for Finding { code, severity, place, expected, found } in findings {
                let [severity, code, place] = [severity.to_string(), code.to_string(), place.to_string()];
                row(document, &[&severity, &code, &place, expected, found], &[]);
            }
        });
    });
    document.line();
}

pub(super) fn warnings(document: &mut Markup, view: &Overview) {
    if view.warnings.is_empty() {
        return;
    }
    document.element("section", &[], |document| {
        document.leaf("h2", &[], "Warnings");
        document.element("ul", &[], |document| {
            for warning in &view.warnings {
                document.element("li", &[], |document| {
                    document.text(&format!("{} ", warning.message));
                    document.leaf("code", &[], &warning.code);
                });
            }
        });
    });
    document.line();
}

pub(super) fn schedule(document: &mut Markup, view: &Overview) {
    document.element("section", &[], |document| {
        document.leaf("h2", &[], "What is done to each device, in this order");
        let note = "Devices are prepared side by side. Superblocks are written when all devices have come so far: \
                    until then there is no filesystem.";
        document.leaf("p", &[("class", "note")], note);
        for device in &view.devices {
            document.leaf("h3", &[], &name(device));
            let mut about = format!("{} ({} bytes)", Size(device.found.size), device.found.size);
            about.push_str(&format!(", {} of it used, {} in chunks", Size(device.size), Size(device.allocated)));
            if let Some(zones) = &device.zones {
                let (total, size) = (zones.total, Size(zones.size));
                about.push_str(&format!(", {total} zones of {size}, {} of them not empty", zones.not_empty));
            }
            document.leaf("p", &[("class", "note")], &format!("{about}. UUID {}", device.uuid));
            table(document, &["Step", "What"], &[], |document| {
                for (name, step) in device.steps.named() {
                    if step.count > 0 {
                        row(document, &[name, &step_text(name, step)], &[]);
                    }
                }
            });
        }
    });
    document.line();
}

pub(super) fn chunks(document: &mut Markup, view: &Overview) {
    document.element("section", &[], |document| {
        document.leaf("h2", &[], "Chunks");
        let head = ["Kind", "Profile", "Logical", "Length", "Used", "Stripes (device:offset)"];
        table(document, &head, &[2, 3, 4], |document| {
            for chunk in &view.chunks {
                let places = chunk.chunk.stripes.iter().map(|stripe| format!("{}:{}", stripe.devid, stripe.offset));
                let cells = [
                    chunk.chunk.kind.name(),
                    chunk.chunk.profile.name(),
                    &chunk.chunk.logical.to_string(),
                    &Size(chunk.chunk.length).to_string(),
                    &Size(chunk.used).to_string(),
                    &places.collect::<Vec<String>>().join(" "),
                ];
                row(document, &cells, &[2, 3, 4]);
            }
        });
    });
    document.line();
}

pub(super) fn trees(document: &mut Markup, view: &Overview) {
    document.element("section", &[], |document| {
        document.leaf("h2", &[], "Trees");
        let numbers = [1, 2, 3, 4];
        table(document, &["Tree", "Blocks", "Levels", "Items", "Top block at"], &numbers, |document| {
            for tree in &view.trees {
                let [blocks, levels, items, top] =
                    [tree.blocks, tree.levels, tree.items, tree.top.get()].map(|number| number.to_string());
                row(document, &[&tree.name, &blocks, &levels, &items, &top], &numbers);
            }
        });
    });
    document.line();
}

pub(super) fn cost(document: &mut Markup, view: &Overview) {
    document.element("section", &[], |document| {
        document.leaf("h2", &[], "Requests that were saved");
        table(document, &["Way", "Requests"], &[1], |document| {
            let ladder = view.discard;
            let mut ways = alloc::vec![
                ("Discard, as planned", ladder.planned),
                ("Discard, with the gaps bridged that are written anyway", ladder.bridged),
                ("Discard, merged", ladder.merged),
                ("Discard, hole by hole and mirror by mirror", ladder.hole_by_hole),
            ];
            if view.devices.iter().any(|device| device.zones.is_some()) {
                let resets = view.statistics.zone_resets;
                ways.push(("Zone resets, as planned", resets.ranges));
                ways.push(("Zone resets, zone by zone", resets.zone_by_zone));
            }
            for (way, count) in ways {
                row(document, &[way, &count.to_string()], &[1]);
            }
        });
    });
}

/// `numbers`: columns that are aligned to the right.
fn table(document: &mut Markup, head: &[&str], numbers: &[usize], rows: impl FnOnce(&mut Markup)) {
    document.element("div", &[("class", "table")], |document| {
        document.element("table", &[], |document| {
            document.element("thead", &[], |document| {
                document.element("tr", &[], |document| {
                    for (column, name) in head.iter().enumerate() {
                        let class = if numbers.contains(&column) { "n" } else { "t" };
                        document.leaf("th", &[("scope", "col"), ("class", class)], name);
                    }
                });
            });
            document.element("tbody", &[], rows);
        });
    });
}

fn row(document: &mut Markup, cells: &[&str], numbers: &[usize]) {
    document.element("tr", &[], |document| {
        for (column, cell) in cells.iter().enumerate() {
            let class = if numbers.contains(&column) { "n" } else { "t" };
            document.leaf("td", &[("class", class)], cell);
        }
    });
    document.line();
}
