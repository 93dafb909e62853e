//! The four checksums of the format and how a block carries one.

use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use xxhash_rust::xxh64::xxh64;

/// Bytes reserved for a checksum at the start of every tree block and superblock.
pub const CHECKSUM_SIZE: usize = 32;

/// Which checksum protects metadata and data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ChecksumType {
    /// CRC-32C, 4 bytes: the default of mkfs.btrfs.
    #[default]
    Crc32c,
    /// xxHash in its 64-bit variant, 8 bytes.
    XxHash64,
    /// SHA-256, 32 bytes.
    Sha256,
    /// BLAKE2b cut to 256 bits, 32 bytes.
    Blake2b,
}

impl ChecksumType {
    /// Every checksum, in the order of their numbers on disk.
    pub const ALL: [Self; 4] = [Self::Crc32c, Self::XxHash64, Self::Sha256, Self::Blake2b];

    /// The number in the superblock's `csum_type`.
    #[must_use]
    pub const fn on_disk(self) -> u16 {
        match self {
            Self::Crc32c => 0,
            Self::XxHash64 => 1,
            Self::Sha256 => 2,
            Self::Blake2b => 3,
        }
    }

    /// The checksum that a superblock's `csum_type` names.
    #[must_use]
    pub fn from_on_disk(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.on_disk() == number)
    }

    /// Bytes that are significant.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Crc32c => 4,
            Self::XxHash64 => 8,
            Self::Sha256 | Self::Blake2b => 32,
        }
    }

    /// The name in requests, plans and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Crc32c => "crc32c",
            Self::XxHash64 => "xxhash64",
            Self::Sha256 => "sha256",
            Self::Blake2b => "blake2b",
        }
    }

    /// Another name that mkfs.btrfs knows for it.
    #[must_use]
    pub const fn alias(self) -> Option<&'static str> {
        match self {
            Self::XxHash64 => Some("xxhash"),
            Self::Blake2b => Some("blake2"),
            Self::Crc32c | Self::Sha256 => None,
        }
    }

    /// The checksum that `name` means, one or the other, in any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let is = |candidate: &str| name.eq_ignore_ascii_case(candidate);
        Self::ALL.into_iter().find(|kind| is(kind.name()) || kind.alias().is_some_and(is))
    }

    /// The checksum of `bytes`, padded with zeros to the field's 32 bytes.
    #[must_use]
    pub fn of(self, bytes: &[u8]) -> [u8; CHECKSUM_SIZE] {
        match self {
            Self::Crc32c => padded(crc32c::crc32c(bytes).to_le_bytes()),
            Self::XxHash64 => padded(xxh64(bytes, 0).to_le_bytes()),
            Self::Sha256 => Sha256::digest(bytes).into(),
            Self::Blake2b => Blake2b::<U32>::digest(bytes).into(),
        }
    }

    /// Writes the checksum of all that follows the checksum field into the field.
    pub fn seal(self, block: &mut [u8]) {
        if let Some((field, rest)) = block.split_first_chunk_mut::<CHECKSUM_SIZE>() {
            *field = self.of(rest);
        }
    }

    /// Whether the checksum field of `block` is right for all that follows it.
    #[must_use]
    pub fn holds(self, block: &[u8]) -> bool {
        block.split_first_chunk::<CHECKSUM_SIZE>().is_some_and(|(field, rest)| *field == self.of(rest))
    }
}

impl core::fmt::Display for ChecksumType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

fn padded<const N: usize>(digest: [u8; N]) -> [u8; CHECKSUM_SIZE] {
    let mut field = [0; CHECKSUM_SIZE];
    for (to, from) in field.iter_mut().zip(digest) {
        *to = from;
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published check values of each algorithm.
    #[test]
    fn check_values() {
        for (kind, input, hex_digest) in [
            (ChecksumType::Crc32c, &b"123456789"[..], "839206e3"),
            (ChecksumType::XxHash64, b"", "99e9d85137db46ef"),
            (ChecksumType::Sha256, b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (ChecksumType::Blake2b, b"", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"),
        ] {
            let field = kind.of(input);
            assert_eq!(hex::encode(&field[..kind.size()]), hex_digest, "{kind}");
            assert!(field[kind.size()..].iter().all(|byte| *byte == 0), "{kind} is padded with zeros");
        }
    }

    #[test]
    fn names_and_numbers_round_trip() {
        for kind in ChecksumType::ALL {
            assert_eq!(ChecksumType::from_name(kind.name()), Some(kind));
            assert_eq!(ChecksumType::from_on_disk(kind.on_disk()), Some(kind));
        }
        assert_eq!(ChecksumType::from_name("XXHASH"), Some(ChecksumType::XxHash64));
        assert_eq!(ChecksumType::from_name("BLAKE2"), Some(ChecksumType::Blake2b));
        assert_eq!(ChecksumType::from_name("md5"), None);
        assert_eq!(ChecksumType::from_on_disk(4), None);
    }

    #[test]
    fn a_sealed_block_holds_until_a_bit_changes() {
        for kind in ChecksumType::ALL {
            let mut block = [7; 4096];
            kind.seal(&mut block);
            assert!(kind.holds(&block), "{kind}");
            block[4095] ^= 1;
            assert!(!kind.holds(&block), "{kind}");
        }
    }
}
