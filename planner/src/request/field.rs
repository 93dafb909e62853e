//! Which field of a request a refusal is about, so that a form can show it there.

use super::RequestError;

impl RequestError {
    /// The field at fault, as documents name it; of the device in [`RequestError::device`] where there is one. `None`
    /// where it is the request as a whole.
    #[must_use]
    pub const fn field(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoDevice => "devices",
            Self::Format(_) => "format",
            Self::SeedLength { .. } => "identity.seed",
            Self::LabelLength { .. } | Self::LabelCharacter { .. } => "label",
            Self::SectorSize { .. } => "sector_size",
            Self::NodeSize { .. } | Self::NodeBelowSector { .. } | Self::MixedNodeSize { .. } => "node_size",
            Self::PageSize { .. } => "page_size",
            Self::MixedProfiles { .. } => "metadata",
            Self::MixedContradiction => "mixed",
            Self::FeaturesExclude { .. }
            | Self::FeaturesNeed { .. }
            | Self::FeatureExperimental { .. }
            | Self::FeatureNeeded { .. }
            | Self::TargetFeature { .. }
            | Self::ZonedFeature { .. } => "features",
            Self::TargetChecksum { .. } => "checksum",
            Self::GlobalRoots { .. } | Self::GlobalRootsUnused => "global_roots",
            Self::ZoneSize { .. } | Self::ZoneSizeExperimental | Self::ZoneSizeUnused => "emulated_zone_size",
            Self::ZonedNeeded { .. } => "zones",
            Self::TooFewDevices { kind, .. } | Self::ZonedProfile { kind, .. } | Self::ZonedParity { kind, .. } => kind,
            Self::SystemChunkArray { .. } => "metadata",
            Self::ByteCountTooSmall { .. } | Self::ByteCountTooLarge { .. } => "byte_count",
            Self::DeviceTooSmall { .. } | Self::DeviceTooLarge { .. } => "size",
            Self::LogicalSector { .. } | Self::LogicalSectorTooLarge { .. } => "logical_sector",
            Self::DeviceTwice { .. } => "path",
            Self::Uuid { .. } => "identity",
            Self::TooManyUuids { .. } => "identity.device_uuids",
            Self::Occupied { .. } => "signatures",
            Self::ZoneReport { .. }
            | Self::ZoneCapacity { .. }
            | Self::ZoneSizes { .. }
            | Self::ActiveZones { .. }
            | Self::ActiveBeyond { .. } => "zones",
            Self::NoSpace { .. } | Self::NoRoomInChunk { .. } | Self::TotalTooLarge { .. } => "devices",
            Self::Unreadable(_) | Self::ContentsOrder | Self::Shape(_) | Self::SizeOverflow(_) => return None,
        })
    }

    /// The device that it is about, as messages name it: by its path, or as `device N` with N from 1.
    #[must_use]
    pub const fn device(&self) -> Option<&str> {
        match self {
            Self::DeviceTooSmall { device, .. }
            | Self::DeviceTooLarge { device, .. }
            | Self::LogicalSector { device, .. }
            | Self::LogicalSectorTooLarge { device, .. }
            | Self::DeviceTwice { device }
            | Self::Occupied { device, .. }
            | Self::ZoneReport { device, .. }
            | Self::ZoneCapacity { device, .. }
            | Self::ZoneSizes { device, .. }
            | Self::ZonedNeeded { device }
            | Self::ActiveZones { device, .. }
            | Self::ActiveBeyond { device, .. } => Some(device.as_str()),
            _ => None,
        }
    }
}
