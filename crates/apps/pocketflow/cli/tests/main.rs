//! The `pocketflow` command on scripted models: talking, answering, looking back, exporting, bad input. Sources of the
//! network are servers on the loopback.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod bad_input;
mod budget;
mod conversation;
mod described;
mod export;
mod inspection;
mod journey_embedded;
mod options;
mod parameters;
mod reading;
mod sources;
mod stores;
#[cfg(unix)]
mod studio;
mod support;
#[cfg(unix)]
mod terminal;
mod thinking;
mod two_processes;
