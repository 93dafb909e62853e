//! What a filesystem needs of the machine that mounts it, and whether the declared one has it.

use super::zoned::must_be_zoned;
use super::{Feature, FeatureBit, Features, KernelVersion, Profile, Request, RequestError, Settings, Warning};
use crate::disk::checksum::ChecksumType;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// The first kernel that mounts sectors of 4096 bytes on pages of 65536, and on any larger pages.
const SUBPAGE_64K: KernelVersion = KernelVersion::new(5, 15, 0);
const SUBPAGE: KernelVersion = KernelVersion::new(5, 19, 0);
/// The first kernel with other checksums than CRC-32C.
const CHECKSUMS: KernelVersion = KernelVersion::new(5, 5, 0);
/// The first kernel that mounts nodes larger than a page.
const LARGE_NODES: KernelVersion = KernelVersion::new(3, 4, 0);
/// The sizes of pages that machines have.
const PAGES: [u32; 5] = [4096, 8192, 16384, 32768, 65536];

/// What a machine needs to mount a filesystem.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Requirements {
    /// Whether the kernel must have been built for experiments.
    pub experimental: bool,
    /// The first kernel that can write to it, on pages of the sector size.
    pub kernel: KernelVersion,
    /// The first kernel that can read it.
    pub kernel_read_only: KernelVersion,
    /// The page sizes on which kernels mount it, ascending; on others none does, but for experiments.
    pub page_sizes: Vec<PageRequirement>,
}

/// The kernel that a page size needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct PageRequirement {
    /// The first kernel that can write to it there.
    pub kernel: KernelVersion,
    /// Bytes of a page.
    pub page_size: u32,
}

impl Requirements {
    /// What a filesystem of these features, this checksum and these sizes needs.
    pub(super) fn new(features: Features, checksum: ChecksumType, sector_size: u32, node_size: u32) -> Self {
        let mut read = Feature::MixedBackref.traits().since;
        if checksum != ChecksumType::Crc32c {
            read = read.max(CHECKSUMS);
        }
        if node_size > sector_size {
            read = read.max(LARGE_NODES);
        }
        let mut write = read;
        for traits in features.iter().map(Feature::traits) {
            write = write.max(traits.since);
            if matches!(traits.bit, FeatureBit::Incompat(_)) {
                read = read.max(traits.since);
            }
        }
        let pages = PAGES.into_iter().filter_map(|page_size| {
            let kernel = write.max(on_pages(sector_size, page_size)?);
            Some(PageRequirement { kernel, page_size })
        });
        Self {
            experimental: features.iter().any(|feature| feature.traits().experimental()),
            kernel: write,
            kernel_read_only: read,
            page_sizes: pages.collect(),
        }
    }

    /// The first kernel that can write to it on pages of this size.
    #[must_use]
    pub fn on_pages(&self, page_size: u32) -> Option<KernelVersion> {
        self.page_sizes.iter().find(|page| page.page_size == page_size).map(|page| page.kernel)
    }
}

impl core::fmt::Display for Requirements {
    /// `Linux 4.5 on pages of 4096 bytes, 5.15 on 65536; 3.14 to read`.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut kernels: Vec<KernelVersion> = self.page_sizes.iter().map(|page| page.kernel).collect();
        kernels.sort_unstable();
        kernels.dedup();
        f.write_str("Linux ")?;
        for (index, kernel) in kernels.iter().enumerate() {
            let pages = self.page_sizes.iter().filter(|page| page.kernel == *kernel);
            let pages: Vec<String> = pages.map(|page| page.page_size.to_string()).collect();
            match (index, pages.len() == PAGES.len()) {
                (_, true) => write!(f, "{kernel} on pages of any size")?,
                (0, false) => write!(f, "{kernel} on pages of {} bytes", pages.join(", "))?,
                (_, false) => write!(f, ", {kernel} on {}", pages.join(", "))?,
            }
        }
        if self.kernel_read_only < self.kernel {
            write!(f, "; {} to read", self.kernel_read_only)?;
        }
        if self.experimental { f.write_str("; built for experiments") } else { Ok(()) }
    }
}

/// The first kernel that mounts sectors of this size on pages of that one.
fn on_pages(sector_size: u32, page_size: u32) -> Option<KernelVersion> {
    match (sector_size, page_size) {
        (sector, page) if sector == page => Some(KernelVersion::new(0, 0, 0)),
        (4096, 65536) => Some(SUBPAGE_64K),
        (4096, _) => Some(SUBPAGE),
        _ => None,
    }
}

/// Checks the features against the kernel that the request names: those that it does not have are an error, or dropped if
/// the request says so and nothing else in it needs them.
pub(super) fn check(
    request: &Request,
    features: &mut Features,
    profiles: [Profile; 2],
    warnings: &mut Vec<Warning>,
) -> Result<(), RequestError> {
    let Some(target) = request.target_kernel else { return Ok(()) };
    if request.checksum != ChecksumType::Crc32c && target < CHECKSUMS {
        return Err(RequestError::TargetChecksum { checksum: request.checksum, since: CHECKSUMS, target });
    }
    for feature in Feature::ALL {
        let traits = feature.traits();
        if !features.has(feature) || traits.since <= target {
            continue;
        }
        let bound = match feature {
            Feature::MixedBg => request.mixed,
            Feature::Zoned => must_be_zoned(request).is_some(),
            feature => profiles.iter().any(|profile| profile.traits().needs == Some(feature)),
        };
        if bound || !traits.switchable || !request.drop_unsupported {
            return Err(RequestError::TargetFeature { feature, since: traits.since, target, bound });
        }
        features.set(feature, false);
        warnings.push(Warning {
            code: "feature-dropped".to_string(),
            message: format!("{feature} is off: it needs kernel {}, and the target is {target}", traits.since),
        });
    }
    Ok(())
}

/// Adds a warning where the declared machine does not mount the filesystem, or only newer kernels do.
pub(super) fn warn(request: &Request, settings: &Settings, warnings: &mut Vec<Warning>) {
    let (page_size, sector_size) = (request.page_size, settings.sector_size);
    let mut warn = |code: &str, message| warnings.push(Warning { code: code.to_string(), message });
    let needed = settings.requires.on_pages(page_size);
    match (needed, request.target_kernel) {
        (None, _) => warn(
            "sector-size",
            format!(
                "sectors of {sector_size} bytes on pages of {page_size}: kernels mount that only where they were built \
                 for experiments; machines with pages of {sector_size} do"
            ),
        ),
        (Some(needed), Some(target)) if needed > target => warn(
            "target-kernel",
            format!("on pages of {page_size} bytes it needs kernel {needed}, and the target is {target}"),
        ),
        (Some(needed), None) if page_size != sector_size => warn(
            "sector-size",
            format!("sectors of {sector_size} bytes on pages of {page_size}: that needs kernel {needed}"),
        ),
        _ => {}
    }
    if settings.requires.experimental {
        let names = settings.features.iter().filter(|feature| feature.traits().experimental());
        let names: Vec<_> = names.map(|feature| feature.to_string()).collect();
        warn(
            "experimental",
            format!(
                "{}: kernels mount that only where they were built for experiments, and the format may change",
                names.join(", ")
            ),
        );
    }
}
