//! Filesystem features: one table for parser, checks, superblock bits, help, schema and page.

use super::KernelVersion;

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
    /// Several extent trees, one for each group of block groups.
    ExtentTreeV2,
    /// Block groups are kept in a tree of their own.
    BlockGroupTree,
    /// Where data lies on its stripes is kept in a tree.
    RaidStripeTree,
    /// Quota groups are counted by the owner at allocation.
    SimpleQuota,
    /// Block groups that were moved are found through a tree.
    RemapTree,
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

/// Whether a feature can be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureStatus {
    /// For everybody.
    Stable,
    /// mkfs.btrfs and kernels offer it only where they were built for experiments, and its format may change; a request must
    /// allow it ([`Request::experimental`](super::Request::experimental)).
    Experimental,
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
    /// May be named in a request; others follow from profiles.
    pub switchable: bool,
    /// Whether it can be had.
    pub status: FeatureStatus,
    /// The first kernel that has it.
    pub since: KernelVersion,
    /// The first kernel with which it can be relied on, where that is told.
    pub safe: Option<KernelVersion>,
    /// The first mkfs.btrfs that switches it on unasked, if any does.
    pub default_since: Option<KernelVersion>,
    /// What must be on as well.
    pub needs: &'static [Feature],
    /// What must not be on as well.
    pub excludes: &'static [Feature],
    /// One sentence for help and page.
    pub summary: &'static str,
}

impl FeatureTraits {
    /// Whether a request must allow experiments for it.
    #[must_use]
    pub const fn experimental(&self) -> bool {
        !matches!(self.status, FeatureStatus::Stable)
    }
}

/// `compat_ro_flags` bit 1: the free space tree is whole.
const FREE_SPACE_TREE_VALID: u64 = 1 << 1;

impl Feature {
    /// Every feature, oldest first.
    pub const ALL: [Self; 15] = [
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
        Self::ExtentTreeV2,
        Self::BlockGroupTree,
        Self::RaidStripeTree,
        Self::SimpleQuota,
        Self::RemapTree,
    ];

