//! The runtime at its public boundary, one file per behaviour. What ran in which super-step is read from the journal.

mod log;

mod breakpoints;
mod budget;
mod caching;
mod compile;
mod concurrency;
mod deferred;
mod described;
mod durability;
mod eager;
mod error_handlers;
mod events;
mod functional;
mod importing;
mod joins;
mod joins_reached;
mod json_state;
mod managed_values;
mod once;
mod panics;
mod questions;
mod retention;
mod retry;
mod routing;
mod sends;
mod silent_failures;
mod simulation;
mod statuses;
mod stopping;
mod subgraph_levels;
mod subgraph_persistence;
mod subgraphs;
mod super_steps;
mod time_travel;
mod timeouts;
