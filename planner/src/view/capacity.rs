//! How much a planned filesystem can hold, and what it survives.

use crate::layout::capacity::{DeviceFilled, Metadata, Pool, PoolDevice, PoolSettings, Survival, survival};
use crate::plan::{Plan, Profiles};
use crate::request::{Feature, Zones};
use crate::units::{DevId, SizeOverflow, wide};
use alloc::vec::Vec;
use serde::Serialize;

/// Of nine bytes of tree blocks that hold checksums, so many are checksums: the rest is for heads and free space.
const CHECKSUMS_OF_NINE: u64 = 8;

/// The capacity of a plan's filesystem. In documents: the object that `btrfs-plan capacity --json` prints.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapacityView {
    /// Bytes of file contents, where only data chunks are added until none fits.
    pub data: u64,
    /// Data chunks there are then.
    pub data_chunks: u64,
    /// The same where metadata chunks are added as the checksums of that data need them.
    pub data_with_checksums: u64,
    /// Every device when only data chunks are added.
    pub devices: Vec<DeviceFilled>,
    /// What the full filesystem survives.
    pub full: Survival,
    /// What the new filesystem survives.
    pub new: Survival,
    /// Block group profiles.
    pub profiles: Profiles,
    /// Sum of the sizes of the devices.
    pub total: u64,
    /// Always `capacity`.
    pub view: &'static str,
}

impl CapacityView {
    /// Fills a plan's filesystem.
    pub fn of(plan: &Plan) -> Result<Self, SizeOverflow> {
        let filesystem = &plan.filesystem;
        let has = |feature: Feature| filesystem.features.iter().any(|name| name == feature.traits().name);
        let devices: Vec<PoolDevice> = plan
            .devices
            .iter()
            .map(|device| PoolDevice {
                devid: device.devid,
                size: device.size,
                zones: filesystem.zone_size.map(|zone_size| {
                    device.found.zones.clone().unwrap_or_else(|| Zones::emulated(device.size, zone_size))
                }),
            })
            .collect();
        let settings = PoolSettings {
            data: filesystem.profiles.data,
            metadata: filesystem.profiles.metadata,
            mixed: has(Feature::MixedBg),
            node_size: filesystem.node_size,
            zone_size: filesystem.zone_size,
        };
        let pool = Pool::new(&devices, &plan.chunks, settings)?;
        let filled = pool.fill(Metadata::None)?;
        let checksums = Metadata::PerData {
            bytes: wide(filesystem.checksum.size()).saturating_mul(CHECKSUMS_OF_NINE.saturating_add(1)),
            data: u64::from(filesystem.sector_size).saturating_mul(CHECKSUMS_OF_NINE),
        };
        let devids: Vec<DevId> = devices.iter().map(|device| device.devid).collect();
        Ok(Self {
            data: filled.data,
            data_chunks: filled.data_chunks,
            // With other chunks between them, data chunks may happen to pack better; it is no gain to count on.
            data_with_checksums: pool.fill(checksums)?.data.min(filled.data),
            devices: filled.devices,
            full: survival(&devids, &filled.sets),
            new: survival(&devids, &pool.sets()),
            profiles: filesystem.profiles,
            total: filesystem.total_size,
            view: "capacity",
        })
    }
}
