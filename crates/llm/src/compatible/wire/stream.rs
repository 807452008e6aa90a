//! A streamed answer from its events.

use std::collections::BTreeMap;

use eventsource_stream::{EventStreamError, Eventsource};
use futures::stream::{BoxStream, Stream, StreamExt};
use serde_json::Value;

use super::decode::{arguments, finish_reason, in_band_error, reasoning, string, texts, usage};
use crate::{ChatEvent, ChatResponse, FinishReason, Message, ModelError, Part, Role, ToolCall, Usage};

/// The longest streamed answer that is put together, in bytes.
const MAX_GATHERED: usize = 16 << 20;

/// Puts a streamed answer together from the data of its server-sent events.
#[derive(Debug)]
pub(in crate::compatible) struct Decoder {
    /// The model's id in this program, for errors.
    id: String,
    model: Option<String>,
    text: String,
    thoughts: String,
    refusal: String,
    calls: BTreeMap<u64, PartialCall>,
    finish: Option<String>,
    usage: Usage,
    size: usize,
}

#[derive(Debug, Default)]
struct PartialCall {
    id: Option<String>,
    name: String,
    arguments: String,
}

impl Decoder {
    pub(in crate::compatible) fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            model: None,
            text: String::new(),
            thoughts: String::new(),
            refusal: String::new(),
            calls: BTreeMap::new(),
            finish: None,
            usage: Usage::default(),
            size: 0,
        }
    }

    /// The events that one piece of data gives.
    pub(in crate::compatible) fn push(&mut self, data: &str) -> Result<Vec<ChatEvent>, ModelError> {
        self.size = self.size.saturating_add(data.len());
        if self.size > MAX_GATHERED {
            return Err(self.interrupted(format!("it is longer than {MAX_GATHERED} bytes")));
        }
        let chunk: Value = match serde_json::from_str(data) {
            Ok(chunk) => chunk,
            Err(error) => return Err(self.interrupted(format!("an event is not JSON: {error}"))),
        };
        if let Some(error) = in_band_error(&chunk, &self.id) {
            // An error after the first text is an interruption, so that the text is not lost.
            return Err(if self.text.is_empty() { error } else { self.interrupted(error.to_string()) });
        }
        if self.model.is_none() {
            self.model = string(&chunk, "model").filter(|name| !name.is_empty());
        }
        if let Some(usage) = chunk.get("usage").and_then(usage) {
            self.usage = usage;
        }
        let mut events = Vec::new();
        let choices = chunk.get("choices").and_then(Value::as_array);
        for choice in choices.into_iter().flatten() {
            if choice.get("index").and_then(Value::as_u64).unwrap_or_default() != 0 {
                continue;
            }
            if let Some(word) = choice.get("finish_reason").and_then(Value::as_str) {
                // Some gateways send two reasons. The first one says why the answer ended.
                self.finish.get_or_insert_with(|| word.to_owned());
            }
            if let Some(delta) = choice.get("delta") {
                self.delta(delta, &mut events);
            }
        }
        Ok(events)
    }

    fn delta(&mut self, delta: &Value, events: &mut Vec<ChatEvent>) {
        let (text, thoughts_in_content) = texts(delta.get("content"));
        let thoughts = reasoning(delta).unwrap_or_default() + &thoughts_in_content;
        if !thoughts.is_empty() {
            self.thoughts.push_str(&thoughts);
            events.push(ChatEvent::ReasoningDelta { text: thoughts });
        }
        if !text.is_empty() {
            self.text.push_str(&text);
            events.push(ChatEvent::TextDelta { text });
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str) {
            self.refusal.push_str(refusal);
        }
        let calls = delta.get("tool_calls").and_then(Value::as_array);
        for (position, piece) in (0_u64..).zip(calls.into_iter().flatten()) {
            let index = piece.get("index").and_then(Value::as_u64).unwrap_or(position);
            let call = self.calls.entry(index).or_default();
            if let Some(id) = string(piece, "id").filter(|id| !id.is_empty()) {
                call.id.get_or_insert(id);
            }
            let function = piece.get("function").unwrap_or(&Value::Null);
            if let Some(name) = function.get("name").and_then(Value::as_str)
                && call.name.is_empty()
            {
                call.name.push_str(name);
            }
            match function.get("arguments") {
                Some(Value::String(more)) => call.arguments.push_str(more),
                Some(object @ Value::Object(_)) => call.arguments.push_str(&object.to_string()),
                _ => {}
            }
        }
    }

    /// The last events, when the stream has ended.
    pub(in crate::compatible) fn finish(&mut self) -> Result<Vec<ChatEvent>, ModelError> {
        let Some(word) = self.finish.take() else {
            return Err(self.interrupted("the stream ended without a reason to finish".to_owned()));
        };
        if word == "error" {
            return Err(self.interrupted("the server ended the answer with an error".to_owned()));
        }
        if !self.refusal.is_empty() && self.text.is_empty() {
            return Err(ModelError::Refused { model: self.id.clone(), message: std::mem::take(&mut self.refusal) });
        }
        let mut parts = Vec::new();
        if !self.thoughts.is_empty() {
            parts.push(Part::Reasoning { text: std::mem::take(&mut self.thoughts), signature: None });
        }
        if !self.text.is_empty() {
            parts.push(Part::Text { text: std::mem::take(&mut self.text) });
        }
        let mut events = Vec::new();
        let finish = finish_reason(&word, !self.calls.is_empty());
        for (index, call) in std::mem::take(&mut self.calls) {
            // An answer that was cut off may hold half a tool call, which nobody should run.
            if finish == FinishReason::Length && serde_json::from_str::<Value>(&call.arguments).is_err() {
                continue;
            }
            let call = ToolCall {
                id: call.id.unwrap_or_else(|| format!("call_{index}")),
                name: call.name,
                arguments: arguments(Some(&Value::String(call.arguments))),
            };
            events.push(ChatEvent::ToolCall(call.clone()));
            parts.push(Part::ToolCall(call));
        }
        events.push(ChatEvent::Done(ChatResponse {
            model: self.model.take().unwrap_or_else(|| self.id.clone()),
            message: Message { role: Role::Assistant, parts },
            finish,
            usage: self.usage,
            request_id: None,
        }));
        Ok(events)
    }

    fn interrupted(&self, message: String) -> ModelError {
        ModelError::StreamInterrupted { model: self.id.clone(), partial: self.text.clone(), message }
    }
}

