//! What the planner is told of a device.

use super::Zones;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Deserializer, Serialize};

/// What stands behind a device of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A block device.
    Block,
    /// A regular file: created or grown to the planned size.
    File,
    /// A device that is not here: described, to be bound to a real one before execution.
    #[default]
    Described,
}

impl DeviceKind {
    /// The name in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::File => "file",
            Self::Described => "described",
        }
    }
}

/// The facts of one device, as probed or described.
///
/// In a plan these are the device's `found`: what the planner was told, and what an executor must find again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeviceFacts {
    /// Discard support; absent where the device has none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub discard: Option<DiscardLimits>,
    /// What stands behind it.
    pub kind: DeviceKind,
    /// Bytes of a logical block: every write is a multiple of it. A power of two.
    pub logical_sector: u32,
    /// The model's name.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub model: Option<String>,
    /// Where it was found; an executor opens this path unless told another.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub path: Option<String>,
    /// Bytes of a physical block.
    pub physical_sector: u32,
    /// Whether it has a seek time.
    pub rotational: bool,
    /// The serial number.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub serial: Option<String>,
    /// File systems, RAID members, partition tables and the like that were found on it.
    pub signatures: Vec<Signature>,
    /// The size in bytes.
    pub size: u64,
    /// Zones; absent where the device has none.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub zones: Option<Zones>,
}

impl DeviceFacts {
    /// A device of this size that is only described, with sectors of 512 bytes.
    #[must_use]
    pub const fn described(size: u64) -> Self {
        Self {
            discard: None,
            kind: DeviceKind::Described,
            logical_sector: 512,
            model: None,
            path: None,
            physical_sector: 512,
            rotational: false,
            serial: None,
            signatures: Vec::new(),
            size,
            zones: None,
        }
    }
}

impl Default for DeviceFacts {
    fn default() -> Self {
        Self::described(0)
    }
}

/// How a device discards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DiscardLimits {
    /// Bytes from the device's start to its first granule.
    pub alignment: u64,
    /// Bytes of a granule: parts of one are not discarded.
    pub granularity: u64,
    /// The most bytes the device takes in one command; the kernel splits larger requests.
    pub max_bytes: u64,
}

/// Something that was recognised on a device and will be lost.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// libblkid's name of it: `ext4`, `gpt`, `linux_raid_member`, ...
    pub kind: String,
    /// The label, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub label: Option<String>,
    /// Bytes of the magic.
    pub length: u64,
    /// Byte offset of the magic.
    pub offset: u64,
    /// libblkid's class of it: `filesystem`, `raid`, `crypto`, `partition table`, ...
    pub usage: String,
    /// The UUID, in the notation of its kind.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub uuid: Option<String>,
}

/// A field that may be absent but, where it is there, has a value: so that there is one way to leave it out.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_have_one_notation() {
        let text = serde_json::to_string(&DeviceFacts::described(7)).unwrap();
        assert_eq!(serde_json::from_str::<DeviceFacts>(&text).unwrap(), DeviceFacts::described(7));
        let null = text.replacen('{', r#"{"model":null,"#, 1);
        assert!(serde_json::from_str::<DeviceFacts>(&null).is_err());
        let missing = text.replacen(r#""rotational":false,"#, "", 1);
        assert!(missing.len() < text.len() && serde_json::from_str::<DeviceFacts>(&missing).is_err());
    }
}
