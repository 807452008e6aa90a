//! An answer from JSON and from events, which have the same form.

use serde_json::Value;

use super::NAME;
use crate::providers::answer::{Answer, count, string};
use crate::providers::calls::arguments_text;
use crate::providers::wire::{NoAnswer, Progress, Reader};
use crate::{ChatEvent, FinishReason, ModelError, Usage};

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Contents;

impl Reader for Contents {
    fn whole(&mut self, root: &Value, answer: &mut Answer) -> Result<(), NoAnswer> {
        // A stream without events comes as an array of its pieces.
        let pieces = root.as_array().map_or(std::slice::from_ref(root), Vec::as_slice);
        if !pieces.iter().any(|piece| piece.get("candidates").is_some() || piece.get("promptFeedback").is_some()) {
            return Err(NoAnswer::Form("there is no `candidates`".to_owned()));
        }
        let mut events = Vec::new();
        for piece in pieces {
            self.event(piece, answer, &mut events).map_err(NoAnswer::Error)?;
        }
        Ok(())
    }

    fn event(
        &mut self,
        event: &Value,
        answer: &mut Answer,
        events: &mut Vec<ChatEvent>,
    ) -> Result<Progress, ModelError> {
        answer.named(string(event, "modelVersion"));
        if let Some(told) = event.get("usageMetadata") {
            answer.usage = usage(told);
        }
        if let Some(reason) = event.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            answer.refusal = format!("the provider blocked the request ({reason})");
            answer.finish = Some(FinishReason::ContentFilter);
        }
        let Some(candidate) = event.pointer("/candidates/0") else { return Ok(Progress::More) };
        for part in candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten() {
            take(part, answer, events);
        }
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            end(reason, candidate, answer)?;
        }
        Ok(Progress::More)
    }
}

fn take(part: &Value, answer: &mut Answer, events: &mut Vec<ChatEvent>) {
    // A signature belongs to its part, so the part begins anew behind it.
    let signed = part.get("thoughtSignature").filter(|signature| signature.is_string());
    if let Some(signature) = signed {
        answer.encrypted(answer.after_all(), NAME, signature.clone());
    }
    if let Some(call) = part.get("functionCall") {
        let arguments = arguments_text(call.get("args"));
        let (id, name) = (call.get("id").and_then(Value::as_str), call.get("name").and_then(Value::as_str));
        answer.call(answer.after_all(), id, name, &arguments);
        return;
    }
    let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
    if part.get("thought").and_then(Value::as_bool).unwrap_or_default() {
        answer.reasoning(answer.next(true), text, events);
    } else {
        answer.text(answer.next(false), text, events);
    }
}

fn end(reason: &str, candidate: &Value, answer: &mut Answer) -> Result<(), ModelError> {
    let told = candidate.get("finishMessage").and_then(Value::as_str);
    answer.ended(reason);
    if let (Some(FinishReason::ContentFilter), Some(told)) = (&answer.finish, told) {
        told.clone_into(&mut answer.refusal);
    }
    answer.give_up(told).map_or(Ok(()), Err)
}

/// Gemini counts the reasoning beside the output, and what tools read beside the prompt.
fn usage(told: &Value) -> Usage {
    let number = |pointer| count(told, pointer).unwrap_or_default();
    let reasoning = number("/thoughtsTokenCount");
    Usage {
        input: number("/promptTokenCount").saturating_add(number("/toolUsePromptTokenCount")),
        output: number("/candidatesTokenCount").saturating_add(reasoning),
        cache_read: number("/cachedContentTokenCount"),
        cache_write: 0,
        reasoning,
        cost: None,
    }
}
