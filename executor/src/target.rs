//! What a command line may name as a target: a device, an image file, or a device that is not here.

use crate::size::{self, SizeError};
use btrfs_planner::request::{DeviceFacts, DeviceKind, DiscardLimits, Zones};
use std::path::PathBuf;
use std::str::FromStr;

/// A target of `btrfs-plan`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A block device or an image file, which may not exist yet.
    Path(PathBuf),
    /// A device that is not here.
    Described(DeviceFacts),
}

/// Why a text is no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// Nothing.
    #[error("an empty text names no device")]
    Empty,
    /// No size.
    #[error("the device described as '{0}' has no size")]
    NoSize(String),
    /// An unknown key.
    #[error(
        "'{0}' is nothing that a device is described with: size, sector, physical, rotational, discard, zone, \
         capacity, conventional, active, open, model, serial, path are"
    )]
    UnknownKey(String),
    /// A key twice.
    #[error("'{0}' is given twice")]
    Twice(String),
    /// A key without its value, or the other way round.
    #[error("'{0}' lacks its value, or has one it cannot have")]
    Value(String),
    /// No size.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// Something about zones on a device without any.
    #[error("'{0}' says something about zones, and there is no zone=SIZE")]
    NoZones(String),
}

impl FromStr for Target {
    type Err = TargetError;

    /// `size=10T[,sector=4096][,physical=4096][,rotational][,discard=GRANULARITY]
    /// [,zone=256M[,capacity=192M][,conventional=N][,active=N][,open=N]][,model=..][,serial=..][,path=..]`, or a path. A
    /// file whose name looks like a description is named with `./` in front.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        if text.is_empty() {
            return Err(TargetError::Empty);
        }
        let first = text.split(',').next().unwrap_or_default();
        let described = first == "rotational" || first.split_once('=').is_some_and(|(key, _)| is_key(key));
        if described { describe(text).map(Self::Described) } else { Ok(Self::Path(PathBuf::from(text))) }
    }
}

fn is_key(text: &str) -> bool {
    matches!(text, "size" | "sector" | "physical" | "discard" | "model" | "serial" | "path") || is_zone_key(text)
}

fn is_zone_key(text: &str) -> bool {
    matches!(text, "zone" | "capacity" | "conventional" | "active" | "open")
}

fn describe(text: &str) -> Result<DeviceFacts, TargetError> {
    let mut facts = DeviceFacts { kind: DeviceKind::Described, logical_sector: 512, ..DeviceFacts::default() };
    let (mut size, mut physical) = (None, None);
    let mut zoning = Zoning::default();
    let mut seen = Vec::new();
    for field in text.split(',') {
        let (key, value) = match field.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (field, None),
        };
        if seen.contains(&key) {
            return Err(TargetError::Twice(key.to_string()));
        }
        seen.push(key);
        let value = match (key, value) {
            ("rotational", None) => {
                facts.rotational = true;
                continue;
            }
            (_, Some(value)) if !value.is_empty() && key != "rotational" => value,
            (key, None) if !is_key(key) => return Err(TargetError::UnknownKey(key.to_string())),
            _ => return Err(TargetError::Value(field.to_string())),
        };
        match key {
            "size" => size = Some(size::parse(value)?),
            "sector" => facts.logical_sector = sector(field, value)?,
            "physical" => physical = Some(sector(field, value)?),
            "discard" => {
                let granularity = size::parse(value)?;
                if granularity == 0 {
                    return Err(TargetError::Value(field.to_string()));
                }
                facts.discard = Some(DiscardLimits { alignment: 0, granularity, max_bytes: crate::probe::ANY_LENGTH });
            }
            "model" => facts.model = Some(value.to_string()),
            "serial" => facts.serial = Some(value.to_string()),
            "path" => facts.path = Some(value.to_string()),
            key if is_zone_key(key) => zoning.take(key, field, value)?,
            other => return Err(TargetError::UnknownKey(other.to_string())),
        }
    }
    facts.size = size.ok_or_else(|| TargetError::NoSize(text.to_string()))?;
    facts.physical_sector = physical.unwrap_or(facts.logical_sector);
    facts.zones = zoning.zones(facts.size)?;
    Ok(facts)
}

/// What a description says about zones.
#[derive(Default)]
struct Zoning {
    size: Option<u64>,
    capacity: Option<u64>,
    conventional: u64,
    active: u32,
    open: u32,
    /// The last field that makes sense with zones only.
    needs_zones: Option<String>,
}

