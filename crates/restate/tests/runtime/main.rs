//! The runtime at its public boundary, every task executed by workers over an engine: the tests of `graphloom-core-graph`, with
//! a place of their own where tasks are executed.
//!
//! They take minutes, so that they are asked for: `cargo test -p graphloom-restate --test runtime_over_restate`.

#[path = "../../../core-graph/tests/runtime/amended.rs"]
mod amended;
#[path = "../../../core-graph/tests/runtime/appending.rs"]
mod appending;
#[path = "../../../core-graph/tests/runtime/breakpoints.rs"]
mod breakpoints;
#[path = "../../../core-graph/tests/runtime/budget.rs"]
mod budget;
#[path = "../../../core-graph/tests/runtime/caching.rs"]
mod caching;
#[path = "../../../core-graph/tests/runtime/compact_steps.rs"]
mod compact_steps;
#[path = "../../../core-graph/tests/runtime/compile.rs"]
mod compile;
#[path = "../../../core-graph/tests/runtime/concurrency.rs"]
mod concurrency;
#[path = "../../../core-graph/tests/runtime/deep_subgraphs.rs"]
mod deep_subgraphs;
#[path = "../../../core-graph/tests/runtime/deferred.rs"]
mod deferred;
#[path = "../../../core-graph/tests/runtime/described.rs"]
mod described;
#[path = "../../../core-graph/tests/runtime/durability.rs"]
mod durability;
#[path = "../../../core-graph/tests/runtime/eager.rs"]
mod eager;
#[path = "../../../core-graph/tests/runtime/elsewhere.rs"]
mod elsewhere;
#[path = "../../../core-graph/tests/runtime/error_handlers.rs"]
mod error_handlers;
#[path = "../../../core-graph/tests/runtime/error_texts.rs"]
mod error_texts;
#[path = "../../../core-graph/tests/runtime/events.rs"]
mod events;
#[path = "../../../core-graph/tests/runtime/functional.rs"]
mod functional;
#[path = "../../../core-graph/tests/runtime/goto.rs"]
mod goto;
#[path = "../../../core-graph/tests/runtime/importing.rs"]
mod importing;
#[path = "../../../core-graph/tests/runtime/inline_calls.rs"]
mod inline_calls;
#[path = "../../../core-graph/tests/runtime/input_at.rs"]
mod input_at;
#[path = "../../../core-graph/tests/runtime/inspection.rs"]
mod inspection;
#[path = "../../../core-graph/tests/runtime/joins.rs"]
mod joins;
#[path = "../../../core-graph/tests/runtime/joins_reached.rs"]
mod joins_reached;
#[path = "../../../core-graph/tests/runtime/json_state.rs"]
mod json_state;
#[path = "../../../core-graph/tests/runtime/known_states.rs"]
mod known_states;
#[path = "../../../core-graph/tests/runtime/log/mod.rs"]
mod log;
#[path = "../../../core-graph/tests/runtime/managed_values.rs"]
mod managed_values;
#[path = "../../../core-graph/tests/runtime/migrations.rs"]
mod migrations;
#[path = "../../../core-graph/tests/runtime/once.rs"]
mod once;
#[path = "../../../core-graph/tests/runtime/one_moment.rs"]
mod one_moment;
#[path = "../../../core-graph/tests/runtime/options.rs"]
mod options;
#[path = "../../../core-graph/tests/runtime/panics.rs"]
mod panics;
mod place;
#[path = "../../../core-graph/tests/runtime/questions.rs"]
mod questions;
#[path = "../../../core-graph/tests/runtime/retention.rs"]
mod retention;
#[path = "../../../core-graph/tests/runtime/retry.rs"]
mod retry;
#[path = "../../../core-graph/tests/runtime/routing.rs"]
mod routing;
#[path = "../../../core-graph/tests/runtime/sends.rs"]
mod sends;
#[path = "../../../core-graph/tests/runtime/silent_failures.rs"]
mod silent_failures;
#[path = "../../../core-graph/tests/runtime/spans.rs"]
mod spans;
#[path = "../../../core-graph/tests/runtime/statuses.rs"]
mod statuses;
#[path = "../../../core-graph/tests/runtime/step_timeouts.rs"]
mod step_timeouts;
#[path = "../../../core-graph/tests/runtime/stopping.rs"]
mod stopping;
#[path = "../../../core-graph/tests/runtime/subgraph_levels.rs"]
mod subgraph_levels;
#[path = "../../../core-graph/tests/runtime/subgraph_persistence/mod.rs"]
mod subgraph_persistence;
#[path = "../../../core-graph/tests/runtime/subgraph_travel.rs"]
mod subgraph_travel;
#[path = "../../../core-graph/tests/runtime/subgraphs.rs"]
mod subgraphs;
#[path = "../../../core-graph/tests/runtime/super_steps.rs"]
mod super_steps;
#[path = "../../../core-graph/tests/runtime/time_travel.rs"]
mod time_travel;
#[path = "../../../core-graph/tests/runtime/timeouts.rs"]
mod timeouts;
#[path = "../../../core-graph/tests/runtime/together.rs"]
mod together;
#[path = "../../../core-graph/tests/runtime/unread.rs"]
mod unread;
