//! Every reason to refuse a request: one variant each, with its numbers and a remedy.

use super::{Feature, KernelVersion, Profile};
use crate::disk::checksum::ChecksumType;
use crate::trees::ShapeError;
use crate::units::SizeOverflow;
use alloc::string::String;
use uuid::Uuid;

/// Why a request cannot be planned. Nothing has been touched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The document is not a request.
    #[error("not a request: {0}")]
    Unreadable(String),
    /// A request of another format.
    #[error("the request has the format '{0}', this planner reads '{expected}'", expected = super::FORMAT)]
    Format(String),
    /// No device.
    #[error("no device is given")]
    NoDevice,
    /// The seed is empty or too long.
    #[error("the seed has {length} bytes, it must have 1 to 255")]
    SeedLength {
        /// Its length in bytes.
        length: usize,
    },
    /// The label does not fit.
    #[error("the label has {length} bytes, the format has room for 255")]
    LabelLength {
        /// Its length in bytes.
        length: usize,
    },
    /// The label has a byte that ends it early or breaks the lines of other programs.
    #[error("the label has the control character {character:?}")]
    LabelCharacter {
        /// The character.
        character: char,
    },
    /// Sector size.
    #[error("the sector size {size} is not a power of two from 4096 to 65536")]
    SectorSize {
        /// What was asked for.
        size: u32,
    },
    /// Node size.
    #[error("the node size {size} is not a power of two from 4096 to 65536")]
    NodeSize {
        /// What was asked for.
        size: u32,
    },
    /// Node size below sector size.
    #[error("the node size {node_size} is below the sector size {sector_size}")]
    NodeBelowSector {
        /// Node size.
        node_size: u32,
        /// Sector size.
        sector_size: u32,
    },
    /// Mixed block groups need nodes of one sector.
    #[error("mixed block groups need a node size equal to the sector size, {sector_size}, not {node_size}")]
    MixedNodeSize {
        /// Node size.
        node_size: u32,
        /// Sector size.
        sector_size: u32,
    },
    /// Page size of the target machine.
    #[error("the page size {size} is not a power of two from 4096 to 65536")]
    PageSize {
        /// What was asked for.
        size: u32,
    },
    /// Mixed block groups with two profiles.
    #[error("mixed block groups have one profile, but data is {data} and metadata is {metadata}")]
    MixedProfiles {
        /// Data profile.
        data: Profile,
        /// Metadata profile.
        metadata: Profile,
    },
    /// Mixed block groups switched off that were asked for.
    #[error("mixed block groups are asked for and switched off at once")]
    MixedContradiction,
    /// Two features of which a filesystem has one at most.
    #[error("the features {feature} and {other} exclude each other")]
    FeaturesExclude {
        /// One of them.
        feature: Feature,
        /// The other.
        other: Feature,
    },
    /// A feature switched off that another needs.
    #[error("the feature {feature} needs {needed}, which is switched off")]
    FeaturesNeed {
        /// The feature that was asked for.
        feature: Feature,
        /// The one that it needs.
        needed: Feature,
    },
    /// A feature that must be allowed.
    #[error("the feature {feature} is experimental: kernels mount it only where they were built for experiments")]
    FeatureExperimental {
        /// The feature.
        feature: Feature,
    },
    /// Several extent trees without the feature for them.
    #[error("several extent trees are asked for, and the feature extent-tree-v2 is off")]
    GlobalRootsUnused,
    /// So many extent trees there are not.
    #[error("{count} extent trees cannot be made: there are 1 to {most}")]
    GlobalRoots {
        /// How many are asked for.
        count: u64,
        /// The most.
        most: u16,
    },
    /// A feature that the target kernel does not have.
    #[error("the feature {feature} needs kernel {since}, and the target is {target}{}", bound_by(*bound))]
    TargetFeature {
        /// The feature.
        feature: Feature,
        /// The first kernel that has it.
        since: KernelVersion,
        /// The kernel that must be able to mount.
        target: KernelVersion,
        /// Whether a profile, mixed block groups or a zoned device cannot do without it.
        bound: bool,
    },
    /// A checksum that the target kernel does not have.
    #[error("the checksum {checksum} needs kernel {since}, and the target is {target}")]
    TargetChecksum {
        /// The checksum.
        checksum: ChecksumType,
        /// The first kernel that has it.
        since: KernelVersion,
        /// The kernel that must be able to mount.
        target: KernelVersion,
    },
    /// A feature that a profile cannot do without.
    #[error("the feature {feature} is switched off, but the profile {profile} needs it")]
    FeatureNeeded {
        /// The feature.
        feature: Feature,
        /// The profile.
        profile: Profile,
    },
    /// Too few devices.
    #[error("the {kind} profile {profile} needs at least {needed} devices, there are {found}")]
    TooFewDevices {
        /// `data` or `metadata`.
        kind: &'static str,
        /// The profile.
        profile: Profile,
        /// Devices it needs.
        needed: u64,
        /// Devices of the request.
        found: u64,
    },
    /// A byte count below the minimum.
    #[error("the byte count {byte_count} is below the minimum of {minimum} for these profiles")]
    ByteCountTooSmall {
        /// What was asked for, rounded to sectors.
        byte_count: u64,
        /// The minimum.
        minimum: u64,
    },
    /// A byte count above a device.
    #[error("{device}: the byte count {byte_count} is above its size {size}")]
    ByteCountTooLarge {
        /// The device.
        device: String,
        /// What was asked for.
        byte_count: u64,
        /// The device's size.
        size: u64,
    },
    /// A device below the minimum.
    #[error("{device}: its size {size} is below the minimum of {minimum} for these profiles")]
    DeviceTooSmall {
        /// The device.
        device: String,
        /// Its size, or as much of it as the byte count leaves.
        size: u64,
        /// The minimum.
        minimum: u64,
    },
    /// A device larger than kernels can address.
    #[error("{device}: its size {size} is above {largest}, the most that kernels can address")]
    DeviceTooLarge {
        /// The device.
        device: String,
        /// Its size.
        size: u64,
        /// The largest size.
        largest: u64,
    },
    /// Devices that are too large together.
    #[error("the devices have {size} bytes together; the format counts them in 64 bits, up to {}", u64::MAX)]
    TotalTooLarge {
        /// The sum of their planned sizes.
        size: u128,
    },
    /// A logical sector that no device has.
    #[error("{device}: a logical sector of {sector} bytes is not a power of two from 512 to 65536")]
    LogicalSector {
        /// The device.
        device: String,
        /// Its logical sector.
        sector: u32,
    },
    /// The device cannot write the filesystem's sectors.
    #[error("{device}: its logical sectors of {sector} bytes are larger than the filesystem's of {sector_size}")]
    LogicalSectorTooLarge {
        /// The device.
        device: String,
        /// Its logical sector.
        sector: u32,
        /// The filesystem's sector size.
        sector_size: u32,
    },
    /// A device named twice.
    #[error("{device} is given twice")]
    DeviceTwice {
        /// The device.
        device: String,
    },
    /// A UUID used twice, or the nil UUID.
    #[error("the UUID {uuid} is nil or used twice")]
    Uuid {
        /// The UUID.
        uuid: Uuid,
    },
    /// More UUIDs than devices.
    #[error("{given} device UUIDs are given for {devices} devices")]
    TooManyUuids {
        /// UUIDs given.
        given: usize,
        /// Devices of the request.
        devices: usize,
    },
    /// Something is on the device, and the request does not say to go over it.
    #[error("{device} appears to contain {what}")]
    Occupied {
        /// The device.
        device: String,
        /// What was found, in words.
        what: String,
    },
    /// The allocator found no room for a chunk.
    #[error(
        "no room for a {kind} chunk of profile {profile}: {wanted} bytes on each of {needed} devices are needed, at most {available} are free on one"
    )]
    NoSpace {
        /// What the chunk holds.
        kind: &'static str,
        /// Its profile.
        profile: Profile,
        /// Bytes of a device extent.
        wanted: u64,
        /// Stripes it needs at least.
        needed: u64,
        /// The most room that a device had.
        available: u64,
    },
    /// A chunk in which not one tree block can be written.
    #[error(
        "a new {kind} chunk of profile {profile} has no room for a tree block of {node_size} bytes: {usable} of its bytes can \
         be written"
    )]
    NoRoomInChunk {
        /// What the chunk holds.
        kind: &'static str,
        /// Its profile.
        profile: Profile,
        /// Bytes from its start that can be written.
        usable: u64,
        /// Bytes of a tree block.
        node_size: u32,
    },
    /// The superblock's chunk array is full.
    #[error(
        "{chunks} system chunks of {stripes} stripes need {needed} bytes in the superblock (65 for each chunk, 32 for each of \
         its stripes), which has room for {room}"
    )]
    SystemChunkArray {
        /// System chunks.
        chunks: u64,
        /// Stripes of the widest.
        stripes: u64,
        /// Bytes needed.
        needed: u64,
        /// Bytes there are.
        room: u64,
    },
    /// A zone report that makes no sense.
    #[error("{device}: {problem}")]
    ZoneReport {
        /// The device.
        device: String,
        /// What is wrong.
        problem: String,
    },
    /// Sequential zones of which too little can be written.
    #[error(
        "{device} has zones of which {capacity} bytes can be written: that must be whole sectors of {sector}, and at least a \
         tree block of {node_size}"
    )]
    ZoneCapacity {
        /// The device.
        device: String,
        /// Bytes of a zone that can be written.
        capacity: u64,
        /// The device's logical sector.
        sector: u32,
        /// Bytes of a tree block.
        node_size: u32,
    },
    /// Devices whose zones cannot be used together.
    #[error(
        "{device} has {found}, but the first device has {first}: all devices of a zoned filesystem need the same zone size"
    )]
    ZoneSizes {
        /// The device.
        device: String,
        /// Its zones, in words.
        found: String,
        /// The first device's zones, in words.
        first: String,
    },
    /// A zoned device without the zoned feature.
    #[error("{device} has sequential zones, but the feature zoned is switched off")]
    ZonedNeeded {
        /// The device.
        device: String,
    },
    /// A feature that does not work with zones.
    #[error("the feature {feature} does not work on zoned devices")]
    ZonedFeature {
        /// The feature.
        feature: Feature,
    },
    /// A profile that does not work with zones by itself.
    #[error("the {kind} profile {profile} does not work on zones without the feature {feature}, which is off{}", asked_for(*asked))]
    ZonedProfile {
        /// `data` or `metadata`.
        kind: &'static str,
        /// The profile.
        profile: Profile,
        /// What it would work with.
        feature: Feature,
        /// Whether zones were asked for, and no device makes them necessary.
        asked: bool,
    },
    /// Parity profiles never work with zones.
    #[error("the {kind} profile {profile} does not work on zones: parity cannot be written in order{}", asked_for(*asked))]
    ZonedParity {
        /// `data` or `metadata`.
        kind: &'static str,
        /// The profile.
        profile: Profile,
        /// Whether zones were asked for, and no device makes them necessary.
        asked: bool,
    },
    /// A size of emulated zones.
    #[error("the zone size {size} is not a power of two from 4 MiB to 8 GiB")]
    ZoneSize {
        /// What was asked for.
        size: u64,
    },
    /// A size of emulated zones that must be allowed.
    #[error("another size of emulated zones than 256 MiB is experimental")]
    ZoneSizeExperimental,
    /// A size of emulated zones where none are emulated.
    #[error("a size of emulated zones is asked for, and none are emulated")]
    ZoneSizeUnused,
    /// A device that keeps too few zones active.
    #[error("{device} keeps at most {active} zones active, kernels mount a zoned filesystem with at least {needed}")]
    ActiveZones {
        /// The device.
        device: String,
        /// Its limit.
        active: u32,
        /// What is needed.
        needed: u32,
    },
    /// Zones beyond the byte count that would count against the active ones.
    #[error("{device} has {count} active zones beyond the byte count")]
    ActiveBeyond {
        /// The device.
        device: String,
        /// How many.
        count: u64,
    },
    /// Contents whose keys do not ascend from those of the root directory.
    #[error("the items of the contents are not sorted by ascending keys")]
    ContentsOrder,
    /// Contents with an item that no tree block can hold.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// More than 64-bit arithmetic can hold.
    #[error(transparent)]
    SizeOverflow(#[from] SizeOverflow),
}

