//! Takes fields from the front of a structure, one after another.

use super::Field;
use super::names;
use crate::units::wide;
use crate::view::date;
use crate::view::escape::escaped;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use uuid::Uuid;

/// The most bytes of a raw field whose value is spelled out.
const MOST_RAW: usize = 32;

/// A structure that ends before its last field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cut off: {field} takes {wanted} bytes, {found} are left")]
pub(super) struct CutOff {
    field: &'static str,
    wanted: u64,
    found: u64,
}

pub(super) type Taken<T = ()> = Result<T, CutOff>;

/// What is left of a structure, and the fields taken from it.
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
    /// Where `rest` starts in the block.
    offset: u64,
    prefix: String,
    fields: Vec<Field>,
}

impl<'a> Cursor<'a> {
    /// All of `bytes`, which stand `offset` bytes into the block.
    pub(super) const fn new(bytes: &'a [u8], offset: u64) -> Self {
        Self { rest: bytes, offset, prefix: String::new(), fields: Vec::new() }
    }

    /// The fields; what was not taken is the last one.
    pub(super) fn finish(mut self) -> Vec<Field> {
        let rest = self.rest;
        if !rest.is_empty() {
            self.prefix.clear();
            self.push("rest", rest, raw(rest), true);
        }
        self.fields
    }

    /// Bytes that are left.
    pub(super) const fn left(&self) -> usize {
        self.rest.len()
    }

    /// Takes the fields of a structure inside this one: its name stands before theirs.
    pub(super) fn within<T>(&mut self, name: &str, take: impl FnOnce(&mut Self) -> Taken<T>) -> Taken<T> {
        let outer = self.prefix.clone();
        self.prefix.push_str(name);
        self.prefix.push('.');
        let taken = take(self);
        self.prefix = outer;
        taken
    }

    /// The same for one of several of the kind, numbered from 0.
    pub(super) fn numbered<T>(
        &mut self,
        name: &str,
        number: usize,
        take: impl FnOnce(&mut Self) -> Taken<T>,
    ) -> Taken<T> {
        self.within(&format!("{name}[{number}]"), take)
    }

    fn push(&mut self, name: &str, bytes: &[u8], value: String, raw: bool) {
        let length = wide(bytes.len());
        let name = format!("{}{name}", self.prefix);
        self.fields.push(Field { length, name, offset: self.offset, raw, value });
        self.rest = self.rest.get(bytes.len()..).unwrap_or_default();
        self.offset = self.offset.saturating_add(length);
    }

    fn look(&self, field: &'static str, length: usize) -> Taken<&'a [u8]> {
        let cut_off = CutOff { field, wanted: wide(length), found: wide(self.rest.len()) };
        self.rest.get(..length).ok_or(cut_off)
    }

    /// A little-endian number of up to eight bytes.
    fn number(&mut self, name: &'static str, length: usize, show: impl FnOnce(u64) -> String) -> Taken<u64> {
        let bytes = self.look(name, length)?;
        let number = bytes.iter().rev().fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        self.push(name, bytes, show(number), false);
        Ok(number)
    }

    pub(super) fn u8(&mut self, name: &'static str) -> Taken<u64> {
        self.number(name, 1, |number| number.to_string())
    }

    pub(super) fn u16(&mut self, name: &'static str) -> Taken<u64> {
        self.number(name, 2, |number| number.to_string())
    }

    pub(super) fn u32(&mut self, name: &'static str) -> Taken<u64> {
        self.number(name, 4, |number| number.to_string())
    }

    pub(super) fn u64(&mut self, name: &'static str) -> Taken<u64> {
        self.number(name, 8, |number| number.to_string())
    }

    /// A number of so many bytes whose value is shown in its own way.
    pub(super) fn shown(&mut self, name: &'static str, length: usize, show: impl FnOnce(u64) -> String) -> Taken<u64> {
        self.number(name, length, show)
    }

    /// A number of so many bytes, each bit of which has a name.
    pub(super) fn flags(&mut self, name: &'static str, length: usize, bits: &[(u64, &str)]) -> Taken<u64> {
        self.number(name, length, |number| names::flags(number, bits))
    }

    /// The number of a tree or of another well-known object.
    pub(super) fn object(&mut self, name: &'static str) -> Taken<u64> {
        self.number(name, 8, names::object)
    }

    /// A key: three fields.
    pub(super) fn key(&mut self, name: &'static str) -> Taken {
        self.within(name, |cursor| {
            cursor.object("objectid")?;
            cursor.number("type", 1, names::item_type)?;
            cursor.u64("offset").map(|_| ())
        })
    }

    /// A time: two fields.
    pub(super) fn time(&mut self, name: &'static str) -> Taken {
        self.within(name, |cursor| {
            cursor.number("sec", 8, |seconds| match seconds {
                0 => "0".to_string(),
                _ => format!("{seconds} ({})", date::utc(seconds)),
            })?;
            cursor.u32("nsec").map(|_| ())
        })
    }

    pub(super) fn uuid(&mut self, name: &'static str) -> Taken {
        let bytes = self.look(name, 16)?;
        let value = Uuid::from_slice(bytes).map(|uuid| uuid.to_string()).unwrap_or_default();
        self.push(name, bytes, value, false);
        Ok(())
    }

    /// A name or another text of so many bytes; nothing for none.
    pub(super) fn text(&mut self, name: &'static str, length: u64) -> Taken {
        let bytes = self.look(name, usize::try_from(length).unwrap_or(usize::MAX))?;
        if !bytes.is_empty() {
            let value = text(bytes);
            self.push(name, bytes, value, false);
        }
        Ok(())
    }

    /// A text that zeros fill up.
    pub(super) fn padded_text(&mut self, name: &'static str, length: usize) -> Taken {
        let bytes = self.look(name, length)?;
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last.saturating_add(1));
        let value = text(bytes.get(..end).unwrap_or_default());
        self.push(name, bytes, value, false);
        Ok(())
    }

    /// Bytes without a meaning of their own, such as a checksum.
    pub(super) fn bytes(&mut self, name: &'static str, length: usize) -> Taken {
        let bytes = self.look(name, length)?;
        self.push(name, bytes, hex::encode(bytes), false);
        Ok(())
    }

    /// Content whose value is only described; nothing for none.
    pub(super) fn content(&mut self, name: &'static str, length: usize, value: impl FnOnce(&[u8]) -> String) -> Taken {
        let bytes = self.look(name, length)?;
        if !bytes.is_empty() {
            let value = value(bytes);
            self.push(name, bytes, value, false);
        }
        Ok(())
    }

    /// Bytes that the format keeps for later: zeros.
    pub(super) fn reserved(&mut self, name: &'static str, length: usize) -> Taken {
        let bytes = self.look(name, length)?;
        let zeros = bytes.iter().all(|byte| *byte == 0);
        let value = if zeros { "0".to_string() } else { raw(bytes) };
        self.push(name, bytes, value, false);
        Ok(())
    }
}

/// Bytes in hexadecimal, the first ones if there are many.
pub(super) fn raw(bytes: &[u8]) -> String {
    match bytes.get(..MOST_RAW) {
        Some(first) if bytes.len() > MOST_RAW => format!("{}... ({} bytes)", hex::encode(first), bytes.len()),
        _ => hex::encode(bytes),
    }
}

/// Bytes as a quoted text.
fn text(bytes: &[u8]) -> String {
    format!("\"{}\"", escaped(&String::from_utf8_lossy(bytes)))
}
