//! Block group profiles: one table for parser, checks, layout, help and page.

use super::Feature;
use crate::disk::block_group::BlockGroupFlags;
use serde::{Deserialize, Serialize};

/// How the bytes of a chunk are spread over stripes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// One copy on one device.
    Single,
    /// Two copies on one device.
    Dup,
    /// One copy, striped over devices.
    Raid0,
    /// Two copies on two devices.
    Raid1,
    /// Three copies on three devices.
    Raid1c3,
    /// Four copies on four devices.
    Raid1c4,
    /// Two copies, striped over pairs of devices.
    Raid10,
    /// Striped, with one parity stripe.
    Raid5,
    /// Striped, with two parity stripes.
    Raid6,
}

/// Whether block groups of a profile can be on zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnZones {
    /// Yes.
    Always,
    /// Where this feature records what the device decided: data is appended, so its copies end up at different places.
    With(Feature),
    /// No: parity cannot be written in order.
    Never,
}

/// What distinguishes a profile: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProfileTraits {
    /// The name on the command line and in documents.
    pub name: &'static str,
    /// The profile's bit in a block group's flags; none for single.
    pub flags: BlockGroupFlags,
    /// The fewest devices that mkfs.btrfs accepts.
    pub min_devices: u64,
    /// Stripes of a chunk; `None` where a chunk takes as many devices as there are.
    pub stripes: Option<u64>,
    /// The number of stripes is a multiple of this.
    pub stripe_multiple: u64,
    /// Whole copies of every byte; 1 for parity profiles.
    pub copies: u64,
    /// Stripes of a row that hold parity.
    pub parity: u64,
    /// Devices that may be lost without losing data.
    pub tolerated_failures: u64,
    /// The feature that says that there are such block groups.
    pub needs: Option<Feature>,
    /// Whether data of it can be on zones.
    pub zoned_data: OnZones,
    /// Whether trees of it can be on zones.
    pub zoned_metadata: OnZones,
}

impl Profile {
    /// Every profile, in the order of the help.
    pub const ALL: [Self; 9] = [
        Self::Single,
        Self::Dup,
        Self::Raid0,
        Self::Raid1,
        Self::Raid1c3,
        Self::Raid1c4,
        Self::Raid10,
        Self::Raid5,
        Self::Raid6,
    ];

    /// The profile's row of the table.
    #[must_use]
    pub const fn traits(self) -> ProfileTraits {
        const fn row(
            name: &'static str,
            flags: BlockGroupFlags,
            min_devices: u64,
            stripes: Option<u64>,
        ) -> ProfileTraits {
            ProfileTraits {
                name,
                flags,
                min_devices,
                stripes,
                stripe_multiple: 1,
                copies: 1,
                parity: 0,
                tolerated_failures: 0,
                needs: None,
                zoned_data: OnZones::With(Feature::RaidStripeTree),
                zoned_metadata: OnZones::Always,
            }
        }
        const fn mirrored(copies: u64, row: ProfileTraits) -> ProfileTraits {
            ProfileTraits { copies, tolerated_failures: copies.saturating_sub(1), ..row }
        }
        const fn parity(parity: u64, row: ProfileTraits) -> ProfileTraits {
            let (zoned_data, zoned_metadata) = (OnZones::Never, OnZones::Never);
            let needs = Some(Feature::Raid56);
            ProfileTraits { parity, tolerated_failures: parity, needs, zoned_data, zoned_metadata, ..row }
        }
        const fn needs(feature: Feature, row: ProfileTraits) -> ProfileTraits {
            ProfileTraits { needs: Some(feature), ..row }
        }
        type Flags = BlockGroupFlags;
        match self {
            Self::Single => ProfileTraits { zoned_data: OnZones::Always, ..row("single", Flags::NONE, 1, Some(1)) },
            Self::Dup => ProfileTraits { copies: 2, ..row("dup", Flags::DUP, 1, Some(2)) },
            Self::Raid0 => row("raid0", Flags::RAID0, 1, None),
            Self::Raid1 => mirrored(2, row("raid1", Flags::RAID1, 2, Some(2))),
            Self::Raid1c3 => needs(Feature::Raid1c34, mirrored(3, row("raid1c3", Flags::RAID1C3, 3, Some(3)))),
            Self::Raid1c4 => needs(Feature::Raid1c34, mirrored(4, row("raid1c4", Flags::RAID1C4, 4, Some(4)))),
            Self::Raid10 => ProfileTraits { stripe_multiple: 2, ..mirrored(2, row("raid10", Flags::RAID10, 2, None)) },
            Self::Raid5 => parity(1, row("raid5", Flags::RAID5, 2, None)),
            Self::Raid6 => parity(2, row("raid6", Flags::RAID6, 3, None)),
        }
    }

    /// The name on the command line and in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.traits().name
    }

    /// The profile that `name` means, in any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| name.eq_ignore_ascii_case(profile.name()))
    }

    /// Whether rows of a chunk carry parity.
    #[must_use]
    pub const fn has_parity(self) -> bool {
        self.traits().parity > 0
    }
}

impl core::fmt::Display for Profile {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_documents_and_unique() {
        for profile in Profile::ALL {
            assert_eq!(serde_json::to_string(&profile).unwrap(), alloc::format!("\"{profile}\""));
            assert_eq!(Profile::from_name(&profile.name().to_uppercase()), Some(profile));
        }
        assert_eq!(Profile::from_name("raid"), None);
    }

    /// Warnings keyed on a typed profile cannot mix up bits; the bits themselves must not overlap either.
    #[test]
    fn every_profile_has_its_own_bit() {
        let mut seen = 0;
        for profile in Profile::ALL {
            let bits = profile.traits().flags.bits();
            assert_eq!(seen & bits, 0, "{profile}");
            assert_eq!(bits.count_ones(), u32::from(profile != Profile::Single), "{profile}");
            seen |= bits;
        }
    }
}
