//! Mutations that nobody notices, and why that is right.

use crate::edit;
use btrfs_planner::Plan;
use btrfs_planner::disk::tree_block::{HEADER_SIZE, Header};
use btrfs_planner::plan::Payload;
use zerocopy::FromBytes;

/// What stands at a byte of a leaf: `TYPE+OFFSET` for the data of an item of that type, else a word.
pub(crate) fn field_at(bytes: &[u8], at: usize) -> String {
    let header = Header::read_from_prefix(bytes).unwrap().0;
    if at < HEADER_SIZE {
        return format!("header+{at}");
    }
    if header.level > 0 {
        return "pointer".to_string();
    }
    match edit::items(bytes).into_iter().find(|(_, _, place)| place.contains(&at)) {
        Some((_, key, place)) => format!("{}+{}", key.item_type.0, at - place.start),
        None => "between".to_string(),
    }
}

/// Fields of items that change nothing about the filesystem: item type, bytes of its data, and why.
const ITEM_FIELDS: &[(u8, std::ops::Range<usize>, &str)] = &[
    // Inode items: transaction; the size of a file that ends with a hole; owner, group, mode; flags; times.
    (1, 8..16, UNREAD),
    (1, 16..24, CONTENT),
    (1, 44..54, CONTENT),
    (1, 64..66, CONTENT),
    (1, 112..160, CONTENT),
    // Directory entries: transaction.
    (84, 17..25, UNREAD),
    (96, 17..25, UNREAD),
    // Chunks: sub-stripes of other profiles than raid10.
    (228, 46..48, UNREAD),
];

/// Fields of the document (`*` for places in lists) that change neither filesystem nor destruction.
const FIELDS: &[(&str, &str)] = &[
    ("/devices/*/found/model", DEVICE),
    ("/devices/*/found/serial", DEVICE),
    ("/devices/*/found/path", DEVICE),
    ("/devices/*/found/kind", DEVICE),
    ("/devices/*/found/size", DEVICE),
    ("/devices/*/found/logical_sector", DEVICE),
    ("/devices/*/found/signatures", DEVICE),
    ("/devices/*/found/zones", DEVICE),
    ("/devices/*/found/physical_sector", NOTE),
    ("/devices/*/found/rotational", NOTE),
    ("/devices/*/found/discard", NOTE),
    ("/filesystem/page_size", PAGE),
    ("/filesystem/features", NAMES),
    ("/planner", NOTE),
    ("/warnings", NOTE),
    ("/devices/*/commit", MIRRORS),
];

const DEVICE: &str = "what was found on a device: the executor finds out itself, and refuses a device that is another";
const NOTE: &str = "a remark that nothing depends on";
const MIRRORS: &str =
    "superblock mirrors in another order among themselves: all of them still come before the primary one";
const NAMES: &str = "the same features in another order";
const PAGE: &str = "another page size that leads to the same flags";
const CONTENT: &str =
    "what a file is like: owner, permissions, times, attributes, a hole at its end; only its source could tell";
const UNREAD: &str = "a field that no kernel reads";
const SPELLING: &str = "the same bytes, spelled in another way";

/// Why it is right that a change survived; nothing if it is not.
pub(crate) fn reason(before: &Plan, after: &Plan, what: &str) -> Option<&'static str> {
    if same_but_for_spelling(before, after) {
        return Some(SPELLING);
    }
    let pointer = crate::random::generic(what);
    let pointer = pointer.split(' ').next().unwrap_or_default();
    let is = |field: &str| pointer.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if let Some(fields) = what.strip_prefix("bytes of a block ") {
        return fields.split('=').next().and_then(item_fields);
    }
    FIELDS.iter().find(|(field, _)| is(field)).map(|(_, reason)| *reason)
}

/// Whether two plans differ only in how the parts of their payloads are cut.
fn same_but_for_spelling(before: &Plan, after: &Plan) -> bool {
    let plain = |plan: &Plan| {
        let payloads: Option<Vec<Payload>> =
            plan.payloads.iter().map(|payload| payload.expand().ok().map(|bytes| Payload::new(&bytes))).collect();
        Plan { payloads: payloads.unwrap_or_default(), seal: before.seal, ..plan.clone() }
    };
    plain(before) == plain(after)
}

/// The reason for all of these fields (a tree's name, then fields as [`field_at`] names them), if there is one.
fn item_fields(fields: &str) -> Option<&'static str> {
    let reason = |field: &str| {
        let (item_type, offset) = field.split_once('+')?;
        let (item_type, offset): (u8, usize) = (item_type.parse().ok()?, offset.parse().ok()?);
        let row = ITEM_FIELDS.iter().find(|(of, bytes, _)| *of == item_type && bytes.contains(&offset))?;
        Some(row.2)
    };
    let mut reasons = fields.split(' ').skip(1).map(reason);
    let first = reasons.next()??;
    reasons.all(|reason| reason.is_some()).then_some(first)
}
