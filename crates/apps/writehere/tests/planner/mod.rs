//! The planner as a graph, on scripted models: the order of actions that the original was recorded with, and schedules. Control flow
//! only; the plans and texts are ours, made to the figures of the recorded runs.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod killed;
mod options;
mod order;
mod script;
