//! Messages in the form of the protocol, and in that of graphs.

use serde_json::{Value, json};

use crate::chat::MESSAGES;
use crate::graph::Fields;
use crate::messages::{Message, MessageKind, Messages};

/// A message of a client as a graph takes it; none for those that are only shown, such as thoughts and activities.
pub(super) fn from_client(message: &Value) -> Option<Value> {
    let role = message.get("role")?.as_str()?;
    if matches!(role, "reasoning" | "activity") {
        return None;
    }
    let mut taken = json!({"role": role, "content": message.get("content").cloned().unwrap_or_else(|| "".into())});
    if taken["content"].is_null() {
        taken["content"] = "".into();
    }
    for (theirs, ours) in [("id", "id"), ("name", "name"), ("toolCallId", "tool_call_id"), ("toolCalls", "tool_calls")]
    {
        if let Some(value) = message.get(theirs).filter(|value| !value.is_null()) {
            taken[ours] = value.clone();
        }
    }
    Some(taken)
}

fn to_client(message: &Message) -> Value {
    let role = match message.kind() {
        MessageKind::Human => "user",
        MessageKind::Ai => "assistant",
        MessageKind::System => "system",
        MessageKind::Tool => "tool",
        MessageKind::Remove => return Value::Null,
    };
    let mut shown = json!({"id": message.id(), "role": role, "content": message.text()});
    if let Some(name) = message.name() {
        shown["name"] = name.into();
    }
    if let Some(call) = message.get("tool_call_id") {
        shown["toolCallId"] = call.clone();
    }
    let calls: Vec<Value> = message
        .tool_calls()
        .iter()
        .map(|call| {
            let function = json!({"name": call["name"], "arguments": call["args"].to_string()});
            json!({"id": call["id"], "type": "function", "function": function})
        })
        .collect();
    if !calls.is_empty() {
        shown["toolCalls"] = calls.into();
    }
    shown
}

/// The messages of a state in the form of the protocol; none where the state has no such field.
pub(super) fn shown(values: &Fields) -> Option<Value> {
    let messages = Messages::try_from(values.get(MESSAGES)?.clone()).ok()?;
    Some(messages.iter().map(to_client).filter(|message| !message.is_null()).collect())
}
