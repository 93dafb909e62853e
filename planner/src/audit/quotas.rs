//! The quota tree: its state, and counters that can be.

use super::reader::Reader;
use super::walk::Leaf;
use super::{Code, Scope};
use crate::disk::key::{ItemType, Key};
use crate::disk::quota::{QgroupInfo, QgroupLimit, QgroupStatus, STATUS_ON, STATUS_SIMPLE, STATUS_VERSION};
use crate::disk::root::TreeId;
use crate::units::wide;
use alloc::collections::BTreeMap;
use alloc::format;
use zerocopy::FromBytes;

/// Status flags that there are: on, rescan, inconsistent, simple.
const KNOWN_FLAGS: u64 = 0xf;
/// `incompat_flags`: simple quota.
const SIMPLE_QUOTA: u64 = 1 << 16;
/// Bytes of a status item before simple quota.
const OLD_STATUS: usize = 32;

/// What the quota tree says.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    status: bool,
    /// Counters by group, and whether there are limits.
    groups: BTreeMap<u64, (Option<(super::Place, QgroupInfo)>, bool)>,
}

impl Quotas {
    /// Takes an item of the quota tree. False where it is of another type.
    pub(super) fn item(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>, slot: u32, key: Key, data: &[u8]) -> bool {
        let place = leaf.place(slot, key);
        let newest = reader.filesystem.superblock.generation.get();
        match key.item_type {
            ItemType::QGROUP_STATUS => {
                self.status = true;
                let mut bytes = [0; size_of::<QgroupStatus>()];
                let known = data.len() == bytes.len() || data.len() == OLD_STATUS;
                for (to, from) in bytes.iter_mut().zip(data) {
                    *to = *from;
                }
                let Some(item) = QgroupStatus::read_from_bytes(&bytes).ok().filter(|_| known) else {
                    reader.findings.add(Code::QuotaItem, place, "40 bytes", data.len());
                    return true;
                };
                let (flags, simple) = (item.flags.get(), reader.filesystem.incompat(SIMPLE_QUOTA));
                let wrong = flags & STATUS_ON == 0 || (flags & STATUS_SIMPLE != 0) != simple;
                if item.version.get() != STATUS_VERSION || flags & !KNOWN_FLAGS != 0 || wrong {
                    let found = format!("version {}, flags {flags:#x}", item.version);
                    reader.findings.add(Code::QuotaItem, place, "version 1 and the flags of the features", found);
                }
                if item.generation.get() > newest || item.enable_generation.get() > newest {
                    reader.findings.add(Code::QuotaItem, place, format!("generations up to {newest}"), item.generation);
                }
                if reader.scope == Scope::New {
                    reader.findings.equal(Code::QuotaItem, place, newest, item.generation.get());
                    let enabled = if simple { newest } else { 0 };
                    reader.findings.equal(Code::QuotaItem, place, enabled, item.enable_generation.get());
                    reader.findings.equal(Code::QuotaItem, place, 0, item.rescan.get());
                }
            }
            ItemType::QGROUP_INFO => match QgroupInfo::read_from_bytes(data) {
                Ok(info) => self.groups.entry(key.offset).or_default().0 = Some((place, info)),
                Err(_) => reader.findings.add(Code::QuotaItem, place, "40 bytes", data.len()),
            },
            ItemType::QGROUP_LIMIT => {
                self.groups.entry(key.offset).or_default().1 = true;
                let limit = QgroupLimit::read_from_bytes(data);
                let unlimited = limit == Ok(QgroupLimit::default());
                if limit.is_err() || reader.scope == Scope::New && !unlimited {
                    reader.findings.add(Code::QuotaItem, place, "40 bytes", data.len());
                }
            }
            ItemType::QGROUP_RELATION => {}
            _ => return false,
        }
        true
    }

    /// Checks groups as a whole.
    pub(super) fn check(&self, reader: &mut Reader<'_>) {
        let place = super::Place::tree(TreeId::Quota.objectid());
        if !self.status {
            reader.findings.add(Code::QuotaItem, place, "a state", "none");
        }
        let blocks = reader.blocks.values().filter(|block| block.tree == TreeId::Fs.objectid()).count();
        let bytes = wide(blocks).saturating_mul(u64::from(reader.filesystem.node_size));
        for (group, (info, limit)) in &self.groups {
            let Some((place, info)) = info else {
                reader.findings.add(Code::QuotaItem, place, "counters for every group", format!("none for {group}"));
                continue;
            };
            if !limit {
                reader.findings.add(Code::QuotaItem, *place, "limits, even if there are none", "no item");
            }
            if reader.scope == Scope::Grown {
                continue;
            }
            // A new filesystem has nothing but the top-level subvolume's blocks.
            reader.findings.equal(Code::QuotaItem, *place, TreeId::Fs.objectid(), *group);
            reader.findings.equal(
                Code::QuotaCount,
                *place,
                reader.filesystem.superblock.generation.get(),
                info.generation.get(),
            );
            for found in [info.referenced, info.referenced_compressed, info.exclusive, info.exclusive_compressed] {
                reader.findings.equal(Code::QuotaCount, *place, bytes, found.get());
            }
        }
    }
}
