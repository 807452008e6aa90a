//! The web at its public boundary: engines and hosts on this machine that answer as the real ones do.
#![expect(clippy::unwrap_used, reason = "a step that fails fails the test")]

mod engines;
mod frozen;
mod full_text;
mod guard;
mod hosts;
mod keys;
mod mutilated;
mod pages;
mod peer;
mod together;
mod trouble;
