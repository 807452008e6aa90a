//! Calls of this application's tools, by their arguments.

use serde_json::{Value, json};

use crate::state::PlannedAction;

/// Reads a note.
pub(crate) fn read_note(path: &str) -> (&'static str, Value) {
    ("read_note", json!({ "path": path }))
}

/// Makes a note.
pub(crate) fn create_note(title: &str, content: &str) -> (&'static str, Value) {
    ("create_note", json!({ "title": title, "content": content }))
}

/// Adds text at the end of a note.
pub(crate) fn append(path: &str, content: &str) -> (&'static str, Value) {
    ("update_note", json!({ "path": path, "operation": "append", "content": content }))
}

/// Sets a key of the frontmatter.
pub(crate) fn set_frontmatter(path: &str, key: &str, value: Value) -> (&'static str, Value) {
    let frontmatter = Value::Object([(key.to_owned(), value)].into_iter().collect());
    ("update_note", json!({ "path": path, "operation": "frontmatter", "frontmatter": frontmatter }))
}

/// A planned action of a call.
pub(crate) fn planned(
    id: String,
    subtask: &str,
    depends_on: Vec<String>,
    (tool, arguments): (&str, Value),
) -> PlannedAction {
    PlannedAction { id, tool: tool.to_owned(), arguments, depends_on, subtask: subtask.to_owned() }
}
