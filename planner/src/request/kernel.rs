//! Kernel versions: what a feature needs, and what a machine has.

use alloc::format;
use alloc::string::{String, ToString};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A version of Linux such as 6.1 or 2.6.37.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelVersion {
    major: u16,
    minor: u16,
    patch: u16,
}

/// A text that is no kernel version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a kernel version such as 6.1 or 5.10.218")]
pub struct NotAKernel(pub String);

impl KernelVersion {
    /// The version of three numbers.
    #[must_use]
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }
}

impl core::fmt::Display for KernelVersion {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { major, minor, patch } = self;
        f.pad(&if *patch == 0 { format!("{major}.{minor}") } else { format!("{major}.{minor}.{patch}") })
    }
}

impl core::str::FromStr for KernelVersion {
    type Err = NotAKernel;

    /// Reads two or three numbers, and ignores what distributions put behind them: `6.1.0-28-amd64` is 6.1.0.
    fn from_str(text: &str) -> Result<Self, NotAKernel> {
        let no = || NotAKernel(text.to_string());
        let numbers = text.split(['-', '+', '_']).next().unwrap_or_default();
        let mut parts = numbers.split('.').map(|part| {
            let digits = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse().ok().filter(|_| digits)
        });
        let (major, minor) = (parts.next().flatten(), parts.next().flatten());
        let patch = parts.next().unwrap_or(Some(0));
        match (major, minor, patch) {
            (Some(major), Some(minor), Some(patch)) => Ok(Self { major, minor, patch }),
            _ => Err(no()),
        }
    }
}

impl Serialize for KernelVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KernelVersion {
    /// In documents there is one notation for each version: the one it is printed in.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let version: Self = text.parse().map_err(D::Error::custom)?;
        if version.to_string() == text {
            Ok(version)
        } else {
            Err(D::Error::custom(format!("the kernel version '{text}' is written '{version}'")))
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for KernelVersion {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "KernelVersion".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "pattern": "^(0|[1-9][0-9]{0,4})\\.(0|[1-9][0-9]{0,4})(\\.[1-9][0-9]{0,4})?$",
            "description": "A version of Linux, such as 6.1 or 2.6.37"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_read_from_what_machines_say() {
        for (text, version) in [
            ("6.1", KernelVersion::new(6, 1, 0)),
            ("6.1.0-28-amd64", KernelVersion::new(6, 1, 0)),
            ("2.6.37", KernelVersion::new(2, 6, 37)),
            ("6.18.44-fc-v657", KernelVersion::new(6, 18, 44)),
            ("5.15.167.4-microsoft", KernelVersion::new(5, 15, 167)),
            ("6", KernelVersion::new(0, 0, 0)),
            ("6.", KernelVersion::new(0, 0, 0)),
            ("6.1.", KernelVersion::new(0, 0, 0)),
            ("6.+1", KernelVersion::new(0, 0, 0)),
            ("6.99999", KernelVersion::new(0, 0, 0)),
            ("v6.1", KernelVersion::new(0, 0, 0)),
            ("", KernelVersion::new(0, 0, 0)),
        ] {
            let expected = (version != KernelVersion::new(0, 0, 0)).then_some(version);
            assert_eq!(text.parse().ok(), expected, "{text}");
        }
    }

    #[test]
    fn versions_order_as_numbers_and_have_one_notation_in_documents() {
        let version = |text: &str| text.parse::<KernelVersion>().unwrap();
        assert!(
            version("6.9") < version("6.19") && version("6.19") < version("7.0") && version("6.1") < version("6.1.2")
        );
        for (text, good) in [("6.1", true), ("6.1.2", true), ("6.1.0", false), ("06.1", false), ("6.1-rc1", false)] {
            let read = serde_json::from_str::<KernelVersion>(&format!("\"{text}\""));
            assert_eq!(read.is_ok(), good, "{text}");
        }
    }
}
