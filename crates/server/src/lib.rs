//! Skeleton

#[cfg_attr(not(test), expect(dead_code, reason = "the server does not serve the demo graphs yet"))]
mod demo;
pub mod messages;
