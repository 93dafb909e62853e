//! Filesystem features: one table for parser, checks, superblock bits, help, schema and page.

use alloc::string::{String, ToString};
use serde::{Deserialize, Serialize};

/// A feature that a request can switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// Extent references in the form of every current kernel.
    MixedBackref,
    /// Data and metadata share block groups.
    MixedBg,
    /// Quota groups are counted.
    Quota,
    /// Many hard links to a file in one directory.
    Extref,
    /// Block groups with parity.
    Raid56,
    /// Metadata extent items without the block's first key.
    SkinnyMetadata,
    /// File holes take no item.
    NoHoles,
    /// Free space is kept in a tree.
    FreeSpaceTree,
    /// Block groups with three or four copies.
    Raid1c34,
    /// Zones are written in order.
    Zoned,
    /// Block groups are kept in a tree of their own.
    BlockGroupTree,
    /// Quota groups are counted by the owner at allocation.
    SimpleQuota,
}

/// Where a feature is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureBit {
    /// `incompat_flags` of the superblock: a kernel that does not know it must not mount.
    Incompat(u64),
    /// `compat_ro_flags`: a kernel that does not know it may mount read-only.
    CompatRo(u64),
    /// Not in the superblock: items alone tell.
    Items,
}

/// A row of the feature table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeatureTraits {
    /// The name after `-O` and in documents.
    pub name: &'static str,
    /// A second name that mkfs.btrfs knows, if any.
    pub alias: Option<&'static str>,
    /// The bits that say so on disk.
    pub bit: FeatureBit,
    /// On unless switched off.
    pub default: bool,
    /// May be named in a request; others follow from profiles.
    pub switchable: bool,
    /// The kernel that can mount it.
    pub since: &'static str,
    /// What must be on as well.
    pub needs: &'static [Feature],
    /// One sentence for help and page.
    pub summary: &'static str,
}

/// `compat_ro_flags` bit 1: the free space tree is whole.
const FREE_SPACE_TREE_VALID: u64 = 1 << 1;

impl Feature {
    /// Every feature, oldest first.
    pub const ALL: [Self; 12] = [
        Self::MixedBackref,
        Self::MixedBg,
        Self::Quota,
        Self::Extref,
        Self::Raid56,
        Self::SkinnyMetadata,
        Self::NoHoles,
        Self::FreeSpaceTree,
        Self::Raid1c34,
        Self::Zoned,
        Self::BlockGroupTree,
        Self::SimpleQuota,
    ];

    /// The feature's row of the table.
    #[must_use]
    pub const fn traits(self) -> FeatureTraits {
        const fn row(name: &'static str, bit: FeatureBit, since: &'static str, summary: &'static str) -> FeatureTraits {
            FeatureTraits { name, alias: None, bit, default: false, switchable: true, since, needs: &[], summary }
        }
        const fn on(row: FeatureTraits) -> FeatureTraits {
            FeatureTraits { default: true, ..row }
        }
        const fn fixed(row: FeatureTraits) -> FeatureTraits {
            FeatureTraits { switchable: false, ..row }
        }
        use FeatureBit::{CompatRo, Incompat, Items};
        match self {
            Self::MixedBackref => fixed(on(row(
                "mixed-backref",
                Incompat(1 << 0),
                "2.6.31",
                "extent references as every current kernel writes them",
            ))),
            Self::MixedBg => row("mixed-bg", Incompat(1 << 2), "2.6.37", "data and metadata share block groups"),
            Self::Quota => row("quota", Items, "3.4", "count space by quota groups"),
            Self::Extref => {
                on(row("extref", Incompat(1 << 6), "3.7", "up to 65536 hard links to a file in a directory"))
            }
            Self::Raid56 => row("raid56", Incompat(1 << 7), "3.9", "block groups with parity"),
            Self::SkinnyMetadata => {
                on(row("skinny-metadata", Incompat(1 << 8), "3.10", "smaller extent items for metadata"))
            }
            Self::NoHoles => on(row("no-holes", Incompat(1 << 9), "3.14", "holes in files take no item")),
            Self::FreeSpaceTree => FeatureTraits {
                alias: Some("fst"),
                ..on(row("free-space-tree", CompatRo(1 | FREE_SPACE_TREE_VALID), "4.5", "free space is kept in a tree"))
            },
            Self::Raid1c34 => {
                fixed(row("raid1c34", Incompat(1 << 11), "5.5", "block groups with three or four copies"))
            }
            Self::Zoned => {
                row("zoned", Incompat(1 << 12), "5.12", "zones are written in order; on zoned devices always on")
            }
            Self::BlockGroupTree => FeatureTraits {
                alias: Some("bgt"),
                needs: &[Self::NoHoles, Self::FreeSpaceTree],
                ..on(row(
                    "block-group-tree",
                    CompatRo(1 << 3),
                    "6.1",
                    "block groups have a tree of their own; faster mount",
                ))
            },
            Self::SimpleQuota => {
                row("squota", Incompat(1 << 16), "6.7", "quota groups counted by owner, cheaper than quota")
            }
        }
    }

