//! The behaviour of the runtime, one named test per case, on every store and in every durability.
//!
//! Numbers are those of `docs/semantics.md`, which says in a sentence what each case is about and where it differs
//! from LangGraph; a test holds the two lists together.

#![expect(clippy::unwrap_used, reason = "the functions of the cases are bodies of tests")]

mod case_store;
mod work;

mod events;
mod failures;
mod features;
mod history;
mod kept_subgraphs;
mod lifetimes;
mod questions;
mod routing;
mod sends;
mod silent_failures;
mod stalled;
mod stopping;
mod stores;
mod subgraphs;
mod super_steps;
mod table;
mod time_limits;
