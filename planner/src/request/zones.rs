//! What the planner is told of a zoned device: its zone report, as runs of like zones.

use crate::units::{Checked, MIB, SizeOverflow};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The sizes that zones can have, in bytes; powers of two of these.
const SIZES: core::ops::RangeInclusive<u64> = 4 * MIB..=8 << 30;

/// The zone size that `zoned` on an ordinary device emulates unless asked otherwise, as mkfs.btrfs does.
pub const EMULATED_ZONE_SIZE: u64 = 256 * MIB;

/// How a device wants its zones written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ZoneModel {
    /// Sequential zones can only be written at their write pointer.
    HostManaged,
    /// Sequential zones may be written anywhere, but should not.
    HostAware,
    /// An ordinary device that is treated as if it had zones, all of them conventional.
    Emulated,
}

/// The zones of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Zones {
    /// The most zones that may be written without being full; 0 for no limit.
    pub max_active: u32,
    /// The most zones that may be open at once; 0 for no limit.
    pub max_open: u32,
    /// How it wants its zones written.
    pub model: ZoneModel,
    /// The report from the first zone to the last, as runs of like zones.
    pub runs: Vec<ZoneRun>,
    /// Bytes of a zone; the last one may be shorter.
    pub size: u64,
}

/// What a zone is and what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ZoneState {
    /// No write pointer: written like any disk.
    Conventional,
    /// Sequential, nothing in it.
    Empty,
    /// Sequential, being written: open implicitly or explicitly.
    Open,
    /// Sequential, partly written, not open.
    Closed,
    /// Sequential, written to its capacity or finished.
    Full,
    /// Cannot be written any more.
    ReadOnly,
    /// Can be neither read nor written any more.
    Offline,
}

impl ZoneState {
    /// Every state.
    pub const ALL: [Self; 7] =
        [Self::Conventional, Self::Empty, Self::Open, Self::Closed, Self::Full, Self::ReadOnly, Self::Offline];

    /// The name in documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Conventional => "conventional",
            Self::Empty => "empty",
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Full => "full",
            Self::ReadOnly => "readonly",
            Self::Offline => "offline",
        }
    }

    /// Whether a filesystem can use the zone (once it is reset).
    #[must_use]
    pub const fn usable(self) -> bool {
        !matches!(self, Self::ReadOnly | Self::Offline)
    }

    /// Whether the zone must be reset before it can be written from its start.
    #[must_use]
    pub const fn needs_reset(self) -> bool {
        matches!(self, Self::Open | Self::Closed | Self::Full)
    }

    /// Whether the zone counts against the limit of active zones.
    #[must_use]
    pub const fn active(self) -> bool {
        matches!(self, Self::Open | Self::Closed)
    }
}

/// Neighbouring zones that are alike. In documents `[count, state]`, then capacity where it is not the zone size, then
/// the write pointer where it says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneRun {
    /// How many there are.
    pub count: u64,
    /// What they are.
    pub state: ZoneState,
    /// Bytes from the start that can be written; `None` for all.
    pub capacity: Option<u64>,
    /// Bytes from the start that are written, of open and closed zones.
    pub write_pointer: Option<u64>,
}

impl ZoneRun {
    /// Zones of full capacity.
    #[must_use]
    pub const fn new(count: u64, state: ZoneState) -> Self {
        Self { count, state, capacity: None, write_pointer: None }
    }
}

/// A run with its place on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedRun {
    /// First byte.
    pub start: u64,
    /// Byte behind the last.
    pub end: u64,
    /// The run.
    pub run: ZoneRun,
}

impl Zones {
    /// What `zoned` on an ordinary device of `device` bytes comes to, with zones of `size` bytes.
    #[must_use]
    pub fn emulated(device: u64, size: u64) -> Self {
        let run = ZoneRun::new(device.checked_div(size).unwrap_or(0), ZoneState::Conventional);
        Self { max_active: 0, max_open: 0, model: ZoneModel::Emulated, runs: vec![run], size }
    }

    /// The zones of a device that is only described: `conventional` ones first, the others empty.
    #[must_use]
    pub fn described(device: u64, size: u64, capacity: Option<u64>, conventional: u64) -> Self {
        let count = device.checked_div(size).unwrap_or(0);
        let conventional = conventional.min(count);
        let sequential = ZoneRun {
            capacity: capacity.filter(|capacity| *capacity != size),
            ..ZoneRun::new(count.saturating_sub(conventional), ZoneState::Empty)
        };
        let runs = [ZoneRun::new(conventional, ZoneState::Conventional), sequential];
        Self {
            max_active: 0,
            max_open: 0,
            model: ZoneModel::HostManaged,
            runs: runs.into_iter().filter(|run| run.count > 0).collect(),
            size,
        }
    }

    /// How many zones there are.
    pub fn count(&self) -> Result<u64, SizeOverflow> {
        self.runs.iter().try_fold(0_u64, |sum, run| sum.plus(run.count))
    }

    /// How many zones are in a state that `which` picks.
    pub fn count_of(&self, which: impl Fn(ZoneState) -> bool) -> Result<u64, SizeOverflow> {
        self.runs.iter().filter(|run| which(run.state)).try_fold(0_u64, |sum, run| sum.plus(run.count))
    }

