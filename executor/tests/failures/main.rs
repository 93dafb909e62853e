//! What is left when something goes wrong: a device at any of its operations, or the power after any of them.

// A test may fail by panicking, and counts what it made itself.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::as_conversions,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod crash;
mod faults;
mod medium;
mod scenes;
mod verdict;
