//! An answer from JSON and from events.

use serde_json::{Value, json};

use super::NAME;
use crate::providers::answer::{Answer, At, string};
use crate::providers::error::in_band_error;
use crate::providers::wire::{NoAnswer, Progress, Reader};
use crate::{ChatEvent, FinishReason, ModelError, Usage};

/// Reads one answer.
#[derive(Debug, Default)]
pub(super) struct Items {
    /// The ids of the items in their order, for servers that do not number them.
    ids: Vec<String>,
}

impl Reader for Items {
    fn whole(&mut self, root: &Value, answer: &mut Answer) -> Result<(), NoAnswer> {
        if root.get("output").and_then(Value::as_array).is_none() {
            return Err(NoAnswer::Form("there is no `output`".to_owned()));
        }
        self.end(root, answer, &mut Vec::new()).map_err(NoAnswer::Error)
    }

    fn event(
        &mut self,
        event: &Value,
        answer: &mut Answer,
        events: &mut Vec<ChatEvent>,
    ) -> Result<Progress, ModelError> {
        let text = |name: &str| event.get(name).and_then(Value::as_str).unwrap_or_default();
        let content = event.get("content_index").and_then(Value::as_u64).unwrap_or_default();
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "response.created" | "response.in_progress" => {
                answer.named(event.get("response").and_then(|response| string(response, "model")));
            }
            "response.output_item.added" => {
                let at = self.at(event);
                begin(at, event.get("item").unwrap_or(&Value::Null), answer);
            }
            "response.output_text.delta" => {
                let at = self.at(event);
                answer.text((at.0, content), text("delta"), events);
            }
            "response.refusal.delta" => answer.refusal.push_str(text("delta")),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                let at = self.at(event);
                answer.reasoning(at, text("delta"), events);
            }
            "response.reasoning_summary_part.added" => {
                let at = self.at(event);
                if answer.has(at) {
                    answer.reasoning(at, "\n\n", events);
                }
            }
            "response.function_call_arguments.delta" => {
                let at = self.at(event);
                answer.call(at, None, None, text("delta"));
            }
            "response.function_call_arguments.done" if !text("arguments").is_empty() => {
                let at = self.at(event);
                answer.arguments(at, text("arguments"));
            }
            "response.output_item.done" => {
                let at = self.at(event);
                complete(at, event.get("item").unwrap_or(&Value::Null), answer, events);
            }
            told @ ("response.completed" | "response.incomplete") => {
                self.end(event.get("response").unwrap_or(&Value::Null), answer, events)?;
                // Some servers leave the status out.
                if answer.finish.is_none() {
                    answer.ended("completed");
                }
                if told == "response.incomplete" && answer.finish.as_ref().is_none_or(FinishReason::is_whole) {
                    answer.finish = Some(FinishReason::Length);
                }
                return Ok(Progress::Ended);
            }
            "response.failed" | "error" => return Err(failure(event, answer)),
            _ => {}
        }
        Ok(Progress::More)
    }
}

impl Items {
    /// The place of the item that an event is about. Texts of an item are at the places behind it.
    fn at(&mut self, event: &Value) -> At {
        if let Some(index) = event.get("output_index").and_then(Value::as_u64) {
            return (index, 0);
        }
        let id = event.get("item_id").or_else(|| event.pointer("/item/id")).and_then(Value::as_str).unwrap_or_default();
        let known = self.ids.iter().position(|known| known == id).unwrap_or_else(|| {
            self.ids.push(id.to_owned());
            self.ids.len() - 1
        });
        (known as u64, 0)
    }

