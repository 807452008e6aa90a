//! What the encoders of several wires share.

use serde_json::{Map, Value, json};

use crate::{ChatRequest, Message, Part, Role};

/// The system messages at the beginning as texts, and the rest. A system message later in a conversation stays where it
/// is, and is sent like a user's.
pub(super) fn system_and_rest(messages: &[Message]) -> (Vec<String>, &[Message]) {
    let leading = messages.iter().take_while(|message| message.role == Role::System).count();
    let (system, rest) = messages.split_at(leading);
    let texts = system.iter().map(Message::joined_text).filter(|text| !text.trim().is_empty());
    (texts.collect(), rest)
}

/// A number as JSON: converted through text, so that 0.7 is sent as 0.7 and not as the nearest double of an `f32`.
pub(super) fn number(value: f32) -> Option<Value> {
    value.to_string().parse::<f64>().ok().map(|wide| json!(wide))
}

/// Adds the temperature and the nucleus under their names.
pub(super) fn insert_sampling(
    body: &mut Map<String, Value>,
    request: &ChatRequest,
    is_taken: bool,
    [temperature, top_p]: [&str; 2],
) {
    if !is_taken {
        return;
    }
    for (name, value) in [(temperature, request.params.temperature), (top_p, request.params.top_p)] {
        if let Some(value) = value.and_then(number) {
            body.insert(name.to_owned(), value);
        }
    }
}

/// The name of the tool whose call has this id, searched backwards from a message: providers that have no ids repeat them
/// from turn to turn.
pub(super) fn tool_of<'a>(messages: &'a [Message], before: usize, call_id: &str) -> Option<&'a str> {
    let parts = messages[..before].iter().rev().flat_map(|message| message.parts.iter().rev());
    let mut calls = parts.filter_map(|part| match part {
        Part::ToolCall(call) => Some(call),
        _ => None,
    });
    calls.find(|call| call.id == call_id).map(|call| call.name.as_str())
}

/// The result of a tool as text, in which a failure says that it is one.
pub(super) fn result_text(result: &crate::ToolResult) -> String {
    if result.is_error { format!("error: {}", result.content) } else { result.content.clone() }
}
