//! The UUID tree: subvolumes by UUID.

use super::Items;
use crate::disk::key::{ItemType, Key};
use crate::disk::root::TreeId;
use crate::request::Settings;

pub(super) fn items(settings: &Settings) -> Items {
    // The UUID itself is the key: its halves as little-endian numbers.
    let (high, low) = settings.fs_tree_uuid.as_u64_pair();
    let key = Key::new(high.swap_bytes(), ItemType::UUID_KEY_SUBVOL, low.swap_bytes());
    let mut items = Items::new();
    items.push(key, &[&TreeId::Fs.objectid().to_le_bytes()]);
    items
}
