//! An answer from JSON and from events.

use serde_json::Value;

use super::NAME;
use crate::providers::answer::{Answer, string};
use crate::providers::wire::{NoAnswer, Progress, Reader};
use crate::{ChatEvent, ModelError, Usage};

/// Reads one answer.
#[derive(Debug, Default)]
pub(super) struct Messages {
    counts: Counts,
}

/// The numbers of tokens as Anthropic counts them. Each event states some of them anew.
#[derive(Debug, Default)]
struct Counts {
    input: u64,
    cache_read: u64,
    cache_write: u64,
    output: u64,
    reasoning: u64,
}

impl Counts {
    fn update(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        for (pointer, place) in [
            ("/input_tokens", &mut self.input),
            ("/cache_read_input_tokens", &mut self.cache_read),
            ("/cache_creation_input_tokens", &mut self.cache_write),
            ("/output_tokens", &mut self.output),
            ("/output_tokens_details/thinking_tokens", &mut self.reasoning),
        ] {
            if let Some(count) = usage.pointer(pointer).and_then(Value::as_u64) {
                *place = count;
            }
        }
    }

    /// Anthropic's input leaves out what is cached.
    fn usage(&self) -> Usage {
        Usage {
            input: self.input.saturating_add(self.cache_read).saturating_add(self.cache_write),
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            reasoning: self.reasoning,
            cost: None,
        }
    }
}

impl Reader for Messages {
    fn whole(&mut self, root: &Value, answer: &mut Answer) -> Result<(), NoAnswer> {
        let Some(blocks) = root.get("content").and_then(Value::as_array) else {
            return Err(NoAnswer::Form("there is no `content`".to_owned()));
        };
        answer.named(string(root, "model"));
        let mut events = Vec::new();
        for (index, block) in (0..).zip(blocks) {
            begin(index, block, answer, &mut events);
        }
        end(root, answer);
        if answer.finish.is_none() {
            answer.ended("stop");
        }
        self.counts.update(root.get("usage"));
        answer.usage = self.counts.usage();
        Ok(())
    }

    fn event(
        &mut self,
        event: &Value,
        answer: &mut Answer,
        events: &mut Vec<ChatEvent>,
    ) -> Result<Progress, ModelError> {
        let index = event.get("index").and_then(Value::as_u64).unwrap_or_default();
        match event.get("type").and_then(Value::as_str).unwrap_or_default() {
            "message_start" => {
                let message = event.get("message").unwrap_or(&Value::Null);
                answer.named(string(message, "model"));
                self.counts.update(message.get("usage"));
            }
            "content_block_start" => {
                if let Some(block) = event.get("content_block") {
                    begin(index, block, answer, events);
                }
            }
            "content_block_delta" => {
                if let Some(delta) = event.get("delta") {
                    more(index, delta, answer, events);
                }
            }
            "message_delta" => {
                end(event.get("delta").unwrap_or(&Value::Null), answer);
                self.counts.update(event.get("usage"));
            }
            "message_stop" => {
                answer.usage = self.counts.usage();
                return Ok(Progress::Ended);
            }
            _ => {}
        }
        answer.usage = self.counts.usage();
        Ok(Progress::More)
    }
}

/// A block, whole or as far as its first event tells it.
fn begin(index: u64, block: &Value, answer: &mut Answer, events: &mut Vec<ChatEvent>) {
    let at = (index, 0);
    let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
    match block.get("type").and_then(Value::as_str).unwrap_or_default() {
        "text" => answer.text(at, text("text"), events),
        "thinking" => {
            answer.reasoning(at, text("thinking"), events);
            if !text("signature").is_empty() {
                answer.signature(at, text("signature"));
            }
        }
        "redacted_thinking" => {
            answer.encrypted(at, NAME, block.get("data").cloned().unwrap_or_default());
        }
        "tool_use" => {
            // Streams begin with an empty object, and tell the arguments in pieces.
            let input = block.get("input").filter(|input| input.as_object().is_some_and(|input| !input.is_empty()));
            let arguments = input.map(Value::to_string).unwrap_or_default();
            answer.call(at, Some(text("id")), Some(text("name")), &arguments);
        }
        _ => {}
    }
}

fn more(index: u64, delta: &Value, answer: &mut Answer, events: &mut Vec<ChatEvent>) {
    let at = (index, 0);
    let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
    match delta.get("type").and_then(Value::as_str).unwrap_or_default() {
        "text_delta" => answer.text(at, text("text"), events),
        "thinking_delta" => answer.reasoning(at, text("thinking"), events),
        "signature_delta" => answer.signature(at, text("signature")),
        // Tools of the provider itself are told in pieces too; those have begun no call.
        "input_json_delta" if answer.has(at) => answer.call(at, None, None, text("partial_json")),
        _ => {}
    }
}

/// Why an answer ended, where that is told.
fn end(told: &Value, answer: &mut Answer) {
    let Some(reason) = told.get("stop_reason").and_then(Value::as_str) else { return };
    if reason.eq_ignore_ascii_case("refusal") {
        let why = told.pointer("/stop_details/explanation").and_then(Value::as_str);
        why.unwrap_or("the provider gave no reason").clone_into(&mut answer.refusal);
    }
    answer.ended(reason);
}
