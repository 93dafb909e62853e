//! Where a filesystem's UUIDs come from: given, or derived from the request's seed.

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The identity of a new filesystem and its devices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// UUIDs of the devices, from devid 1; those not given are derived from the seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_uuids: Vec<Uuid>,
    /// UUID of the filesystem; derived from the seed where not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fsid: Option<Uuid>,
    /// Any text of 1 to 255 bytes. The same seed gives the same UUIDs; a new filesystem wants a new one.
    pub seed: String,
}

impl Identity {
    /// The filesystem's UUID.
    #[must_use]
    pub fn fsid(&self) -> Uuid {
        self.fsid.unwrap_or_else(|| self.derive("fsid", 0))
    }

    /// The UUID of the device with this devid.
    #[must_use]
    pub fn device(&self, devid: u64) -> Uuid {
        let given = devid.checked_sub(1).and_then(|index| usize::try_from(index).ok());
        let given = given.and_then(|index| self.device_uuids.get(index)).copied();
        given.unwrap_or_else(|| self.derive("device", devid))
    }

    /// The UUID that tree blocks and device extents carry as that of the chunk tree.
    #[must_use]
    pub fn chunk_tree(&self) -> Uuid {
        self.derive("chunk-tree", 0)
    }

    /// The UUID of the top-level subvolume.
    #[must_use]
    pub fn fs_tree(&self) -> Uuid {
        self.derive("fs-tree", 0)
    }

    /// SHA-256 over purpose, number and seed, in the form of RFC 9562's version 8.
    fn derive(&self, purpose: &str, number: u64) -> Uuid {
        let digest: [u8; 32] = Sha256::new()
            .chain_update("btrfs-plan/1 ")
            .chain_update(purpose)
            .chain_update([0])
            .chain_update(number.to_le_bytes())
            .chain_update(&self.seed)
            .finalize()
            .into();
        let mut bytes = [0; 16];
        for (to, from) in bytes.iter_mut().zip(digest) {
            *to = from;
        }
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_uuids_are_version_8_and_all_different() {
        let identity = Identity { seed: "a".into(), ..Identity::default() };
        let other = Identity { seed: "b".into(), ..Identity::default() };
        let all = |identity: &Identity| {
            [identity.fsid(), identity.device(1), identity.device(2), identity.chunk_tree(), identity.fs_tree()]
        };
        let mut uuids: Vec<Uuid> = all(&identity).into_iter().chain(all(&other)).collect();
        assert!(uuids.iter().all(|uuid| uuid.get_version_num() == 8));
        uuids.sort();
        uuids.dedup();
        assert_eq!(uuids.len(), 10);
    }

    #[test]
    fn given_uuids_win() {
        let given = Uuid::from_u128(7);
        let identity = Identity { device_uuids: [given].into(), fsid: Some(given), seed: "a".into() };
        assert_eq!(identity.fsid(), given);
        assert_eq!(identity.device(1), given);
        assert_ne!(identity.device(2), given);
    }
}
