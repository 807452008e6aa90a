//! An answer from JSON and from events: the one has a `message`, the others have each a `delta` of the same form.

use serde_json::Value;

use super::NAME;
use crate::prices::{Rounding, decimal};
use crate::providers::answer::{Answer, string};
use crate::providers::calls::arguments_text;
use crate::providers::error::in_band_error;
use crate::providers::wire::{NoAnswer, Progress, Reader};
use crate::{ChatEvent, ModelError, Usage};

/// The places of the parts of an answer; calls follow.
const DETAILS: (u64, u64) = (0, 0);
const REASONING: (u64, u64) = (1, 0);
const TEXT: (u64, u64) = (2, 0);
const FIRST_CALL: u64 = 3;

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Completion;

impl Reader for Completion {
    fn whole(&mut self, root: &Value, answer: &mut Answer) -> Result<(), NoAnswer> {
        let Some(choice) = root.pointer("/choices/0") else {
            return Err(NoAnswer::Form("there is no `choices[0]`".to_owned()));
        };
        if let Some(error) = in_band_error(choice, &answer.id) {
            return Err(NoAnswer::Error(error));
        }
        answer.named(string(root, "model"));
        take(choice.get("message").unwrap_or(&Value::Null), answer, &mut Vec::new());
        answer.ended(choice.get("finish_reason").and_then(Value::as_str).unwrap_or_default());
        if answer.finish.is_none() {
            answer.ended("stop");
        }
        answer.usage = root.get("usage").and_then(usage).unwrap_or_default();
        Ok(())
    }

    fn event(
        &mut self,
        event: &Value,
        answer: &mut Answer,
        events: &mut Vec<ChatEvent>,
    ) -> Result<Progress, ModelError> {
        answer.named(string(event, "model"));
        if let Some(usage) = event.get("usage").and_then(usage) {
            answer.usage = usage;
        }
        for choice in event.get("choices").and_then(Value::as_array).into_iter().flatten() {
            if choice.get("index").and_then(Value::as_u64).unwrap_or_default() != 0 {
                continue;
            }
            if let Some(error) = in_band_error(choice, &answer.id) {
                return Err(error);
            }
            if let Some(delta) = choice.get("delta") {
                take(delta, answer, events);
            }
            if let Some(word) = choice.get("finish_reason").and_then(Value::as_str) {
                answer.ended(word);
                if let Some(error) = answer.give_up(None) {
                    return Err(error);
                }
            }
        }
        Ok(Progress::More)
    }
}

/// Takes a message, or a piece of one.
fn take(message: &Value, answer: &mut Answer, events: &mut Vec<ChatEvent>) {
    let (text, thoughts_in_content) = texts(message.get("content"));
    let thoughts = reasoning(message).unwrap_or_default() + &thoughts_in_content;
    answer.reasoning(REASONING, &thoughts, events);
    answer.text(TEXT, &text, events);
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
        answer.refusal.push_str(refusal);
    }
    if let Some(details) = message.get("reasoning_details").and_then(Value::as_array).filter(|all| !all.is_empty())
        && let Some(Value::Array(known)) = answer.encrypted_at(DETAILS, NAME, Value::Array(Vec::new()))
    {
        details.iter().for_each(|detail| add_detail(known, detail));
    }
    for (position, call) in (0_u64..).zip(message.get("tool_calls").and_then(Value::as_array).into_iter().flatten()) {
        let index = call.get("index").and_then(Value::as_u64).unwrap_or(position);
        let function = call.get("function").unwrap_or(&Value::Null);
        let arguments = arguments_text(function.get("arguments"));
        let (id, name) = (call.get("id").and_then(Value::as_str), function.get("name").and_then(Value::as_str));
        let at = answer.numbered_call(FIRST_CALL.saturating_add(index), id, name);
        answer.call(at, id, name, &arguments);
    }
}

/// Adds a detail of reasoning. Pieces of one detail have its index, and their texts are joined.
fn add_detail(known: &mut Vec<Value>, detail: &Value) {
    let same = |earlier: &&mut Value| {
        ["type", "index"].iter().all(|name| earlier.get(name).is_some() && earlier.get(name) == detail.get(name))
    };
    let Some(earlier) = known.iter_mut().rev().find(same) else {
        known.push(detail.clone());
        return;
    };
    for (name, value) in detail.as_object().into_iter().flatten() {
        let joined = match (name.as_str(), earlier.get(name).and_then(Value::as_str), value.as_str()) {
            ("text" | "summary" | "data", Some(before), Some(more)) => Value::String(format!("{before}{more}")),
            _ if value.is_null() => continue,
            _ => value.clone(),
        };
        earlier[name] = joined;
    }
}

