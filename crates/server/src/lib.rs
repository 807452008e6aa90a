//! Skeleton

#[expect(dead_code, unused_imports, reason = "the protocols that are served use it")]
mod http;

pub use http::{AllowedOrigin, AllowedOrigins, Cors, Keys, Limits, Scope, Security, SecurityError, ServeError};
