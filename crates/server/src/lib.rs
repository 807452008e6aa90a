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

#[expect(dead_code, unused_imports, reason = "the protocols that are served use it")]
mod http;

pub use builder::Server;
pub use http::{AllowedOrigin, AllowedOrigins, Cors, Keys, Limits, Scope, Security, SecurityError, ServeError};
