//! The corpus at its public boundary, on real files.
#![expect(clippy::unwrap_used, reason = "a step that fails fails the test")]

mod damage;
mod hybrid;
mod incremental;
mod passages;
mod place;
mod search;
mod unwritten;
