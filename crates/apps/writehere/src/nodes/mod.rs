//! The nodes of the graph.

mod action;
mod begin;
mod durable;
mod finish;

pub(crate) use action::{ATTEMPTS, Turn, take};
pub(crate) use begin::begin;
pub(crate) use finish::finish;
