//! Sizes as people write them in a form: as on the command line, and with decimals.

use thiserror::Error;

/// A text that is no size.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SizeError {
    /// Not a number and at most one unit.
    #[error("'{0}' is not a size: write a number and at most one of b, k, m, g, t, p, e, such as 10T or 931.5GiB")]
    NotASize(String),
    /// A part of a byte.
    #[error("'{0}' is not a whole number of bytes")]
    Fraction(String),
    /// More than 64 bits.
    #[error("'{0}' is more than 64 bits can count")]
    TooLarge(String),
}

const UNITS: [(char, u32); 6] = [('e', 60), ('p', 50), ('t', 40), ('g', 30), ('m', 20), ('k', 10)];

/// Bytes from a text such as `4096`, `16k`, `10 GiB` or `931.5GiB`, to base 1024. Exact: a part of a byte is refused.
pub fn parse_size(text: &str) -> Result<u64, SizeError> {
    let not_a_size = || SizeError::NotASize(text.to_owned());
    let too_large = || SizeError::TooLarge(text.to_owned());
    let compact = text.trim();
    let unit_at = compact.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(compact.len());
    let (number, unit) = compact.split_at(unit_at);
    let unit = unit.trim_start().to_ascii_lowercase();
    let letter = match unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b')) {
        Some(letter) if !letter.is_empty() && letter != "b" => letter,
        _ => unit.as_str(),
    };
    let mut letters = letter.chars();
    let shift = match (letters.next(), letters.next()) {
        (None | Some('b'), None) => 0,
        (Some(letter), None) => UNITS.iter().find(|(name, _)| *name == letter).ok_or_else(not_a_size)?.1,
        _ => return Err(not_a_size()),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || part.contains('.') || (number.contains('.') && part.is_empty()) {
        return Err(not_a_size());
    }
    let unit = 1_u64 << shift;
    let whole: u64 = whole.parse().map_err(|_| too_large())?;
    let bytes = whole.checked_mul(unit).ok_or_else(too_large)?;
    let part = part.trim_end_matches('0');
    if part.is_empty() {
        return Ok(bytes);
    }
    let fraction = || SizeError::Fraction(text.to_owned());
    // A part of 2^60 bytes that is whole has at most 60 decimals; 18 are as many as 128 bits are safe with.
    let decimals = u32::try_from(part.len()).ok().filter(|count| *count <= 18).ok_or_else(fraction)?;
    let scale = 10_u128.pow(decimals);
    let scaled = part.parse::<u128>().ok().and_then(|part| part.checked_mul(u128::from(unit))).ok_or_else(fraction)?;
    if scaled.checked_rem(scale) != Some(0) {
        return Err(fraction());
    }
    let rest = scaled.checked_div(scale).and_then(|rest| u64::try_from(rest).ok()).ok_or_else(fraction)?;
    bytes.checked_add(rest).ok_or_else(too_large)
}

/// The shortest exact way to write a number of bytes: in the largest unit that takes at most three decimals.
#[must_use]
pub fn size_text(bytes: u64) -> String {
    for (letter, shift) in UNITS {
        let whole = bytes >> shift;
        let thousandths = u128::from(bytes & ((1 << shift) - 1)) * 1000;
        if whole > 0 && thousandths.is_multiple_of(1 << shift) {
            let part = format!("{:03}", thousandths >> shift);
            let part = part.trim_end_matches('0');
            let dot = if part.is_empty() { "" } else { "." };
            return format!("{whole}{dot}{part}{}", letter.to_ascii_uppercase());
        }
    }
    bytes.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write() {
        for (text, bytes) in [
            ("4096", 4096),
            ("7b", 7),
            ("16k", 16 << 10),
            ("10T", 10 << 40),
            (" 10 GiB ", 10 << 30),
            ("931.5GiB", 1_000_190_509_056),
            ("0.5k", 512),
            ("1.250m", 1_310_720),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "-1", "1.k", ".5k", "1.2.3k", "1kk", "0x10", "1iB", "1bb", "ten", "1\u{663}"] {
            assert_eq!(parse_size(text), Err(SizeError::NotASize(text.into())), "{text}");
        }
        for text in ["1.5", "0.3k", "1.0001k", "1.0000000000000000001g"] {
            assert_eq!(parse_size(text), Err(SizeError::Fraction(text.into())), "{text}");
        }
        for text in ["16e", "18446744073709551616", "99999999999999999999999k"] {
            assert_eq!(parse_size(text), Err(SizeError::TooLarge(text.into())), "{text}");
        }
    }

    #[test]
    fn what_is_shown_can_be_read_again() {
        for (bytes, text) in
            [(0, "0"), (1023, "1023"), (1 << 10, "1K"), (10 << 40, "10T"), (1536, "1.5K"), (4097, "4097")]
        {
            assert_eq!(size_text(bytes), text);
        }
        let mut number = 0x9e37_79b9_7f4a_7c15_u64;
        for turn in 0_u32..4000 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let bytes = (number >> (turn % 64)) << (turn % 31);
            assert_eq!(parse_size(&size_text(bytes)), Ok(bytes));
        }
    }
}
