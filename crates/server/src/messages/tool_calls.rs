//! Tool calls of a model's message, read from `LangChain`'s form and from OpenAI's.

use serde_json::{Map, Value, json};

/// Tool calls that can be made, and those whose arguments cannot be read.
pub(super) struct ToolCalls {
    pub(super) valid: Vec<Value>,
    pub(super) invalid: Vec<Value>,
}

/// Turns the calls that have OpenAI's form, `{"id", "function": {"name", "arguments"}}`, into `LangChain`'s,
/// `{"name", "args", "id", "type": "tool_call"}`. Calls of that form have these keys first, and keep any others.
pub(super) fn read_tool_calls(calls: Vec<Value>) -> ToolCalls {
    let mut read = ToolCalls { valid: Vec::new(), invalid: Vec::new() };
    for call in calls {
        let Some(function) = call.get("function") else {
            read.valid.push(ordered(call));
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

fn ordered(call: Value) -> Value {
    let Value::Object(mut call) = call else { return call };
    let mut ordered = Map::new();
    for key in ["name", "args", "id"] {
        ordered.insert(key.to_owned(), call.shift_remove(key).unwrap_or_default());
    }
    call.shift_remove("type");
    ordered.insert("type".to_owned(), Value::String("tool_call".to_owned()));
    ordered.append(&mut call);
    Value::Object(ordered)
}

fn invalid(name: Option<&Value>, args: &str, id: Option<&Value>, error: &str) -> Value {
    json!({ "name": name, "args": args, "id": id, "error": error, "type": "invalid_tool_call" })
}
