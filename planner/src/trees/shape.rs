//! How a tree's items are spread over blocks: packed, in one pass, to any height.

use crate::disk::tree_block::{HEADER_SIZE, ITEM_SIZE, POINTER_SIZE};
use crate::units::{Checked, SizeOverflow, wide};
use alloc::vec;
use alloc::vec::Vec;

/// Why items cannot be packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ShapeError {
    /// An item is larger than a block.
    #[error("an item of {size} bytes does not fit into a block with room for {room}")]
    ItemTooLarge {
        /// Bytes of its data.
        size: u64,
        /// Bytes a block has for one item's data.
        room: u64,
    },
    /// More blocks are wanted than there are items.
    #[error("{items} items cannot fill {leaves} leaves")]
    TooFewItems {
        /// Items there are.
        items: u64,
        /// Leaves wanted.
        leaves: u64,
    },
    /// Sizes beyond 64 bits.
    #[error(transparent)]
    SizeOverflow(#[from] SizeOverflow),
}

/// Blocks of a tree: for each level from the leaves up, how many items or pointers each block has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    levels: Vec<Vec<u32>>,
}

impl Shape {
    /// Packs items with these sizes, in order, into as few leaves as their order allows but at least `leaves`. An empty
    /// tree is one empty leaf.
    pub fn pack(sizes: impl ExactSizeIterator<Item = u64>, node_size: u32, leaves: usize) -> Result<Self, ShapeError> {
        let room = u64::from(node_size).minus(wide(HEADER_SIZE))?;
        let items = sizes.len();
        let mut counts = Vec::new();
        let (mut count, mut taken) = (0_u32, 0_u64);
        for (before, size) in sizes.enumerate() {
            let needed = size.plus(wide(ITEM_SIZE))?;
            if needed > room {
                return Err(ShapeError::ItemTooLarge { size, room: room.saturating_sub(wide(ITEM_SIZE)) });
            }
            // Each leaf still owed needs an item of its own.
            let owed = leaves.saturating_sub(counts.len()).saturating_sub(1);
            if count > 0 && (taken.plus(needed)? > room || items.saturating_sub(before) <= owed) {
                counts.push(count);
                (count, taken) = (0, 0);
            }
            count = count.plus(1)?;
            taken = taken.plus(needed)?;
        }
        if count > 0 || counts.is_empty() {
            counts.push(count);
        }
        if counts.len() < leaves {
            return Err(ShapeError::TooFewItems { items: wide(items), leaves: wide(leaves) });
        }
        Ok(Self::above(counts, node_size))
    }

    /// How many blocks a tree with so many leaves has on each level, from the leaves up.
    #[must_use]
    pub fn level_sizes(leaves: usize, node_size: u32) -> Vec<usize> {
        let per_node = pointers(node_size);
        let mut sizes = vec![leaves.max(1)];
        while let Some(below) = sizes.last().copied()
            && below > 1
        {
            sizes.push(below.div_ceil(per_node));
        }
        sizes
    }

    fn above(leaves: Vec<u32>, node_size: u32) -> Self {
        let per_node = pointers(node_size);
        let sizes = Self::level_sizes(leaves.len(), node_size);
        let mut levels = vec![leaves];
        for children in sizes.iter().take(sizes.len().saturating_sub(1)) {
            let nodes = (0..*children).step_by(per_node).map(|first| {
                let count = children.saturating_sub(first).min(per_node);
                u32::try_from(count).unwrap_or(u32::MAX)
            });
            levels.push(nodes.collect());
        }
        Self { levels }
    }

    /// Levels from the leaves up; the last has one block.
    #[must_use]
    pub fn levels(&self) -> &[Vec<u32>] {
        &self.levels
    }

    /// How many leaves there are.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.levels.first().map_or(0, Vec::len)
    }

    /// How many blocks there are on all levels.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.levels.iter().fold(0_usize, |sum, level| sum.saturating_add(level.len()))
    }

    /// The level of the top block.
    #[must_use]
    pub fn height(&self) -> u8 {
        u8::try_from(self.levels.len().saturating_sub(1)).unwrap_or(u8::MAX)
    }
}

/// Pointers that fit into a node. At least two for every node size there is, so trees are finite.
fn pointers(node_size: u32) -> usize {
    let room = usize::try_from(node_size).unwrap_or(usize::MAX).saturating_sub(HEADER_SIZE);
    (room / POINTER_SIZE).max(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape(sizes: &[u64], node_size: u32, leaves: usize) -> Result<Shape, ShapeError> {
        Shape::pack(sizes.iter().copied(), node_size, leaves)
    }

    #[test]
    fn an_empty_tree_is_one_empty_leaf() {
        let shape = shape(&[], 4096, 1).unwrap();
        assert_eq!(shape.levels(), [[0]]);
        assert_eq!(shape.height(), 0);
    }

    #[test]
    fn an_item_larger_than_a_block_is_refused() {
        assert!(shape(&[3970], 4096, 1).is_ok());
        assert_eq!(shape(&[3971], 4096, 1), Err(ShapeError::ItemTooLarge { size: 3971, room: 3970 }));
        assert_eq!(shape(&[1, 1], 4096, 3), Err(ShapeError::TooFewItems { items: 2, leaves: 3 }));
    }

    proptest! {
        /// All items, none too many in a block, no block empty, no fewer leaves than asked for, one block on top, and
        /// without a minimum no leaf that would have had room for the next item.
        #[test]
        fn packing_is_complete_tight_and_closed(
            sizes in prop::collection::vec(0u64..3970, 0..3000),
            node_size in prop::sample::select(vec![4096u32, 8192, 16384, 32768, 65536]),
            leaves in 1usize..50,
        ) {
            let minimum = leaves.min(sizes.len().max(1));
            let packed = shape(&sizes, node_size, minimum).unwrap();
            let room = u64::from(node_size) - 101;
            prop_assert!(packed.leaves() >= minimum);
            prop_assert!(packed.levels().iter().map(Vec::len).eq(Shape::level_sizes(packed.leaves(), node_size)));
            let mut rest = &sizes[..];
            for count in &packed.levels()[0] {
                let (leaf, after) = rest.split_at(*count as usize);
                prop_assert!(leaf.iter().map(|size| size + 25).sum::<u64>() <= room);
                prop_assert!(!leaf.is_empty() || sizes.is_empty());
                rest = after;
            }
            prop_assert!(rest.is_empty());
            for pair in packed.levels().windows(2) {
                prop_assert_eq!(pair[1].iter().map(|count| *count as usize).sum::<usize>(), pair[0].len());
                prop_assert!(pair[1].iter().all(|count| *count as usize <= pointers(node_size)));
            }
            prop_assert_eq!(packed.levels().last().unwrap().len(), 1);

            let tight = shape(&sizes, node_size, 1).unwrap();
            let mut start = 0;
            for count in &tight.levels()[0] {
                let end = start + *count as usize;
                if let Some(next) = sizes.get(end) {
                    let taken: u64 = sizes[start..end].iter().map(|size| size + 25).sum();
                    prop_assert!(taken + next + 25 > room);
                }
                start = end;
            }
        }
    }
}
