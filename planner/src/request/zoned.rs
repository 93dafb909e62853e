//! The rules of zoned filesystems.

use super::minimum::lasting_zones;
use super::rules::{name, switched_off};
use super::zones::PlacedRun;
use super::{
    DeviceFacts, Feature, Features, OnZones, Profile, Request, RequestError, Warning, ZoneModel, ZoneState, Zones,
    zones,
};
use crate::units::{Checked, SizeOverflow};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Kernels refuse to mount with fewer active zones: superblock log, data, system, metadata, their copies, and some to
/// move on to.
const FEWEST_ACTIVE: u32 = 8;
/// With fewer than this, mounting works, and then `sync` can hang for ever.
const SAFE_ACTIVE: u32 = 10;
/// Of a device without limits, kernels keep one zone in so many active. Found by trying, with Linux 7.3: `dup` hangs on up
/// to 35 zones, and on any number if the device has a limit of 8.
const ACTIVE_SHARE: u64 = 4;

/// The first device that can be written in no other way than by zones, if there is one.
pub(super) fn must_be_zoned(request: &Request) -> Option<usize> {
    let managed = |zones: &Zones| zones.model == ZoneModel::HostManaged;
    request.devices.iter().position(|device| device.zones.as_ref().is_some_and(managed))
}

/// Switches on what devices with zones cannot do without, and what profiles cannot do without on them.
pub(super) fn switch_on(
    request: &Request,
    features: &mut Features,
    data: Profile,
    metadata: Profile,
) -> Result<(), RequestError> {
    let must_be = must_be_zoned(request);
    if let Some(index) = must_be {
        if request.features.iter().any(|switch| switch.feature == Feature::Zoned && !switch.on) {
            return Err(RequestError::ZonedNeeded { device: name(request, index) });
        }
        features.set(Feature::Zoned, true);
    }
    if !features.has(Feature::Zoned) {
        return Ok(());
    }
    let asked = must_be.is_none();
    for (kind, profile, on_zones) in
        [("metadata", metadata, metadata.traits().zoned_metadata), ("data", data, data.traits().zoned_data)]
    {
        match on_zones {
            OnZones::Always => {}
            OnZones::Never => return Err(RequestError::ZonedParity { kind, profile, asked }),
            OnZones::With(feature) if features.has(feature) => {}
            OnZones::With(feature) if request.experimental && !switched_off(request, feature) => {
                features.set(feature, true);
            }
            OnZones::With(feature) => return Err(RequestError::ZonedProfile { kind, profile, feature, asked }),
        }
    }
    Ok(())
}

/// The zone size, if the filesystem is to be zoned.
pub(super) fn resolve(
    request: &Request,
    features: Features,
    data: Profile,
    metadata: Profile,
    node_size: u32,
    warnings: &mut Vec<Warning>,
) -> Result<Option<u64>, RequestError> {
    if let Some(size) = request.emulated_zone_size {
        if !request.experimental {
            return Err(RequestError::ZoneSizeExperimental);
        }
        if !zones::is_zone_size(size) {
            return Err(RequestError::ZoneSize { size });
        }
    }
    if !features.has(Feature::Zoned) {
        // Where the feature was dropped, the size goes with it.
        let unused = request.emulated_zone_size.is_some() && !request.may_lose(Feature::Zoned);
        return if unused { Err(RequestError::ZoneSizeUnused) } else { Ok(None) };
    }
    // The zone size of the first device, which may have none.
    let mut first: Option<Option<u64>> = None;
    for (index, device) in request.devices.iter().enumerate() {
        let device_name = || name(request, index);
        if let Some(zones) = &device.zones {
            if let Some(problem) = zones::problem(zones, device.size) {
                return Err(RequestError::ZoneReport { device: device_name(), problem });
            }
            check_capacity(request, index, zones, node_size)?;
            check_active(request, index, zones, warnings)?;
            warn_of_few(device_name(), zones, data, metadata, warnings)?;
        }
        let kind = device.zones.as_ref().map(|zones| zones.size);
        let first = *first.get_or_insert(kind);
        if first != kind {
            return Err(RequestError::ZoneSizes { device: device_name(), found: words(kind), first: words(first) });
        }
    }
    match (first, request.emulated_zone_size) {
        (Some(Some(_)), Some(_)) => Err(RequestError::ZoneSizeUnused),
        (first, emulated) => Ok(first.map(|size| size.or(emulated).unwrap_or(super::EMULATED_ZONE_SIZE))),
    }
}