/// The events of a body of server-sent events. An error of `bytes` interrupts the stream.
pub(in crate::compatible) fn decode_events<S, B>(
    bytes: S,
    id: impl Into<String>,
) -> BoxStream<'static, Result<ChatEvent, ModelError>>
where
    S: Stream<Item = Result<B, String>> + Send + Unpin + 'static,
    B: AsRef<[u8]> + Send + 'static,
{
    let start = Some((bytes.eventsource(), Decoder::new(id)));
    futures::stream::unfold(start, |state| async move {
        let (mut source, mut decoder) = state?;
        loop {
            let step = match source.next().await {
                Some(Ok(event)) if event.data.trim() == "[DONE]" => decoder.finish().map(|events| (events, true)),
                Some(Ok(event)) => decoder.push(&event.data).map(|events| (events, false)),
                Some(Err(error)) => Err(decoder.interrupted(match error {
                    EventStreamError::Transport(message) => message,
                    EventStreamError::Utf8(error) => format!("it is not UTF-8: {error}"),
                    EventStreamError::Parser(error) => format!("it is no stream of events: {error}"),
                })),
                None => decoder.finish().map(|events| (events, true)),
            };
            let (events, ended) = match step {
                Ok((events, false)) if events.is_empty() => continue,
                Ok((events, ended)) => (events.into_iter().map(Ok).collect::<Vec<_>>(), ended),
                Err(error) => (vec![Err(error)], true),
            };
            let next = if ended { None } else { Some((source, decoder)) };
            return Some((futures::stream::iter(events), next));
        }
    })
    .flatten()
    .boxed()
}

#[cfg(test)]
mod tests;
