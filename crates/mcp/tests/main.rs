//! What the client does with servers: published ones that nobody of this project wrote, and ones that behave badly.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod config;
mod conversation;
mod login;
mod misbehaving;
mod nearly_right;
mod nearly_right_drawn;
mod nearly_right_http;
mod published;
mod support;