fn words(zone_size: Option<u64>) -> String {
    zone_size.map_or_else(|| "no zones".to_string(), |size| format!("zones of {size} bytes"))
}

/// What kernels accept, and then cannot go on with.
fn warn_of_few(
    device: String,
    zones: &Zones,
    data: Profile,
    metadata: Profile,
    warnings: &mut Vec<Warning>,
) -> Result<(), SizeOverflow> {
    if zones.model == ZoneModel::Emulated {
        return Ok(());
    }
    let mut warn = |code: &str, message| warnings.push(Warning { code: code.to_string(), message });
    let count = zones.count()?;
    if count < lasting_zones(data, metadata) {
        warn(
            "few-zones",
            format!("{device} has {count} zones: writing soon finds no empty one with metadata {metadata}"),
        );
    }
    let limited = zones.max_active != 0 || zones.max_open != 0;
    if metadata == Profile::Dup && !limited && count / ACTIVE_SHARE < u64::from(SAFE_ACTIVE) {
        warn(
            "active-zones",
            format!(
                "{device} has {count} zones, of which kernels keep a quarter active: with metadata dup sync can hang for \
                 ever on it"
            ),
        );
    }
    Ok(())
}

/// A chunk takes whole zones, so one that no tree block fits makes chunks that hold nothing.
fn check_capacity(request: &Request, index: usize, zones: &Zones, node_size: u32) -> Result<(), RequestError> {
    let Some(DeviceFacts { logical_sector: sector, size, .. }) = request.devices.get(index) else { return Ok(()) };
    let whole = |length: u64| length.checked_rem(u64::from(*sector)) == Some(0);
    for placed in zones.placed() {
        let PlacedRun { start, run, .. } = placed?;
        // A last zone that is shorter than the others is not used.
        let used = run.state.usable() && start.plus(zones.size)? <= *size;
        if let Some(capacity) = run.capacity
            && used
            && run.state != ZoneState::Conventional
            && (capacity < u64::from(node_size) || !whole(capacity))
        {
            return Err(RequestError::ZoneCapacity {
                device: name(request, index),
                capacity,
                sector: *sector,
                node_size,
            });
        }
    }
    Ok(())
}

fn check_active(
    request: &Request,
    index: usize,
    zones: &Zones,
    warnings: &mut Vec<Warning>,
) -> Result<(), RequestError> {
    let device = || name(request, index);
    // Without a limit on active zones, that on open ones acts in its place.
    let limit = [zones.max_active, zones.max_open].into_iter().find(|limit| *limit != 0);
    if zones.max_active != 0 && zones.max_active < FEWEST_ACTIVE {
        return Err(RequestError::ActiveZones { device: device(), active: zones.max_active, needed: FEWEST_ACTIVE });
    }
    if let Some(limit) = limit.filter(|limit| *limit < SAFE_ACTIVE) {
        warnings.push(Warning {
            code: "active-zones".to_string(),
            message: format!("{} keeps only {limit} zones active: sync can hang for ever on it", device()),
        });
    }
    let Some(end) = request.byte_count.filter(|count| *count != 0) else { return Ok(()) };
    let mut count = 0_u64;
    for placed in zones.placed() {
        let placed = placed?;
        if placed.run.state.active() && placed.end > end {
            let beyond = placed.end.saturating_sub(placed.start.max(end));
            count = count.checked_add(beyond.div_ceil(zones.size)).ok_or(SizeOverflow)?;
        }
    }
    if count > 0 { Err(RequestError::ActiveBeyond { device: device(), count }) } else { Ok(()) }
}