    /// The feature's row of the table.
    #[must_use]
    pub const fn traits(self) -> FeatureTraits {
        const fn kernel(major: u16, minor: u16) -> KernelVersion {
            KernelVersion::new(major, minor, 0)
        }
        const fn row(
            name: &'static str,
            bit: FeatureBit,
            since: KernelVersion,
            summary: &'static str,
        ) -> FeatureTraits {
            FeatureTraits {
                name,
                alias: None,
                bit,
                switchable: true,
                status: FeatureStatus::Stable,
                since,
                safe: None,
                default_since: None,
                needs: &[],
                excludes: &[],
                summary,
            }
        }
        const fn also(alias: &'static str, row: FeatureTraits) -> FeatureTraits {
            FeatureTraits { alias: Some(alias), ..row }
        }
        const fn safe(since: KernelVersion, row: FeatureTraits) -> FeatureTraits {
            FeatureTraits { safe: Some(since), ..row }
        }
        const fn on(since: KernelVersion, row: FeatureTraits) -> FeatureTraits {
            FeatureTraits { default_since: Some(since), ..row }
        }
        const fn fixed(row: FeatureTraits) -> FeatureTraits {
            FeatureTraits { switchable: false, ..row }
        }
        const fn needs(needs: &'static [Feature], row: FeatureTraits) -> FeatureTraits {
            FeatureTraits { needs, ..row }
        }
        const fn excludes(excludes: &'static [Feature], row: FeatureTraits) -> FeatureTraits {
            FeatureTraits { excludes, ..row }
        }
        const fn status(status: FeatureStatus, row: FeatureTraits) -> FeatureTraits {
            FeatureTraits { status, ..row }
        }
        use FeatureBit::{CompatRo, Incompat, Items};
        use FeatureStatus::Experimental;
        match self {
            Self::MixedBackref => {
                let kernel = KernelVersion::new(2, 6, 31);
                let summary = "extent references as every current kernel writes them";
                fixed(on(kernel, safe(kernel, row("mixed-backref", Incompat(1 << 0), kernel, summary))))
            }
            Self::MixedBg => {
                let kernel = KernelVersion::new(2, 6, 37);
                safe(kernel, row("mixed-bg", Incompat(1 << 2), kernel, "data and metadata share block groups"))
            }
            Self::Quota => {
                excludes(&[Self::SimpleQuota], row("quota", Items, kernel(3, 4), "count space by quota groups"))
            }
            Self::Extref => {
                let summary = "up to 65536 hard links to a file in a directory";
                on(kernel(3, 12), safe(kernel(3, 12), row("extref", Incompat(1 << 6), kernel(3, 7), summary)))
            }
            Self::Raid56 => row("raid56", Incompat(1 << 7), kernel(3, 9), "block groups with parity"),
            Self::SkinnyMetadata => {
                let row = row("skinny-metadata", Incompat(1 << 8), kernel(3, 10), "smaller extent items for metadata");
                on(kernel(3, 18), safe(kernel(3, 18), row))
            }
            Self::NoHoles => {
                let row = row("no-holes", Incompat(1 << 9), kernel(3, 14), "holes in files take no item");
                on(kernel(5, 15), safe(kernel(4, 0), row))
            }
            Self::FreeSpaceTree => {
                let bits = CompatRo(1 | FREE_SPACE_TREE_VALID);
                let row = row("free-space-tree", bits, kernel(4, 5), "free space is kept in a tree");
                also("fst", on(kernel(5, 15), safe(kernel(4, 9), row)))
            }
            Self::Raid1c34 => {
                row("raid1c34", Incompat(1 << 11), kernel(5, 5), "block groups with three or four copies")
            }
            Self::Zoned => {
                let summary = "zones are written in order; on zoned devices always on";
                let row = row("zoned", Incompat(1 << 12), kernel(5, 12), summary);
                excludes(&[Self::MixedBg, Self::Raid56], row)
            }
            Self::ExtentTreeV2 => {
                let row = row("extent-tree-v2", Incompat(1 << 13), kernel(5, 15), "several extent trees");
                let row = needs(&[Self::NoHoles, Self::FreeSpaceTree, Self::BlockGroupTree], row);
                status(Experimental, excludes(&[Self::Zoned], row))
            }
            Self::BlockGroupTree => {
                let summary = "block groups have a tree of their own; faster mount";
                let row = row("block-group-tree", CompatRo(1 << 3), kernel(6, 1), summary);
                let row = on(kernel(6, 19), safe(kernel(6, 6), row));
                also("bgt", needs(&[Self::NoHoles, Self::FreeSpaceTree], row))
            }
            Self::RaidStripeTree => {
                let summary = "where data lies on its stripes is kept in a tree; zoned data of any profile but parity";
                let row = row("raid-stripe-tree", Incompat(1 << 14), kernel(6, 7), summary);
                also("rst", status(Experimental, row))
            }
            Self::SimpleQuota => {
                let summary = "quota groups counted by owner, cheaper than quota";
                row("squota", Incompat(1 << 16), kernel(6, 7), summary)
            }
            Self::RemapTree => {
                let row = row("remap-tree", Incompat(1 << 17), kernel(6, 20), "moved block groups are found by a tree");
                let row = needs(&[Self::NoHoles, Self::FreeSpaceTree, Self::BlockGroupTree], row);
                status(Experimental, excludes(&[Self::MixedBg, Self::Zoned], row))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is safe was there before, and what is on unasked is safe.
    #[test]
    fn rows_make_sense() {
        for feature in Feature::ALL {
            let traits = feature.traits();
            if let Some(safe) = traits.safe {
                assert!(traits.since <= safe, "{feature}");
            }
            if let Some(since) = traits.default_since {
                assert!(traits.safe.is_some_and(|safe| safe <= since), "{feature}");
                assert_eq!(traits.status, FeatureStatus::Stable, "{feature}");
            }
            for other in traits.needs {
                assert!(!traits.excludes.contains(other) && !other.traits().excludes.contains(&feature), "{feature}");
            }
        }
    }

    #[test]
    fn every_feature_has_a_bit_of_its_own() {
        let (mut incompat, mut compat_ro) = (crate::disk::superblock::BIG_METADATA, 0);
        for feature in Feature::ALL {
            let (seen, bits) = match feature.traits().bit {
                FeatureBit::Incompat(bits) => (&mut incompat, bits),
                FeatureBit::CompatRo(bits) => (&mut compat_ro, bits),
                FeatureBit::Items => continue,
            };
            assert!(bits != 0 && *seen & bits == 0, "{feature}");
            *seen |= bits;
        }
    }
}
