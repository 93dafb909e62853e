//! The UUID tree: subvolumes by their UUIDs.

use super::reader::Reader;
use super::roots::Roots;
use super::walk::{Leaf, is_subvolume};
use super::{Code, Place};
use crate::disk::key::{ItemType, Key};
use alloc::collections::BTreeMap;
use alloc::format;
use zerocopy::FromBytes;
use zerocopy::byteorder::little_endian::U64;

/// What the UUID tree says: subvolumes by UUID.
#[derive(Debug, Default)]
pub(super) struct Uuids(BTreeMap<[u8; 16], (Place, u64)>);

impl Uuids {
    /// Takes an item of the UUID tree. False where it is of another type.
    pub(super) fn item(&mut self, reader: &mut Reader<'_>, leaf: &Leaf<'_>, slot: u32, key: Key, data: &[u8]) -> bool {
        let place = leaf.place(slot, key);
        let received = key.item_type == ItemType::UUID_KEY_RECEIVED_SUBVOL;
        if key.item_type != ItemType::UUID_KEY_SUBVOL && !received {
            return false;
        }
        let (ids, rest) = data.as_chunks::<8>();
        if ids.is_empty() || !rest.is_empty() || (!received && ids.len() != 1) {
            reader.findings.add(Code::UuidItem, place, "8 bytes a subvolume", format!("{} bytes", data.len()));
        }
        let id = ids.first().and_then(|id| U64::read_from_bytes(id).ok()).filter(|_| !received);
        if let Some(id) = id {
            let mut uuid = [0; 16];
            for (to, from) in
                uuid.iter_mut().zip(key.objectid.to_le_bytes().into_iter().chain(key.offset.to_le_bytes()))
            {
                *to = from;
            }
            self.0.insert(uuid, (place, id.get()));
        }
        true
    }

    /// Compares with the subvolumes that there are, where the tree claims to be up to date.
    pub(super) fn check(&self, reader: &mut Reader<'_>, roots: &Roots) {
        let superblock = &reader.filesystem.superblock;
        if superblock.uuid_tree_generation != superblock.generation {
            return;
        }
        for (uuid, (place, tree)) in &self.0 {
            match roots.roots.get(tree) {
                Some(root) if root.item.uuid == *uuid => {}
                Some(root) => {
                    reader.findings.add(
                        Code::UuidItem,
                        *place,
                        format!("the subvolume with {}", hex::encode(uuid)),
                        hex::encode(root.item.uuid),
                    );
                }
                None => reader.findings.add(Code::UuidItem, *place, "a subvolume that is there", tree),
            }
        }
        for (tree, root) in &roots.roots {
            let uuid = root.item.uuid;
            if is_subvolume(*tree) && uuid != [0; 16] && !roots.removed(*tree) && !self.0.contains_key(&uuid) {
                reader.findings.add(Code::UuidItem, root.place, "an entry in the UUID tree", "none");
            }
        }
    }
}
