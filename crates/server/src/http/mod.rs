//! Between the socket and the protocols: safe by default.
//!
//! - A protocol declares its routes as a table ([`Routes`]), reads requests with [`Json`], [`Query`] and [`Path`], refuses
//!   with a [`Problem`], and answers bit by bit with [`events`] and [`late_json`].
//! - [`Guard::protect`] makes the router of all tables. Every request then passes the checks of [`Security`].
//! - [`serve`] runs it on a socket, and stops it gracefully.

mod described;
mod guard;
mod json;
mod keys;
mod limits;
mod metrics;
mod openapi;
mod origin;
mod path;
mod problem;
mod query;
mod refused;
mod routes;
mod security;
mod serve;
mod span;
mod sse;
mod stall;
#[cfg(test)]
mod tests;

pub(crate) use guard::Guard;
pub(crate) use json::Json;
pub(crate) use keys::Caller;
pub use keys::{Keys, Scope};
pub(crate) use limits::Permit;
pub use origin::{AllowedOrigin, AllowedOrigins};
pub(crate) use path::{AssistantUuid, CheckpointUuid, CronUuid, Path, RunUuid, ThreadUuid, uuid_of};
pub(crate) use problem::Problem;
pub(crate) use query::Query;
pub(crate) use routes::Routes;
pub use security::{Cors, Limits, Security, SecurityError};
pub use serve::ServeError;
pub(crate) use serve::{bind, serve};
pub(crate) use sse::{Frame, events, late_json};
