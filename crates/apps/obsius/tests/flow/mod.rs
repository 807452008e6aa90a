//! The workflow with scripted models: what happens in which phase, and how runs end.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod crash;
mod earlier;
mod ends;
mod found;
mod limits;
mod links;
mod mending;
mod options;
mod resolver;
mod review;
mod support;
mod traces;
mod vaults;
