//! The device map as SVG: one file that needs nothing else, in light and in dark.

use super::markup::Markup;
use super::{DeviceView, Fate, Holder, Overview, Size, Span, escaped, fit};
use crate::units::wide;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};

/// Pixels of a cell, the narrowest that anything is drawn.
const CELL: u64 = 4;
/// Cells of a bar.
const CELLS: usize = 232;
/// Pixels beside a bar.
const MARGIN: u64 = 16;
/// Pixels from one device to the next.
const DEVICE: u64 = 96;
/// Pixels of a column of the legend.
const COLUMN: u64 = 116;
/// Pixels of a letter, about.
const LETTER: u64 = 7;

/// Colours and patterns. Nothing is told by colour alone: every holder has a pattern of its own.
const STYLE: &str = "
.map{--ink:#24292f;--soft:#5b6570;--paper:#fff;--line:#c4cbd3;--free:#f1f3f5;--reserved:#aab2bb;--data:#7ba7d1;\
--mixed:#6fb3b8;--metadata:#83b98f;--system:#b394c8;--superblock:#b7791f;--written:#a8432f;--zeroed:#3f7f93}
@media(prefers-color-scheme:dark){.map{--ink:#e3e7eb;--soft:#9aa4af;--paper:#16191d;--line:#434b55;--free:#22272d;\
--reserved:#5d666f;--data:#3f6f9f;--mixed:#37797e;--metadata:#43784f;--system:#75568c;--superblock:#d9a441;\
--written:#d9745c;--zeroed:#63a9bd}}
@media print{.map{--ink:#000;--soft:#444;--paper:#fff;--line:#888;--free:#f1f3f5;--reserved:#aab2bb;--data:#7ba7d1;\
--mixed:#6fb3b8;--metadata:#83b98f;--system:#b394c8;--superblock:#b7791f;--written:#a8432f;--zeroed:#3f7f93;\
print-color-adjust:exact;-webkit-print-color-adjust:exact}}
.map text{font:13px system-ui,sans-serif;fill:var(--ink)}.map .soft{font-size:11px;fill:var(--soft)}
.map .name{font-weight:600}.map .in{font-size:11px;text-anchor:middle}.map .end{text-anchor:end}
.map .paper{fill:var(--paper)}.map .frame{fill:none;stroke:var(--line)}.map .mark{fill:none;stroke:var(--ink);\
stroke-opacity:.45}.map .dot{fill:var(--ink);fill-opacity:.45}
.map .outside{fill:none;stroke:var(--line);stroke-dasharray:3 3}.map .unallocated{fill:var(--free)}
.map .reserved{fill:var(--reserved)}.map .data{fill:var(--data)}.map .mixed{fill:var(--mixed)}
.map .metadata{fill:var(--metadata)}.map .system{fill:var(--system)}.map .superblock{fill:var(--superblock)}
.map .kept{fill:none}.map .discarded{fill:var(--soft)}.map .reset{fill:var(--reserved)}
.map .zeroed{fill:var(--zeroed)}.map .written{fill:var(--written)}
";

const fn holder_class(holder: Holder) -> &'static str {
    match holder {
        Holder::Outside => "outside",
        Holder::Unallocated => "unallocated",
        Holder::Reserved => "reserved",
        Holder::Data => "data",
        Holder::Mixed => "mixed",
        Holder::Metadata => "metadata",
        Holder::System => "system",
        Holder::Superblock => "superblock",
    }
}

/// The pattern that lies over a holder's colour.
const fn holder_pattern(holder: Holder) -> Option<&'static str> {
    match holder {
        Holder::Metadata => Some("url(#rising)"),
        Holder::System => Some("url(#crossed)"),
        Holder::Mixed => Some("url(#dotted)"),
        Holder::Reserved => Some("url(#level)"),
        Holder::Outside | Holder::Unallocated | Holder::Data | Holder::Superblock => None,
    }
}

/// How what happens is drawn: class, and offset and height within the bar.
const fn fate_shape(fate: Fate) -> (&'static str, u64, u64) {
    match fate {
        Fate::Kept => ("kept", 0, 12),
        Fate::Discarded => ("discarded", 10, 2),
        Fate::Reset => ("reset", 7, 5),
        Fate::Zeroed => ("zeroed", 4, 8),
        Fate::Written => ("written", 0, 12),
    }
}

/// The device map of a plan.
#[must_use]
pub fn svg(view: &Overview) -> String {
    let mut document = Markup::new("");
    draw(&mut document, view, true);
    document.finish()
}

/// Draws the map into a document; `alone`: as a file of its own.
pub(super) fn draw(document: &mut Markup, view: &Overview, alone: bool) {
    let cells = wide(CELLS);
    let width = cells.saturating_mul(CELL).saturating_add(MARGIN.saturating_mul(2));
    let legend = wide(view.devices.len()).saturating_mul(DEVICE).saturating_add(MARGIN);
    let height = legend.saturating_add(64);
    let viewed = format!("0 0 {width} {height}");
    let (width, height) = (width.to_string(), height.to_string());
    let mut attributes = alloc::vec![
        ("class", "map"),
        ("viewBox", &viewed),
        ("role", "img"),
        ("aria-labelledby", "map-title map-desc"),
    ];
    if alone {
        attributes.extend([("xmlns", "http://www.w3.org/2000/svg"), ("width", &width), ("height", &height)]);
    }
    document.element("svg", &attributes, |document| {
        document.leaf("title", &[("id", "map-title")], "Map of the devices of a planned btrfs filesystem");
        document.leaf("desc", &[("id", "map-desc")], &description(view));
        document.element("style", &[], |document| document.own(STYLE));
        patterns(document);
        if alone {
            document.empty("rect", &[("class", "paper"), ("width", "100%"), ("height", "100%")]);
        }
        let (mut holders, mut fates) = (BTreeSet::new(), BTreeSet::new());
        let mut top = MARGIN;
        for device in &view.devices {
            let fitted = fit(&device.map, CELLS);
            holders.extend(fitted.iter().map(|(span, _)| span.holder));
            fates.extend(fitted.iter().map(|(span, _)| span.fate));
            draw_device(document, device, &fitted, top);
            top = top.saturating_add(DEVICE);
        }
        draw_legend(document, &holders, &fates, legend);
    });
}

/// The map in words, for those who do not see it.
fn description(view: &Overview) -> String {
    let mut words = String::new();
    for device in &view.devices {
        words.push_str(&format!("Device {}, {}: ", device.devid, Size(device.found.size)));
        let parts = Holder::ALL.iter().rev().filter_map(|holder| {
            let spans = device.map.iter().filter(|span| span.holder == *holder);
            let bytes = spans.fold(0_u64, |sum, span| sum.saturating_add(span.length));
            (bytes > 0).then(|| format!("{} {}", holder.name(), Size(bytes)))
        });
        words.push_str(&parts.collect::<alloc::vec::Vec<String>>().join(", "));
        words.push_str(". ");
    }
    words
}

fn patterns(document: &mut Markup) {
    document.element("defs", &[], |document| {
        for (id, path) in [
            ("rising", "M-2,2 L2,-2 M0,10 L10,0 M8,12 L12,8"),
            ("crossed", "M0,10 L10,0 M0,0 L10,10"),
            ("level", "M0,3 L10,3 M0,8 L10,8"),
        ] {
            pattern(document, id, |document| document.empty("path", &[("class", "mark"), ("d", path)]));
        }
        pattern(document, "dotted", |document| {
            document.empty("circle", &[("class", "dot"), ("cx", "3"), ("cy", "3"), ("r", "1.3")]);
            document.empty("circle", &[("class", "dot"), ("cx", "8"), ("cy", "8"), ("r", "1.3")]);
        });
    });
}

fn pattern(document: &mut Markup, id: &str, inside: impl FnOnce(&mut Markup)) {
    let attributes = [("id", id), ("width", "10"), ("height", "10"), ("patternUnits", "userSpaceOnUse")];
    document.element("pattern", &attributes, inside);
}

fn draw_device(document: &mut Markup, device: &DeviceView, fitted: &[(Span, usize)], top: u64) {
    document.line();
    document.element("g", &[], |document| {
        let end = wide(CELLS).saturating_mul(CELL);
        let path = device.found.path.as_deref().map_or_else(|| "described".into(), escaped);
        text(document, "name", MARGIN, top.saturating_add(12), &format!("Device {}  {path}", device.devid));
        let right = MARGIN.saturating_add(end);
        let size = Size(device.found.size).to_string();
        text(document, "soft end", right, top.saturating_add(12), &size);
        let (bar, below) = (top.saturating_add(20), top.saturating_add(50));
        let mut left = MARGIN;
        for (span, cells) in fitted {
            let width = wide(*cells).saturating_mul(CELL);
            let what = format!(
                "{}, {}: {} at {} ({}+{})",
                span.holder.name(),
                span.fate.name(),
                Size(span.length),
                Size(span.start),
                span.start,
                span.length
            );
            part(document, holder_class(span.holder), (left, bar, width, 26), &what);
            if let Some(pattern) = holder_pattern(span.holder) {
                over(document, pattern, (left, bar, width, 26));
            }
            let name = span.holder.name();
            if wide(name.len()).saturating_mul(LETTER).saturating_add(8) < width && span.holder != Holder::Superblock {
                let middle = left.saturating_add(width / 2);
                // A mark over a pattern is hard to read.
                if holder_pattern(span.holder).is_none() {
                    text(document, "in", middle, bar.saturating_add(17), name);
                }
            }
            let (class, offset, height) = fate_shape(span.fate);
            part(document, class, (left, below.saturating_add(offset), width, height), &what);
            left = left.saturating_add(width);
        }
        frame(document, (MARGIN, bar, end, 26));
        frame(document, (MARGIN, below, end, 12));
    });
}

type Box = (u64, u64, u64, u64);

fn sized(place: Box) -> [String; 4] {
    let (left, top, width, height) = place;
    [left, top, width, height].map(|number| number.to_string())
}

fn part(document: &mut Markup, class: &str, place: Box, what: &str) {
    let [x, y, width, height] = sized(place);
    let attributes = [("class", class), ("x", &x), ("y", &y), ("width", &width), ("height", &height)];
    document.element("rect", &attributes, |document| document.leaf("title", &[], what));
}

fn over(document: &mut Markup, fill: &str, place: Box) {
    let [x, y, width, height] = sized(place);
    let attributes =
        [("fill", fill), ("x", &*x), ("y", &y), ("width", &width), ("height", &height), ("pointer-events", "none")];
    document.empty("rect", &attributes);
}

fn frame(document: &mut Markup, place: Box) {
    let [x, y, width, height] = sized(place);
    document.empty("rect", &[("class", "frame"), ("x", &x), ("y", &y), ("width", &width), ("height", &height)]);
}

fn text(document: &mut Markup, class: &str, x: u64, y: u64, text: &str) {
    document.leaf("text", &[("class", class), ("x", &x.to_string()), ("y", &y.to_string())], text);
}

fn draw_legend(document: &mut Markup, holders: &BTreeSet<Holder>, fates: &BTreeSet<Fate>, top: u64) {
    document.line();
    let mut left = MARGIN;
    let (first, second) = (top.saturating_add(4), top.saturating_add(28));
    text(document, "soft", left, first.saturating_add(11), "upper bar");
    text(document, "soft", left, second.saturating_add(11), "lower bar");
    for holder in holders.iter().rev() {
        left = left.saturating_add(COLUMN);
        let place = (left, first, 18, 14);
        part(document, holder_class(*holder), place, holder.name());
        if let Some(pattern) = holder_pattern(*holder) {
            over(document, pattern, place);
        }
        frame(document, place);
        text(document, "soft", left.saturating_add(24), first.saturating_add(11), holder.name());
    }
    left = MARGIN;
    for fate in fates.iter().rev() {
        left = left.saturating_add(COLUMN);
        let (class, offset, height) = fate_shape(*fate);
        part(document, class, (left, second.saturating_add(offset), 18, height), fate.name());
        frame(document, (left, second, 18, 12));
        text(document, "soft", left.saturating_add(24), second.saturating_add(11), fate.name());
    }
}
