//! The client at its public boundary: against a scripted server on loopback, and against real ones.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod answers;
mod peers;
mod protocol;
mod remote;
mod retries;
mod scripted_server;
mod streams;
