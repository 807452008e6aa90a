//! A request as JSON.

use serde_json::{Map, Value, json};

use super::NAME;
use crate::providers::schema::{ANTHROPIC, convert};
use crate::providers::text::{insert_sampling, system_and_rest};
use crate::providers::wire::Outgoing;
use crate::structured::prepare_prompted;
use crate::{
    ChatRequest, DocumentSource, Effort, ImageSource, Message, Part, Reasoning, ResponseFormat, Role,
    StructuredSupport, ToolCall, ToolChoice, ToolSpec,
};

/// The most tokens of an answer when the request does not say: the interface wants a number, and every current model
/// generates as many.
const MAX_TOKENS: u32 = 16_384;

/// The fewest tokens of reasoning that the interface takes.
const FEWEST: u32 = 1024;

pub(super) fn encode(outgoing: &Outgoing<'_>) -> Result<Value, String> {
    let Outgoing { request, features, .. } = outgoing;
    let mut output = Map::new();
    let prompted;
    let request: &ChatRequest = match &request.format {
        ResponseFormat::JsonSchema { schema, .. } => {
            let native = (features.structured == StructuredSupport::JsonSchema).then(|| convert(schema, &ANTHROPIC));
            match native.flatten() {
                Some(schema) => {
                    output.insert("format".to_owned(), json!({"type": "json_schema", "schema": schema}));
                    request
                }
                None => {
                    prompted = prepare_prompted(request, schema);
                    &prompted
                }
            }
        }
        _ => request,
    };
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(outgoing.model));
    let mut limit = request.params.max_tokens.unwrap_or(MAX_TOKENS);
    match features.reasoning(request.params.reasoning) {
        None => {}
        Some(Reasoning::Effort(Effort::None) | Reasoning::Tokens(0)) => {
            body.insert("thinking".to_owned(), json!({"type": "disabled"}));
        }
        Some(Reasoning::Effort(effort)) => {
            body.insert("thinking".to_owned(), json!({"type": "adaptive"}));
            output.insert("effort".to_owned(), json!(effort.max(Effort::Low).word()));
        }
        Some(Reasoning::Tokens(tokens)) => {
            let tokens = tokens.max(FEWEST);
            // The limit counts reasoning too, and must leave room for an answer.
            if limit <= tokens {
                limit = limit.saturating_add(tokens);
            }
            body.insert("thinking".to_owned(), json!({"type": "enabled", "budget_tokens": tokens}));
        }
    }
    body.insert("max_tokens".to_owned(), json!(limit));
    let stable = if features.cache_marks { request.stable_messages() } else { 0 };
    let mut tools = tools(&request.tools, features.strict_tools);
    let (system, rest) = system_and_rest(&request.messages);
    let mut system: Vec<Value> = system.iter().map(|text| json!({"type": "text", "text": text})).collect();
    let leading = request.messages.len() - rest.len();
    let mut messages = messages(rest, stable.saturating_sub(leading))?;
    // What is stable comes first, and the mark stands at its end. One mark covers everything before it, but a mark on a
    // message moves with the conversation, so tools and system messages have one of their own.
    if features.cache_marks
        && (stable > 0 || system.is_empty())
        && let Some(last) = system.last_mut().or(tools.last_mut())
    {
        mark(last);
    }
    if !system.is_empty() {
        body.insert("system".to_owned(), Value::Array(system));
    }
    messages.retain(|message| message["content"] != json!([]));
    body.insert("messages".to_owned(), Value::Array(messages));
    if !tools.is_empty() {
        body.insert("tools".to_owned(), Value::Array(tools));
        if let Some(choice) = tool_choice(request, outgoing) {
            body.insert("tool_choice".to_owned(), choice);
        }
    }
    insert_sampling(&mut body, request, features.sampling, ["temperature", "top_p"]);
    if !request.params.stop.is_empty() {
        body.insert("stop_sequences".to_owned(), json!(request.params.stop));
    }
    if !output.is_empty() {
        body.insert("output_config".to_owned(), Value::Object(output));
    }
    if outgoing.stream {
        body.insert("stream".to_owned(), json!(true));
    }
    Ok(Value::Object(body))
}

/// Marks the end of what is stable. Reasoning takes no mark.
fn mark(block: &mut Value) {
    if !matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking")) {
        block["cache_control"] = json!({"type": "ephemeral"});
    }
}

