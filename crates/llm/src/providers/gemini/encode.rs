//! A request as JSON.

use serde_json::{Map, Value, json};

use super::NAME;
use crate::providers::text::{insert_sampling, system_and_rest, tool_of};
use crate::providers::wire::Outgoing;
use crate::structured::prepare_prompted;
use crate::{
    ChatRequest, DocumentSource, Effort, ImageSource, Message, Part, Reasoning, ResponseFormat, Role,
    StructuredSupport, ToolChoice,
};

pub(super) fn encode(outgoing: &Outgoing<'_>) -> Result<Value, String> {
    let Outgoing { request, features, .. } = outgoing;
    let mut generation = Map::new();
    let prompted;
    let request: &ChatRequest = match &request.format {
        ResponseFormat::Text => request,
        ResponseFormat::JsonObject => {
            if features.structured != StructuredSupport::Prompted {
                generation.insert("responseMimeType".to_owned(), json!("application/json"));
            }
            request
        }
        ResponseFormat::JsonSchema { schema, .. } => {
            if features.structured != StructuredSupport::Prompted {
                generation.insert("responseMimeType".to_owned(), json!("application/json"));
            }
            if features.structured == StructuredSupport::JsonSchema {
                let mut schema = schema.clone();
                if let Some(members) = schema.as_object_mut() {
                    members.remove("$schema");
                }
                generation.insert("responseJsonSchema".to_owned(), schema);
                request
            } else {
                prompted = prepare_prompted(request, schema);
                &prompted
            }
        }
    };
    if let Some(limit) = request.params.max_tokens {
        generation.insert("maxOutputTokens".to_owned(), json!(limit));
    }
    if !request.params.stop.is_empty() {
        generation.insert("stopSequences".to_owned(), json!(request.params.stop));
    }
    if let (Some(seed), true) = (request.params.seed, features.seed) {
        // The seed is a signed number of 32 bits.
        generation.insert("seed".to_owned(), json!(seed & u64::from(u32::MAX >> 1)));
    }
    insert_sampling(&mut generation, request, features.sampling, ["temperature", "topP"]);
    if let Some(thinking) = thinking(features.reasoning(request.params.reasoning)) {
        generation.insert("thinkingConfig".to_owned(), thinking);
    }
    let mut body = Map::new();
    let (system, rest) = system_and_rest(&request.messages);
    if !system.is_empty() {
        let parts: Vec<Value> = system.iter().map(|text| json!({"text": text})).collect();
        body.insert("systemInstruction".to_owned(), json!({"parts": parts}));
    }
    body.insert("contents".to_owned(), Value::Array(contents(rest)?));
    if !generation.is_empty() {
        body.insert("generationConfig".to_owned(), Value::Object(generation));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(
            |tool| json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}),
        );
        body.insert("tools".to_owned(), json!([{"functionDeclarations": tools.collect::<Vec<_>>()}]));
        if let Some(calling) = calling(request, outgoing) {
            body.insert("toolConfig".to_owned(), json!({"functionCallingConfig": calling}));
        }
    }
    Ok(Value::Object(body))
}

fn thinking(asked: Option<Reasoning>) -> Option<Value> {
    Some(match asked? {
        Reasoning::Effort(Effort::None) | Reasoning::Tokens(0) => json!({"thinkingBudget": 0}),
        Reasoning::Effort(effort) => json!({
            "includeThoughts": true, "thinkingLevel": effort.word().to_ascii_uppercase()}),
        Reasoning::Tokens(tokens) => json!({"includeThoughts": true, "thinkingBudget": tokens}),
    })
}

fn calling(request: &ChatRequest, outgoing: &Outgoing<'_>) -> Option<Value> {
    let strict = request.tools.iter().any(|tool| tool.strict) && outgoing.features.strict_tools;
    match &request.tool_choice {
        ToolChoice::None => Some(json!({"mode": "NONE"})),
        ToolChoice::Required if outgoing.features.forced_tools => Some(json!({"mode": "ANY"})),
        ToolChoice::Named(name) if outgoing.features.forced_tools => {
            Some(json!({"mode": "ANY", "allowedFunctionNames": [name]}))
        }
        // The model decides whether it calls, and calls fit their schemas.
        _ if strict => Some(json!({"mode": "VALIDATED"})),
        _ => None,
    }
}

/// The messages. Neighbours of one role become one content, since the results of parallel calls must stand together.
fn contents(messages: &[Message]) -> Result<Vec<Value>, String> {
    let mut sent: Vec<(&str, Vec<Value>)> = Vec::new();
    for (number, message) in messages.iter().enumerate() {
        let role = if message.role == Role::Assistant { "model" } else { "user" };
        let mut parts = parts(messages, number, message)?;
        match sent.last_mut() {
            Some((last, before)) if *last == role => before.append(&mut parts),
            _ => sent.push((role, parts)),
        }
    }
    sent.retain(|(_, parts)| !parts.is_empty());
    Ok(sent.into_iter().map(|(role, parts)| json!({"role": role, "parts": parts})).collect())
}

fn parts(messages: &[Message], number: usize, message: &Message) -> Result<Vec<Value>, String> {
    let mut sent = Vec::new();
    // A signature stands in front of the part that it came with, and goes back beside it.
    let mut signature: Option<&Value> = None;
    for part in &message.parts {
        let mut out = match part {
            Part::Text { text } if text.is_empty() => continue,
            Part::Text { text } => json!({"text": text}),
            Part::Image { source: ImageSource::Base64 { media_type, data } }
            | Part::Document { source: DocumentSource::Base64 { media_type, data }, .. } => {
                json!({"inlineData": {"mimeType": media_type, "data": data}})
            }
            Part::Image { source: ImageSource::Url { url } } => json!({"fileData": {"fileUri": url}}),
            Part::Document { source: DocumentSource::Url { url }, .. } => {
                json!({"fileData": {"fileUri": url, "mimeType": "application/pdf"}})
            }
            Part::ToolCall(call) => {
                let args = match &call.arguments {
                    Value::String(raw) => json!({"raw": raw}),
                    other => other.clone(),
                };
                let mut function = json!({"name": call.name, "args": args});
                if is_of_provider(&call.id) {
                    function["id"] = json!(call.id);
                }
                json!({"functionCall": function})
            }
            Part::ToolResult(result) => {
                let Some(name) = tool_of(messages, number, &result.call_id) else {
                    return Err(format!(
                        "take the result of `{}`, a call that is not in the conversation",
                        result.call_id
                    ));
                };
                let key = if result.is_error { "error" } else { "result" };
                let mut response = json!({"name": name, "response": {key: result.content}});
                if is_of_provider(&result.call_id) {
                    response["id"] = json!(result.call_id);
                }
                json!({"functionResponse": response})
            }
            Part::EncryptedReasoning { wire, data } => {
                if wire == NAME {
                    signature = Some(data);
                }
                continue;
            }
            Part::Reasoning { text, .. } => {
                if signature.is_none() {
                    continue;
                }
                json!({"text": text, "thought": true})
            }
        };
        if let Some(signature) = signature.take() {
            out["thoughtSignature"] = signature.clone();
        }
        sent.push(out);
    }
    if let Some(signature) = signature {
        sent.push(json!({"text": "", "thoughtSignature": signature}));
    }
    Ok(sent)
}

/// Whether an id is the provider's own. Ids that this program made up for calls without one are not sent.
fn is_of_provider(id: &str) -> bool {
    id.strip_prefix("call_").is_none_or(|number| !number.chars().all(|c| c.is_ascii_digit()))
}
