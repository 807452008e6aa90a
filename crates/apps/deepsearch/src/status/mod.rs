//! The status codes of the original, and what a run notes under them.

mod code;
mod notice;

pub use code::StatusCode;
pub use notice::{Notice, Severity};
