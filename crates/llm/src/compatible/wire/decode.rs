//! A whole answer from JSON, and the parts of decoding that streams share.

use serde_json::Value;

use super::error::{Failure, error_of};
use crate::{ChatResponse, FinishReason, Message, ModelError, Part, Role, ToolCall, Usage};

/// Reads a whole answer.
pub(in crate::compatible) fn decode_body(body: &[u8], model: &str) -> Result<ChatResponse, ModelError> {
    let not_expected = |message: String| ModelError::Parse {
        model: model.to_owned(),
        expected: "chat completion".to_owned(),
        message,
        raw: String::from_utf8_lossy(body).chars().take(2000).collect(),
    };
    if body.iter().all(u8::is_ascii_whitespace) {
        let message = "the server answered nothing".to_owned();
        return Err(ModelError::StreamInterrupted { model: model.to_owned(), partial: String::new(), message });
    }
    let root: Value = serde_json::from_slice(body).map_err(|error| not_expected(error.to_string()))?;
    if let Some(error) = in_band_error(&root, model) {
        return Err(error);
    }
    let Some(choice) = root.pointer("/choices/0") else {
        return Err(not_expected("there is no `choices[0]`".to_owned()));
    };
    let message = choice.get("message").unwrap_or(&Value::Null);
    let mut parts = Vec::new();
    let (text, thoughts_in_content) = texts(message.get("content"));
    let thoughts = reasoning(message).unwrap_or_default() + &thoughts_in_content;
    if !thoughts.is_empty() {
        parts.push(Part::Reasoning { text: thoughts, signature: None });
    }
    if !text.is_empty() {
        parts.push(Part::Text { text: text.clone() });
    }
    let calls = message.get("tool_calls").and_then(Value::as_array);
    for (index, call) in calls.into_iter().flatten().enumerate() {
        let function = call.get("function").unwrap_or(&Value::Null);
        parts.push(Part::ToolCall(ToolCall {
            id: string(call, "id").unwrap_or_else(|| format!("call_{index}")),
            name: string(function, "name").unwrap_or_default(),
            arguments: arguments(function.get("arguments")),
        }));
    }
    if let Some(refusal) = string(message, "refusal").filter(|refusal| !refusal.is_empty() && text.is_empty()) {
        return Err(ModelError::Refused { model: model.to_owned(), message: refusal });
    }
    let asks_for_tools = parts.iter().any(|part| matches!(part, Part::ToolCall(_)));
    let finish = finish_reason(choice.get("finish_reason").and_then(Value::as_str).unwrap_or("stop"), asks_for_tools);
    Ok(ChatResponse {
        model: string(&root, "model").unwrap_or_else(|| model.to_owned()),
        message: Message { role: Role::Assistant, parts },
        finish,
        usage: root.get("usage").and_then(usage).unwrap_or_default(),
        request_id: None,
    })
}

/// The error that a body or an event of a stream carries in place of an answer.
pub(in crate::compatible) fn in_band_error(root: &Value, model: &str) -> Option<ModelError> {
    let error = root.get("error").filter(|error| !error.is_null())?;
    let status = ["code", "status", "status_code"]
        .iter()
        .find_map(|name| error.get(name)?.as_u64())
        .and_then(|code| u16::try_from(code).ok())
        .filter(|code| (400..600).contains(code))
        .unwrap_or(500);
    let body = root.to_string();
    Some(error_of(&Failure { model, status, body: body.as_bytes(), retry_after: None, key_variable: "" }))
}

/// Text and reasoning of a `content`, which is a string or an array of typed parts.
pub(super) fn texts(content: Option<&Value>) -> (String, String) {
    let (mut text, mut thoughts) = (String::new(), String::new());
    match content {
        Some(Value::String(plain)) => text.push_str(plain),
        Some(Value::Array(parts)) => {
            for part in parts {
                match part {
                    Value::String(plain) => text.push_str(plain),
                    _ if part.get("thinking").is_some() || part.get("type").is_some_and(|kind| kind == "thinking") => {
                        thoughts.push_str(&texts(part.get("thinking").or_else(|| part.get("text"))).0);
                    }
                    _ => text.push_str(part.get("text").and_then(Value::as_str).unwrap_or_default()),
                }
            }
        }
        _ => {}
    }
    (text, thoughts)
}

