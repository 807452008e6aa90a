//! The command `deepsearch`.

mod bad_input;
mod configuration;
mod dialogue;
mod embedded;
mod graphs;
mod kills;
mod recording;
mod runs;
mod support;
