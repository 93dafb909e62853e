//! Why answers may differ.

use crate::answer::{Answer, reference};
use crate::question::Question;
use btrfs_plan_tests::programs::run;
use btrfs_plan_tests::suite::{Outcome, ensure, fail};
use btrfs_planner::disk::key::ItemType;
use btrfs_planner::disk::root::TreeId;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The version of the installed btrfs-progs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(u32, u32);

/// The version whose answers are ours.
const CURRENT: Version = Version(6, 19);

impl Version {
    pub(crate) fn installed() -> Outcome<Self> {
        let text = run(reference().arg("-V"))?.success()?.text();
        let number = text.lines().next().and_then(|line| line.rsplit_once('v')).map(|(_, number)| number);
        let parts = number.and_then(|number| {
            let mut parts = number.split('.').map_while(|part| part.trim().parse().ok());
            Some(Self(parts.next()?, parts.next().unwrap_or(0)))
        });
        parts.map_or_else(|| fail(format!("mkfs.btrfs says that it is '{text}'")), Ok)
    }

    /// Options that make our defaults those of this version.
    pub(crate) fn defaults(self) -> &'static [&'static str] {
        if self < CURRENT { &["-O", "^block-group-tree"] } else { &[] }
    }
}

/// `incompat_flags` bit 5.
const BIG_METADATA: u64 = 1 << 5;

/// Bytes of items that older versions leave empty or out: tree, item type, first byte, byte behind the last. All of it is
/// in docs/differences.md, under "Older versions".
const CAME_LATER: [(TreeId, ItemType, usize, usize); 3] = [
    // The flags of the inode in the top-level subvolume's root item.
    (TreeId::Root, ItemType::ROOT_ITEM, 64, 72),
    // The bytes that the root directory of the data relocation tree takes.
    (TreeId::DataReloc, ItemType::INODE_ITEM, 24, 32),
    // The generation from which on quota groups are counted.
    (TreeId::Quota, ItemType::QGROUP_STATUS, 32, 40),
];

/// A layout without what older versions do not make.
pub(crate) fn without_what_came_later(layout: &Map<String, Value>, version: Version) -> Map<String, Value> {
    let mut layout = layout.clone();
    if version >= CURRENT {
        return layout;
    }
    if let Some(flags) = layout.get_mut("superblock").and_then(|superblock| superblock.get_mut("incompat_flags")) {
        *flags = flags.as_u64().map(|bits| bits & !BIG_METADATA).into();
    }
    // Statistics of devices.
    let items = layout.get_mut("items").and_then(|items| items.get_mut("DEV_TREE")?.as_array_mut());
    items.into_iter().for_each(|items| items.retain(|key| key[1] != "PERSISTENT_ITEM"));
    if let Some(items) = items_of(&mut layout, TreeId::Dev) {
        items.retain(|item| item[0] != ItemType::PERSISTENT_ITEM.0);
    }
    // What the free space tree says of block groups: it says so of some that are gone.
    let counts = layout.get_mut("details").and_then(|details| details.get_mut("tree 10")?.as_object_mut());
    counts.into_iter().for_each(|counts| drop(counts.remove(&ItemType::FREE_SPACE_INFO.0.to_string())));
    for (tree, item_type, start, end) in CAME_LATER {
        let items = items_of(&mut layout, tree).into_iter().flatten().filter(|item| item[0] == item_type.0);
        for data in items.filter_map(|item| item.get_mut(1)) {
            let hex = data.as_str().unwrap_or_default();
            let (head, tail) = (hex.get(..2 * start).unwrap_or(hex), hex.get(2 * end..).unwrap_or_default());
            *data = format!("{head}{tail}").into();
        }
    }
    layout
}

fn items_of(layout: &mut Map<String, Value>, tree: TreeId) -> Option<&mut Vec<Value>> {
    layout.get_mut("details")?.get_mut(format!("tree {}", tree.objectid()))?.as_array_mut()
}

/// A reason for answers that differ.
pub(crate) struct Reason {
    /// The row of docs/differences.md.
    pub(crate) name: &'static str,
    /// Whether it explains one of the differences.
    explains: fn(&Seen<'_>, &str) -> bool,
}

/// A question with two answers.
pub(crate) struct Seen<'a> {
    pub(crate) question: &'a Question,
    pub(crate) theirs: &'a Answer,
    pub(crate) ours: &'a Answer,
    pub(crate) version: Version,
}

const REASONS: [Reason; 6] = [
    Reason {
        name: "a feature switched off that a profile needs",
        explains: |_, difference| {
            difference.starts_with("only ours refuses:") && difference.contains("is switched off, but the profile")
        },
    },
    Reason {
        name: "superblock copies where zones are emulated",
        explains: |seen, difference| seen.asks_for("zoned") && difference.starts_with("superblock_mirrors["),
    },
    Reason { name: "tiny devices with mixed block groups", explains: |seen, _| seen.chunks_more("data+metadata") == 1 },
    Reason {
        name: "copies of metadata on zones",
        explains: |seen, difference| {
            let refused = difference.starts_with("only mkfs.btrfs refuses:") && difference.contains("RAID/DUP");
            seen.is_older() && seen.asks_for("zoned") && (refused || difference == CRASHED)
        },
    },
    Reason {
        name: "a second data block group on zones",
        explains: |seen, _| seen.is_older() && seen.asks_for("zoned") && seen.chunks_more("data") == -1,
    },
    Reason {
        name: "labels of 255 bytes",
        explains: |seen, difference| seen.is_older() && difference.starts_with("superblock.label:"),
    },
];

/// A difference that is none of layouts.
pub(crate) const CRASHED: &str = "mkfs.btrfs crashes";

impl Seen<'_> {
    fn is_older(&self) -> bool {
        self.version < CURRENT
    }

    fn asks_for(&self, word: &str) -> bool {
        self.question.options.iter().any(|option| option.contains(word))
    }

    /// How many chunks of a kind the reference's filesystem has more than ours.
    fn chunks_more(&self, kind: &str) -> i64 {
        let (Answer::Made(theirs), Answer::Made(ours)) = (self.theirs, self.ours) else { return 0 };
        let count = |layout: &Map<String, Value>| {
            let chunks = layout.get("chunks").and_then(Value::as_array).into_iter().flatten();
            chunks.filter(|chunk| chunk["kind"] == kind).count() as i64
        };
        count(theirs) - count(ours)
    }

    /// The reasons for all of these differences; none if there is one without.
    pub(crate) fn reasons(&self, differences: &[String]) -> Option<BTreeSet<&'static str>> {
        let reason =
            |difference: &String| REASONS.iter().find(|reason| (reason.explains)(self, difference)).map(|it| it.name);
        differences.iter().map(reason).collect()
    }
}

/// The page for people has every reason.
pub(crate) fn documented() -> Outcome {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/differences.md"))?;
    for reason in &REASONS {
        ensure(page.contains(&format!("| {} |", reason.name)), || format!("'{}' is not a row of it", reason.name))?;
    }
    Ok(())
}
