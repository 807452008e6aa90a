//! Tool calls of a model's message, read from `LangChain`'s form and from OpenAI's.

use serde_json::{Value, json};

/// Tool calls that can be made, and those whose arguments cannot be read.
pub(super) struct ToolCalls {
    pub(super) valid: Vec<Value>,
    pub(super) invalid: Vec<Value>,
}

/// Turns the calls that have OpenAI's form, `{"id", "function": {"name", "arguments"}}`, into `LangChain`'s,
/// `{"name", "args", "id", "type": "tool_call"}`; others stay as they are.
pub(super) fn read_tool_calls(calls: Vec<Value>) -> ToolCalls {
    let mut read = ToolCalls { valid: Vec::new(), invalid: Vec::new() };
    for call in calls {
        let Some(function) = call.get("function") else {
            read.valid.push(call);
            continue;
        };
        let (id, name) = (call.get("id"), function.get("name"));
        let written = function.get("arguments").and_then(Value::as_str).unwrap_or_default();
        // A call without arguments has an empty text there.
        let arguments = if written.trim().is_empty() { "{}" } else { written };
        match serde_json::from_str::<Value>(arguments) {
            Ok(args @ Value::Object(_)) => {
                read.valid.push(json!({ "name": name, "args": args, "id": id, "type": "tool_call" }));
            }
            Ok(_) => read.invalid.push(invalid(name, written, id, "the arguments are not an object")),
            Err(error) => read.invalid.push(invalid(name, written, id, &error.to_string())),
        }
    }
    read
}

fn invalid(name: Option<&Value>, args: &str, id: Option<&Value>, error: &str) -> Value {
    json!({ "name": name, "args": args, "id": id, "error": error, "type": "invalid_tool_call" })
}
