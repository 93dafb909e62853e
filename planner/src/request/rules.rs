//! The rules that turn a request into settings, in the order in which mkfs.btrfs checks its own.

use super::settings::{SettingsDevice, Zoning};
use super::warnings::warn;
use super::{Feature, FeatureStatus, Features, Profile, Request, RequestError, Requirements, Settings, Warning, Zones};
use super::{minimum, target, zoned};
use crate::units::{Checked, DevId, round_down, wide};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Nodes of mixed block groups are sectors; else at least this many bytes where the request leaves it open.
const DEFAULT_NODE_SIZE: u32 = 16384;
const DEFAULT_SECTOR_SIZE: u32 = 4096;
const SIZES: core::ops::RangeInclusive<u32> = 4096..=65536;
/// Kernels count bytes of a device in 63 bits; up to there, Linux 6.18 mounts, writes and scrubs.
const LARGEST_DEVICE: u64 = u64::MAX >> 1;
const MAX_LABEL: usize = 255;
/// The most extent trees that are planned. The format has no limit, and mkfs.btrfs takes any number; each takes three blocks.
pub const MOST_GLOBAL_ROOTS: u16 = 1024;
const MAX_SEED: usize = 255;

impl Settings {
    /// Checks a request against every rule and fills in every default.
    pub fn resolve(request: &Request) -> Result<Self, RequestError> {
        if request.format != super::FORMAT {
            return Err(RequestError::Format(request.format.clone()));
        }
        if request.devices.is_empty() {
            return Err(RequestError::NoDevice);
        }
        check_texts(request)?;
        let mut warnings = Vec::new();
        let mixed = mixed(request)?;
        let (sector_size, node_size) = sizes(request, mixed)?;
        check_identity(request)?;
        check_devices(request, sector_size)?;
        let (data, metadata) = profiles(request, mixed)?;
        let features = features(request, mixed, data, metadata, &mut warnings)?;
        let zone_size = zoned::resolve(request, features, data, metadata, node_size, &mut warnings)?;
        let minimum = match zone_size {
            Some(zone_size) => minimum::minimum_zones(data, metadata).times(zone_size)?,
            None => minimum::minimum_device_size(mixed, data, metadata, node_size)?,
        };
        let devices = devices(request, zone_size, sector_size, minimum)?;
        check_counts(&devices, data, metadata)?;
        warn(&devices, mixed, data, metadata, &mut warnings);
        let sum: u128 = devices.iter().map(|device| u128::from(device.size)).sum();
        let total_size = u64::try_from(sum).map_err(|_| RequestError::TotalTooLarge { size: sum })?;
        let mut settings = Self {
            checksum: request.checksum,
            chunk_tree_uuid: request.identity.chunk_tree(),
            data,
            devices,
            discard: request.discard,
            features,
            fs_tree_uuid: request.identity.fs_tree(),
            fsid: request.identity.fsid(),
            global_roots: global_roots(request, features)?,
            label: request.label.clone(),
            metadata,
            node_size,
            page_size: request.page_size,
            requires: Requirements::new(features, request.checksum, sector_size, node_size),
            sector_size,
            time: request.time,
            total_size,
            warnings: Vec::new(),
            whole_devices: byte_count(request).is_none(),
            zone_size,
        };
        target::warn(request, &settings, &mut warnings);
        settings.warnings = warnings;
        Ok(settings)
    }
}

fn check_texts(request: &Request) -> Result<(), RequestError> {
    let length = request.identity.seed.len();
    if length == 0 || length > MAX_SEED {
        return Err(RequestError::SeedLength { length });
    }
    let length = request.label.len();
    if length > MAX_LABEL {
        return Err(RequestError::LabelLength { length });
    }
    match request.label.chars().find(|character| character.is_control()) {
        Some(character) => Err(RequestError::LabelCharacter { character }),
        None => Ok(()),
    }
}

/// Mixed block groups can be asked for in two ways that mean the same.
fn mixed(request: &Request) -> Result<bool, RequestError> {
    match (request.mixed, request.switch(Feature::MixedBg)) {
        (true, Some(false)) => Err(RequestError::MixedContradiction),
        (asked, switched) => Ok(asked || switched == Some(true)),
    }
}

