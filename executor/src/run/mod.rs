//! Carries out a plan's schedule on devices that `bind` has made ready.
//!
//! The order, which is the promise that power lost at any point leaves either no filesystem or a whole one:
//!
//! 1. every device, in a thread of its own (`wipe`): whatever may still be taken for a filesystem, flush;
//! 2. the first barrier: all old signatures are gone for certain, and all that they spoke of is still there;
//! 3. every device (`prepare`): discard, reset zones, make zero, write, flush;
//! 4. the second barrier: all have come so far, and nobody has asked to stop;
//! 5. every device (`commit`): what makes the filesystem exist, flush; but the first device keeps its last
//!    write back;
//! 6. the first device: that write, flush.

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
mod wipe;
mod work;

pub use cancel::Cancel;
pub use event::{Event, Observer, Silent};
pub use orchestra::{Options, RunError, run};
pub use report::{Action, DeviceError, DeviceReport, Outcome, Report, Step, StepReport};
