//! Skeleton

mod builder;
mod demo;
mod graph;
mod host;
mod log;
pub mod messages;
mod records;
mod refusal;
mod runs;

pub use builder::Server;
