//! Tree blocks: header, item heads, and what stands behind them.

use super::cursor::{Cursor, Taken};
use super::{Field, items, names};
use crate::disk::checksum::ChecksumType;
use crate::disk::key::{DiskKey, ItemType, Key};
use crate::disk::tree_block::{HEADER_SIZE, ITEM_SIZE, ItemHeader, KeyPointer, POINTER_SIZE};
use crate::units::wide;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use serde::Serialize;
use zerocopy::FromBytes;

/// A block, taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecodedBlock {
    /// Whether the checksum at the front is right for the rest.
    pub checksum_holds: bool,
    /// Bytes that belong to nothing, ascending.
    pub free: Vec<Span>,
    /// The fields of the header.
    pub header: Vec<Field>,
    /// Items of a leaf or pointers of a node, in the order of their heads.
    pub items: Vec<DecodedItem>,
    /// What is wrong with the block as a whole.
    pub problems: Vec<String>,
}

/// A run of bytes of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Bytes"))]
pub struct Span {
    /// Bytes.
    pub length: u64,
    /// Where it starts, in bytes from the start of the block.
    pub offset: u64,
}

/// An item of a leaf, or a pointer of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecodedItem {
    /// Where its data stands; a pointer has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Span>,
    /// The fields of its data.
    pub fields: Vec<Field>,
    /// The fields of its head.
    pub head: Vec<Field>,
    /// Its key.
    pub key: DecodedKey,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A key, with the name of its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecodedKey {
    /// What it is about.
    pub objectid: u64,
    /// Meaning depends on the type.
    pub offset: u64,
    /// As it is usually printed: `(256 INODE_ITEM 0)`.
    pub text: String,
    /// The number of the item's type.
    pub r#type: u8,
    /// Its name.
    pub type_name: String,
}

impl From<Key> for DecodedKey {
    fn from(key: Key) -> Self {
        let Key { objectid, item_type: ItemType(number), offset } = key;
        let type_name = names::item_type_name(number).into_owned();
        Self { objectid, offset, text: names::key_text(key), r#type: number, type_name }
    }
}

impl From<DiskKey> for DecodedKey {
    fn from(key: DiskKey) -> Self {
        Key::from(key).into()
    }
}

/// Takes a tree block apart.
#[must_use]
pub fn block(bytes: &[u8], checksum: ChecksumType) -> DecodedBlock {
    let mut block = DecodedBlock {
        checksum_holds: checksum.holds(bytes),
        free: Vec::new(),
        header: Vec::new(),
        items: Vec::new(),
        problems: Vec::new(),
    };
    if !block.checksum_holds {
        block.problems.push(format!("the {checksum} checksum is wrong"));
    }
    let (head, body) = bytes.split_at_checked(HEADER_SIZE).unwrap_or((bytes, &[]));
    let mut cursor = Cursor::new(head, 0);
    let taken = header(&mut cursor);
    block.header = cursor.finish();
    let mut taker = Taker { bytes, claimed: vec![false; bytes.len()], checksum };
    taker.claim(0..head.len());
    match taken {
        Err(cut_off) => block.problems.push(cut_off.to_string()),
        Ok((count, level)) => {
            let size = if level == 0 { ITEM_SIZE } else { POINTER_SIZE };
            let room = body.len().checked_div(size).unwrap_or(0);
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            if count > room {
                block.problems.push(format!("the header counts {count} items, there is room for {room}"));
            }
            block.items = taker.items(body, count.min(room), level);
        }
    }
    block.free = taker.free();
    block
}

/// The fields of a header; how many items there are, and the level.
fn header(cursor: &mut Cursor<'_>) -> Taken<(u64, u64)> {
    cursor.bytes("csum", 32)?;
    cursor.uuid("fsid")?;
    cursor.u64("bytenr")?;
    cursor.flags("flags", 8, &names::HEADER)?;
    cursor.uuid("chunk_tree_uuid")?;
    cursor.u64("generation")?;
    cursor.object("owner")?;
    let count = cursor.u32("nritems")?;
    Ok((count, cursor.u8("level")?))
}

/// Takes items from a block, and remembers whose bytes are whose.
struct Taker<'a> {
    bytes: &'a [u8],
    claimed: Vec<bool>,
    checksum: ChecksumType,
}