/// The reasoning that stands beside the content, under either of its names.
pub(super) fn reasoning(message: &Value) -> Option<String> {
    ["reasoning_content", "reasoning"].iter().find_map(|name| string(message, name)).filter(|text| !text.is_empty())
}

/// The arguments of a tool call: a JSON object, or a string with the raw text when they are none.
pub(super) fn arguments(value: Option<&Value>) -> Value {
    match value {
        Some(Value::String(raw)) if raw.trim().is_empty() => Value::Object(serde_json::Map::new()),
        Some(Value::String(raw)) => match serde_json::from_str(raw) {
            Ok(object @ Value::Object(_)) => object,
            _ => Value::String(raw.clone()),
        },
        Some(object @ Value::Object(_)) => object.clone(),
        Some(Value::Null) | None => Value::Object(serde_json::Map::new()),
        Some(other) => Value::String(other.to_string()),
    }
}

pub(super) fn finish_reason(word: &str, asks_for_tools: bool) -> FinishReason {
    match word {
        "length" | "max_tokens" => FinishReason::Length,
        "content_filter" => FinishReason::ContentFilter,
        "tool_calls" | "function_call" => FinishReason::ToolCalls,
        _ if asks_for_tools => FinishReason::ToolCalls,
        _ => FinishReason::Stop,
    }
}

pub(super) fn usage(value: &Value) -> Option<Usage> {
    let count = |path: &str| value.pointer(path).and_then(Value::as_u64);
    value.as_object()?;
    Some(Usage {
        input: count("/prompt_tokens").unwrap_or_default(),
        output: count("/completion_tokens").unwrap_or_default(),
        cache_read: count("/prompt_tokens_details/cached_tokens")
            .or_else(|| count("/prompt_cache_hit_tokens"))
            .unwrap_or_default(),
        cache_write: count("/prompt_tokens_details/cache_write_tokens").unwrap_or_default(),
        reasoning: count("/completion_tokens_details/reasoning_tokens").unwrap_or_default(),
    })
}

pub(super) fn string(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn decode(body: &Value) -> Result<ChatResponse, ModelError> {
        decode_body(body.to_string().as_bytes(), "compatible:m")
    }

    #[test]
    fn answers_of_several_servers_are_read() {
        let response = decode(&json!({
            "model": "m-1", "choices": [{"finish_reason": "stop", "message": {
                "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "yes"}]}}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 5},
                "completion_tokens_details": {"reasoning_tokens": 2}}
        }))
        .unwrap();
        assert_eq!(response.text(), "yes");
        assert_eq!(response.message.parts[0], Part::Reasoning { text: "hm".into(), signature: None });
        assert_eq!(response.usage, Usage { input: 7, output: 3, cache_read: 5, cache_write: 0, reasoning: 2 });
        assert_eq!(response.model, "m-1");

        let tools = decode(&json!({"choices": [{"finish_reason": "stop", "message": {"content": null, "tool_calls": [
            {"id": "a", "function": {"name": "f", "arguments": "{\"x\":1}"}},
            {"function": {"name": "g", "arguments": "{broken"}},
            {"id": "c", "function": {"name": "h"}}]}}]}))
        .unwrap();
        let calls: Vec<_> = tools.tool_calls().map(|call| (call.id.as_str(), call.arguments.clone())).collect();
        assert_eq!(calls, [("a", json!({"x": 1})), ("call_1", json!("{broken")), ("c", json!({}))]);
        assert_eq!(tools.finish, FinishReason::ToolCalls);
    }

    #[test]
    fn faults_in_a_sound_envelope_are_errors() {
        let cases = [
            (json!({"error": {"message": "busy", "code": 503}}), "server"),
            (json!({"error": "no slot"}), "server"),
            (json!({"choices": []}), "parse"),
            (json!([]), "parse"),
            (json!({"choices": [{"message": {"content": null, "refusal": "no"}}]}), "refused"),
        ];
        for (body, expected) in cases {
            let error = decode(&body).unwrap_err();
            assert_eq!(serde_json::to_value(&error).unwrap()["error"], expected, "{body}");
        }
        assert!(decode_body(b" \n", "m").unwrap_err().is_retryable());
        assert!(matches!(decode_body(b"<html>", "m").unwrap_err(), ModelError::Parse { .. }));
    }
}
