//! The minimum as text.

use super::lines::{Lines, Style, counted, size};
use crate::view::{MinimumView, Size};
use alloc::format;
use alloc::string::String;

/// How large each device must be.
#[must_use]
pub fn minimum(view: &MinimumView, style: Style) -> String {
    let mut lines = Lines::new(style);
    lines.heading("Minimum");
    lines.labelled("each device", &size(view.device_size));
    if let (Some(zones), Some(zone_size)) = (view.zones, view.zone_size) {
        lines.labelled("zones", &format!("{zones} of {}", Size(zone_size)));
    }
    lines.labelled("devices", &format!("{}, {} in all", counted(view.devices, "device"), Size(view.total)));
    let (profiles, mixed) = (view.profiles, if view.mixed { ", in the same block groups" } else { "" });
    lines.labelled("profiles", &format!("data {}, metadata {}{mixed}", profiles.data, profiles.metadata));
    lines.finish()
}
