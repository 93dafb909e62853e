//! Payloads: bytes with their long runs of zeros left out.

use crate::units::{Checked, in_memory, wide};
use alloc::vec;
use alloc::vec::Vec;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use core::ops::Range;
use serde::{Deserialize, Serialize};

/// Zeros are left out by cells of this many bytes: a part costs about as many characters.
const CELL: usize = 32;

/// Bytes to be written, in a form that does not spell out zeros.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Payload {
    /// How many bytes it stands for.
    pub length: u64,
    /// Those that are not zero, ascending and apart.
    pub parts: Vec<Part>,
}

/// Some bytes of a payload; in documents `[offset, base64]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where in the payload they stand.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// A payload that does not make sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// A part overlaps the one before, or has no bytes.
    #[error("the part at {offset} is empty or overlaps the one before it")]
    Order {
        /// Where the part stands.
        offset: u64,
    },
    /// A part reaches beyond the payload's length.
    #[error("the part at {offset} reaches beyond the payload's length of {length}")]
    Range {
        /// Where the part stands.
        offset: u64,
        /// The payload's length.
        length: u64,
    },
    /// The payload is longer than this machine can address.
    #[error("a payload of {length} bytes does not fit in memory")]
    Memory {
        /// The payload's length.
        length: u64,
    },
}

impl Payload {
    /// The payload that stands for `bytes`.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let (cells, rest) = bytes.as_chunks::<CELL>();
        // Most cells of a plan are empty: they are looked at by words.
        let filled = |cell: &[u8; CELL]| {
            let words: [u64; CELL / 8] = zerocopy::transmute!(*cell);
            words.iter().fold(0, |all, word| all | word) != 0
        };
        let rest = rest.iter().any(|byte| *byte != 0);
        let mut runs: Vec<Range<usize>> = Vec::new();
        for (start, _) in
            (0_usize..).step_by(CELL).zip(cells.iter().map(filled).chain([rest])).filter(|(_, filled)| *filled)
        {
            let end = bytes.len().min(start.saturating_add(CELL));
            match runs.last_mut() {
                Some(run) if run.end == start => run.end = end,
                _ => runs.push(start..end),
            }
        }
        let parts = runs.into_iter().filter_map(|run| Part::new(wide(run.start), bytes.get(run)?)).collect();
        Self { length: wide(bytes.len()), parts }
    }

    /// Whether every part is in its place.
    pub fn check(&self) -> Result<(), PayloadError> {
        let mut free = 0;
        for part in &self.parts {
            if part.offset < free || part.bytes.is_empty() {
                return Err(PayloadError::Order { offset: part.offset });
            }
            match part.offset.plus(wide(part.bytes.len())) {
                Ok(end) if end <= self.length => free = end,
                _ => return Err(PayloadError::Range { offset: part.offset, length: self.length }),
            }
        }
        Ok(())
    }

    /// The bytes from `from` on that fill `buffer`, zeros spelled out. It must be a payload that passes
    /// [`check`](Self::check).
    pub(crate) fn read(&self, from: u64, buffer: &mut [u8]) -> Result<(), PayloadError> {
        let outside = PayloadError::Range { offset: from, length: self.length };
        let end = from.plus(wide(buffer.len())).ok().filter(|end| *end <= self.length).ok_or(outside)?;
        buffer.fill(0);
        let part_end = |part: &Part| part.offset.saturating_add(wide(part.bytes.len()));
        let first = self.parts.partition_point(|part| part_end(part) <= from);
        for part in self.parts.iter().skip(first).take_while(|part| part.offset < end) {
            let (start, behind) = (part.offset.max(from), part_end(part).min(end));
            let range = |origin: u64| {
                let at = |place: u64| in_memory(place.saturating_sub(origin)).map_err(|_| outside);
                Ok::<_, PayloadError>(at(start)?..at(behind)?)
            };
            let bytes = part.bytes.get(range(part.offset)?).ok_or(outside)?;
            buffer.get_mut(range(from)?).ok_or(outside)?.copy_from_slice(bytes);
        }
        Ok(())
    }

    /// The bytes, zeros spelled out. A plan's reader has bounded the length; this allocates all of it.
    pub fn expand(&self) -> Result<Vec<u8>, PayloadError> {
        self.check()?;
        let too_long = PayloadError::Memory { length: self.length };
        let mut bytes = vec![0; in_memory(self.length).map_err(|_| too_long)?];
        self.read(0, &mut bytes)?;
        Ok(bytes)
    }
}

