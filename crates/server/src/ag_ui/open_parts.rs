//! What is open in a stream: steps, a message, calls, thoughts. The protocol wants each opened once, closed before it is opened
//! again, and all closed before the run finishes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::ag_ui::event;
use crate::messages::MessageChunk;

/// What is open in a stream.
#[derive(Default)]
pub(super) struct OpenParts {
    /// Tasks under way by the name of their step: tasks beside each other may be of one node.
    steps: BTreeMap<String, usize>,
    /// Messages whose text is open.
    texts: Vec<String>,
    /// Calls by message and place.
    calls: BTreeMap<(String, u32), String>,
    /// Messages whose thoughts are open.
    thoughts: Vec<String>,
}

impl OpenParts {
    pub(super) fn begin_step(&mut self, name: &str, time: u64, told: &mut Vec<Value>) {
        let count = self.steps.entry(name.to_owned()).or_default();
        *count += 1;
        if *count == 1 {
            told.push(event("STEP_STARTED", time, json!({"stepName": name})));
        }
    }

    pub(super) fn end_step(&mut self, name: &str, time: u64, told: &mut Vec<Value>) {
        let Some(count) = self.steps.get_mut(name) else { return };
        *count -= 1;
        if *count == 0 {
            self.steps.remove(name);
            told.push(event("STEP_FINISHED", time, json!({"stepName": name})));
        }
    }

    /// Tells a piece of a message.
    pub(super) fn piece(&mut self, chunk: &MessageChunk, time: u64, told: &mut Vec<Value>) {
        let id = &chunk.id;
        if let Some(thought) = chunk.reasoning.as_deref().filter(|thought| !thought.is_empty()) {
            let thought_id = format!("{id}-reasoning");
            if !self.thoughts.contains(id) {
                self.thoughts.push(id.clone());
                told.push(event("REASONING_START", time, json!({"messageId": thought_id})));
                let start = json!({"messageId": thought_id, "role": "reasoning"});
                told.push(event("REASONING_MESSAGE_START", time, start));
            }
            let content = json!({"messageId": thought_id, "delta": thought});
            told.push(event("REASONING_MESSAGE_CONTENT", time, content));
        }
        if !chunk.content.is_empty() {
            self.end_thoughts(id, time, told);
            if !self.texts.contains(id) {
                self.texts.push(id.clone());
                told.push(event("TEXT_MESSAGE_START", time, json!({"messageId": id, "role": "assistant"})));
            }
            told.push(event("TEXT_MESSAGE_CONTENT", time, json!({"messageId": id, "delta": chunk.content})));
        }
        for call in &chunk.tool_calls {
            let place = (id.clone(), call.index);
            let call_id = match (self.calls.get(&place), &call.id) {
                (Some(open), _) => open.clone(),
                (None, Some(new)) => {
                    self.calls.insert(place, new.clone());
                    let start = json!({
                        "toolCallId": new, "toolCallName": call.name.as_deref().unwrap_or_default(), "parentMessageId": id,
                    });
                    told.push(event("TOOL_CALL_START", time, start));
                    new.clone()
                }
                // A part of a call that nobody began.
                (None, None) => continue,
            };
            if !call.args.is_empty() {
                told.push(event("TOOL_CALL_ARGS", time, json!({"toolCallId": call_id, "delta": call.args})));
            }
        }
        if chunk.is_last {
            self.end_message(id, time, told);
        }
    }

    fn end_thoughts(&mut self, id: &str, time: u64, told: &mut Vec<Value>) {
        if let Some(at) = self.thoughts.iter().position(|open| open == id) {
            self.thoughts.remove(at);
            let thought = json!({"messageId": format!("{id}-reasoning")});
            told.push(event("REASONING_MESSAGE_END", time, thought.clone()));
            told.push(event("REASONING_END", time, thought));
        }
    }

    fn end_message(&mut self, id: &str, time: u64, told: &mut Vec<Value>) {
        self.end_thoughts(id, time, told);
        if let Some(at) = self.texts.iter().position(|open| open == id) {
            self.texts.remove(at);
            told.push(event("TEXT_MESSAGE_END", time, json!({"messageId": id})));
        }
        let ended: Vec<_> = self.calls.keys().filter(|(message, _)| message == id).cloned().collect();
        for place in ended {
            if let Some(call) = self.calls.remove(&place) {
                told.push(event("TOOL_CALL_END", time, json!({"toolCallId": call})));
            }
        }
    }

    /// Closes all that is open.
    pub(super) fn end_all(&mut self, time: u64, told: &mut Vec<Value>) {
        let mut open = self.texts.clone();
        open.extend(self.thoughts.iter().cloned());
        open.extend(self.calls.keys().map(|(message, _)| message.clone()));
        for id in open {
            self.end_message(&id, time, told);
        }
        for name in std::mem::take(&mut self.steps).into_keys() {
            told.push(event("STEP_FINISHED", time, json!({"stepName": name})));
        }
    }
}
