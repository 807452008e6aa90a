//! The `obsius` command on the real embedded model and a vault of real documents: the two usage examples,
//! reviews, recovery, inspection, bad input.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod backups;
mod bad_input;
mod budget;
mod consent;
mod described;
mod documents;
mod edited;
mod ends;
mod examples;
mod links;
mod mcp;
mod options;
mod recording;
mod search;
mod sessions;
mod settings;
mod skipped;
mod sources;
mod studio;
mod support;
#[cfg(unix)]
mod terminal;
mod thinking;
