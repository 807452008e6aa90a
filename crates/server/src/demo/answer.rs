//! Answers of any JSON type, read as texts.

use serde_json::Value;

/// A text as it is, and any other value as its JSON text.
pub(super) fn answer_text(answer: &Value) -> String {
    answer.as_str().map_or_else(|| answer.to_string(), str::to_owned)
}
