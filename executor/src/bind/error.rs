//! Every reason not to write to a device.

use super::growth::FileLimit;
use super::zones::ZoneDifference;
use crate::console::escaped;
use crate::probe::{InUse, ProbeError, UsageUnknown};
use crate::remedy::remedy;
use crate::size::Human;
use btrfs_planner::request::{DeviceKind, Signature};
use std::fmt;
use std::io;
use std::path::PathBuf;
use uuid::Uuid;

/// Why a plan's devices could not be bound. Nothing has been written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// It cannot be told what is in use.
    #[error(transparent)]
    UsageUnknown(#[from] UsageUnknown),
    /// A device could not be probed, or is in use.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// A devid that the plan does not have.
    #[error("there is no device {devid} in the plan, it has {devices}")]
    NoSuchDevice {
        /// What was asked for.
        devid: u64,
        /// Devices of the plan.
        devices: usize,
    },
    /// A described device that nobody named.
    #[error("device {devid} of the plan is only described, and not bound to a real one ({})", Human(*size))]
    Unbound {
        /// The device.
        devid: u64,
        /// Its size as described.
        size: u64,
    },
    /// It cannot be written past the kernel's memory, as zones need.
    #[error("cannot open '{}' for direct writes", path.display())]
    Direct {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Two devices of the plan are one.
    #[error("'{}' and '{}' are the same device, or parts of one", first.display(), second.display())]
    Twice {
        /// The first path.
        first: PathBuf,
        /// The second.
        second: PathBuf,
    },
    /// It takes no writes.
    #[error("'{}' is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// It is not the device of the plan.
    #[error("'{}' is not the device that was planned: {difference}", path.display())]
    Different {
        /// The path.
        path: PathBuf,
        /// In what.
        difference: Difference,
    },
    /// A plan for other devices than those that are held.
    #[error("the plan is not for the devices that are held")]
    NotHeld,
    /// A mounted filesystem has the UUID that is planned.
    #[error("a filesystem with the UUID {0} is mounted")]
    Mounted(Uuid),
    /// A device that is none of the plan's has the UUID that is planned.
    #[error("the UUID {uuid} is not unique: '{}' has it", path.display())]
    Known {
        /// The UUID, of the filesystem or of a device.
        uuid: Uuid,
        /// The device.
        path: PathBuf,
    },
    /// Somebody has the lock.
    #[error("cannot lock '{}'", path.display())]
    Lock {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There can be no file of that size.
    #[error("'{}' cannot become {size} bytes large: {limit}", path.display())]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// The planned size.
        size: u64,
        /// What is against it.
        limit: FileLimit,
    },
    /// The file cannot be created.
    #[error("cannot create '{}'", path.display())]
    Create {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot become that large.
    #[error("cannot make '{}' {size} bytes large", path.display())]
    Grow {
        /// The path.
        path: PathBuf,
        /// The planned size.
        size: u64,
        /// Why.
        source: io::Error,
    },
    /// More than one device is wrong.
    #[error("{} devices cannot be used:{}", .0.len(), told(.0))]
    Several(Vec<Self>),
    /// A thread ended by itself: an error of this program.
    #[error("an internal error stopped the check of a device")]
    Panicked,
}

/// What is not as planned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// Another kind.
    Kind {
        /// As planned.
        planned: DeviceKind,
        /// As found.
        found: DeviceKind,
    },
    /// Another size.
    Size {
        /// As planned, in bytes.
        planned: u64,
        /// As found.
        found: u64,
    },
    /// Smaller than what will be written.
    TooSmall {
        /// Bytes that are planned.
        planned: u64,
        /// As found.
        found: u64,
    },
    /// Larger logical sectors.
    Sector {
        /// As planned, in bytes.
        planned: u32,
        /// As found.
        found: u32,
    },
    /// Another model or serial number.
    Model {
        /// What differs.
        what: &'static str,
        /// As planned.
        planned: String,
        /// As found.
        found: String,
    },
    /// Other zones, or zones that were written since.
    Zones(ZoneDifference),
    /// Other signatures.
    Signatures {
        /// Those that the plan says will be lost.
        planned: Vec<Signature>,
        /// Those that are there.
        found: Vec<Signature>,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind { planned, found } => write!(f, "planned was {}, it is {}", kind(*planned), kind(*found)),
            Self::Size { planned, found } => write!(f, "it has {found} bytes instead of {planned}"),
            Self::TooSmall { planned, found } => write!(f, "it has {found} bytes, and {planned} are planned"),
            Self::Sector { planned, found } => {
                write!(f, "its logical sectors have {found} bytes, planned was for at most {planned}")
            }
            Self::Model { what, planned, found } => {
                write!(f, "its {what} is '{}' instead of '{}'", escaped(found), escaped(planned))
            }
            Self::Zones(difference) => difference.fmt(f),
            Self::Signatures { planned, found } => {
                write!(f, "it holds {}; the plan names {}", listed(found), listed(planned))
            }
        }
    }
}

