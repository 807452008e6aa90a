//! A report as files for readers.

mod escape;

pub use escape::{escape, safe_href};
