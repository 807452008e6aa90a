//! Task trees at the public boundary, driven by a stub planner.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

mod any_tree;
mod drawing;
mod explaining;
mod failure;
mod invalid_changes;
mod large;
mod loading;
mod order_of_actions;
mod plans;
mod replanning;
mod study_model;
