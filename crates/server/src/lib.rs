//! Skeleton

mod builder;
mod demo;
mod graph;
mod host;
mod http;
mod langgraph;
mod log;
pub mod messages;
mod records;
mod refusal;
mod running;
mod runs;
mod webhooks;

pub use builder::Server;
pub use http::{AllowedOrigin, AllowedOrigins, Cors, Keys, Limits, Scope, Security, SecurityError, ServeError};
pub use running::{Running, StartError};
pub use webhooks::WebhookTargets;
