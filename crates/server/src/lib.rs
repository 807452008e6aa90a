//! Skeleton

mod builder;
mod demo;
mod graph;
mod log;
pub mod messages;
mod records;
mod refusal;
mod runs;

pub use builder::Server;