fn sizes(request: &Request, mixed: bool) -> Result<(u32, u32), RequestError> {
    let is_size = |size: u32| size.is_power_of_two() && SIZES.contains(&size);
    let sector_size = request.sector_size.unwrap_or(DEFAULT_SECTOR_SIZE);
    if !is_size(sector_size) {
        return Err(RequestError::SectorSize { size: sector_size });
    }
    let default = if mixed { sector_size } else { sector_size.max(DEFAULT_NODE_SIZE) };
    let node_size = request.node_size.filter(|size| *size != 0).unwrap_or(default);
    if !is_size(node_size) {
        return Err(RequestError::NodeSize { size: node_size });
    }
    if node_size < sector_size {
        return Err(RequestError::NodeBelowSector { node_size, sector_size });
    }
    if mixed && node_size != sector_size {
        return Err(RequestError::MixedNodeSize { node_size, sector_size });
    }
    if !is_size(request.page_size) {
        return Err(RequestError::PageSize { size: request.page_size });
    }
    Ok((sector_size, node_size))
}

fn check_identity(request: &Request) -> Result<(), RequestError> {
    let identity = &request.identity;
    let (given, devices) = (identity.device_uuids.len(), request.devices.len());
    if given > devices {
        return Err(RequestError::TooManyUuids { given, devices });
    }
    let mut uuids: Vec<_> = (1..=wide(devices)).map(|devid| identity.device(devid)).collect();
    uuids.push(identity.fsid());
    uuids.sort_unstable();
    let twice = uuids.windows(2).find(|pair| matches!(pair, [left, right] if left == right));
    let bad = twice.and_then(|pair| pair.first()).or_else(|| uuids.first().filter(|uuid| uuid.is_nil()));
    bad.map_or(Ok(()), |uuid| Err(RequestError::Uuid { uuid: *uuid }))
}

/// What to call a device in a message.
pub(super) fn name(request: &Request, index: usize) -> String {
    let path = request.devices.get(index).and_then(|device| device.path.clone());
    path.unwrap_or_else(|| format!("device {}", index.saturating_add(1)))
}

fn check_devices(request: &Request, sector_size: u32) -> Result<(), RequestError> {
    let mut paths: Vec<&String> = request.devices.iter().filter_map(|device| device.path.as_ref()).collect();
    paths.sort_unstable();
    if let Some([path, _]) = paths.windows(2).find(|pair| matches!(pair, [left, right] if left == right)) {
        return Err(RequestError::DeviceTwice { device: (*path).clone() });
    }
    for (index, device) in request.devices.iter().enumerate() {
        if device.size > LARGEST_DEVICE {
            let (size, largest) = (device.size, LARGEST_DEVICE);
            return Err(RequestError::DeviceTooLarge { device: name(request, index), size, largest });
        }
        let sector = device.logical_sector;
        if !sector.is_power_of_two() || !(512..=65536).contains(&sector) {
            return Err(RequestError::LogicalSector { device: name(request, index), sector });
        }
        if sector > sector_size {
            return Err(RequestError::LogicalSectorTooLarge { device: name(request, index), sector, sector_size });
        }
        if let Some(first) = device.signatures.first()
            && !request.force
        {
            let others = match device.signatures.len() {
                1 => String::new(),
                count => format!(" and {} more", count.saturating_sub(1)),
            };
            let what = match &first.label {
                Some(label) => format!("{} ({}, label '{label}'){others}", first.kind, first.usage),
                None => format!("{} ({}){others}", first.kind, first.usage),
            };
            return Err(RequestError::Occupied { device: name(request, index), what });
        }
    }
    Ok(())
}

fn profiles(request: &Request, mixed: bool) -> Result<(Profile, Profile), RequestError> {
    let one_device = request.devices.len() == 1;
    if !mixed {
        let metadata = if one_device { Profile::Dup } else { Profile::Raid1 };
        return Ok((request.data.unwrap_or(Profile::Single), request.metadata.unwrap_or(metadata)));
    }
    let data = request.data.unwrap_or(Profile::Single);
    let metadata = request.metadata.unwrap_or(Profile::Single);
    if data == metadata { Ok((data, metadata)) } else { Err(RequestError::MixedProfiles { data, metadata }) }
}

