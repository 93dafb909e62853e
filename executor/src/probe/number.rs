//! Device numbers: what the kernel calls a device, whatever paths lead to it.

use std::fmt;
use std::str::FromStr;

/// Major and minor number of a block device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceNumber {
    /// Which driver.
    pub major: u64,
    /// Which of its devices.
    pub minor: u64,
}

impl DeviceNumber {
    /// The number inside a `dev_t`, such as the `rdev` of a device node.
    #[must_use]
    pub fn of(dev: u64) -> Self {
        Self { major: nix::sys::stat::major(dev), minor: nix::sys::stat::minor(dev) }
    }
}

impl fmt::Display for DeviceNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// A text that is not `major:minor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a device number")]
pub struct NotANumber;

impl FromStr for DeviceNumber {
    type Err = NotANumber;

    fn from_str(text: &str) -> Result<Self, NotANumber> {
        let (major, minor) = text.trim_end().split_once(':').ok_or(NotANumber)?;
        let number = |text: &str| text.parse().map_err(|_| NotANumber);
        Ok(Self { major: number(major)?, minor: number(minor)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_it_prints() {
        let number = DeviceNumber { major: 259, minor: 3 };
        assert_eq!("259:3\n".parse(), Ok(number));
        assert_eq!(number.to_string().parse(), Ok(number));
        assert_eq!("259".parse::<DeviceNumber>(), Err(NotANumber));
        assert_eq!(DeviceNumber::of(0x0701), DeviceNumber { major: 7, minor: 1 });
    }
}
