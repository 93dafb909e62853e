//! Sets of features.

use super::{Defaults, Feature};

/// A set of features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features(u32);

impl Features {
    /// What is on unasked.
    #[must_use]
    pub fn defaults(of: Defaults) -> Self {
        let mut set = Self::default();
        for feature in Feature::ALL {
            set.set(feature, of.has(feature));
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
            Feature::RaidStripeTree => 1 << 12,
            Feature::ExtentTreeV2 => 1 << 13,
            Feature::RemapTree => 1 << 14,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_its_own_mask() {
        let mut seen = Features::default();
        for feature in Feature::ALL {
            assert!(!seen.has(feature), "{feature} shares a mask");
            seen.set(feature, true);
        }
        assert!(seen.iter().eq(Feature::ALL));
    }
}
