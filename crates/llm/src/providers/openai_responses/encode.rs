//! A request as JSON. Nothing is stored at the provider: every request has the whole conversation.

use serde_json::{Map, Value, json};

use super::NAME;
use crate::providers::schema::{OPENAI, convert};
use crate::providers::text::{insert_sampling, result_text};
use crate::providers::wire::Outgoing;
use crate::structured::prepare_prompted;
use crate::{
    ChatRequest, DocumentSource, ImageSource, Message, Part, ResponseFormat, Role, StructuredSupport, ToolChoice,
};

/// The name of a document that has none.
const UNNAMED: &str = "document.pdf";

pub(super) fn encode(outgoing: &Outgoing<'_>) -> Result<Value, String> {
    let Outgoing { request, features, .. } = outgoing;
    let prompted;
    let (format, request): (Option<Value>, &ChatRequest) = match (&request.format, features.structured) {
        (ResponseFormat::Text, _) | (ResponseFormat::JsonObject, StructuredSupport::Prompted) => (None, request),
        (ResponseFormat::JsonObject, _) => (Some(json!({"type": "json_object"})), request),
        (ResponseFormat::JsonSchema { name, schema }, StructuredSupport::JsonSchema) => {
            let strict = convert(schema, &OPENAI);
            let is_strict = strict.is_some();
            let schema = strict.unwrap_or_else(|| schema.clone());
            (Some(json!({"type": "json_schema", "name": name, "strict": is_strict, "schema": schema})), request)
        }
        (ResponseFormat::JsonSchema { schema, .. }, support) => {
            prompted = prepare_prompted(request, schema);
            ((support == StructuredSupport::JsonObject).then(|| json!({"type": "json_object"})), &prompted)
        }
    };
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(outgoing.model));
    let mut items = Vec::new();
    for message in &request.messages {
        items.extend(message_items(message, features.encrypted_reasoning)?);
    }
    body.insert("input".to_owned(), Value::Array(items));
    body.insert("store".to_owned(), json!(false));
    if features.encrypted_reasoning {
        body.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
    }
    if let Some(format) = format {
        body.insert("text".to_owned(), json!({"format": format}));
    }
    if let Some(asked) = features.reasoning(request.params.reasoning) {
        body.insert("reasoning".to_owned(), json!({"effort": asked.effort().word()}));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let strict = if tool.strict && features.strict_tools { convert(&tool.parameters, &OPENAI) } else { None };
            // A tool is strict here unless the request says otherwise.
            let is_strict = strict.is_some();
            json!({"type": "function", "name": tool.name, "description": tool.description, "strict": is_strict,
                "parameters": strict.unwrap_or_else(|| tool.parameters.clone())})
        });
        body.insert("tools".to_owned(), tools.collect());
        let choice = match &request.tool_choice {
            ToolChoice::None => Some(json!("none")),
            ToolChoice::Required if features.forced_tools => Some(json!("required")),
            ToolChoice::Named(name) if features.forced_tools => Some(json!({"type": "function", "name": name})),
            _ => None,
        };
        if let Some(choice) = choice {
            body.insert("tool_choice".to_owned(), choice);
        }
        if let (Some(parallel), true) = (request.parallel_tools, features.parallel_switch) {
            body.insert("parallel_tool_calls".to_owned(), json!(parallel));
        }
    }
    insert_sampling(&mut body, request, features.sampling, ["temperature", "top_p"]);
    if let Some(limit) = request.params.max_tokens {
        body.insert("max_output_tokens".to_owned(), json!(limit));
    }
    if outgoing.stream {
        body.insert("stream".to_owned(), json!(true));
    }
    Ok(Value::Object(body))
}

/// The items of one message: calls, results and reasoning are items of their own, in their order. Reasoning is left out
/// for a model that takes none in encrypted form.
fn message_items(message: &Message, encrypted: bool) -> Result<Vec<Value>, String> {
    let role = match message.role {
        Role::System => "system",
        Role::User | Role::Tool => "user",
        Role::Assistant => "assistant",
    };
    let mut items: Vec<Value> = Vec::new();
    let mut content: Vec<Value> = Vec::new();
    let said = |content: &mut Vec<Value>, items: &mut Vec<Value>| {
        if !content.is_empty() {
            items.push(json!({"type": "message", "role": role, "content": std::mem::take(content)}));
        }
    };
    for part in &message.parts {
        match part {
            Part::Text { text } if text.is_empty() => {}
            Part::Text { text } => {
                let kind = if message.role == Role::Assistant { "output_text" } else { "input_text" };
                content.push(json!({"type": kind, "text": text}));
            }
            Part::Image { source } => {
                let url = match source {
                    ImageSource::Url { url } => url.clone(),
                    ImageSource::Base64 { media_type, data } => format!("data:{media_type};base64,{data}"),
                };
                content.push(json!({"type": "input_image", "detail": "auto", "image_url": url}));
            }
            Part::Document { name, source } => content.push(match source {
                DocumentSource::Url { url } => json!({"type": "input_file", "file_url": url}),
                DocumentSource::Base64 { media_type, data } => {
                    let data = format!("data:{media_type};base64,{data}");
                    json!({"type": "input_file", "filename": name.as_deref().unwrap_or(UNNAMED), "file_data": data})
                }
            }),
            Part::ToolCall(call) => {
                said(&mut content, &mut items);
                let arguments = match &call.arguments {
                    Value::String(raw) => raw.clone(),
                    other => other.to_string(),
                };
                items.push(json!({
                    "type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}));
            }
            Part::ToolResult(result) => {
                said(&mut content, &mut items);
                items.push(json!({
                    "type": "function_call_output", "call_id": result.call_id, "output": result_text(result)}));
            }
            Part::EncryptedReasoning { wire, data } if encrypted && wire == NAME => {
                said(&mut content, &mut items);
                items.push(data.clone());
            }
            Part::Reasoning { .. } | Part::EncryptedReasoning { .. } => {}
        }
    }
    said(&mut content, &mut items);
    Ok(items)
}
