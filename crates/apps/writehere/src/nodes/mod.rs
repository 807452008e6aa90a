//! The nodes of the graph, for graphs of one's own over a [`Writing`](crate::Writing).

mod action;
mod begin;
mod durable;
mod finish;

pub use action::{ATTEMPTS, Turn, take};
pub use begin::begin;
pub use finish::finish;
