//! A finding: what is wrong, how bad it is, where, and what was expected instead.

use super::Code;
use crate::disk::key::Key;
use crate::disk::root::TreeId;
use alloc::string::String;
use core::fmt::{Display, Formatter, Result};
use serde::{Serialize, Serializer};

/// How bad a finding is; worse is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Odd, or beyond what the audit knows; a kernel would take it.
    Warning,
    /// Wrong: this filesystem must not be trusted.
    Error,
}

impl Display for Severity {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.pad(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A tree by its number; displayed and serialized by its name where it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreeNumber(pub u64);

impl Display for TreeNumber {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match TreeId::ALL.into_iter().find(|tree| tree.objectid() == self.0) {
            Some(tree) => f.pad(tree.name()),
            None => self.0.fmt(f),
        }
    }
}

impl Serialize for TreeNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> core::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Where something was found: what applies is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "FindingPlace"))]
pub struct Place {
    /// The device's number in the filesystem; where a disk does not say, its place among the disks, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<u64>,
    /// Byte offset on the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    /// Logical address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logical: Option<u64>,
    /// The tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub tree: Option<TreeNumber>,
    /// Logical address of the tree block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<u64>,
    /// Number of the item or pointer in its block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<u32>,
    /// The item's key.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "key")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<(u64, u8, u64)>"))]
    pub key: Option<Key>,
}

fn key<S: Serializer>(key: &Option<Key>, serializer: S) -> core::result::Result<S::Ok, S::Error> {
    key.map(|key| (key.objectid, key.item_type.0, key.offset)).serialize(serializer)
}

impl Place {
    /// Nowhere in particular: the filesystem as a whole.
    #[must_use]
    pub fn filesystem() -> Self {
        Self::default()
    }

    /// A device.
    #[must_use]
    pub fn device(device: u64) -> Self {
        Self { device: Some(device), ..Self::default() }
    }

    /// A byte of a device.
    #[must_use]
    pub fn offset(device: u64, offset: u64) -> Self {
        Self { device: Some(device), offset: Some(offset), ..Self::default() }
    }

    /// A logical address.
    #[must_use]
    pub fn logical(logical: u64) -> Self {
        Self { logical: Some(logical), ..Self::default() }
    }

    /// A tree.
    #[must_use]
    pub fn tree(tree: u64) -> Self {
        Self { tree: Some(TreeNumber(tree)), ..Self::default() }
    }

    /// A block of a tree.
    #[must_use]
    pub fn block(tree: u64, block: u64) -> Self {
        Self { block: Some(block), ..Self::tree(tree) }
    }

    /// An item or pointer in a block.
    #[must_use]
    pub const fn slot(self, slot: u32) -> Self {
        Self { slot: Some(slot), ..self }
    }

    /// An item by its key.
    #[must_use]
    pub const fn key(self, key: Key) -> Self {
        Self { key: Some(key), ..self }
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { device, offset, logical, tree, block, slot, key } = *self;
        let mut separator = "";
        let mut part = |name: &str, value: Option<&dyn Display>| match value {
            Some(value) => write!(f, "{}{name} {value}", core::mem::replace(&mut separator, ", ")),
            None => Ok(()),
        };
        for (name, value) in [("device", device), ("offset", offset), ("logical", logical)] {
            part(name, value.as_ref().map(|value| -> &dyn Display { value }))?;
        }
        part("tree", tree.as_ref().map(|value| -> &dyn Display { value }))?;
        part("block", block.as_ref().map(|value| -> &dyn Display { value }))?;
        part("slot", slot.as_ref().map(|value| -> &dyn Display { value }))?;
        if let Some(key) = key {
            part("key", Some(&format_args!("({} {} {})", key.objectid, key.item_type.0, key.offset)))?;
        }
        if *self == Self::default() { f.write_str("filesystem") } else { Ok(()) }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// What kind of thing.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub code: Code,
    /// How bad it is: the code's severity.
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl Display for Finding {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let Self { code, severity: _, place, expected, found } = self;
        write!(f, "{place}: {code}: expected {expected}, found {found}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::key::ItemType;

    #[test]
    fn findings_print_what_applies() {
        let finding = |place| Finding {
            code: Code::SuperblockChecksum,
            severity: Severity::Error,
            place,
            expected: "1".into(),
            found: "2".into(),
        };
        for (place, text) in [
            (Place::filesystem(), "filesystem: superblock-checksum: expected 1, found 2"),
            (Place::offset(2, 65536), "device 2, offset 65536: superblock-checksum: expected 1, found 2"),
            (
                Place::block(TreeId::Fs.objectid(), 4096).slot(3).key(Key::new(1, ItemType(2), 3)),
                "tree fs, block 4096, slot 3, key (1 2 3): superblock-checksum: expected 1, found 2",
            ),
        ] {
            assert_eq!(std::format!("{}", finding(place)), text);
        }
        let json = serde_json::to_string(&finding(Place::tree(256).key(Key::new(1, ItemType(2), 3)))).unwrap();
        assert_eq!(
            json,
            r#"{"code":"superblock-checksum","severity":"error","place":{"tree":"256","key":[1,2,3]},"expected":"1","found":"2"}"#
        );
        assert!(Severity::Warning < Severity::Error);
    }
}
