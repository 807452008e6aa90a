//! A request as JSON.

use serde_json::{Map, Value, json};

use crate::compatible::dialect::Dialect;
use crate::compatible::schema::strict;
use crate::structured::prepare_prompted;
use crate::{ChatRequest, ImageSource, Message, Part, ResponseFormat, Role, StructuredSupport, ToolCall, ToolChoice};

/// The body of a request for chat completions.
pub(in crate::compatible) fn encode(request: &ChatRequest, model: &str, stream: bool, dialect: Dialect) -> Value {
    let (format, instruction) = response_format(&request.format, dialect.structured);
    let prompted;
    let messages = match instruction {
        Some(schema) => {
            prompted = prepare_prompted(request, schema);
            &prompted.messages
        }
        None => &request.messages,
    };
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(model));
    body.insert("messages".to_owned(), messages.iter().flat_map(message).collect());
    if let Some(format) = format {
        body.insert("response_format".to_owned(), format);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({"type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": tool.parameters}})
        });
        body.insert("tools".to_owned(), tools.collect());
        let choice = match &request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!("none")),
            ToolChoice::Required => Some(json!("required")),
            ToolChoice::Named(name) => Some(json!({"type": "function", "function": {"name": name}})),
        };
        if let Some(choice) = choice {
            body.insert("tool_choice".to_owned(), choice);
        }
    }
    let params = &request.params;
    if dialect.sampling {
        // The number is converted through text, so that 0.7 is sent as 0.7 and not as the nearest double of an `f32`.
        let number = |value: f32| value.to_string().parse::<f64>().ok().map(|wide| json!(wide));
        if let Some(value) = params.temperature.and_then(number) {
            body.insert("temperature".to_owned(), value);
        }
        if let Some(value) = params.top_p.and_then(number) {
            body.insert("top_p".to_owned(), value);
        }
    }
    if let Some(limit) = params.max_tokens {
        let name = if dialect.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        body.insert(name.to_owned(), json!(limit));
    }
    if let (Some(seed), true) = (params.seed, dialect.seed) {
        // Servers read the seed as a signed number.
        body.insert("seed".to_owned(), json!(seed & (u64::MAX >> 1)));
    }
    if !params.stop.is_empty() {
        body.insert("stop".to_owned(), json!(params.stop));
    }
    if stream {
        body.insert("stream".to_owned(), json!(true));
        if dialect.stream_usage {
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
    }
    Value::Object(body)
}

/// The `response_format`, and the schema that must stand in the prompt in its place.
fn response_format(format: &ResponseFormat, support: StructuredSupport) -> (Option<Value>, Option<&Value>) {
    match (format, support) {
        (ResponseFormat::Text, _) | (ResponseFormat::JsonObject, StructuredSupport::Prompted) => (None, None),
        (ResponseFormat::JsonObject, _) => (Some(json!({"type": "json_object"})), None),
        (ResponseFormat::JsonSchema { schema, .. }, StructuredSupport::Prompted) => (None, Some(schema)),
        (ResponseFormat::JsonSchema { schema, .. }, StructuredSupport::JsonObject) => {
            (Some(json!({"type": "json_object", "schema": schema})), Some(schema))
        }
        (ResponseFormat::JsonSchema { name, schema }, _) => {
            let sent = match strict(schema) {
                Some(strict) => json!({"name": name, "strict": true, "schema": strict}),
                None => json!({"name": name, "strict": false, "schema": schema}),
            };
            (Some(json!({"type": "json_schema", "json_schema": sent})), None)
        }
    }
}

