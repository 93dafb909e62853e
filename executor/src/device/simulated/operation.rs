//! What is done to a simulated device, and what it does with it.

use super::locked;
use std::sync::{Arc, Mutex};

/// What was done to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Bytes were read.
    Read {
        /// First byte.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// Bytes were written.
    Write {
        /// First byte.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// Bytes were discarded.
    Discard {
        /// First byte.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// Zones were reset.
    Reset {
        /// First byte.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// Everything written became durable.
    Flush,
}

/// A kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OperationKind {
    /// Reading.
    Read,
    /// Writing.
    Write,
    /// Discarding.
    Discard,
    /// Resetting zones.
    Reset,
    /// Flushing.
    Flush,
}

impl Operation {
    /// Its kind.
    #[must_use]
    pub const fn kind(self) -> OperationKind {
        match self {
            Self::Read { .. } => OperationKind::Read,
            Self::Write { .. } => OperationKind::Write,
            Self::Discard { .. } => OperationKind::Discard,
            Self::Reset { .. } => OperationKind::Reset,
            Self::Flush => OperationKind::Flush,
        }
    }

    /// Where it begins and where it ends, if it has a place.
    pub(super) const fn place(self) -> Option<(u64, u64)> {
        match self {
            Self::Read { offset, length }
            | Self::Write { offset, length }
            | Self::Discard { offset, length }
            | Self::Reset { offset, length } => Some((offset, offset.saturating_add(length))),
            Self::Flush => None,
        }
    }
}

/// An error that an operation will meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of the operation.
    pub kind: OperationKind,
    /// Which one of its kind, from 0.
    pub nth: usize,
    /// The error's number.
    pub errno: i32,
}

/// What becomes of discarded bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiscardBehaviour {
    /// They read as zeros.
    #[default]
    Zeros,
    /// They stay.
    Keeps,
    /// They read as something else.
    Garbage,
    /// The device does not discard.
    Unsupported,
}

/// The operations of several devices, in the order in which they happened.
#[derive(Clone, Debug, Default)]
pub struct Journal(Arc<Mutex<Vec<(String, Operation)>>>);

impl Journal {
    /// Everything so far: the device's name, and what was done to it.
    #[must_use]
    pub fn entries(&self) -> Vec<(String, Operation)> {
        locked(&self.0).clone()
    }

    pub(super) fn push(&self, name: &str, operation: Operation) {
        locked(&self.0).push((name.to_string(), operation));
    }
}
