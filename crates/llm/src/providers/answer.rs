//! An answer that is put together, from events or from a whole body.

use std::collections::BTreeMap;

use serde_json::Value;

use super::calls::{arguments_of_calls, is_object};
use super::finish::{Ended, ended};
use crate::parse::tool_name;
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
    /// The provider's word for why it gave the answer up.
    given_up: Option<String>,
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
            given_up: None,
            blocks: BTreeMap::new(),
        }
    }

    /// Takes the provider's word for why the answer ended. A word that says that something is missing stays, whatever
    /// comes after it: some gateways send two, and some models say that they stop with every piece.
    pub(super) fn ended(&mut self, word: &str) {
        match ended(word, self.has_calls()) {
            Ended::For(finish) => {
                if self.finish.as_ref().is_none_or(FinishReason::is_whole) {
                    if finish == FinishReason::ContentFilter && self.refusal.is_empty() {
                        self.refusal = format!("the provider withheld the answer (`{word}`)");
                    }
                    self.finish = Some(finish);
                }
            }
            Ended::GivenUp => {
                self.given_up.get_or_insert_with(|| word.to_owned());
            }
            Ended::Untold => {}
        }
    }

    /// The error of an answer that the provider gave up, with what it says of that.
    pub(super) fn give_up(&self, told: Option<&str>) -> Option<ModelError> {
        let word = self.given_up.as_ref()?;
        let told = told.map(|told| format!(": {told}")).unwrap_or_default();
        Some(self.interrupted(format!("the provider gave the answer up (`{word}`){told}")))
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

    /// The place of the call that a server numbers so, which is another one than before where the server gives several calls
    /// one number: then a new id comes with a name, behind whole arguments or with another name.
    pub(super) fn numbered_call(&self, number: u64, id: Option<&str>, name: Option<&str>) -> At {
        let Some((at, block)) = self.blocks.range((number, 0)..=(number, u64::MAX)).next_back() else {
            return (number, 0);
        };
        match (block, id, name) {
            (Block::Call { id: Some(known), name: called, arguments }, Some(id), Some(name))
                if !id.is_empty() && !name.is_empty() && id != known && (name != called || is_object(arguments)) =>
            {
                (at.0, at.1.saturating_add(1))
            }
            _ => *at,
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

    /// The error of an answer that came to its end and is none.
    pub(super) fn unreadable(&self, message: impl Into<String>) -> ModelError {
        ModelError::Unreadable { model: self.id.clone(), partial: self.partial(), message: message.into() }
    }

    /// The whole answer.
    ///
    /// # Errors
    /// [`ModelError::StreamInterrupted`] when no reason to finish came, or one that says that the provider gave the answer
    /// up; [`ModelError::Refused`]; [`ModelError::Unreadable`] when nothing came.
    pub(super) fn complete(&mut self) -> Result<ChatResponse, ModelError> {
        if let Some(error) = self.give_up(None) {
            return Err(error);
        }
        let Some(finish) = self.finish.take() else {
            if self.blocks.is_empty() && self.refusal.is_empty() {
                return Err(self.unreadable("the server answered nothing"));
            }
            return Err(self.interrupted("the answer ended without a reason to finish"));
        };
        if !self.refusal.is_empty() && self.partial().is_empty() {
            return Err(ModelError::Refused { model: self.id.clone(), message: std::mem::take(&mut self.refusal) });
        }
        let mut parts = Vec::new();
        let mut calls = 0;
        let ids = self.blocks.values().filter_map(|block| match block {
            Block::Call { id, .. } => id.clone(),
            _ => None,
        });
        let given: Vec<String> = ids.collect();
        for block in std::mem::take(&mut self.blocks).into_values() {
            match block {
                Block::Text(text) => parts.push(Part::Text { text }),
                Block::Reasoning { text, signature } => parts.push(Part::Reasoning { text, signature }),
                Block::Encrypted { wire, data } => {
                    parts.push(Part::EncryptedReasoning { wire: wire.to_owned(), data });
                }
                Block::Call { mut id, name, arguments } => {
                    let is_told = !arguments.trim().is_empty();
                    let name = tool_name(&name).to_owned();
                    for arguments in arguments_of_calls(&arguments) {
                        let number = calls;
                        calls += 1;
                        // An answer that was cut off may hold half a tool call, which nobody should run.
                        let is_callable = finish.is_whole() || (is_told && arguments.is_object());
                        if !is_callable {
                            continue;
                        }
                        let id = id.take().unwrap_or_else(|| free_id(number, &given));
                        parts.push(Part::ToolCall(ToolCall { id, name: name.clone(), arguments }));
                    }
                }
            }
        }
        let finish = match finish {
            // A call may have come behind the reason.
            FinishReason::Stop if calls > 0 => FinishReason::ToolCalls,
            FinishReason::Other(word) if parts.is_empty() => {
                return Err(self.unreadable(format!("the provider ended it before its first word (`{word}`)")));
            }
            finish => finish,
        };
        Ok(ChatResponse {
            model: self.model.take().unwrap_or_else(|| self.id.clone()),
            message: Message { role: Role::Assistant, parts },
            finish,
            usage: self.usage,
            request_id: None,
        })
    }
}

/// An id for a call that has none, which no other call has.
fn free_id(number: usize, given: &[String]) -> String {
    let id = format!("call_{number}");
    if given.contains(&id) { format!("{id}_{}", given.len()) } else { id }
}

/// A member that is text.
pub(super) fn string(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned)
}

/// A number at a JSON pointer.
pub(super) fn count(value: &Value, pointer: &str) -> Option<u64> {
    value.pointer(pointer).and_then(Value::as_u64)
}