/// The messages on the wire for one [`Message`]: each tool result becomes a message of its own.
fn message(message: &Message) -> Vec<Value> {
    let mut sent: Vec<Value> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolResult(result) => {
                let content =
                    if result.is_error { format!("error: {}", result.content) } else { result.content.clone() };
                Some(json!({"role": "tool", "tool_call_id": result.call_id, "content": content}))
            }
            _ => None,
        })
        .collect();
    let parts: Vec<&Part> = message.parts.iter().filter(|part| !matches!(part, Part::ToolResult(_))).collect();
    if parts.is_empty() && !sent.is_empty() {
        return sent;
    }
    let role = match message.role {
        Role::System => "system",
        Role::User | Role::Tool => "user",
        Role::Assistant => "assistant",
    };
    let calls: Vec<Value> = parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolCall(call) => Some(tool_call(call)),
            _ => None,
        })
        .collect();
    let content = if parts.iter().any(|part| matches!(part, Part::Image { .. })) {
        parts.iter().filter_map(|part| content_part(part)).collect()
    } else {
        json!(message.joined_text())
    };
    let mut out = json!({"role": role, "content": content});
    if !calls.is_empty() {
        if out["content"] == "" {
            out["content"] = Value::Null;
        }
        out["tool_calls"] = Value::Array(calls);
        // Servers that reason between calls expect the reasoning back with the tool calls that followed it.
        let thoughts: String = parts
            .iter()
            .filter_map(|part| match part {
                Part::Reasoning { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        if !thoughts.is_empty() {
            out["reasoning_content"] = json!(thoughts);
        }
    }
    sent.push(out);
    sent
}

fn content_part(part: &Part) -> Option<Value> {
    match part {
        Part::Text { text } => Some(json!({"type": "text", "text": text})),
        Part::Image { source } => {
            let url = match source {
                ImageSource::Url { url } => url.clone(),
                ImageSource::Base64 { media_type, data } => format!("data:{media_type};base64,{data}"),
            };
            Some(json!({"type": "image_url", "image_url": {"url": url}}))
        }
        _ => None,
    }
}

fn tool_call(call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        Value::String(raw) => raw.clone(),
        other => other.to_string(),
    };
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Params, ToolResult, ToolSpec};

    #[test]
    fn every_part_has_its_place() {
        let call = ToolCall { id: "c1".into(), name: "search".into(), arguments: json!({"q": "sea"}) };
        let request = ChatRequest {
            messages: vec![
                Message::system("be brief"),
                Message {
                    role: Role::User,
                    parts: vec![
                        Part::Text { text: "what is this".into() },
                        Part::Image {
                            source: ImageSource::Base64 { media_type: "image/png".into(), data: "AA==".into() },
                        },
                    ],
                },
                Message {
                    role: Role::Assistant,
                    parts: vec![
                        Part::Reasoning { text: "look it up".into(), signature: None },
                        Part::ToolCall(call.clone()),
                    ],
                },
                Message {
                    role: Role::Tool,
                    parts: vec![Part::ToolResult(ToolResult {
                        call_id: "c1".into(),
                        content: "none".into(),
                        is_error: true,
                    })],
                },
            ],
            tools: vec![ToolSpec {
                name: "search".into(),
                description: "d".into(),
                parameters: json!({"type": "object"}),
                strict: false,
            }],
            tool_choice: ToolChoice::Named("search".into()),
            format: ResponseFormat::Text,
            params: Params {
                temperature: Some(0.7),
                top_p: Some(0.95),
                max_tokens: Some(9),
                seed: Some(u64::MAX),
                stop: vec!["END".into()],
                ..Params::default()
            },
            ..ChatRequest::default()
        };
        let body = encode(&request, "m", true, Dialect::default());
        let expected = json!({
            "model": "m",
            "messages": [
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": [
                    {"type": "text", "text": "what is this"},
                    {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]},
                {"role": "assistant", "content": null, "reasoning_content": "look it up", "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{\"q\":\"sea\"}"}}]},
                {"role": "tool", "tool_call_id": "c1", "content": "error: none"}
            ],
            "tools": [{"type": "function", "function": {"name": "search", "description": "d", "parameters": {"type": "object"}}}],
            "tool_choice": {"type": "function", "function": {"name": "search"}},
            "temperature": 0.7, "top_p": 0.95, "max_tokens": 9, "seed": i64::MAX, "stop": ["END"],
            "stream": true, "stream_options": {"include_usage": true}
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn the_schema_degrades() {
        let mut request = ChatRequest::user("x");
        let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
        request.format = ResponseFormat::JsonSchema { name: "n".into(), schema: schema.clone() };
        let with = |structured| encode(&request, "m", false, Dialect { structured, ..Dialect::default() });
        let native = with(StructuredSupport::JsonSchema);
        assert_eq!(native["response_format"]["json_schema"]["strict"], true);
        assert_eq!(native["messages"][0]["content"], "x");
        let object = with(StructuredSupport::JsonObject);
        assert_eq!(object["response_format"], json!({"type": "json_object", "schema": schema}));
        assert!(object["messages"][0]["content"].as_str().unwrap().contains("\"properties\""));
        let prompted = with(StructuredSupport::Prompted);
        assert_eq!(prompted.get("response_format"), None);
        assert!(prompted["messages"][0]["content"].as_str().unwrap().contains("\"properties\""));
    }
}
