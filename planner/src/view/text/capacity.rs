//! Capacity as text.

use super::lines::{Lines, Style, counted, paint, size};
use crate::layout::capacity::{Loss, Reason, Survival};
use crate::view::{CapacityView, Size};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// How much fits, what stays unused where, and which losses are survived.
#[must_use]
pub fn capacity(view: &CapacityView, style: Style) -> String {
    let mut lines = Lines::new(style);
    lines.heading("Capacity");
    let devices = u64::try_from(view.devices.len()).unwrap_or(u64::MAX);
    lines.labelled("devices", &format!("{} in {}", size(view.total), counted(devices, "device")));
    let profiles = view.profiles;
    lines.labelled("profiles", &format!("data {}, metadata {}", profiles.data, profiles.metadata));
    let chunks = counted(view.data_chunks, "data chunk");
    lines.labelled("data", &format!("{} in {chunks}, if nothing but data chunks is added", size(view.data)));
    let with = format!("{}, if metadata chunks are added as its checksums need them", size(view.data_with_checksums));
    lines.labelled("with metadata", &with);
    table(&mut lines, view);
    lines.heading("Losses of devices that are survived");
    losses(&mut lines, "new", &view.new);
    losses(&mut lines, "full", &view.full);
    lines.finish()
}

fn table(lines: &mut Lines, view: &CapacityView) {
    lines.heading("Devices when no data chunk fits any more");
    let tails = view.devices.iter().any(|device| device.tails > 0);
    let row = |cells: [&str; 6]| {
        let [devid, size, chunks, reserved, behind, left] = cells;
        let behind = if tails { format!(" {behind:>11}") } else { String::new() };
        format!("  {devid:>6} {size:>11} {chunks:>11} {reserved:>11}{behind} {left:>11}")
    };
    let head = row(["device", "size", "chunks", "reserved", "zone tails", "unusable"]);
    let head = lines.painted(paint::DIM, &head);
    lines.line(&head);
    for device in &view.devices {
        let [size, chunks, reserved, behind, left] =
            [device.size, device.allocated, device.reserved, device.tails, device.left]
                .map(|bytes| Size(bytes).to_string());
        let line = row([&device.devid.to_string(), &size, &chunks, &reserved, &behind, &left]);
        let reason = match device.reason {
            None => "",
            Some(Reason::NoPartner) => "  no partner left",
            Some(Reason::TooSmall) => "  below a stripe",
        };
        lines.line(&format!("{line}{reason}"));
    }
}

fn losses(lines: &mut Lines, name: &str, survival: &Survival) {
    let any = match survival.any {
        0 => "not every loss of one device".to_string(),
        any => format!("the loss of any {}", counted(any, "device")),
    };
    lines.labelled(name, &any);
    // Where all are alike, one line is enough.
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for loss in &survival.single {
        let (text, devices) = (outcome(loss), names(loss));
        match groups.iter_mut().find(|(other, _)| *other == text) {
            Some((_, others)) => others.push(devices),
            None => groups.push((text, Vec::from([devices]))),
        }
    }
    for (text, devices) in groups {
        lines.labelled("", &format!("without {}: {text}", devices.join(" or ")));
    }
    if let Some(pair) = &survival.worst_pair {
        lines.labelled("", &format!("worst pair, without {}: {}", names(pair), outcome(pair)));
    }
}

fn names(loss: &Loss) -> String {
    let names: Vec<String> = loss.devices.iter().map(|devid| devid.to_string()).collect();
    names.join(" and ")
}

fn outcome(loss: &Loss) -> String {
    let mut parts = Vec::new();
    if loss.survived() {
        parts.push("everything can be read".to_string());
        parts.push(if loss.writable { "can be written (degraded)" } else { "read-only" }.to_string());
    } else {
        let lost = loss.unreadable.iter().map(|held| format!("{} of {} chunks", Size(held.bytes), held.kind));
        parts.push(format!("LOST: {}", lost.collect::<Vec<String>>().join(", ")));
    }
    if loss.survived() && !loss.too_few_for.is_empty() {
        let profiles: Vec<&str> = loss.too_few_for.iter().map(|profile| profile.name()).collect();
        parts.push(format!("too few devices for new chunks of {}", profiles.join(", ")));
    }
    parts.join("; ")
}
