//! Tests.

#![expect(clippy::unwrap_used, reason = "what a test cannot do without ends it at its place")]

mod accepted;
mod cluster;
mod durability;
mod fuzz;
mod messages;
mod misfit;
mod model;
mod program;
mod slow_clients;
mod support;
