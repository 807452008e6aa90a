//! What answers to the questions of a run look like.

use serde_json::{Value, json};

/// The JSON schemas of answers, by the keys of their questions, of which each stands before a `/`: whoever shows a question
/// makes a form of its schema.
pub fn answers() -> [(&'static str, Value); 2] {
    [("break", go_on("Go on from the breakpoint")), ("budget", go_on("Try again, now that the budget is larger"))]
}

/// An answer that says no more than that the run may go on.
fn go_on(title: &str) -> Value {
    json!({ "title": title, "type": "string", "default": "continue" })
}
