//! An answer that is put together, from events or from a whole body.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::{ChatEvent, ChatResponse, FinishReason, Message, ModelError, Part, Role, ToolCall, Usage};

/// The longest answer that is put together, in bytes.
pub(super) const MAX_GATHERED: usize = 16 << 20;

/// The place of a block in an answer. Blocks are in the order of their places, whenever they arrive.
pub(super) type At = (u64, u64);

/// An answer so far.
#[derive(Debug)]
pub(super) struct Answer {
    /// The model's id in this program, for errors.
    pub(super) id: String,
    /// The model that answers, as the provider names it.
    pub(super) model: Option<String>,
    pub(super) finish: Option<FinishReason>,
    pub(super) usage: Usage,
    /// What the model said in place of an answer.
    pub(super) refusal: String,
    blocks: BTreeMap<At, Block>,
}

#[derive(Debug)]
enum Block {
    Text(String),
    Reasoning { text: String, signature: Option<String> },
    Encrypted { wire: &'static str, data: Value },
    Call { id: Option<String>, name: String, arguments: String },
}

impl Answer {
    pub(super) fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            model: None,
            finish: None,
            usage: Usage::default(),
            refusal: String::new(),
            blocks: BTreeMap::new(),
        }
    }

    /// Names the model that answers, the first time.
    pub(super) fn named(&mut self, model: Option<String>) {
        if self.model.is_none() {
            self.model = model.filter(|name| !name.is_empty());
        }
    }

    pub(super) fn text(&mut self, at: At, more: &str, events: &mut Vec<ChatEvent>) {
        if more.is_empty() {
            return;
        }
        if let Block::Text(text) = self.blocks.entry(at).or_insert_with(|| Block::Text(String::new())) {
            text.push_str(more);
            events.push(ChatEvent::TextDelta { text: more.to_owned() });
        }
    }

    pub(super) fn reasoning(&mut self, at: At, more: &str, events: &mut Vec<ChatEvent>) {
        if more.is_empty() {
            return;
        }
        let empty = || Block::Reasoning { text: String::new(), signature: None };
        if let Block::Reasoning { text, .. } = self.blocks.entry(at).or_insert_with(empty) {
            text.push_str(more);
            events.push(ChatEvent::ReasoningDelta { text: more.to_owned() });
        }
    }

    /// More of the signature over the reasoning at a place.
    pub(super) fn signature(&mut self, at: At, more: &str) {
        let empty = || Block::Reasoning { text: String::new(), signature: None };
        if let Block::Reasoning { signature, .. } = self.blocks.entry(at).or_insert_with(empty) {
            signature.get_or_insert_default().push_str(more);
        }
    }

    /// What the provider keeps of its reasoning at a place.
    pub(super) fn encrypted(&mut self, at: At, wire: &'static str, data: Value) {
        self.blocks.insert(at, Block::Encrypted { wire, data });
    }

    /// The data that [`Answer::encrypted`] put at a place.
    pub(super) fn encrypted_at(&mut self, at: At, wire: &'static str, empty: Value) -> Option<&mut Value> {
        match self.blocks.entry(at).or_insert(Block::Encrypted { wire, data: empty }) {
            Block::Encrypted { data, .. } => Some(data),
            _ => None,
        }
    }

    /// A tool call, or more about it: the first id and the first name count, arguments are appended.
    pub(super) fn call(&mut self, at: At, id: Option<&str>, name: Option<&str>, arguments: &str) {
        let empty = || Block::Call { id: None, name: String::new(), arguments: String::new() };
        if let Block::Call { id: known, name: called, arguments: so_far } = self.blocks.entry(at).or_insert_with(empty)
        {
            if let Some(id) = id.filter(|id| !id.is_empty()) {
                known.get_or_insert_with(|| id.to_owned());
            }
            if called.is_empty() {
                called.push_str(name.unwrap_or_default());
            }
            so_far.push_str(arguments);
        }
    }

    /// Sets the whole arguments of the call at a place.
    pub(super) fn arguments(&mut self, at: At, whole: &str) {
        if let Some(Block::Call { arguments, .. }) = self.blocks.get_mut(&at) {
            whole.clone_into(arguments);
        }
    }

    /// Whether something is at a place.
    pub(super) fn has(&self, at: At) -> bool {
        self.blocks.contains_key(&at)
    }

    /// Whether a tool is called.
    pub(super) fn has_calls(&self) -> bool {
        self.blocks.values().any(|block| matches!(block, Block::Call { .. }))
    }

    /// The place after all others, or the last one when it holds text, or reasoning, as asked: for wires that do not
    /// number their blocks.
    pub(super) fn next(&self, reasoning: bool) -> At {
        let after = |at: &At| (at.0 + 1, 0);
        match self.blocks.last_key_value() {
            Some((at, Block::Text(_))) if !reasoning => *at,
            Some((at, Block::Reasoning { .. })) if reasoning => *at,
            Some((at, _)) => after(at),
            None => (0, 0),
        }
    }

    /// The place after all others.
    pub(super) fn after_all(&self) -> At {
        self.blocks.last_key_value().map_or((0, 0), |(at, _)| (at.0 + 1, 0))
    }

    /// The text so far.
    pub(super) fn partial(&self) -> String {
        let text = |block: &Block| match block {
            Block::Text(text) => Some(text.clone()),
            _ => None,
        };
        self.blocks.values().filter_map(text).collect()
    }

    /// The error of an answer that breaks off here.
    pub(super) fn interrupted(&self, message: impl Into<String>) -> ModelError {
        ModelError::StreamInterrupted { model: self.id.clone(), partial: self.partial(), message: message.into() }
    }

    /// The whole answer.
    ///
    /// # Errors
    /// [`ModelError::StreamInterrupted`] when no reason to finish came, [`ModelError::Refused`].
    pub(super) fn complete(&mut self) -> Result<ChatResponse, ModelError> {
        let Some(finish) = self.finish else {
            return Err(self.interrupted("the answer ended without a reason to finish"));
        };
        if !self.refusal.is_empty() && self.partial().is_empty() {
            return Err(ModelError::Refused { model: self.id.clone(), message: std::mem::take(&mut self.refusal) });
        }
        let mut parts = Vec::new();
        let mut calls = 0;
        for block in std::mem::take(&mut self.blocks).into_values() {
            match block {
                Block::Text(text) => parts.push(Part::Text { text }),
                Block::Reasoning { text, signature } => parts.push(Part::Reasoning { text, signature }),
                Block::Encrypted { wire, data } => {
                    parts.push(Part::EncryptedReasoning { wire: wire.to_owned(), data });
                }
                Block::Call { id, name, arguments } => {
                    // An answer that was cut off may hold half a tool call, which nobody should run.
                    let number = calls;
                    calls += 1;
                    let half = !arguments.trim().is_empty() && serde_json::from_str::<Value>(&arguments).is_err();
                    if finish == FinishReason::Length && (half || arguments.trim().is_empty()) {
                        continue;
                    }
                    let id = id.unwrap_or_else(|| format!("call_{number}"));
                    parts.push(Part::ToolCall(ToolCall { id, name, arguments: parsed_arguments(&arguments) }));
                }
            }
        }
        Ok(ChatResponse {
            model: self.model.take().unwrap_or_else(|| self.id.clone()),
            message: Message { role: Role::Assistant, parts },
            finish,
            usage: self.usage,
            request_id: None,
        })
    }
}

/// The arguments of a tool call: a JSON object, or a string with the raw text when they are none.
pub(super) fn parsed_arguments(raw: &str) -> Value {
    if raw.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(raw) {
        Ok(object @ Value::Object(_)) => object,
        Ok(Value::Null) => Value::Object(Map::new()),
        _ => Value::String(raw.to_owned()),
    }
}

/// The arguments of a tool call as text, whether they come as text or as JSON.
pub(super) fn arguments_text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(raw)) => raw.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// A member that is text.
pub(super) fn string(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// A number at a JSON pointer.
pub(super) fn count(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}
