//! A plan for people.

mod date;
pub mod decode;
mod escape;
mod size;
mod summary;

pub use date::utc;
pub use escape::{escaped, markup};
pub use size::Size;
pub use summary::summary;