/// Text and reasoning of a `content`, which is a string or an array of typed parts.
fn texts(content: Option<&Value>) -> (String, String) {
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
fn reasoning(message: &Value) -> Option<String> {
    ["reasoning_content", "reasoning"].iter().find_map(|name| string(message, name)).filter(|text| !text.is_empty())
}

fn usage(value: &Value) -> Option<Usage> {
    let count = |path: &str| value.pointer(path).and_then(Value::as_u64);
    value.as_object()?;
    let number = |path: &str| count(path).unwrap_or_default();
    let (input, completion) = (number("/prompt_tokens"), number("/completion_tokens"));
    let reasoning = number("/completion_tokens_details/reasoning_tokens");
    // xAI counts the reasoning beside the completion, which only the total shows.
    let with_reasoning = completion.saturating_add(reasoning);
    let is_beside = number("/total_tokens") >= input.saturating_add(with_reasoning);
    Some(Usage {
        input,
        output: if is_beside { with_reasoning } else { completion },
        cache_read: count("/prompt_tokens_details/cached_tokens")
            .or_else(|| count("/prompt_cache_hit_tokens"))
            .unwrap_or_default(),
        cache_write: count("/prompt_tokens_details/cache_write_tokens").unwrap_or_default(),
        reasoning,
        cost: cost(value),
    })
}

/// The cost that the server states, as `OpenRouter` does: dollars in `cost`, and with a key of the user's own at the
/// provider behind it what that one charges, which comes on top.
fn cost(told: &Value) -> Option<u64> {
    let micros = |pointer: &str| {
        let number = told.pointer(pointer)?.as_number()?;
        decimal(&number.to_string(), 6, Rounding::Up)
    };
    let own = micros("/cost")?;
    match told.get("is_byok").and_then(Value::as_bool) {
        Some(true) => own.checked_add(micros("/cost_details/upstream_inference_cost")?),
        _ => Some(own),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::providers::frames::decode_body;
    use crate::{ChatResponse, FinishReason, Part};

    fn decode(body: &Value) -> Result<ChatResponse, ModelError> {
        decode_body(&super::super::OpenAiChat, body.to_string().as_bytes(), "compatible:m")
    }

    #[test]
    fn a_cost_that_is_stated_is_read_exactly() {
        let cost = |told: Value| {
            let mut usage = json!({"prompt_tokens": 1, "completion_tokens": 1});
            usage.as_object_mut().unwrap().extend(told.as_object().unwrap().clone());
            let body = json!({"choices": [{"finish_reason": "stop", "message": {"content": "x"}}], "usage": usage});
            decode(&body).unwrap().usage.cost
        };
        assert_eq!(cost(json!({"cost": 0.000014})), Some(14));
        assert_eq!(cost(json!({"cost": 1.41e-5})), Some(15));
        assert_eq!(cost(json!({"cost": 0})), Some(0));
        assert_eq!(cost(json!({"cost": null})), None);
        assert_eq!(cost(json!({"cost": {"total": 1}})), None);
        assert_eq!(cost(json!({})), None);
        let own_key = json!({"cost": 0.01, "is_byok": true, "cost_details": {"upstream_inference_cost": 0.2}});
        assert_eq!(cost(own_key), Some(210_000));
        assert_eq!(cost(json!({"cost": 0.01, "is_byok": true})), None);
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
        assert_eq!(
            response.usage,
            Usage { input: 7, output: 3, cache_read: 5, cache_write: 0, reasoning: 2, cost: None }
        );
        assert_eq!(response.model, "m-1");
        // Reasoning beside the completion, which the total shows.
        let beside = decode(&json!({
            "choices": [{"finish_reason": "stop", "message": {"content": "yes"}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 20,
                "completion_tokens_details": {"reasoning_tokens": 6}}
        }))
        .unwrap();
        assert_eq!((beside.usage.output, beside.usage.reasoning), (10, 6));

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
    fn an_answer_that_was_cut_is_told() {
        for word in ["length", "max_tokens", "model_length"] {
            let cut = decode(&json!({"choices": [{"finish_reason": word, "message": {"content": "half"}}]})).unwrap();
            assert_eq!(cut.finish, FinishReason::Length, "{word}");
        }
    }

    #[test]
    fn faults_in_a_sound_envelope_are_errors() {
        let cases = [
            (json!({"error": {"message": "busy", "code": 503}}), "server"),
            (json!({"error": "no slot"}), "server"),
            (json!({"choices": []}), "parse"),
            (json!([]), "parse"),
            (json!({"choices": [{"message": {"content": null, "refusal": "no"}}]}), "refused"),
            (json!({"choices": [{"finish_reason": "error", "message": {"content": "half"}}]}), "stream_interrupted"),
        ];
        for (body, expected) in cases {
            let error = decode(&body).unwrap_err();
            assert_eq!(serde_json::to_value(&error).unwrap()["error"], expected, "{body}");
        }
        let nothing = decode_body(&super::super::OpenAiChat, b" \n", "m").unwrap_err();
        assert!(matches!(nothing, ModelError::Unreadable { .. }), "{nothing}");
        assert!(matches!(
            decode_body(&super::super::OpenAiChat, b"<html>", "m").unwrap_err(),
            ModelError::Parse { .. }
        ));
    }
}
