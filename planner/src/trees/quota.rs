//! The quota tree: the group of the top-level subvolume, already counted.

use super::{GENERATION, Items};
use crate::disk::key::{ItemType, Key};
use crate::disk::quota::{QgroupInfo, QgroupLimit, QgroupStatus, STATUS_ON, STATUS_SIMPLE, STATUS_VERSION};
use crate::disk::root::TreeId;
use crate::request::{Feature, Settings};
use zerocopy::IntoBytes;

/// `fs_bytes`: bytes of the top-level subvolume's blocks.
pub(super) fn items(settings: &Settings, fs_bytes: u64) -> Items {
    let simple = settings.features.has(Feature::SimpleQuota);
    let status = QgroupStatus {
        version: STATUS_VERSION.into(),
        generation: GENERATION.get().into(),
        flags: (if simple { STATUS_ON | STATUS_SIMPLE } else { STATUS_ON }).into(),
        rescan: 0.into(),
        enable_generation: (if simple { GENERATION.get() } else { 0 }).into(),
    };
    let info = QgroupInfo {
        generation: GENERATION.get().into(),
        referenced: fs_bytes.into(),
        referenced_compressed: fs_bytes.into(),
        exclusive: fs_bytes.into(),
        exclusive_compressed: fs_bytes.into(),
    };
    let group = TreeId::Fs.objectid();
    let mut items = Items::new();
    items.push(Key::new(0, ItemType::QGROUP_STATUS, 0), &[status.as_bytes()]);
    items.push(Key::new(0, ItemType::QGROUP_INFO, group), &[info.as_bytes()]);
    items.push(Key::new(0, ItemType::QGROUP_LIMIT, group), &[QgroupLimit::default().as_bytes()]);
    items
}