    /// The state of the zone that holds this byte of the device.
    #[must_use]
    pub fn state_at(&self, offset: u64) -> Option<ZoneState> {
        let mut placed = self.placed().map_while(Result::ok);
        placed.find(|placed| (placed.start..placed.end).contains(&offset)).map(|placed| placed.run.state)
    }

    /// The runs with their places.
    pub fn placed(&self) -> impl Iterator<Item = Result<PlacedRun, SizeOverflow>> {
        let mut start = 0_u64;
        self.runs.iter().map(move |run| {
            let end = start.plus(run.count.times(self.size)?)?;
            Ok(PlacedRun { start: core::mem::replace(&mut start, end), end, run: *run })
        })
    }
}

impl Serialize for ZoneRun {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut array = serializer.serialize_seq(None)?;
        array.serialize_element(&self.count)?;
        array.serialize_element(&self.state)?;
        if self.capacity.is_some() || self.write_pointer.is_some() {
            array.serialize_element(&self.capacity)?;
        }
        if let Some(write_pointer) = self.write_pointer {
            array.serialize_element(&write_pointer)?;
        }
        array.end()
    }
}

impl<'de> Deserialize<'de> for ZoneRun {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RunVisitor;

        impl<'de> Visitor<'de> for RunVisitor {
            type Value = ZoneRun;

            fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str("[count, state], or with capacity and write pointer behind")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<ZoneRun, A::Error> {
                let count = array.next_element()?.ok_or_else(|| A::Error::invalid_length(0, &self))?;
                let state = array.next_element()?.ok_or_else(|| A::Error::invalid_length(1, &self))?;
                let capacity: Option<Option<u64>> = array.next_element()?;
                let write_pointer = array.next_element()?;
                // One way to write each run: nothing that says nothing.
                if capacity == Some(None) && write_pointer.is_none() {
                    return Err(A::Error::custom("a run of zones ends with a capacity that is not given"));
                }
                Ok(ZoneRun { count, state, capacity: capacity.flatten(), write_pointer })
            }
        }

        deserializer.deserialize_seq(RunVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ZoneRun {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "ZoneRun".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let states: Vec<&str> = ZoneState::ALL.map(ZoneState::name).into();
        schemars::json_schema!({
            "type": "array", "minItems": 2, "maxItems": 4, "items": false,
            "prefixItems": [
                { "type": "integer", "minimum": 1 },
                { "enum": states },
                { "type": ["integer", "null"], "minimum": 0 },
                { "type": "integer", "minimum": 0 },
            ],
            "description": "[count, state, capacity in bytes where it is not the zone size, write pointer in bytes]"
        })
    }
}

/// Whether zones can have this size.
pub(super) fn is_zone_size(size: u64) -> bool {
    size.is_power_of_two() && SIZES.contains(&size)
}

/// What is wrong with a zone report.
pub(super) fn problem(zones: &Zones, device: u64) -> Option<String> {
    let size = zones.size;
    if !is_zone_size(size) {
        return Some(alloc::format!("a zone size of {size} bytes is not a power of two from 4 MiB to 8 GiB"));
    }
    if zones.runs.iter().any(|run| run.count == 0 || run.capacity.is_some_and(|capacity| capacity > size)) {
        return Some("a run of zones is empty, or has a capacity above the zone size".into());
    }
    if [0, size].into_iter().any(|log| zones.state_at(log).is_some_and(|state| !state.usable())) {
        return Some("one of the first two zones, which hold the superblock, cannot be written".into());
    }
    // A last zone that is shorter than the others may be reported or not.
    let (whole, all) = (device.checked_div(size).unwrap_or(0), device.div_ceil(size));
    match zones.count() {
        Ok(count) if count == whole || count == all => None,
        _ => Some(alloc::format!("the report does not have the {whole} zones of a device of {device} bytes")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_one_notation() {
        let full = ZoneRun::new(3, ZoneState::Full);
        for (run, text) in [
            (full, r#"[3,"full"]"#),
            (ZoneRun { capacity: Some(6), ..full }, r#"[3,"full",6]"#),
            (ZoneRun { write_pointer: Some(7), ..full }, r#"[3,"full",null,7]"#),
        ] {
            assert_eq!(serde_json::to_string(&run).unwrap(), text);
            assert_eq!(serde_json::from_str::<ZoneRun>(text).unwrap(), run);
        }
        for text in [r#"[3]"#, r#"[3,"full",null]"#, r#"[3,"fuller"]"#, r#"[3,"full",1,2,3]"#] {
            assert!(serde_json::from_str::<ZoneRun>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_report_must_fit_its_device() {
        let zones = Zones::described(64 * MIB, 4 * MIB, Some(3 * MIB), 2);
        assert_eq!(problem(&zones, 64 * MIB), None);
        assert!(problem(&zones, 72 * MIB).is_some());
        assert!(problem(&Zones { size: 3 * MIB, ..zones.clone() }, 64 * MIB).is_some());
        assert!(problem(&Zones { size: 2 * MIB, ..zones }, 64 * MIB).is_some());
    }
}
