//! Sizes as people write and read them.

use std::fmt;

/// A text that is no size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SizeError {
    /// Not digits and at most one unit.
    #[error("'{0}' is not a size: digits and at most one of b, k, m, g, t, p, e are")]
    NotASize(String),
    /// More than 64 bits.
    #[error("'{0}' is more than 64 bits can count")]
    TooLarge(String),
}

/// Bytes from a text such as `4096`, `16k`, `10GiB`: decimal digits and at most one unit, in any case, to base 1024.
pub fn parse(text: &str) -> Result<u64, SizeError> {
    let not_a_size = || SizeError::NotASize(text.to_string());
    let unit_at = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(unit_at);
    if digits.is_empty() {
        return Err(not_a_size());
    }
    let unit = unit.to_ascii_lowercase();
    let letter = match unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b')) {
        Some(letter) if !letter.is_empty() && letter != "b" => letter,
        _ => unit.as_str(),
    };
    let shift = match letter {
        "" | "b" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        "p" => 50,
        "e" => 60,
        _ => return Err(not_a_size()),
    };
    let count: Option<u64> = digits.parse().ok();
    let bytes = count.and_then(|count| count.checked_mul(1 << shift));
    bytes.ok_or_else(|| SizeError::TooLarge(text.to_string()))
}

/// A number of bytes, shown in the largest unit of which there is at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Human(pub u64);

impl fmt::Display for Human {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0;
        let units = [(60, "EiB"), (50, "PiB"), (40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
        for (shift, name) in units {
            let whole = bytes >> shift;
            if whole > 0 {
                let hundredths = ((bytes >> (shift - 10)) & 1023) * 100 / 1024;
                return if hundredths == 0 {
                    write!(f, "{whole} {name}")
                } else {
                    write!(f, "{whole}.{hundredths:02} {name}")
                };
            }
        }
        write!(f, "{bytes} B")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_one_unit() {
        for (text, bytes) in [
            ("0", 0),
            ("4096", 4096),
            ("7b", 7),
            ("16k", 16 << 10),
            ("16K", 16 << 10),
            ("3m", 3 << 20),
            ("10GiB", 10 << 30),
            ("10gb", 10 << 30),
            ("2T", 2 << 40),
            ("1p", 1 << 50),
            ("15E", 15 << 60),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "-1", "+1", "1.5g", "k", "1kk", "1 k", "10GiBs", "0x10", "1iB", "1bb", "1\u{663}"] {
            assert_eq!(parse(text), Err(SizeError::NotASize(text.into())), "{text}");
        }
        for text in ["16e", "18446744073709551616", "99999999999999999999999k"] {
            assert_eq!(parse(text), Err(SizeError::TooLarge(text.into())), "{text}");
        }
    }

    #[test]
    fn shown_in_the_largest_unit() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1 KiB"),
            (1536, "1.50 KiB"),
            (10 << 30, "10 GiB"),
            (u64::MAX, "15.99 EiB"),
        ] {
            assert_eq!(Human(bytes).to_string(), text);
        }
    }
}
