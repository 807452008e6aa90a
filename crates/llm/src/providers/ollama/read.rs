//! An answer from JSON and from lines, which have the same form.

use serde_json::Value;

use crate::providers::answer::{Answer, count, string};
use crate::providers::calls::arguments_text;
use crate::providers::wire::{NoAnswer, Progress, Reader};
use crate::{ChatEvent, ModelError, Usage};

/// Reads one answer.
#[derive(Debug)]
pub(super) struct Chat;

impl Reader for Chat {
    fn whole(&mut self, root: &Value, answer: &mut Answer) -> Result<(), NoAnswer> {
        if root.get("message").is_none() {
            return Err(NoAnswer::Form("there is no `message`".to_owned()));
        }
        self.event(root, answer, &mut Vec::new()).map(|_| ()).map_err(NoAnswer::Error)
    }

    fn event(
        &mut self,
        event: &Value,
        answer: &mut Answer,
        events: &mut Vec<ChatEvent>,
    ) -> Result<Progress, ModelError> {
        answer.named(string(event, "model"));
        let message = event.get("message").unwrap_or(&Value::Null);
        let text = |name: &str| message.get(name).and_then(Value::as_str).unwrap_or_default();
        // Reasoning comes before the answer, whichever line it is on.
        answer.reasoning((0, 0), text("thinking"), events);
        answer.text((1, 0), text("content"), events);
        for call in message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            let function = call.get("function").unwrap_or(&Value::Null);
            let at = answer.after_all().max((2, 0));
            let (id, name) = (call.get("id").and_then(Value::as_str), function.get("name").and_then(Value::as_str));
            answer.call(at, id, name, &arguments_text(function.get("arguments")));
        }
        if !event.get("done").and_then(Value::as_bool).unwrap_or_default() {
            return Ok(Progress::More);
        }
        let number = |pointer| count(event, pointer).unwrap_or_default();
        answer.usage = Usage {
            input: number("/prompt_eval_count"),
            output: number("/eval_count"),
            cache_read: number("/prompt_eval_cached_count"),
            ..Usage::default()
        };
        answer.ended(event.get("done_reason").and_then(Value::as_str).unwrap_or_default());
        if answer.finish.is_none() {
            answer.ended("stop");
        }
        Ok(Progress::Ended)
    }
}
