//! Probes devices for the planner, and replays a sealed plan onto them. It decides nothing and knows no btrfs.
//!
//! Read it in this order: [`target`] (what a command line may name), [`probe`] (a device becomes facts), [`document`]
//! (a plan arrives), [`device`] (what can be done to a device), [`bind`] (a plan's devices become opened, locked and
//! verified ones), [`run`] (the schedule is carried out),
//! [`register`] (the kernel is told), [`cli`] (the programs). [`audit`] reads devices as the planner's auditor wants them,
//! [`findings`] tells what it found, and [`running_kernel`] what could mount it. [`console`], [`exit`] and [`size`] are how the programs talk to people and to
//! scripts; [`parallel`] is how they do the same for many devices at once.
//!
//! Until [`bind`] is through, nothing is written anywhere; and until every device has come to the barrier in [`run`],
//! no superblock is.

// What no crate offers: a few ioctls, and libblkid. Each has its file, and every use its reason.
#![deny(unsafe_code)]

mod ahead;
pub mod audit;
pub mod bind;
pub mod cli;
pub mod console;
pub mod device;
pub mod document;
pub mod exit;
pub mod findings;
#[allow(unsafe_code)]
mod ioctl;
pub mod parallel;
pub mod probe;
pub mod register;
mod remedy;
pub mod run;
pub mod running_kernel;
pub mod size;
#[allow(unsafe_code)]
mod streams;
pub mod target;
