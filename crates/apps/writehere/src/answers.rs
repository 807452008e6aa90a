//! What answers to the questions of a run look like.

use schemars::schema_for;
use serde_json::{Value, json};

use crate::budget::BUDGET;
use crate::review::{PLAN_REVIEW, PlanVerdict};

/// The JSON schemas of answers, by the keys of their questions, of which each stands before a `/`: whoever shows a question
/// makes a form of its schema.
pub fn answers() -> [(&'static str, Value); 3] {
    [
        (PLAN_REVIEW, schema_for!(PlanVerdict).to_value()),
        ("break", go_on("Go on from the breakpoint")),
        (BUDGET, go_on("Try again, now that the budget is larger")),
    ]
}

/// An answer that says no more than that the run may go on.
fn go_on(title: &str) -> Value {
    json!({ "title": title, "type": "string", "default": "continue" })
}
