//! Which features are on unasked: sets with names, since newer ones keep older kernels out.

use super::{Feature, KernelVersion};
use serde::{Deserialize, Serialize};

/// A named set of features that are on unasked: those of a version of mkfs.btrfs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Defaults {
    /// Those of mkfs.btrfs 6.19: block-group-tree is one of them.
    #[default]
    #[serde(rename = "6.19")]
    Progs619,
    /// Those of mkfs.btrfs 5.15 to 6.18.
    #[serde(rename = "5.15")]
    Progs515,
    /// Those of mkfs.btrfs 3.18 to 5.14: what every kernel, boot loader and other reader of btrfs has known for years.
    #[serde(rename = "compat")]
    Compat,
}

impl Defaults {
    /// Every set, newest first.
    pub const ALL: [Self; 3] = [Self::Progs619, Self::Progs515, Self::Compat];

    /// The name in documents and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Progs619 => "6.19",
            Self::Progs515 => "5.15",
            Self::Compat => "compat",
        }
    }

    /// The set that `name` means.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// The mkfs.btrfs that had these first.
    const fn version(self) -> KernelVersion {
        match self {
            Self::Progs619 => KernelVersion::new(6, 19, 0),
            Self::Progs515 => KernelVersion::new(5, 15, 0),
            Self::Compat => KernelVersion::new(3, 18, 0),
        }
    }

    /// Whether `feature` is on unasked.
    #[must_use]
    pub fn has(self, feature: Feature) -> bool {
        feature.traits().default_since.is_some_and(|since| since <= self.version())
    }
}

impl core::fmt::Display for Defaults {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    #[test]
    fn sets_have_the_names_that_documents_use() {
        for set in Defaults::ALL {
            assert_eq!(serde_json::to_string(&set).unwrap(), format!("\"{set}\""));
            assert_eq!(Defaults::from_name(set.name()), Some(set));
        }
    }

    #[test]
    fn newer_sets_have_more() {
        let names = |set: Defaults| -> Vec<_> {
            Feature::ALL.into_iter().filter(|feature| set.has(*feature)).map(|feature| feature.to_string()).collect()
        };
        let compat = ["mixed-backref", "extref", "skinny-metadata"];
        assert_eq!(names(Defaults::Compat), compat);
        assert_eq!(names(Defaults::Progs515), [&compat[..], &["no-holes", "free-space-tree"]].concat());
        assert_eq!(
            names(Defaults::Progs619),
            [&compat[..], &["no-holes", "free-space-tree", "block-group-tree"]].concat()
        );
    }
}
