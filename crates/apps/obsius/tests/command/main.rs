//! The `obsius` command on the real embedded model and a vault of real documents: the examples of its specification,
//! reviews, recovery, inspection, bad input.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod bad_input;
mod documents;
mod examples;
mod recording;
mod sessions;
mod skipped;
mod support;
