//! The table of features, for people: what can be named, since when, and what is on unasked.

use crate::request::{Feature, FeatureBit, FeatureStatus, FeatureTraits, KernelVersion};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Every feature, oldest first, a line each: what `-O list-all` prints. Every line ends with a line break.
#[must_use]
pub fn features() -> String {
    let mut text = String::from("feature           kernel  safe    default  recorded in       meaning\n");
    for traits in Feature::ALL.map(Feature::traits) {
        let version = |version: Option<KernelVersion>| version.map_or_else(|| "-".to_string(), |it| it.to_string());
        let (safe, default) = (version(traits.safe), version(traits.default_since));
        text.push_str(&format!(
            "{:<16}  {:<6}  {safe:<6}  {default:<7}  {:<16}  {}\n",
            traits.name,
            traits.since,
            recorded(traits.bit),
            meaning(&traits),
        ));
    }
    text
}

fn recorded(bit: FeatureBit) -> String {
    match bit {
        FeatureBit::Incompat(bits) => format!("incompat {bits:#x}"),
        FeatureBit::CompatRo(bits) => format!("compat_ro {bits:#x}"),
        FeatureBit::Items => "items".to_string(),
    }
}

fn meaning(traits: &FeatureTraits) -> String {
    let names = |features: &[Feature]| features.iter().map(|it| it.name()).collect::<Vec<_>>().join(", ");
    let mut more = Vec::new();
    more.extend(traits.alias.map(|alias| format!("also {alias}")));
    if !traits.switchable {
        more.push("follows from other options".to_string());
    }
    if !traits.needs.is_empty() {
        more.push(format!("needs {}", names(traits.needs)));
    }
    if !traits.excludes.is_empty() {
        more.push(format!("not with {}", names(traits.excludes)));
    }
    match traits.status {
        FeatureStatus::Stable => {}
        FeatureStatus::Experimental => more.push("experimental".to_string()),
    }
    let more = if more.is_empty() { String::new() } else { format!(" ({})", more.join("; ")) };
    format!("{}{more}", traits.summary)
}