fn features(
    request: &Request,
    mixed: bool,
    data: Profile,
    metadata: Profile,
    warnings: &mut Vec<Warning>,
) -> Result<Features, RequestError> {
    let mut features = Features::defaults(request.defaults);
    for switch in &request.features {
        features.set(switch.feature, switch.on);
    }
    features.set(Feature::MixedBg, mixed);
    for feature in features.iter() {
        match feature.traits().status {
            FeatureStatus::Stable => {}
            FeatureStatus::Experimental if request.experimental => {}
            FeatureStatus::Experimental => return Err(RequestError::FeatureExperimental { feature }),
        }
    }
    for feature in features.iter().filter(|feature| feature.traits().experimental()) {
        for needed in feature.traits().needs.iter().copied() {
            if switched_off(request, needed) {
                return Err(RequestError::FeaturesNeed { feature, needed });
            }
            features.set(needed, true);
        }
    }
    for profile in [data, metadata] {
        let Some(needed) = profile.traits().needs else { continue };
        if switched_off(request, needed) {
            return Err(RequestError::FeatureNeeded { feature: needed, profile });
        }
        features.set(needed, true);
    }
    zoned::switch_on(request, &mut features, data, metadata)?;
    target::check(request, &mut features, [data, metadata], warnings)?;
    // A feature whose needs are not met is dropped, as mkfs.btrfs does.
    for feature in Feature::ALL {
        let missing = feature.traits().needs.iter().find(|needed| !features.has(**needed));
        if let Some(missing) = missing
            && features.has(feature)
        {
            features.set(feature, false);
            warnings.push(Warning {
                code: "feature-dropped".to_string(),
                message: format!("{feature} is off, since it needs {missing}"),
            });
        }
    }
    for feature in features.iter() {
        if let Some(other) = feature.traits().excludes.iter().copied().find(|other| features.has(*other)) {
            return Err(match feature {
                Feature::Zoned => RequestError::ZonedFeature { feature: other },
                feature => RequestError::FeaturesExclude { feature, other },
            });
        }
    }
    Ok(features)
}

/// How many extent trees there are, where there may be several.
fn global_roots(request: &Request, features: Features) -> Result<Option<u16>, RequestError> {
    if !features.has(Feature::ExtentTreeV2) {
        // Where the feature was dropped, their number goes with it.
        let unused = request.global_roots.is_some() && !request.may_lose(Feature::ExtentTreeV2);
        return if unused { Err(RequestError::GlobalRootsUnused) } else { Ok(None) };
    }
    let count = request.global_roots.unwrap_or(1);
    let most = MOST_GLOBAL_ROOTS;
    let fits = u16::try_from(count).ok().filter(|count| (1..=most).contains(count));
    fits.map_or(Err(RequestError::GlobalRoots { count, most }), |count| Ok(Some(count)))
}

/// Whether the request switches a feature off.
pub(super) fn switched_off(request: &Request, feature: Feature) -> bool {
    request.switch(feature) == Some(false)
}

/// The byte count, if there is one.
fn byte_count(request: &Request) -> Option<u64> {
    request.byte_count.filter(|count| *count != 0)
}

/// The devices, of sizes in whole units: sectors or zones.
fn devices(
    request: &Request,
    zone_size: Option<u64>,
    sector_size: u32,
    minimum: u64,
) -> Result<Vec<SettingsDevice>, RequestError> {
    let unit = zone_size.unwrap_or(u64::from(sector_size));
    let whole = |size| round_down(size, unit);
    let asked = byte_count(request);
    if let Some(byte_count) = asked {
        if whole(byte_count) < minimum {
            return Err(RequestError::ByteCountTooSmall { byte_count, minimum });
        }
        // Only the first device must be that large; others are used as far as they reach.
        if let Some(first) = request.devices.first()
            && whole(byte_count) > first.size
        {
            return Err(RequestError::ByteCountTooLarge { device: name(request, 0), byte_count, size: first.size });
        }
    }
    let mut devices = Vec::with_capacity(request.devices.len());
    for ((index, facts), devid) in request.devices.iter().enumerate().zip(1..) {
        let size = asked.map_or(facts.size, |limit| limit.min(facts.size));
        // Errors tell the sizes that were given, not what is left of them in whole sectors or zones.
        if whole(size) < minimum {
            return Err(RequestError::DeviceTooSmall { device: name(request, index), size, minimum });
        }
        devices.push(SettingsDevice {
            devid: DevId::new(devid),
            facts: facts.clone(),
            size: whole(size),
            uuid: request.identity.device(devid),
            zoning: match (zone_size, &facts.zones) {
                (None, _) => Zoning::Regular,
                (Some(_), Some(_)) => Zoning::Real,
                (Some(zone_size), None) => Zoning::Emulated(Zones::emulated(facts.size, zone_size)),
            },
        });
    }
    Ok(devices)
}

fn check_counts(devices: &[SettingsDevice], data: Profile, metadata: Profile) -> Result<(), RequestError> {
    let found = wide(devices.len());
    for (kind, profile) in [("metadata", metadata), ("data", data)] {
        let needed = profile.traits().min_devices;
        if found < needed {
            return Err(RequestError::TooFewDevices { kind, profile, needed, found });
        }
    }
    Ok(())
}