const fn kind(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Block => "a block device",
        DeviceKind::File => "an image file",
        DeviceKind::Described => "a described device",
    }
}

/// How many signatures are spelled out.
const SHOWN: usize = 6;

fn listed(signatures: &[Signature]) -> String {
    if signatures.is_empty() {
        return "nothing".to_string();
    }
    let names = signatures.iter().take(SHOWN).map(|signature| {
        let label = signature.label.as_deref().or(signature.uuid.as_deref());
        let label = label.map(|label| format!(" '{}'", escaped(label))).unwrap_or_default();
        format!("{}{label} at {}", escaped(&signature.kind), signature.offset)
    });
    let names = names.collect::<Vec<String>>().join(", ");
    match signatures.len().saturating_sub(SHOWN) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// How many errors are told one by one.
const TOLD: usize = 20;

fn told(errors: &[BindError]) -> String {
    let lines = errors.iter().take(TOLD).map(|error| format!("\n  {}", with_causes(error))).collect::<String>();
    match errors.len().saturating_sub(TOLD) {
        0 => lines,
        more => format!("{lines}\n  and {more} more"),
    }
}

fn with_causes(error: &BindError) -> String {
    crate::exit::Failure::refused(Message(error)).message
}

/// An error by reference.
#[derive(Debug)]
struct Message<'a>(&'a BindError);

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for Message<'_> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}

impl BindError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Probe(error) => return error.hint(),
            Self::Unbound { devid, .. } => format!("say which it is: --device {devid}=/dev/..."),
            Self::Known { path, .. } => {
                format!("choose another UUID, or wipe that device first (wipefs -a {})", path.display())
            }
            Self::Mounted(_) => "unmount it, or choose another UUID: the kernel takes the two for one".to_string(),
            Self::Twice { .. } => "every device of a plan is a device of its own".to_string(),
            Self::ReadOnly(_) => "make it writable (blockdev --setrw, chmod), or use another device".to_string(),
            Self::Different { difference: Difference::Signatures { planned, .. }, .. } if planned.is_empty() => {
                "something was put on it since: look at it, then plan again with -f, or clear it with wipefs -a"
                    .to_string()
            }
            Self::Different { .. } => "plan again for the devices as they are now".to_string(),
            Self::Lock { source, .. } if source.kind() != io::ErrorKind::WouldBlock => {
                return remedy(source).map(str::to_string);
            }
            Self::Lock { .. } => {
                "another program is at work on the disk; wait for it, or look for it with lslocks".to_string()
            }
            Self::Direct { .. } => {
                "zones are written past the kernel's memory, which its driver must allow: use another device"
                    .to_string()
            }
            Self::TooLarge { limit, .. } => limit.hint().to_string(),
            Self::Create { source, .. } | Self::Grow { source, .. } => return remedy(source).map(str::to_string),
            Self::Several(errors) => return errors.iter().find_map(Self::hint),
            Self::UsageUnknown(_) => "mount /proc; nothing is written while it is not known what is in use".to_string(),
            _ => return None,
        })
    }

    pub(super) fn in_use(path: PathBuf, by: InUse) -> Self {
        Self::Probe(ProbeError::InUse { path, by })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_a_difference_are_shown() {
        let signature = |kind: &str, label: Option<&str>| Signature {
            kind: kind.into(),
            label: label.map(Into::into),
            length: 8,
            offset: 65600,
            usage: "filesystem".into(),
            uuid: None,
        };
        let difference = Difference::Signatures {
            planned: vec![],
            found: vec![signature("btrfs", Some("a\u{1b}b")), signature("ext4", None)],
        };
        let text = "it holds btrfs 'a\\u{1b}b' at 65600, ext4 at 65600; the plan names nothing";
        assert_eq!(difference.to_string(), text);
        let errors = vec![
            BindError::ReadOnly("/dev/a".into()),
            BindError::Lock { path: "/dev/b".into(), source: io::ErrorKind::WouldBlock.into() },
        ];
        let many: Vec<_> = (0..25).map(|_| BindError::ReadOnly("/dev/a".into())).collect();
        assert!(told(&many).ends_with("'/dev/a' is read-only\n  and 5 more"));
        let several = BindError::Several(errors).to_string();
        assert!(
            several.starts_with("2 devices cannot be used:\n  '/dev/a' is read-only\n  cannot lock '/dev/b': "),
            "{several}"
        );
    }
}