    /// What the whole response tells: how the answer ended, and the items that no event has told.
    fn end(&mut self, response: &Value, answer: &mut Answer, events: &mut Vec<ChatEvent>) -> Result<(), ModelError> {
        answer.named(string(response, "model"));
        for (index, item) in (0..).zip(response.get("output").and_then(Value::as_array).into_iter().flatten()) {
            let told = (0..8).any(|content| answer.has((index, content)));
            if !told {
                begin((index, 0), item, answer);
                complete((index, 0), item, answer, events);
            }
        }
        if let Some(told) = response.get("usage").filter(|usage| usage.is_object()) {
            answer.usage = usage(told);
        }
        let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
        let status = response.get("status").and_then(Value::as_str).unwrap_or("completed");
        match reason {
            Some(reason) => answer.ended(reason),
            // The limit is the only reason that some servers do not name.
            None if status.eq_ignore_ascii_case("incomplete") => answer.ended("length"),
            None => answer.ended(status),
        }
        match answer.give_up(None) {
            Some(_) if response.get("error").is_some_and(|error| !error.is_null()) => {
                Err(failure(&json!({"response": response}), answer))
            }
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// The beginning of an item: a call is known by its name before its arguments come.
fn begin(at: At, item: &Value, answer: &mut Answer) {
    if item.get("type").is_some_and(|kind| kind == "function_call") {
        let text = |name: &str| item.get(name).and_then(Value::as_str);
        answer.call(at, text("call_id").or_else(|| text("id")), text("name"), "");
    }
}

/// A complete item: what its deltas have not told is taken from it.
fn complete(at: At, item: &Value, answer: &mut Answer, events: &mut Vec<ChatEvent>) {
    let parts = |name: &str| item.get(name).and_then(Value::as_array).into_iter().flatten();
    match item.get("type").and_then(Value::as_str).unwrap_or_default() {
        "message" => {
            for (index, part) in (0..).zip(parts("content")) {
                let place = (at.0, index);
                match part.get("type").and_then(Value::as_str) {
                    Some("refusal") if answer.refusal.is_empty() => {
                        answer.refusal = string(part, "refusal").unwrap_or_default();
                    }
                    Some("output_text") if !answer.has(place) => {
                        answer.text(place, part.get("text").and_then(Value::as_str).unwrap_or_default(), events);
                    }
                    _ => {}
                }
            }
        }
        "function_call" => {
            begin(at, item, answer);
            if let Some(arguments) = string(item, "arguments").filter(|arguments| !arguments.is_empty()) {
                answer.arguments(at, &arguments);
            }
        }
        "reasoning" => {
            if !answer.has(at) {
                let texts: Vec<String> =
                    parts("summary").chain(parts("content")).filter_map(|part| string(part, "text")).collect();
                answer.reasoning(at, &texts.join("\n\n"), events);
            }
            // Only what is encrypted can go back to a provider that stores nothing.
            if item.get("encrypted_content").is_some_and(Value::is_string) {
                let mut kept = item.clone();
                if let Some(members) = kept.as_object_mut() {
                    members.remove("status");
                }
                answer.encrypted((at.0, 1), NAME, kept);
            }
        }
        _ => {}
    }
}

/// The error of an event, or of a response, that tells one.
fn failure(event: &Value, answer: &Answer) -> ModelError {
    let error = event.pointer("/response/error").filter(|error| !error.is_null());
    let error = error.cloned().unwrap_or_else(|| {
        json!({
            "message": event.get("message").cloned().unwrap_or_else(|| json!("the provider gave it up")),
            "code": event.get("code"),
        })
    });
    in_band_error(&json!({"error": error}), &answer.id).unwrap_or_else(|| answer.interrupted("it failed"))
}

fn usage(told: &Value) -> Usage {
    let number = |pointer| told.pointer(pointer).and_then(Value::as_u64).unwrap_or_default();
    Usage {
        input: number("/input_tokens"),
        output: number("/output_tokens"),
        cache_read: number("/input_tokens_details/cached_tokens"),
        cache_write: number("/input_tokens_details/cache_write_tokens"),
        reasoning: number("/output_tokens_details/reasoning_tokens"),
        cost: None,
    }
}