/// That zones are there only because they were asked for.
const fn asked_for(asked: bool) -> &'static str {
    if asked { " (no device needs zones: the feature zoned was asked for)" } else { "" }
}

/// That a feature is there only because something else needs it.
const fn bound_by(bound: bool) -> &'static str {
    if bound { "; other options or the devices cannot do without it" } else { "" }
}

impl RequestError {
    /// What to do about it, where there is one thing to do.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoDevice => "name at least one block device, image file or described device such as size=10T",
            Self::LabelLength { .. } => "choose a label of at most 255 bytes",
            Self::LabelCharacter { .. } => "choose a label without line breaks and control characters",
            Self::SectorSize { .. } => "leave the sector size at 4096, which every kernel mounts",
            Self::NodeSize { .. } => "leave the node size at 16384",
            Self::NodeBelowSector { .. } => "leave the node size out, or make it at least the sector size",
            Self::MixedNodeSize { .. } => "leave the node size out when block groups are mixed",
            Self::MixedProfiles { .. } => "give -d and -m the same profile, or neither",
            Self::MixedContradiction => "leave out -M or ^mixed-bg",
            Self::FeaturesExclude { .. } => "choose one of them",
            Self::FeaturesNeed { .. } => "switch on both, or neither",
            Self::FeatureExperimental { .. } => "leave it out, or allow what is experimental (--experimental)",
            Self::GlobalRootsUnused => "leave their number out, or use -O extent-tree-v2",
            Self::GlobalRoots { .. } => "as many as the machine has processors are enough",
            Self::TargetFeature { bound: true, .. } => {
                "choose another profile or other devices, or a newer target kernel"
            }
            Self::TargetFeature { bound: false, .. } => {
                "switch it off (-O ^NAME), take older defaults (--defaults 5.15 or compat), or let such features be dropped \
                 (--drop-unsupported)"
            }
            Self::TargetChecksum { .. } => "choose crc32c, which every kernel has",
            Self::FeatureNeeded { .. } => "leave the feature on, or choose another profile",
            Self::TooFewDevices { .. } => "add devices, or choose a profile that needs fewer",
            Self::ByteCountTooSmall { .. } => "choose a larger byte count (-b), -m single, or mixed block groups (-M)",
            Self::DeviceTooSmall { .. } => "use a larger device, -m single, or mixed block groups (-M)",
            Self::ByteCountTooLarge { .. } => "choose a byte count that fits the first device, or leave it out",
            Self::DeviceTooLarge { .. } => "describe a device below 8 EiB (9223372036854775808 bytes)",
            Self::TotalTooLarge { .. } => "use fewer devices, or less of each (-b)",
            Self::LogicalSectorTooLarge { .. } => "choose a sector size of at least the device's",
            Self::Occupied { .. } => "use -f to plan over it; the plan will say what is lost",
            Self::ZonedProfile { asked: true, .. } => {
                "leave out -O zoned, use single for data, or allow what is experimental (--experimental -O raid-stripe-tree)"
            }
            Self::ZonedProfile { asked: false, .. } => {
                "use single for data, or allow what is experimental (--experimental -O raid-stripe-tree)"
            }
            Self::ZonedParity { asked: true, .. } => "leave out -O zoned, or use another profile",
            Self::ZonedParity { asked: false, .. } => "use another profile",
            Self::ZoneSize { .. } => "leave the zone size at 256 MiB",
            Self::ZoneSizeUnused => "leave the zone size out, or use -O zoned on devices that have no zones",
            Self::ZoneSizeExperimental => "leave the zone size out, or allow what is experimental (--experimental)",
            Self::ZonedNeeded { .. } => "leave out ^zoned",
            Self::ActiveBeyond { .. } => "reset them (blkzone reset), or use the whole device",
            Self::ZoneCapacity { .. } => {
                "describe zones of more capacity, or leave it out where a zone can be written to its end; a smaller node size \
                 (-n) needs less of it"
            }
            Self::NoRoomInChunk { .. } => "choose a smaller node size (-n), or devices with zones of more capacity",
            Self::NoSpace { .. } => "use larger devices, or a profile that needs fewer of them",
            Self::SystemChunkArray { .. } => "use a metadata profile with fewer stripes, such as raid1",
            _ => return None,
        })
    }
}