fn tools(tools: &[ToolSpec], strict_tools: bool) -> Vec<Value> {
    let sent = tools.iter().map(|tool| {
        let strict = if tool.strict && strict_tools { convert(&tool.parameters, &ANTHROPIC) } else { None };
        let is_strict = strict.is_some();
        let mut sent = json!({
            "name": tool.name, "description": tool.description,
            "input_schema": strict.unwrap_or_else(|| tool.parameters.clone()),
        });
        if is_strict {
            sent["strict"] = json!(true);
        }
        sent
    });
    sent.collect()
}

fn tool_choice(request: &ChatRequest, outgoing: &Outgoing<'_>) -> Option<Value> {
    let one_at_a_time = request.parallel_tools == Some(false) && outgoing.features.parallel_switch;
    let mut choice = match &request.tool_choice {
        ToolChoice::None => return Some(json!({"type": "none"})),
        ToolChoice::Required if outgoing.features.forced_tools => json!({"type": "any"}),
        ToolChoice::Named(name) if outgoing.features.forced_tools => json!({"type": "tool", "name": name}),
        _ if one_at_a_time => json!({"type": "auto"}),
        _ => return None,
    };
    if one_at_a_time {
        choice["disable_parallel_tool_use"] = json!(true);
    }
    Some(choice)
}

/// The messages. Neighbours of one role become one message, since the results of parallel calls must stand together.
/// The last block of the first `stable` messages is marked.
fn messages(messages: &[Message], stable: usize) -> Result<Vec<Value>, String> {
    let mut sent: Vec<(&str, Vec<Value>)> = Vec::new();
    for (number, message) in messages.iter().enumerate() {
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        let mut blocks = Vec::new();
        for part in &message.parts {
            blocks.extend(block(part, message.role)?);
        }
        match sent.last_mut() {
            Some((last, before)) if *last == role => before.append(&mut blocks),
            _ => sent.push((role, blocks)),
        }
        if number + 1 == stable
            && let Some(last) = sent.last_mut().and_then(|(_, blocks)| blocks.last_mut())
        {
            mark(last);
        }
    }
    // The results of tools come before anything else that a user says.
    for (_, blocks) in &mut sent {
        blocks.sort_by_key(|block| block["type"] != "tool_result");
    }
    Ok(sent.into_iter().map(|(role, blocks)| json!({"role": role, "content": blocks})).collect())
}

fn block(part: &Part, role: Role) -> Result<Option<Value>, String> {
    let is_assistant = role == Role::Assistant;
    Ok(match part {
        // The interface refuses empty texts.
        Part::Text { text } => (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text})),
        Part::Image { source } => {
            let source = match source {
                ImageSource::Url { url } => json!({"type": "url", "url": url}),
                ImageSource::Base64 { media_type, data } => {
                    json!({"type": "base64", "media_type": media_type, "data": data})
                }
            };
            Some(json!({"type": "image", "source": source}))
        }
        Part::Document { name, source } => {
            let source = match source {
                DocumentSource::Url { url } => json!({"type": "url", "url": url}),
                DocumentSource::Base64 { media_type, data } if media_type == "application/pdf" => {
                    json!({"type": "base64", "media_type": media_type, "data": data})
                }
                DocumentSource::Base64 { media_type, .. } => {
                    return Err(format!("read documents of the type `{media_type}`, only PDF files"));
                }
            };
            let mut block = json!({"type": "document", "source": source});
            if let Some(name) = name {
                block["title"] = json!(name);
            }
            Some(block)
        }
        Part::ToolCall(call) => Some(tool_use(call)),
        Part::ToolResult(result) => {
            let mut block = json!({"type": "tool_result", "tool_use_id": result.call_id, "content": result.content});
            if result.is_error {
                block["is_error"] = json!(true);
            }
            Some(block)
        }
        Part::Reasoning { text, signature: Some(signature) } if is_assistant => {
            Some(json!({"type": "thinking", "thinking": text, "signature": signature}))
        }
        Part::EncryptedReasoning { wire, data } if is_assistant && wire == NAME => {
            Some(json!({"type": "redacted_thinking", "data": data}))
        }
        // Reasoning without a signature is another provider's, and would be refused.
        Part::Reasoning { .. } | Part::EncryptedReasoning { .. } => None,
    })
}

fn tool_use(call: &ToolCall) -> Value {
    let input = match &call.arguments {
        Value::String(raw) => json!({"raw": raw}),
        other => other.clone(),
    };
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}
