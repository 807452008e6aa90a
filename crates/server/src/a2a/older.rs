//! The forms of 0.3, made of those of 1.0: kinds in the place of wrappers, and the older words of states and roles.

use serde_json::{Map, Value};

/// A task, a status update or an artefact update in the form of 0.3.
pub(super) fn form(value: Value) -> Value {
    let kind = match &value {
        Value::Object(fields) if fields.contains_key("artifact") => "artifact-update",
        Value::Object(fields) if fields.contains_key("taskId") => "status-update",
        _ => "task",
    };
    let mut formed = within(value);
    if let Value::Object(fields) = &mut formed {
        fields.insert("kind".to_owned(), kind.into());
        if kind == "status-update" {
            fields.entry("final").or_insert(false.into());
        }
    }
    formed
}

fn within(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(fields.into_iter().map(field).collect::<Map<_, _>>()),
        Value::Array(list) => list.into_iter().map(within).collect(),
        other => other,
    }
}

fn field((name, value): (String, Value)) -> (String, Value) {
    let value = match (name.as_str(), value) {
        ("state", Value::String(state)) => word(&state, "TASK_STATE_").into(),
        ("role", Value::String(role)) => word(&role, "ROLE_").into(),
        ("message", message @ Value::Object(_)) => {
            let mut message = within(message);
            message["kind"] = "message".into();
            message
        }
        ("parts", Value::Array(parts)) => parts.into_iter().map(part).collect(),
        // What an agent wrote is left as it is.
        ("data", data) => data,
        (_, other) => within(other),
    };
    (name, value)
}

fn part(mut part: Value) -> Value {
    let kind = if part.get("text").is_some() { "text" } else { "data" };
    part["kind"] = kind.into();
    part
}

fn word(word: &str, prefix: &str) -> String {
    word.strip_prefix(prefix).unwrap_or(word).to_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::form;

    #[test]
    fn each_form_has_its_kind_and_the_older_words() {
        let cases = [
            (
                json!({"id": "t:r", "status": {"state": "TASK_STATE_INPUT_REQUIRED", "message": {
                    "role": "ROLE_AGENT", "parts": [{"text": "Send?"}],
                }}}),
                json!({"id": "t:r", "status": {"state": "input-required", "message": {
                    "role": "agent", "parts": [{"text": "Send?", "kind": "text"}], "kind": "message",
                }}, "kind": "task"}),
            ),
            (
                json!({"taskId": "t:r", "status": {"state": "TASK_STATE_WORKING"}}),
                json!({"taskId": "t:r", "status": {"state": "working"}, "kind": "status-update", "final": false}),
            ),
            (
                json!({"taskId": "t:r", "artifact": {"parts": [{"data": {"state": "TASK_STATE_OWN"}}]}}),
                json!({"taskId": "t:r", "kind": "artifact-update",
                    "artifact": {"parts": [{"data": {"state": "TASK_STATE_OWN"}, "kind": "data"}]}}),
            ),
        ];
        for (new, old) in cases {
            assert_eq!(form(new), old);
        }
    }
}
