//! A plan for people.

mod size;
mod summary;

pub use size::Size;
pub use summary::summary;
