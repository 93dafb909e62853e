//! What happens during a run, for whoever watches.

use super::report::{Step, StepReport};

/// Something that happened on a device.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A step begins.
    Begin {
        /// The step.
        step: Step,
        /// Bytes that it is about.
        bytes: u64,
    },
    /// A step has come this far.
    Progress {
        /// The step.
        step: Step,
        /// Bytes that are done.
        bytes: u64,
    },
    /// A read is about to be made.
    Read {
        /// The step.
        step: Step,
        /// First byte.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// A write is about to be made.
    Write {
        /// The step.
        step: Step,
        /// First byte.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// A discard is about to be made.
    Discard {
        /// First byte.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// A reset of zones is about to be made.
    Reset {
        /// First byte.
        offset: u64,
        /// Bytes.
        length: u64,
    },
    /// A flush is about to be made.
    Flush {
        /// The step.
        step: Step,
    },
    /// A step has ended, complete or not.
    End(&'a StepReport),
    /// Something is worth knowing.
    Note(&'a str),
    /// Something should be looked at.
    Warning(&'a str),
}

/// Who watches a run. Called from every device's thread.
pub trait Observer: Sync {
    /// Something happened on the device with this devid and name.
    fn event(&self, devid: u64, name: &str, event: Event<'_>);
}

/// Nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&self, _: u64, _: &str, _: Event<'_>) {}
}