    /// The name after `-O` and in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.traits().name
    }

    /// The feature that `name` means; case matters, as in mkfs.btrfs.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|feature| {
            let traits = feature.traits();
            traits.switchable && (traits.name == name || traits.alias == Some(name))
        })
    }
}

impl core::fmt::Display for Feature {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// What mkfs.btrfs 6.19 switches on unasked.
    #[must_use]
    pub fn defaults() -> Self {
        let mut set = Self::default();
        for feature in Feature::ALL {
            set.set(feature, feature.traits().default);
        }
        set
    }

    const fn mask(feature: Feature) -> u32 {
        match feature {
            Feature::MixedBackref => 1 << 0,
            Feature::MixedBg => 1 << 1,
            Feature::Quota => 1 << 2,
            Feature::Extref => 1 << 3,
            Feature::Raid56 => 1 << 4,
            Feature::SkinnyMetadata => 1 << 5,
            Feature::NoHoles => 1 << 6,
            Feature::FreeSpaceTree => 1 << 7,
            Feature::Raid1c34 => 1 << 8,
            Feature::BlockGroupTree => 1 << 9,
            Feature::SimpleQuota => 1 << 10,
            Feature::Zoned => 1 << 11,
        }
    }

    /// Whether `feature` is on.
    #[must_use]
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & Self::mask(feature) != 0
    }

    /// Switches `feature` on or off.
    pub const fn set(&mut self, feature: Feature, on: bool) {
        if on {
            self.0 |= Self::mask(feature);
        } else {
            self.0 &= !Self::mask(feature);
        }
    }

    /// The features that are on, oldest first.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.into_iter().filter(move |feature| self.has(*feature))
    }
}

/// A feature switched on (`quota`) or off (`^no-holes`), as after `-O`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FeatureSwitch {
    /// Which one.
    pub feature: Feature,
    /// On or off.
    pub on: bool,
}

/// A name that is no feature.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unrecognized filesystem feature '{0}'")]
pub struct UnknownFeature(pub String);

impl core::str::FromStr for FeatureSwitch {
    type Err = UnknownFeature;

    fn from_str(text: &str) -> Result<Self, UnknownFeature> {
        let (name, on) = text.strip_prefix('^').map_or((text, true), |name| (name, false));
        let feature = Feature::from_name(name).ok_or_else(|| UnknownFeature(name.to_string()))?;
        Ok(Self { feature, on })
    }
}

impl TryFrom<String> for FeatureSwitch {
    type Error = UnknownFeature;

    fn try_from(text: String) -> Result<Self, UnknownFeature> {
        text.parse()
    }
}

impl From<FeatureSwitch> for String {
    fn from(switch: FeatureSwitch) -> Self {
        alloc::format!("{}{}", if switch.on { "" } else { "^" }, switch.feature)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for FeatureSwitch {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "FeatureSwitch".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: alloc::vec::Vec<String> = Feature::ALL
            .into_iter()
            .filter(|feature| feature.traits().switchable)
            .flat_map(|feature| [Some(feature.name()), feature.traits().alias])
            .flatten()
            .flat_map(|name| [name.to_string(), alloc::format!("^{name}")])
            .collect();
        schemars::json_schema!({ "type": "string", "enum": names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_its_own_name_and_mask() {
        let mut seen = Features::default();
        for feature in Feature::ALL {
            assert!(!seen.has(feature), "{feature} shares a mask");
            seen.set(feature, true);
            let traits = feature.traits();
            if traits.switchable {
                for name in [Some(traits.name), traits.alias].into_iter().flatten() {
                    assert_eq!(Feature::from_name(name), Some(feature));
                }
            }
        }
        assert!(seen.iter().eq(Feature::ALL));
    }

    #[test]
    fn switches_read_as_they_print() {
        for text in ["quota", "^no-holes", "^block-group-tree"] {
            assert_eq!(String::from(text.parse::<FeatureSwitch>().unwrap()), text);
        }
        assert_eq!(String::from("^bgt".parse::<FeatureSwitch>().unwrap()), "^block-group-tree");
        assert_eq!("Quota".parse::<FeatureSwitch>(), Err(UnknownFeature("Quota".into())));
        assert_eq!("^mixed-backref".parse::<FeatureSwitch>(), Err(UnknownFeature("mixed-backref".into())));
    }
}
