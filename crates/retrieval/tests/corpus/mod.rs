//! The corpus at its public boundary, on real files.
#![expect(clippy::unwrap_used, reason = "a step that fails fails the test")]

mod books;
mod charsets;
mod damage;
mod git_ignore;
mod hybrid;
mod incremental;
mod kinds;
mod languages;
mod passages;
mod pdf;
mod place;
mod search;
mod unwritten;
