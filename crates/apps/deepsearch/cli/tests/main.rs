//! The command `deepsearch`.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod bad_input;
mod budget;
mod configuration;
mod described;
mod dialogue;
mod documents;
mod embedded;
mod graphs;
mod kills;
mod options;
mod recheck;
mod recording;
mod rewrite;
mod runs;
mod secrets;
mod server;
mod studio;
mod support;
mod terminal;
mod thinking;
mod timeouts;
mod vision;
mod web;

#[path = "../../tests/page/mod.rs"]
mod page;
