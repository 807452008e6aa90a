//! The command `deepsearch`.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod bad_input;
mod configuration;
mod described;
mod dialogue;
mod embedded;
mod graphs;
mod kills;
mod recheck;
mod recording;
mod rewrite;
mod runs;
mod secrets;
mod support;
mod terminal;
mod timeouts;
mod vision;
mod web;

#[path = "../page/mod.rs"]
mod page;
