//! Computes a new btrfs filesystem to the byte, and the schedule that puts it on its devices, as a sealed [`Plan`].
//!
//! The planner is pure: the same [`Request`] gives the same plan, byte for byte, on every machine and in wasm. It opens
//! nothing, asks no clock and draws no random number.
//!
//! Read it in this order: [`request`] (what is asked, and the rules), [`layout`] (where things live), [`trees`] (what
//! every tree holds, and the fixed point in which trees describe themselves), [`schedule`] (what every device is put
//! through), [`plan`](mod@plan) (the document), [`view`] (a plan for people). [`disk`] is the ground: bytes as they
//! stand on disk. [`audit`] trusts none of it: it reads a plan's writes, or any disks, as if they were found in the wild.

#![no_std]
// Tests check sums that they chose themselves.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::as_conversions))]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod audit;
pub mod disk;
pub mod layout;
pub mod plan;
pub mod request;
pub mod schedule;
pub mod trees;
pub mod units;
pub mod view;

pub use plan::{Draft, Plan};
pub use request::{Request, RequestError, Settings};

use layout::Layout;
use schedule::Schedule;
use trees::{Contents, Forest};

/// Plans an empty filesystem.
///
/// # Errors
///
/// A [`RequestError`] where the request breaks a rule, or the devices have no room for what it asks.
pub fn plan(request: &Request) -> Result<Plan, RequestError> {
    plan_with(request, &Contents::default())
}

/// Plans an empty filesystem and leaves the seal for later: it takes half of the time, and who only looks needs none.
///
/// # Errors
///
/// As [`plan()`].
pub fn draft(request: &Request) -> Result<Draft, RequestError> {
    draft_with(request, &Contents::default())
}

/// Plans a filesystem that holds these items from the start.
///
/// # Errors
///
/// As [`plan()`], and where the contents are not in order or do not fit.
pub fn plan_with(request: &Request, contents: &Contents) -> Result<Plan, RequestError> {
    draft_with(request, contents).map(Plan::from)
}

fn draft_with(request: &Request, contents: &Contents) -> Result<Draft, RequestError> {
    let settings = Settings::resolve(request)?;
    let mut layout = Layout::new(&settings)?;
    let forest = Forest::plant(&settings, &mut layout, contents)?;
    let schedule = Schedule::new(&settings, &layout, &forest)?;
    Ok(Draft::assemble(settings, &layout, &forest, schedule))
}
