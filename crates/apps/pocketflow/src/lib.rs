//! PocketFlow: a research conversation with reviews that survives restarts.

#![forbid(unsafe_code)]

pub mod actions;
pub mod decide;
pub mod feedback;
pub mod flow;
pub mod research;
pub mod session;
