//! Carries out a plan's schedule on devices that `bind` has made ready.
//!
//! The order, which is the promise that power lost at any point leaves either no filesystem or a whole one:
//!
//! 1. every device, in a thread of its own (`prepare`): wipe and flush, discard, reset zones, make zero, write,
//!    flush;
//! 2. the barrier: all have come so far, and nobody has asked to stop;
//! 3. every device (`commit`): what makes the filesystem exist, flush; but the first device keeps its last
//!    write back;
//! 4. the first device: that write, flush.

mod batch;
mod cancel;
mod commit;
mod discard;
mod event;
mod orchestra;
mod pace;
mod prepare;
mod report;
mod reset;
#[cfg(test)]
mod tests;
mod verify;
mod work;

pub use cancel::Cancel;
pub use event::{Event, Observer, Silent};
pub use orchestra::{Options, RunError, run};
pub use report::{Action, DeviceError, DeviceReport, Outcome, Report, Step, StepReport};
