//! What answers to the questions of a run look like.

use graphloom_agents::Verdict;
use schemars::schema_for;
use serde_json::Value;

/// The JSON schemas of answers, by the keys of their questions: whoever shows a question makes a form of its schema.
pub fn answers() -> [(&'static str, Value); 1] {
    [("review", schema_for!(Verdict).to_value())]
}
