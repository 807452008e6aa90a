//! Calls of tools, as far as messages tell of them.
//!
//! A model asks for calls in a message; they start with the next task of its graph, and end with the messages of their results.
//! What a tool puts out in between, its node tells: `cx.emit("tool-output-delta", json!({"tool_call_id": …, "delta": …}))`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::super::channel::Channel;
use super::super::event::Events;

/// The name under which a node tells a piece of the output of a call.
pub(super) const OUTPUT_DELTA: &str = "tool-output-delta";

/// Calls that a model asked for and that have no result yet.
#[derive(Default)]
pub(super) struct ToolCalls(Vec<ToolCall>);

struct ToolCall {
    ns: Arc<str>,
    id: String,
    name: String,
    args: Value,
    has_started: bool,
}

impl ToolCalls {
    /// A task begins: what was asked for starts.
    pub(super) fn started(&mut self, ns: &Arc<str>, events: &mut Events<'_>) {
        for call in self.0.iter_mut().filter(|call| call.ns == *ns && !call.has_started) {
            call.start(events);
        }
    }

    /// A node tells a piece of the output of a call; without the id of a call it is of none.
    pub(super) fn put_out(payload: &Value, events: &mut Events<'_>) {
        let Some(id) = payload["tool_call_id"].as_str() else { return };
        events.add(Channel::Tools, || json!({ "event": OUTPUT_DELTA, "tool_call_id": id, "delta": payload["delta"] }));
    }

    /// A task wrote something: its messages may ask for calls, or have their results.
    pub(super) fn updated(&mut self, ns: &Arc<str>, values: &Value, events: &mut Events<'_>) {
        let Some(fields) = values.as_object() else { return };
        let lists = fields.values().map(|field| field.as_array().map_or(std::slice::from_ref(field), Vec::as_slice));
        for message in lists.flatten() {
            match message["type"].as_str() {
                Some("ai") => self.ask(ns, message),
                Some("tool") => self.end(ns, message, events),
                _ => {}
            }
        }
    }

    fn ask(&mut self, ns: &Arc<str>, message: &Value) {
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let Some(id) = call["id"].as_str().filter(|id| self.0.iter().all(|known| known.id != *id)) else {
                continue;
            };
            self.0.push(ToolCall {
                ns: Arc::clone(ns),
                id: id.to_owned(),
                name: call["name"].as_str().unwrap_or_default().to_owned(),
                args: call["args"].clone(),
                has_started: false,
            });
        }
    }

    fn end(&mut self, ns: &Arc<str>, message: &Value, events: &mut Events<'_>) {
        let Some(id) = message["tool_call_id"].as_str() else { return };
        let mut call = match self.0.iter().position(|call| call.id == id) {
            Some(at) => self.0.swap_remove(at),
            None => ToolCall {
                ns: Arc::clone(ns),
                id: id.to_owned(),
                name: message["name"].as_str().unwrap_or_default().to_owned(),
                args: Value::Null,
                has_started: false,
            },
        };
        if !call.has_started {
            call.start(events);
        }
        events.add(Channel::Tools, || {
            if message["status"] == "error" {
                json!({ "event": "tool-error", "tool_call_id": id, "message": said(&message["content"]) })
            } else {
                json!({ "event": "tool-finished", "tool_call_id": id, "output": message })
            }
        });
    }
}

impl ToolCall {
    fn start(&mut self, events: &mut Events<'_>) {
        self.has_started = true;
        events.add(
            Channel::Tools,
            || json!({ "event": "tool-started", "tool_call_id": self.id, "tool_name": self.name, "input": self.args }),
        );
    }
}

/// What a message says, as text.
fn said(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().filter_map(|block| block["text"].as_str()).collect(),
        other => other.to_string(),
    }
}
