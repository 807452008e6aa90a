//! Messages in the form of the conventions: a role, and parts with a type each.

use serde_json::{Value, json};

use crate::{ChatRequest, ChatResponse, Message, Part, Role};

/// The system instructions and the other messages of a request, as JSON.
pub(super) fn of_request(request: &ChatRequest) -> (String, String) {
    let (system, others): (Vec<&Message>, Vec<&Message>) =
        request.messages.iter().partition(|message| message.role == Role::System);
    let instructions: Vec<Value> = system.into_iter().flat_map(|message| &message.parts).map(part).collect();
    let messages: Vec<Value> = others.into_iter().map(message).collect();
    (Value::from(instructions).to_string(), Value::from(messages).to_string())
}

/// The tools of a request, as JSON.
pub(super) fn of_tools(request: &ChatRequest) -> String {
    let tool = |tool: &crate::ToolSpec| json!({"type": "function", "name": tool.name, "description": tool.description, "parameters": tool.parameters});
    Value::from(request.tools.iter().map(tool).collect::<Vec<_>>()).to_string()
}

/// The message of an answer, as JSON.
pub(super) fn of_response(response: &ChatResponse) -> String {
    let mut told = message(&response.message);
    told["finish_reason"] = json!(response.finish);
    Value::from(vec![told]).to_string()
}

fn message(message: &Message) -> Value {
    json!({"role": message.role, "parts": message.parts.iter().map(part).collect::<Vec<_>>()})
}

/// A part. Bytes of images and documents, and what only a provider can read, are left out.
fn part(part: &Part) -> Value {
    match part {
        Part::Text { text } => json!({"type": "text", "content": text}),
        Part::Reasoning { text, .. } => json!({"type": "reasoning", "content": text}),
        Part::ToolCall(call) => {
            json!({"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments})
        }
        Part::ToolResult(result) => {
            json!({"type": "tool_call_response", "id": result.call_id, "response": result.content})
        }
        Part::Image { .. } => json!({"type": "blob", "modality": "image"}),
        Part::Document { name, .. } => json!({"type": "file", "modality": "document", "file_id": name}),
        Part::EncryptedReasoning { wire, .. } => json!({"type": "encrypted_reasoning", "wire": wire}),
    }
}
