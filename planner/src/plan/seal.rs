//! The seal: SHA-256 over the canonical form.

use super::Plan;
use alloc::string::String;
use alloc::vec::Vec;
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// SHA-256 of a plan's canonical form; in documents 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Seal([u8; 32]);

impl Seal {
    /// A seal that no plan has, for a plan that is not sealed yet.
    pub(crate) const BLANK: Self = Self([0; 32]);
}

impl core::fmt::Display for Seal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl core::fmt::Debug for Seal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
}

/// A text that is not 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a seal is 64 lower-case hexadecimal digits")]
pub struct NotASeal;

impl core::str::FromStr for Seal {
    type Err = NotASeal;

    fn from_str(text: &str) -> Result<Self, NotASeal> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| NotASeal)?;
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(NotASeal);
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Seal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(self.0))
    }
}

impl<'de> Deserialize<'de> for Seal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Plan {
    /// The seal that the plan's content asks for, whatever its `seal` says.
    #[must_use]
    pub fn expected_seal(&self) -> Seal {
        Seal(Sha256::digest(self.canonical()).into())
    }

    /// The canonical form: what `jq -cjS 'del(.seal)'` prints of the document.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        // Maps with string keys and no fallible parts: serialization into memory cannot fail.
        serde_json::to_vec(&Unsealed(self)).unwrap_or_default()
    }
}

/// A plan without its seal.
struct Unsealed<'a>(&'a Plan);

impl Serialize for Unsealed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_fields(self.0, None, serializer)
    }
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_fields(self, Some(self.seal), serializer)
    }
}

fn serialize_fields<S: Serializer>(plan: &Plan, seal: Option<Seal>, serializer: S) -> Result<S::Ok, S::Error> {
    let Plan { blocks, chunks, devices, filesystem, format, payloads, planner, seal: _, statistics, warnings } = plan;
    let mut document = serializer.serialize_struct("Plan", if seal.is_some() { 10 } else { 9 })?;
    document.serialize_field("blocks", blocks)?;
    document.serialize_field("chunks", chunks)?;
    document.serialize_field("devices", devices)?;
    document.serialize_field("filesystem", filesystem)?;
    document.serialize_field("format", format)?;
    document.serialize_field("payloads", payloads)?;
    document.serialize_field("planner", planner)?;
    if let Some(seal) = seal {
        document.serialize_field("seal", &seal)?;
    }
    document.serialize_field("statistics", statistics)?;
    document.serialize_field("warnings", warnings)?;
    document.end()
}
