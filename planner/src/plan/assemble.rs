//! From the planner's results to the document.

use super::{Block, Device, Draft, FORMAT, Filesystem, Payload, Plan, PlannerVersion, Profiles, Seal, Statistics};
use crate::layout::Layout;
use crate::request::Settings;
use crate::schedule::{DeviceSchedule, Schedule};
use crate::trees::{Forest, GENERATION};
use alloc::string::ToString;

impl Draft {
    /// The plan of these results.
    pub(crate) fn assemble(settings: Settings, layout: &Layout, forest: &Forest, schedule: Schedule) -> Self {
        let flags = settings.flags();
        let filesystem = Filesystem {
            bytes_used: forest.bytes_used,
            checksum: settings.checksum,
            discard: settings.discard,
            features: settings.features.iter().map(|feature| feature.to_string()).collect(),
            flags,
            fsid: settings.fsid,
            generation: GENERATION,
            label: settings.label,
            node_size: settings.node_size,
            page_size: settings.page_size,
            profiles: Profiles { data: settings.data, metadata: settings.metadata, system: settings.metadata },
            requires: settings.requires,
            sector_size: settings.sector_size,
            time: settings.time,
            total_size: settings.total_size,
            zone_size: settings.zone_size,
        };
        // A schedule's first payloads are the forest's blocks, in order.
        let blocks = forest.blocks.iter().zip(0_u32..).map(|(block, payload)| Block {
            items: block.items,
            level: block.level,
            logical: block.logical,
            payload,
            tree: block.tree.to_string(),
        });
        let devices = settings.devices.into_iter().zip(schedule.devices).map(|(device, steps)| {
            let DeviceSchedule { limit, wipe, discard, reset_zones, zero, writes, commit } = steps;
            Device {
                commit,
                devid: device.devid,
                discard: discard.iter().collect(),
                found: device.facts,
                limit,
                reset_zones: reset_zones.iter().collect(),
                size: device.size,
                uuid: device.uuid,
                wipe: wipe.iter().collect(),
                writes,
                zero: zero.iter().collect(),
            }
        });
        Self::new(Plan {
            blocks: blocks.collect(),
            chunks: layout.chunks().to_vec(),
            devices: devices.collect(),
            filesystem,
            format: FORMAT.to_string(),
            payloads: schedule.payloads.iter().map(|bytes| Payload::new(bytes)).collect(),
            planner: PlannerVersion {
                name: env!("CARGO_PKG_NAME").to_string(),
                version: env!("CARGO_PKG_VERSION").to_string(),
            },
            seal: Seal::BLANK,
            statistics: Statistics {
                bytes_written: schedule.bytes_written,
                discard: schedule.discard,
                writes: schedule.write_calls,
                zone_resets: schedule.resets,
            },
            warnings: settings.warnings,
        })
    }
}
