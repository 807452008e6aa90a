//! The `writehere` command on the real embedded model: results, kills, recordings, inspection, bad input.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod bad_input;
mod inspection;
mod kills;
mod recording;
mod support;
