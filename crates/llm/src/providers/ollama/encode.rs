//! A request as JSON.

use serde_json::{Map, Value, json};

use crate::providers::text::{insert_sampling, result_text, tool_of};
use crate::providers::wire::Outgoing;
use crate::structured::prepare_prompted;
use crate::{
    ChatRequest, Effort, ImageSource, Message, Part, Reasoning, ResponseFormat, Role, StructuredSupport, ToolChoice,
};

/// The least context that is asked for, in tokens. Ollama cuts what does not fit without a word.
const LEAST_CONTEXT: u32 = 8192;

/// Tokens that are left for an answer whose length is not limited.
const ROOM: u32 = 2048;

pub(super) fn encode(outgoing: &Outgoing<'_>) -> Result<Value, String> {
    let Outgoing { request, features, .. } = outgoing;
    let prompted;
    let (format, request): (Option<Value>, &ChatRequest) = match (&request.format, features.structured) {
        (ResponseFormat::Text, _) | (ResponseFormat::JsonObject, StructuredSupport::Prompted) => (None, request),
        (ResponseFormat::JsonObject, _) => (Some(json!("json")), request),
        (ResponseFormat::JsonSchema { schema, .. }, StructuredSupport::JsonSchema | StructuredSupport::Constrained) => {
            (Some(schema.clone()), request)
        }
        (ResponseFormat::JsonSchema { schema, .. }, support) => {
            prompted = prepare_prompted(request, schema);
            ((support == StructuredSupport::JsonObject).then(|| json!("json")), &prompted)
        }
    };
    let mut messages = Vec::new();
    for (number, message) in request.messages.iter().enumerate() {
        messages.extend(sent(&request.messages, number, message)?);
    }
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(outgoing.model));
    let context = outgoing.context.unwrap_or_else(|| context_for(&messages, request));
    body.insert("messages".to_owned(), Value::Array(messages));
    // Without the member Ollama streams.
    body.insert("stream".to_owned(), json!(outgoing.stream));
    if let Some(format) = format {
        body.insert("format".to_owned(), format);
    }
    // Ollama cannot be told that a tool must be called, but without tools none is.
    if !request.tools.is_empty() && request.tool_choice != ToolChoice::None {
        let tools = request.tools.iter().map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.parameters}})
        });
        body.insert("tools".to_owned(), tools.collect());
    }
    match features.reasoning(request.params.reasoning) {
        None => {}
        Some(Reasoning::Effort(Effort::None)) => {
            body.insert("think".to_owned(), json!(false));
        }
        Some(asked) => {
            body.insert("think".to_owned(), json!(asked.effort().max(Effort::Low).word()));
        }
    }
    let mut options = Map::new();
    options.insert("num_ctx".to_owned(), json!(context));
    if let Some(limit) = request.params.max_tokens {
        options.insert("num_predict".to_owned(), json!(limit));
    }
    if let (Some(seed), true) = (request.params.seed, features.seed) {
        // The seed is a signed number of 32 bits.
        options.insert("seed".to_owned(), json!(seed & u64::from(u32::MAX >> 1)));
    }
    insert_sampling(&mut options, request, features.sampling, ["temperature", "top_p"]);
    if !request.params.stop.is_empty() {
        options.insert("stop".to_owned(), json!(request.params.stop));
    }
    body.insert("options".to_owned(), Value::Object(options));
    Ok(Value::Object(body))
}

/// A context that the conversation and its answer fit into, at three bytes a token. It grows in doublings, because Ollama
/// loads the model again when it changes.
fn context_for(messages: &[Value], request: &ChatRequest) -> u32 {
    let text = |message: &Value| message["content"].as_str().map_or(0, str::len) + 64;
    let bytes: usize = messages.iter().map(text).sum::<usize>()
        + request.tools.iter().map(|tool| tool.description.len() + tool.parameters.to_string().len()).sum::<usize>();
    let needed = u32::try_from(bytes / 3).unwrap_or(u32::MAX / 4).min(u32::MAX / 4);
    let needed = needed.saturating_add(request.params.max_tokens.unwrap_or(ROOM));
    needed.checked_next_power_of_two().unwrap_or(needed).max(LEAST_CONTEXT)
}

/// The messages on the wire for one [`Message`]: each tool result becomes a message of its own.
fn sent(messages: &[Message], number: usize, message: &Message) -> Result<Vec<Value>, String> {
    let (mut sent, mut images, mut calls, mut thoughts) = (Vec::new(), Vec::new(), Vec::new(), String::new());
    for part in &message.parts {
        match part {
            Part::Text { .. } | Part::EncryptedReasoning { .. } => {}
            Part::Image { source: ImageSource::Base64 { data, .. } } => images.push(json!(data)),
            Part::Image { source: ImageSource::Url { .. } } => return Err("fetch images from an address".to_owned()),
            Part::Document { .. } => return Err("read documents".to_owned()),
            Part::ToolCall(call) => {
                let arguments = match &call.arguments {
                    Value::String(raw) => json!({"raw": raw}),
                    other => other.clone(),
                };
                calls.push(json!({"function": {"name": call.name, "arguments": arguments}}));
            }
            Part::ToolResult(result) => {
                let mut out = json!({"role": "tool", "content": result_text(result)});
                if let Some(name) = tool_of(messages, number, &result.call_id) {
                    out["tool_name"] = json!(name);
                }
                sent.push(out);
            }
            Part::Reasoning { text, .. } => thoughts.push_str(text),
        }
    }
    let text = message.joined_text();
    if text.is_empty() && images.is_empty() && calls.is_empty() {
        return Ok(sent);
    }
    let role = match message.role {
        Role::System => "system",
        Role::User | Role::Tool => "user",
        Role::Assistant => "assistant",
    };
    let mut out = json!({"role": role, "content": text});
    if !images.is_empty() {
        out["images"] = Value::Array(images);
    }
    if !calls.is_empty() {
        out["tool_calls"] = Value::Array(calls);
        // Models that reason between calls expect the reasoning back with the calls that followed it.
        if !thoughts.is_empty() {
            out["thinking"] = json!(thoughts);
        }
    }
    sent.push(out);
    Ok(sent)
}