impl Taker<'_> {
    fn items(&mut self, body: &[u8], count: usize, level: u64) -> Vec<DecodedItem> {
        let size = if level == 0 { ITEM_SIZE } else { POINTER_SIZE };
        // All heads first: data that reaches into them is not data.
        self.claim(HEADER_SIZE..HEADER_SIZE.saturating_add(count.saturating_mul(size)));
        let heads = body.chunks_exact(size).take(count).zip((HEADER_SIZE..).step_by(size));
        heads.filter_map(|(head, at)| if level == 0 { self.item(head, at) } else { pointer(head, at) }).collect()
    }

    fn item(&mut self, head: &[u8], at: usize) -> Option<DecodedItem> {
        let parsed = ItemHeader::read_from_bytes(head).ok()?;
        let mut item = with_key(parsed.key, head, at, |cursor| {
            cursor.u32("offset")?;
            cursor.u32("size").map(|_| ())
        });
        let offset = u64::from(parsed.offset.get()).saturating_add(wide(HEADER_SIZE));
        let length = u64::from(parsed.size.get());
        item.data = Some(Span { length, offset });
        let Some(range) = self.range(offset, length) else {
            item.problem = Some(format!("its {length} bytes at {offset} reach out of the block"));
            return Some(item);
        };
        let bytes = self.bytes.get(range.clone()).unwrap_or_default();
        if !self.claim(range) {
            item.problem = Some("its data overlaps item heads or the data of an item before it".to_string());
            return Some(item);
        }
        let mut cursor = Cursor::new(bytes, offset);
        let taken = items::taker(parsed.key.item_type).map(|take| take(&mut cursor, self.checksum));
        let left = cursor.left();
        item.problem = match taken {
            None => Some("the type of the item is not known".to_string()),
            Some(Err(cut_off)) => Some(cut_off.to_string()),
            Some(Ok(())) if left > 0 => Some(format!("{left} bytes are left behind the last field")),
            Some(Ok(())) => None,
        };
        item.fields = cursor.finish();
        Some(item)
    }

    fn range(&self, offset: u64, length: u64) -> Option<Range<usize>> {
        let start = usize::try_from(offset).ok()?;
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        (end <= self.bytes.len()).then_some(start..end)
    }

    /// Marks bytes as somebody's; false, and nothing marked, where some are already.
    fn claim(&mut self, range: Range<usize>) -> bool {
        let Some(claimed) = self.claimed.get_mut(range) else { return false };
        if claimed.contains(&true) {
            return false;
        }
        claimed.fill(true);
        true
    }

    /// The bytes that nobody claimed.
    fn free(&self) -> Vec<Span> {
        let mut free: Vec<Span> = Vec::new();
        let mut at = 0_u64;
        for run in self.claimed.chunk_by(|left, right| left == right) {
            let length = wide(run.len());
            if run.first() == Some(&false) {
                free.push(Span { length, offset: at });
            }
            at = at.saturating_add(length);
        }
        free
    }
}

fn pointer(head: &[u8], at: usize) -> Option<DecodedItem> {
    let parsed = KeyPointer::read_from_bytes(head).ok()?;
    Some(with_key(parsed.key, head, at, |cursor| {
        cursor.u64("blockptr")?;
        cursor.u64("generation").map(|_| ())
    }))
}

fn with_key(key: DiskKey, head: &[u8], at: usize, behind: impl FnOnce(&mut Cursor<'_>) -> Taken) -> DecodedItem {
    let mut cursor = Cursor::new(head, wide(at));
    let problem = cursor.key("key").and_then(|()| behind(&mut cursor)).err().map(|cut_off| cut_off.to_string());
    DecodedItem { data: None, fields: Vec::new(), head: cursor.finish(), key: key.into(), problem }
}
