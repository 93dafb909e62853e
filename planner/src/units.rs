//! Quantities that must not be confused, and the arithmetic they are allowed.
//!
//! Everything that adds or multiplies sizes goes through [`Checked`]: a request can name any `u64`, and a sum that
//! leaves `u64` is an error of the request ([`SizeOverflow`]), never a wrapped number.

use serde::{Deserialize, Serialize};

/// 1 KiB in bytes.
pub const KIB: u64 = 1 << 10;
/// 1 MiB in bytes.
pub const MIB: u64 = 1 << 20;
/// 1 GiB in bytes.
pub const GIB: u64 = 1 << 30;

/// A sum, difference or product of sizes that does not fit in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a size or an address does not fit in 64 bits")]
pub struct SizeOverflow;

/// Arithmetic on byte counts that reports overflow instead of wrapping.
pub trait Checked: Sized {
    /// `self + other`.
    fn plus(self, other: Self) -> Result<Self, SizeOverflow>;
    /// `self - other`.
    fn minus(self, other: Self) -> Result<Self, SizeOverflow>;
    /// `self * other`.
    fn times(self, other: Self) -> Result<Self, SizeOverflow>;
}

macro_rules! checked {
    ($($integer:ty),*) => {$(
        impl Checked for $integer {
            fn plus(self, other: Self) -> Result<Self, SizeOverflow> {
                self.checked_add(other).ok_or(SizeOverflow)
            }
            fn minus(self, other: Self) -> Result<Self, SizeOverflow> {
                self.checked_sub(other).ok_or(SizeOverflow)
            }
            fn times(self, other: Self) -> Result<Self, SizeOverflow> {
                self.checked_mul(other).ok_or(SizeOverflow)
            }
        }
    )*};
}
checked!(u64, u32, usize);

/// The largest multiple of `unit` that is not above `value`; `value` itself where `unit` is 0.
#[must_use]
pub const fn round_down(value: u64, unit: u64) -> u64 {
    match value.checked_rem(unit) {
        Some(rest) => value.saturating_sub(rest),
        None => value,
    }
}

/// The smallest multiple of `unit` that is not below `value`; `value` itself where `unit` is 0.
pub fn round_up(value: u64, unit: u64) -> Result<u64, SizeOverflow> {
    if unit == 0 {
        return Ok(value);
    }
    value.checked_next_multiple_of(unit).ok_or(SizeOverflow)
}

/// A length or an index in memory, as the 64 bits that go to disk. Never lossy: no target has wider addresses.
#[must_use]
pub(crate) fn wide(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// A length from disk or from a request, as a length in memory (32 bits in wasm).
pub(crate) fn in_memory(value: u64) -> Result<usize, SizeOverflow> {
    usize::try_from(value).map_err(|_| SizeOverflow)
}

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        pub struct $name(u64);

        impl $name {
            /// Names a plain number.
            #[must_use]
            pub const fn new(value: u64) -> Self {
                Self(value)
            }
            /// The plain number.
            #[must_use]
            pub const fn get(self) -> u64 {
                self.0
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

macro_rules! address {
    ($name:ident) => {
        impl $name {
            /// The address `length` bytes further on.
            pub fn plus(self, length: u64) -> Result<Self, SizeOverflow> {
                self.0.plus(length).map(Self)
            }
            /// How many bytes further on than `start` this address is.
            pub fn distance_from(self, start: Self) -> Result<u64, SizeOverflow> {
                self.0.minus(start.0)
            }
        }
    };
}

unit! {
    /// A byte address in the filesystem's logical address space, which chunks map to devices.
    Logical
}
unit! {
    /// A byte offset on one device.
    Physical
}
unit! {
    /// The number of a device in its filesystem, from 1.
    DevId
}
unit! {
    /// The number of a transaction, from 1.
    Generation
}
address!(Logical);
address!(Physical);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_multiples_and_reports_overflow() {
        for (value, unit, down, up) in [
            (0, 4096, 0, Ok(0)),
            (1, 4096, 0, Ok(4096)),
            (4096, 4096, 4096, Ok(4096)),
            (7, 0, 7, Ok(7)),
            (u64::MAX, 4096, u64::MAX - 4095, Err(SizeOverflow)),
        ] {
            assert_eq!(round_down(value, unit), down, "{value} down to {unit}");
            assert_eq!(round_up(value, unit), up, "{value} up to {unit}");
        }
    }

    #[test]
    fn addresses_never_wrap() {
        assert_eq!(Logical::new(u64::MAX).plus(1), Err(SizeOverflow));
        assert_eq!(Physical::new(1).distance_from(Physical::new(2)), Err(SizeOverflow));
    }
}
