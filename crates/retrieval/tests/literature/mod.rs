//! The literature at its public boundary: hosts on this machine that answer as the real ones do.
#![expect(clippy::unwrap_used, reason = "a step that fails fails the test")]

mod answers;
mod export;
mod hosts;
mod mutilated;
mod parsers;
mod requests;
mod together;
mod trouble;
