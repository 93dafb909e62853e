//! Sizes as people write them.

use crate::units::{GIB, KIB, MIB};

/// Bytes, printed in the unit of mkfs.btrfs's summary: two decimals and a binary suffix, `10.00GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub u64);

impl core::fmt::Display for Size {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        const UNITS: [(u64, &str); 6] =
            [(GIB * GIB, "EiB"), (GIB * MIB, "PiB"), (GIB * KIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")];
        let text = match UNITS.iter().find(|(unit, _)| self.0 >= *unit) {
            None => alloc::format!("{}B", self.0),
            Some((unit, suffix)) => {
                // In 128 bits neither the product nor the sum can leave its type.
                let unit = u128::from(*unit);
                let hundredths = u128::from(self.0).saturating_mul(100).saturating_add(unit / 2).checked_div(unit);
                let hundredths = hundredths.unwrap_or(0);
                alloc::format!("{}.{:02}{suffix}", hundredths / 100, hundredths % 100)
            }
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn sizes_read_like_mkfs() {
        for (bytes, text) in [
            (0, "0B"),
            (1023, "1023B"),
            (16384, "16.00KiB"),
            (10 * GIB, "10.00GiB"),
            (10 * GIB - 1, "10.00GiB"),
            (123_456_789, "117.74MiB"),
            (u64::MAX, "16.00EiB"),
        ] {
            assert_eq!(Size(bytes).to_string(), text);
        }
    }
}
