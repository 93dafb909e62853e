//! The tables behind the form: the planner's own, so that page and command line offer the same.

use btrfs_planner::disk::checksum::ChecksumType;
use btrfs_planner::request::{Defaults, Feature, FeatureTraits, Profile, ProfileTraits};
use serde::Serialize;

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Choices {
    /// Names of checksums.
    pub checksums: Vec<String>,
    /// Sets of features that are on unasked, newest first; the first one is taken where nothing is said.
    pub defaults: Vec<String>,
    /// Features, oldest first.
    pub features: Vec<FeatureChoice>,
    /// Profiles, in the order of the help.
    pub profiles: Vec<ProfileChoice>,
    /// The planner's version.
    pub version: String,
}

/// A feature that can be switched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FeatureChoice {
    /// The sets that switch it on unasked.
    pub defaults: Vec<String>,
    /// What must not be on as well.
    pub excludes: Vec<String>,
    /// Whether a request must allow experiments for it.
    pub experimental: bool,
    /// Its name.
    pub name: String,
    /// What must be on as well.
    pub needs: Vec<String>,
    /// The first kernel that has it.
    pub since: String,
    /// What it is.
    pub summary: String,
}

/// A profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileChoice {
    /// Whole copies of every byte.
    pub copies: u32,
    /// The fewest devices.
    pub min_devices: u32,
    /// Its name.
    pub name: String,
    /// Stripes of a row that hold parity.
    pub parity: u32,
    /// Devices that may be lost without losing data.
    pub tolerated: u32,
}

impl Choices {
    /// The planner's tables.
    #[must_use]
    pub fn new() -> Self {
        let switchable = Feature::ALL.into_iter().filter(|feature| feature.traits().switchable);
        Self {
            checksums: ChecksumType::ALL.map(|checksum| checksum.name().to_owned()).into(),
            defaults: Defaults::ALL.map(|set| set.name().to_owned()).into(),
            features: switchable.map(FeatureChoice::from).collect(),
            profiles: Profile::ALL.map(|profile| profile.traits().into()).into(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

impl Default for Choices {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Feature> for FeatureChoice {
    fn from(feature: Feature) -> Self {
        let traits = feature.traits();
        let FeatureTraits { name, since, needs, excludes, summary, .. } = traits;
        let names = |features: &[Feature]| features.iter().map(|other| other.name().to_owned()).collect();
        let sets = Defaults::ALL.into_iter().filter(|set| set.has(feature));
        Self {
            defaults: sets.map(|set| set.name().to_owned()).collect(),
            excludes: names(excludes),
            experimental: traits.experimental(),
            name: name.to_owned(),
            needs: names(needs),
            since: since.to_string(),
            summary: summary.to_owned(),
        }
    }
}

impl From<ProfileTraits> for ProfileChoice {
    fn from(traits: ProfileTraits) -> Self {
        let ProfileTraits { name, min_devices, copies, parity, tolerated_failures, .. } = traits;
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            copies: small(copies),
            min_devices: small(min_devices),
            name: name.to_owned(),
            parity: small(parity),
            tolerated: small(tolerated_failures),
        }
    }
}
