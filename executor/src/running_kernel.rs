//! What the btrfs driver of the running kernel says that it can mount. Silent where it is not loaded or sysfs is absent.

use btrfs_planner::request::Feature;
use std::fs;
use std::path::{Path, PathBuf};

/// What the driver says.
#[derive(Clone, Debug)]
pub struct RunningKernel {
    features: PathBuf,
}

impl RunningKernel {
    /// The kernel of this machine, if it says anything.
    #[must_use]
    pub fn ask() -> Option<Self> {
        Self::in_folder(Path::new("/sys/fs/btrfs/features"))
    }

    fn in_folder(features: &Path) -> Option<Self> {
        features.is_dir().then(|| Self { features: features.to_path_buf() })
    }

    /// Whether it knows a feature.
    #[must_use]
    pub fn knows(&self, feature: Feature) -> bool {
        attribute(feature).is_none_or(|name| self.features.join(name).exists())
    }

    /// Whether it mounts sectors of this many bytes. Kernels that do not say which take those of a page only.
    #[must_use]
    pub fn takes_sectors(&self, size: u32) -> bool {
        let sizes = fs::read_to_string(self.features.join("supported_sectorsizes")).unwrap_or_default();
        sizes.split_whitespace().any(|text| text.parse() == Ok(size))
    }
}

/// The driver's name of a feature; none where every driver knows it.
fn attribute(feature: Feature) -> Option<String> {
    match feature {
        Feature::MixedBackref | Feature::Quota => None,
        Feature::MixedBg => Some("mixed_groups".to_string()),
        Feature::Extref => Some("extended_iref".to_string()),
        Feature::SimpleQuota => Some("simple_quota".to_string()),
        other => Some(other.name().replace('-', "_")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_driver_names_is_known() {
        let folder = tempfile::tempdir().unwrap();
        assert!(RunningKernel::in_folder(&folder.path().join("features")).is_none());
        for (name, text) in
            [("mixed_groups", "0\n"), ("free_space_tree", "0\n"), ("supported_sectorsizes", "4096 16384\n")]
        {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let kernel = RunningKernel::in_folder(folder.path()).unwrap();
        for (feature, known) in [
            (Feature::MixedBackref, true),
            (Feature::Quota, true),
            (Feature::MixedBg, true),
            (Feature::FreeSpaceTree, true),
            (Feature::Extref, false),
            (Feature::BlockGroupTree, false),
            (Feature::SimpleQuota, false),
        ] {
            assert_eq!(kernel.knows(feature), known, "{feature}");
        }
        assert!(kernel.takes_sectors(16384) && !kernel.takes_sectors(8192) && !kernel.takes_sectors(163));
    }
}
