//! A request as JSON.

use serde_json::{Map, Value, json};

use super::NAME;
use crate::providers::schema::{OPENAI, convert};
use crate::providers::table::{Echo, Peculiarities, ReasoningForm};
use crate::providers::text::{insert_sampling, result_text};
use crate::providers::wire::Outgoing;
use crate::structured::prepare_prompted;
use crate::{
    DocumentSource, Effort, ImageSource, Message, Part, Reasoning, ResponseFormat, Role, StructuredSupport, ToolCall,
    ToolChoice, ToolSpec,
};

/// The name of a document that has none.
const UNNAMED: &str = "document.pdf";

/// The body of a request for chat completions.
pub(super) fn encode(outgoing: &Outgoing<'_>) -> Result<Value, String> {
    let Outgoing { request, features, peculiarities, .. } = outgoing;
    let (format, instruction) = response_format(&request.format, features.structured);
    let prompted;
    let messages = match instruction {
        Some(schema) => {
            prompted = prepare_prompted(request, schema);
            &prompted.messages
        }
        None => &request.messages,
    };
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(outgoing.model));
    let mut sent = Vec::new();
    for one in messages {
        sent.extend(message(one, peculiarities.echo)?);
    }
    body.insert("messages".to_owned(), Value::Array(sent));
    if let Some(format) = format {
        body.insert("response_format".to_owned(), format);
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(|spec| tool(spec, features.strict_tools)).collect());
        let choice = match &request.tool_choice {
            ToolChoice::None => Some(json!("none")),
            ToolChoice::Required if features.forced_tools => Some(json!("required")),
            ToolChoice::Named(name) if features.forced_tools => {
                Some(json!({"type": "function", "function": {"name": name}}))
            }
            _ => None,
        };
        if let Some(choice) = choice {
            body.insert("tool_choice".to_owned(), choice);
        }
        if let (Some(parallel), true) = (request.parallel_tools, features.parallel_switch) {
            body.insert("parallel_tool_calls".to_owned(), json!(parallel));
        }
    }
    let params = &request.params;
    insert_sampling(&mut body, request, features.sampling, ["temperature", "top_p"]);
    if let Some(limit) = params.max_tokens {
        let name = if features.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
        body.insert(name.to_owned(), json!(limit));
    }
    if let (Some(seed), true) = (params.seed, features.seed) {
        let name = if features.seed_is_random_seed { "random_seed" } else { "seed" };
        // Servers read the seed as a signed number.
        body.insert(name.to_owned(), json!(seed & (u64::MAX >> 1)));
    }
    if !params.stop.is_empty() {
        body.insert("stop".to_owned(), json!(params.stop));
    }
    if let Some(asked) = features.reasoning(params.reasoning) {
        insert_reasoning(&mut body, asked, peculiarities);
    }
    if outgoing.stream {
        body.insert("stream".to_owned(), json!(true));
        if features.stream_usage {
            body.insert("stream_options".to_owned(), json!({"include_usage": true}));
        }
    }
    Ok(Value::Object(body))
}

fn insert_reasoning(body: &mut Map<String, Value>, asked: Reasoning, peculiarities: &Peculiarities) {
    let word = asked.effort().word();
    match (peculiarities.reasoning, asked) {
        (ReasoningForm::Effort, _) => {
            body.insert("reasoning_effort".to_owned(), json!(word));
        }
        (ReasoningForm::Object, Reasoning::Tokens(tokens)) if tokens > 0 => {
            body.insert("reasoning".to_owned(), json!({"max_tokens": tokens}));
        }
        (ReasoningForm::Object, _) => {
            body.insert("reasoning".to_owned(), json!({"effort": word}));
        }
        (ReasoningForm::Thinking, _) if asked.effort() == Effort::None => {
            body.insert("thinking".to_owned(), json!({"type": "disabled"}));
        }
        (ReasoningForm::Thinking, _) => {
            body.insert("thinking".to_owned(), json!({"type": "enabled"}));
            let word = if asked.effort() == Effort::High { "high" } else { "low" };
            body.insert("reasoning_effort".to_owned(), json!(word));
        }
    }
}

