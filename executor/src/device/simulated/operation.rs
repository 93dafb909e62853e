//! What is done to a simulated device, and what it does with it.

use super::locked;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

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

/// What happens to a device at one of its operations.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// The operation fails with this error.
    Error(i32),
    /// It and all that follow fail with this error: the device is gone.
    Gone(i32),
    /// It moves half of its bytes, in whole sectors, if it moves any.
    Short,
    /// From here on the device has this many bytes.
    Shrink(u64),
    /// It does not end before the gate is opened.
    Hang(Gate),
}

/// What a hanging operation waits for.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<(Mutex<GateState>, Condvar)>);

#[derive(Debug, Default)]
struct GateState {
    open: bool,
    waiting: usize,
}

impl Gate {
    /// Lets all operations go on.
    pub fn open(&self) {
        locked(&self.0.0).open = true;
        self.0.1.notify_all();
    }

    /// Returns once an operation hangs; false if none does in this time.
    #[must_use]
    pub fn is_reached(&self, patience: Duration) -> bool {
        let waited = self.0.1.wait_timeout_while(locked(&self.0.0), patience, |state| state.waiting == 0);
        waited.is_ok_and(|(state, _)| state.waiting > 0)
    }

    pub(super) fn pass(&self) {
        let mut state = locked(&self.0.0);
        state.waiting += 1;
        self.0.1.notify_all();
        while !state.open {
            state = self.0.1.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting -= 1;
    }
}

/// An operation that changed a device, with the bytes that it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The operation. That of a short write says how much was written.
    pub operation: Operation,
    /// The bytes of a write; none otherwise.
    pub bytes: Vec<u8>,
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
