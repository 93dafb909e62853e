//! What the end-to-end tests share.
//!
//! [`suite`] runs tables of cases. [`requests`] are requests for plans of every shape; [`contents`] reads the filesystem
//! in a plan; [`golden`] brings golden layouts and plans into one form. [`programs`] runs ours and others;
//! [`loops`], [`mounts`], [`kernel_log`] and [`kernel`] are for the tests that ask the kernel; [`images`] are files for the
//! audit to read; [`slow`] has loop devices whose discards take their time, [`guest`] zoned devices. [`fuzzing`] is what is
//! done with bytes from anywhere.

pub mod contents;
pub mod dice;
pub mod fuzzing;
pub mod golden;
pub mod guest;
pub mod images;
pub mod kernel;
pub mod kernel_log;
pub mod loops;
pub mod mounts;
pub mod programs;
pub mod requests;
pub mod slow;
pub mod sparse;
pub mod suite;
pub mod trace;
