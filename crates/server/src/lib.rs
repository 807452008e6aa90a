//! Skeleton

mod builder;
mod chat;
mod demo;
mod events;
mod graph;
mod host;
mod http;
mod langgraph;
mod log;
pub mod messages;
mod openai;
mod records;
mod refusal;
mod running;
mod runs;

pub use builder::Server;
pub use http::{AllowedOrigin, AllowedOrigins, Cors, Keys, Limits, Scope, Security, SecurityError, ServeError};
pub use running::{Running, StartError};