impl Zoning {
    fn take(&mut self, key: &str, field: &str, value: &str) -> Result<(), TargetError> {
        let bad = || TargetError::Value(field.to_string());
        match key {
            "zone" => self.size = Some(size::parse(value)?).filter(|size| *size != 0),
            "capacity" => self.capacity = Some(size::parse(value)?),
            "conventional" => self.conventional = value.parse().map_err(|_| bad())?,
            "active" => self.active = value.parse().map_err(|_| bad())?,
            _ => self.open = value.parse().map_err(|_| bad())?,
        }
        if key != "zone" {
            self.needs_zones = Some(field.to_string());
        } else if self.size.is_none() {
            return Err(bad());
        }
        Ok(())
    }

    /// The zones of a device with this many bytes. Whether they make sense is the planner's question.
    fn zones(self, device: u64) -> Result<Option<Zones>, TargetError> {
        let Some(size) = self.size else {
            return self.needs_zones.map_or(Ok(None), |field| Err(TargetError::NoZones(field)));
        };
        let zones = Zones::described(device, size, self.capacity, self.conventional);
        Ok(Some(Zones { max_active: self.active, max_open: self.open, ..zones }))
    }
}

fn sector(field: &str, value: &str) -> Result<u32, TargetError> {
    u32::try_from(size::parse(value)?).map_err(|_| TargetError::Value(field.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_descriptions_are_told_apart() {
        for path in ["/dev/sda", "disk.img", "./size=10T", "a=b", "/dev/disk/by-id/x=y,z"] {
            assert_eq!(path.parse(), Ok(Target::Path(path.into())), "{path}");
        }
        let facts = DeviceFacts {
            discard: Some(DiscardLimits { alignment: 0, granularity: 1 << 20, max_bytes: 1 << 50 }),
            kind: DeviceKind::Described,
            logical_sector: 4096,
            model: Some("M".into()),
            path: Some("/dev/sdb".into()),
            physical_sector: 4096,
            rotational: true,
            serial: None,
            signatures: Vec::new(),
            size: 10 << 40,
            zones: None,
        };
        let text = "size=10T,sector=4096,rotational,discard=1m,model=M,path=/dev/sdb";
        assert_eq!(text.parse(), Ok(Target::Described(facts)));
        assert!(matches!("size=1g".parse(), Ok(Target::Described(facts)) if facts.discard.is_none()));
    }

    #[test]
    fn zones_are_described() {
        let Ok(Target::Described(facts)) = "size=1g,zone=64m,capacity=48m,conventional=2,active=14".parse() else {
            panic!("a description");
        };
        let zones = Zones::described(1 << 30, 64 << 20, Some(48 << 20), 2);
        assert_eq!(facts.zones, Some(Zones { max_active: 14, ..zones }));
    }

    #[test]
    fn descriptions_that_make_no_sense_are_refused() {
        let size = |text: &str| TargetError::Size(SizeError::NotASize(text.into()));
        for (text, error) in [
            ("", TargetError::Empty),
            ("sector=512", TargetError::NoSize("sector=512".into())),
            ("size=", TargetError::Value("size=".into())),
            ("size=big", size("big")),
            ("size=1g,size=2g", TargetError::Twice("size".into())),
            ("size=1g,colour=red", TargetError::UnknownKey("colour".into())),
            ("size=1g,fast", TargetError::UnknownKey("fast".into())),
            ("size=1g,sector", TargetError::Value("sector".into())),
            ("size=1g,rotational=1", TargetError::Value("rotational=1".into())),
            ("size=1g,sector=16E", TargetError::Size(SizeError::TooLarge("16E".into()))),
            ("size=1g,sector=1T", TargetError::Value("sector=1T".into())),
            ("size=1g,discard=0", TargetError::Value("discard=0".into())),
            ("size=1g,zone=0", TargetError::Value("zone=0".into())),
            ("size=1g,zone", TargetError::Value("zone".into())),
            ("size=1g,zone=64m,conventional=x", TargetError::Value("conventional=x".into())),
            ("size=1g,capacity=3m", TargetError::NoZones("capacity=3m".into())),
        ] {
            assert_eq!(text.parse::<Target>(), Err(error), "{text}");
        }
    }
}
