//! Walking a tree from its top, leaf by leaf in the order of keys, without recursion and without reading a block twice
//! where once is enough.

use super::block::{Block, Expected, Pointer};
use super::reader::{BlockRecord, BlockReference, Reader};
use super::{Code, Place};
use crate::disk::key::Key;
use crate::disk::root::TreeId;
use alloc::vec::Vec;

/// The lowest number of a subvolume but the first.
pub(super) const FIRST_SUBVOLUME: u64 = 256;
/// The highest number of a subvolume.
const LAST_SUBVOLUME: u64 = u64::MAX - 255;

/// Whether a tree holds files and may share blocks with others.
pub(super) const fn is_subvolume(tree: u64) -> bool {
    tree == TreeId::Fs.objectid() || tree >= FIRST_SUBVOLUME && tree <= LAST_SUBVOLUME
}

/// A leaf that was reached.
pub(super) struct Leaf<'a> {
    pub(super) tree: u64,
    /// Which of several trees with this number.
    pub(super) index: u64,
    pub(super) block: &'a Block,
    /// Whether no other way led here before.
    pub(super) first: bool,
}

impl Leaf<'_> {
    /// The place of an item.
    pub(super) fn place(&self, slot: u32, key: Key) -> Place {
        Place::block(self.tree, self.block.logical).slot(slot).key(key)
    }
}

/// Where a tree starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Top {
    pub(super) tree: u64,
    /// Which of several trees with this number: the offset of its root item's key, where that says so.
    pub(super) index: u64,
    pub(super) logical: u64,
    pub(super) level: u8,
    pub(super) generation: u64,
}

/// A node on the way to where the walk is.
struct Frame {
    logical: u64,
    level: u8,
    pointers: Vec<Pointer>,
    next: usize,
    /// Whether no other way led here before.
    first: bool,
    /// Keys below this node are below this one.
    limit: Option<Key>,
}

/// What has been reached: a block of this tree, or of another before it.
enum Reached {
    New(Block),
    Again(Block),
    /// Known, but read often enough.
    Known,
    Nothing,
}

impl Reader<'_> {
    /// Walks a tree. False if some of it could not be read.
    pub(super) fn walk(&mut self, top: Top, visit: &mut dyn FnMut(&mut Self, &Leaf<'_>)) -> bool {
        let Top { tree, index, logical, level, generation } = top;
        let mut whole = true;
        let mut frames: Vec<Frame> = Vec::new();
        let mut next = Some((Expected { tree, logical, level, generation, top: true }, None, None, None));
        // Levels descend and every block is new to the tree, or the walk turns back: it ends.
        while let Some((expected, parent, first, limit)) = next.take().or_else(|| step(tree, &mut frames)) {
            let reached = self.reach(index, expected, parent, first, limit);
            let (block, first_visit) = match reached {
                Reached::New(block) => (block, true),
                Reached::Again(block) => (block, false),
                Reached::Known => continue,
                Reached::Nothing => {
                    whole = false;
                    continue;
                }
            };
            if block.header.level == 0 {
                if first_visit {
                    self.count_items(block.header.nritems.get());
                }
                visit(self, &Leaf { tree, index, block: &block, first: first_visit });
            } else {
                let pointers = block.pointers().collect();
                frames.push(Frame {
                    logical: expected.logical,
                    level: expected.level,
                    pointers,
                    next: 0,
                    first: first_visit,
                    limit,
                });
            }
        }
        self.incomplete |= !whole;
        whole
    }

    /// Reads a block, checks it against what led to it, and records both.
    fn reach(
        &mut self,
        index: u64,
        expected: Expected,
        parent: Option<(u64, bool)>,
        first: Option<Key>,
        limit: Option<Key>,
    ) -> Reached {
        let Expected { tree, logical, level, .. } = expected;
        let place = Place::block(tree, logical);
        // A node that was reached before has its references on record.
        if parent.is_none_or(|(_, first)| first) {
            self.references.push(BlockReference { block: logical, parent: parent.map(|(node, _)| node), tree });
        }
        if let Some(known) = self.blocks.get(&logical) {
            // Subvolumes share blocks with their snapshots, and nothing else does.
            let shareable = is_subvolume(tree) && is_subvolume(known.tree) && known.tree != tree;
            if !shareable || known.level != level || known.generation != expected.generation {
                self.findings.add(Code::BlockTwice, place, "one reference", "another from elsewhere");
                return Reached::Nothing;
            }
            let Some(left) = self.visits.checked_sub(1) else {
                if !core::mem::replace(&mut self.tired, true) {
                    let found = "more blocks that snapshots share than are read again";
                    self.findings.add(Code::SnapshotsUnread, Place::tree(tree), "every file looked at", found);
                }
                return Reached::Known;
            };
            self.visits = left;
            return self.again(logical).map_or(Reached::Nothing, Reached::Again);
        }
        let Some(block) = self.block(expected) else { return Reached::Nothing };
        let owner = block.header.owner.get();
        let record = BlockRecord {
            tree,
            index,
            owner,
            generation: block.header.generation.get(),
            level,
            items: block.header.nritems.get(),
            first_key: block.key(0),
        };
        self.blocks.insert(logical, record);
        // A snapshot's blocks keep the owner that they had before, which may be gone by now.
        if owner != tree && (expected.top || !(is_subvolume(tree) && is_subvolume(owner))) {
            self.findings.add(Code::BlockOwner, place, tree, owner);
        }
        if first.is_some() && block.key(0) != first {
            self.findings.add(Code::KeyOrder, place, "the key of its pointer first", "another");
        }
        let last = block.header.nritems.get().checked_sub(1).and_then(|slot| block.key(slot));
        if let (Some(last), Some(limit)) = (last, limit)
            && last >= limit
        {
            self.findings.add(Code::KeyOrder, place.key(last), "keys below the next pointer's", "one that is not");
        }
        Reached::New(block)
    }
}

/// The next child to visit, with its parent, the key of its pointer and the limit of its keys.
type Step = (Expected, Option<(u64, bool)>, Option<Key>, Option<Key>);

fn step(tree: u64, frames: &mut Vec<Frame>) -> Option<Step> {
    loop {
        let frame = frames.last_mut()?;
        let Some(pointer) = frame.pointers.get(frame.next).copied() else {
            frames.pop();
            continue;
        };
        frame.next = frame.next.saturating_add(1);
        let limit = frame.pointers.get(frame.next).map(|next| next.key).or(frame.limit);
        let expected = Expected {
            tree,
            logical: pointer.child,
            level: frame.level.saturating_sub(1),
            generation: pointer.generation,
            top: false,
        };
        return Some((expected, Some((frame.logical, frame.first)), Some(pointer.key), limit));
    }
}