fn tool(tool: &ToolSpec, strict_tools: bool) -> Value {
    let strict = if tool.strict && strict_tools { convert(&tool.parameters, &OPENAI) } else { None };
    let is_strict = strict.is_some();
    let mut function = json!({
        "name": tool.name, "description": tool.description,
        "parameters": strict.unwrap_or_else(|| tool.parameters.clone()),
    });
    if is_strict {
        function["strict"] = json!(true);
    }
    json!({"type": "function", "function": function})
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
            let sent = match convert(schema, &OPENAI) {
                Some(strict) => json!({"name": name, "strict": true, "schema": strict}),
                None => json!({"name": name, "strict": false, "schema": schema}),
            };
            (Some(json!({"type": "json_schema", "json_schema": sent})), None)
        }
    }
}

/// The messages on the wire for one [`Message`]: each tool result becomes a message of its own.
fn message(message: &Message, echo: Echo) -> Result<Vec<Value>, String> {
    let mut sent: Vec<Value> = message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolResult(result) => {
                Some(json!({"role": "tool", "tool_call_id": result.call_id, "content": result_text(result)}))
            }
            _ => None,
        })
        .collect();
    let parts: Vec<&Part> = message.parts.iter().filter(|part| !matches!(part, Part::ToolResult(_))).collect();
    if parts.is_empty() && !sent.is_empty() {
        return Ok(sent);
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
    let content = if parts.iter().any(|part| matches!(part, Part::Image { .. } | Part::Document { .. })) {
        let parts: Result<Vec<Option<Value>>, String> = parts.iter().map(|part| content_part(part)).collect();
        Value::Array(parts?.into_iter().flatten().collect())
    } else {
        json!(message.joined_text())
    };
    let mut out = json!({"role": role, "content": content});
    if !calls.is_empty() {
        if out["content"] == "" {
            out["content"] = Value::Null;
        }
        out["tool_calls"] = Value::Array(calls);
    }
    if message.role == Role::Assistant {
        give_back_reasoning(&mut out, &parts, echo);
    }
    sent.push(out);
    Ok(sent)
}

/// Reasoning as the server wants it back.
fn give_back_reasoning(out: &mut Value, parts: &[&Part], echo: Echo) {
    match echo {
        Echo::Nothing => {}
        // Servers that reason between calls expect the reasoning back with the tool calls that followed it.
        Echo::Content if out.get("tool_calls").is_some() => {
            let texts = parts.iter().filter_map(|part| match part {
                Part::Reasoning { text, .. } => Some(text.as_str()),
                _ => None,
            });
            let thoughts: String = texts.collect();
            if !thoughts.is_empty() {
                out["reasoning_content"] = json!(thoughts);
            }
        }
        Echo::Content => {}
        Echo::Details => {
            let details = parts.iter().find_map(|part| match part {
                Part::EncryptedReasoning { wire, data } if wire == NAME => Some(data.clone()),
                _ => None,
            });
            if let Some(details) = details {
                out["reasoning_details"] = details;
            }
        }
    }
}

fn content_part(part: &Part) -> Result<Option<Value>, String> {
    Ok(match part {
        Part::Text { text } => Some(json!({"type": "text", "text": text})),
        Part::Image { source } => {
            let url = match source {
                ImageSource::Url { url } => url.clone(),
                ImageSource::Base64 { media_type, data } => format!("data:{media_type};base64,{data}"),
            };
            Some(json!({"type": "image_url", "image_url": {"url": url}}))
        }
        Part::Document { name, source: DocumentSource::Base64 { media_type, data } } => {
            let data = format!("data:{media_type};base64,{data}");
            let name = name.as_deref().unwrap_or(UNNAMED);
            Some(json!({"type": "file", "file": {"filename": name, "file_data": data}}))
        }
        Part::Document { source: DocumentSource::Url { .. }, .. } => {
            return Err("fetch documents from an address; send the bytes".to_owned());
        }
        _ => None,
    })
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
    use crate::providers::Provider;
    use crate::providers::features::Features;
    use crate::{ChatRequest, Params, ToolResult};

    fn sent(request: &ChatRequest, stream: bool, features: Features) -> Value {
        let peculiarities = &Provider::named("compatible").unwrap().peculiarities;
        let outgoing = Outgoing { request, model: "m", stream, features, peculiarities, context: None };
        encode(&outgoing).unwrap()
    }

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
        let body = sent(&request, true, Features::ALL);
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
        let with = |structured| sent(&request, false, Features { structured, ..Features::ALL });
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
