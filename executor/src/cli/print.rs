//! Results on standard output.

use crate::console;
use crate::exit::Failure;
use std::io;

/// Standard output did not take it.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output")]
struct Unwritable(#[source] io::Error);

/// Prints a result.
pub(super) fn print(bytes: &[u8]) -> Result<(), Failure> {
    console::print(bytes).map_err(|error| Failure::failed(Unwritable(error)))
}