impl Part {
    /// These bytes without the zeros at both ends; none where there is nothing else.
    fn new(offset: u64, bytes: &[u8]) -> Option<Self> {
        let first = bytes.iter().position(|byte| *byte != 0)?;
        let last = bytes.iter().rposition(|byte| *byte != 0)?;
        Some(Self { offset: offset.saturating_add(wide(first)), bytes: bytes.get(first..=last)?.to_vec() })
    }
}

impl Serialize for Part {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.offset, STANDARD.encode(&self.bytes)).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (offset, text) = <(u64, alloc::borrow::Cow<'de, str>)>::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text.as_bytes()).map_err(serde::de::Error::custom)?;
        Ok(Self { offset, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_of_zeros_are_left_out_and_come_back() {
        let mut block = vec![0; 4096];
        block[..3].copy_from_slice(b"abc");
        block[10] = 1;
        block[500..540].fill(9);
        let payload = Payload::new(&block);
        let places: Vec<(u64, usize)> = payload.parts.iter().map(|part| (part.offset, part.bytes.len())).collect();
        assert_eq!(places, [(0, 11), (500, 40)], "parts start and end with what is not zero");
        assert_eq!(payload.expand().unwrap(), block);
        assert_eq!(Payload::new(&[0; 64]).parts, []);
        assert!(Payload::new(&[]).expand().unwrap().is_empty());
    }

    #[test]
    fn any_range_reads_as_it_expands() {
        let mut block = vec![0; 256];
        block[3..7].copy_from_slice(b"abcd");
        block[100..180].fill(9);
        block[255] = 1;
        let payload = Payload::new(&block);
        for from in 0..=256 {
            for end in from..=256 {
                let mut buffer = vec![7; end - from];
                payload.read(wide(from), &mut buffer).unwrap();
                assert_eq!(buffer, block[from..end], "{from}..{end}");
            }
        }
        for (from, length) in [(256, 1), (0, 257), (u64::MAX, 1), (u64::MAX, 0)] {
            let error = PayloadError::Range { offset: from, length: 256 };
            assert_eq!(payload.read(from, &mut vec![0; length]), Err(error));
        }
    }

    #[test]
    fn parts_out_of_place_are_refused() {
        let part = |offset, length| Part { offset, bytes: vec![1; length] };
        for (parts, error) in [
            (vec![part(0, 4), part(2, 1)], PayloadError::Order { offset: 2 }),
            (vec![part(3, 0)], PayloadError::Order { offset: 3 }),
            (vec![part(7, 2)], PayloadError::Range { offset: 7, length: 8 }),
            (vec![part(u64::MAX, 2)], PayloadError::Range { offset: u64::MAX, length: 8 }),
        ] {
            assert_eq!(Payload { length: 8, parts }.expand(), Err(error));
        }
    }

    const RUNS: &[&[u8]] = &[&[0; 40], &[1], &[255; 3], &[0; 5]];

    proptest::proptest! {
        #[test]
        fn any_bytes_round_trip(runs in proptest::collection::vec(proptest::sample::select(RUNS), 0..60)) {
            let bytes = runs.concat();
            let payload = Payload::new(&bytes);
            proptest::prop_assert_eq!(payload.expand().unwrap(), bytes);
            let text = serde_json::to_string(&payload).unwrap();
            proptest::prop_assert_eq!(serde_json::from_str::<Payload>(&text).unwrap(), payload);
        }
    }
}
