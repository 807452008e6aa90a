//! A message out of any of the JSON forms in which clients send one.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::message::{Body, Content, Message, MessageKind, random_id};
use super::tool_calls::{ToolCalls, read_tool_calls};

/// A value that is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// It is of another type.
    #[error(
        "a message is a text, a pair of role and text, or an object with `content` and either `role` or `type`; this is {found}"
    )]
    NotAMessage {
        /// What it is.
        found: String,
    },
    /// Its role is unknown.
    #[error(
        "`{role}` is no role of a message; use `human` or `user`, `ai` or `assistant`, `system` or `developer`, `tool`, or `remove`"
    )]
    UnknownRole {
        /// The role.
        role: String,
    },
    /// A key holds what does not belong there, or nothing.
    #[error("`{key}` of a message of type `{kind}` must be {expected}")]
    WrongKey {
        /// The key.
        key: &'static str,
        /// The type of the message.
        kind: &'static str,
        /// What the key holds in a message.
        expected: &'static str,
    },
}

/// The kind that a role, a type or the name of a `LangChain` class stands for.
pub(super) fn kind_of(role: &str) -> Option<MessageKind> {
    Some(match role {
        "human" | "user" | "HumanMessage" | "HumanMessageChunk" => MessageKind::Human,
        "ai" | "assistant" | "AIMessage" | "AIMessageChunk" => MessageKind::Ai,
        "system" | "developer" | "SystemMessage" | "SystemMessageChunk" => MessageKind::System,
        "tool" | "ToolMessage" | "ToolMessageChunk" => MessageKind::Tool,
        "remove" | "RemoveMessage" => MessageKind::Remove,
        _ => return None,
    })
}

impl TryFrom<Value> for Message {
    type Error = MessageError;

    fn try_from(value: Value) -> Result<Self, MessageError> {
        match value {
            Value::String(text) => Ok(Self::human(text)),
            Value::Array(mut pair) if pair.len() == 2 && pair[0].is_string() => {
                let mut object = Map::new();
                object.insert("content".to_owned(), pair.pop().unwrap_or_default());
                object.insert("role".to_owned(), pair.pop().unwrap_or_default());
                read_object(object)
            }
            Value::Object(object) => read_object(object),
            other => Err(MessageError::NotAMessage { found: describe(&other) }),
        }
    }
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(_) => "a text".to_owned(),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object with neither `role` nor `type`".to_owned(),
    }
}

fn read_object(mut object: Map<String, Value>) -> Result<Message, MessageError> {
    let role = take_role(&mut object)?;
    let Some(kind) = kind_of(&role) else { return Err(MessageError::UnknownRole { role }) };
    Fields { object, kind }.read(&role)
}

/// Finds the role of an object, and takes what wraps it off.
fn take_role(object: &mut Map<String, Value>) -> Result<String, MessageError> {
    let mut role = match object.shift_remove("role") {
        None | Some(Value::Null) => object.shift_remove("type"),
        role => {
            object.shift_remove("type");
            role
        }
    };
    if object.contains_key("lc") && object.get("kwargs").is_some_and(Value::is_object) {
        role = object.get("id").and_then(Value::as_array).and_then(|path| path.last()).cloned();
        unwrap(object, "kwargs");
    } else if !object.contains_key("content") && object.get("data").is_some_and(Value::is_object) {
        unwrap(object, "data");
    }
    match role {
        Some(Value::String(role)) => Ok(role),
        None | Some(Value::Null) => Err(MessageError::NotAMessage { found: describe(&Value::Object(Map::new())) }),
        Some(other) => Err(MessageError::UnknownRole { role: other.to_string() }),
    }
}

/// Puts what a key holds in the place of the whole object. The type in there is that outside.
fn unwrap(object: &mut Map<String, Value>, key: &str) {
    if let Some(Value::Object(inner)) = object.shift_remove(key) {
        *object = inner;
    }
    object.shift_remove("type");
}

/// The keys of an object that is being read as a message of a kind.
struct Fields {
    object: Map<String, Value>,
    kind: MessageKind,
}

impl Fields {
    fn read(mut self, role: &str) -> Result<Message, MessageError> {
        let content = self.content()?;
        let id = self.id()?;
        let name = self.text("name")?;
        let mut additional_kwargs = self.map("additional_kwargs")?;
        if role == "developer" {
            // As LangChain keeps it, so that what sends the message to a model can tell it from `system`.
            additional_kwargs.insert("__openai_role__".to_owned(), role.into());
        }
        let response_metadata = self.map("response_metadata")?;
        let mut rest = Map::new();
        match self.kind {
            MessageKind::Ai => {
                let ToolCalls { valid, mut invalid } = read_tool_calls(self.list("tool_calls")?);
                let mut all_invalid = self.list("invalid_tool_calls")?;
                all_invalid.append(&mut invalid);
                rest.insert("tool_calls".to_owned(), Value::Array(valid));
                rest.insert("invalid_tool_calls".to_owned(), Value::Array(all_invalid));
                self.keep("usage_metadata", Value::Null, &mut rest);
            }
            MessageKind::Tool => {
                let call = self.text("tool_call_id")?;
                let call = call.ok_or_else(|| self.wrong("tool_call_id", "the id of the call that it answers"))?;
                rest.insert("tool_call_id".to_owned(), Value::String(call));
                self.keep("artifact", Value::Null, &mut rest);
                self.keep("status", Value::String("success".to_owned()), &mut rest);
            }
            MessageKind::Human | MessageKind::System | MessageKind::Remove => {}
        }
        rest.append(&mut self.object);
        let kind = self.kind;
        Ok(Message(Arc::new(Body { content, additional_kwargs, response_metadata, kind, name, id, rest })))
    }

    fn wrong(&self, key: &'static str, expected: &'static str) -> MessageError {
        MessageError::WrongKey { key, kind: self.kind.as_str(), expected }
    }

    /// Takes the value of a key. Null is as good as nothing.
    fn take(&mut self, key: &str) -> Option<Value> {
        self.object.shift_remove(key).filter(|value| !value.is_null())
    }

    fn keep(&mut self, key: &str, otherwise: Value, rest: &mut Map<String, Value>) {
        let value = self.take(key).unwrap_or(otherwise);
        rest.insert(key.to_owned(), value);
    }

    fn content(&mut self) -> Result<Content, MessageError> {
        // A model that only calls tools says nothing, and an order to remove has nothing to say.
        let may_be_absent = matches!(self.kind, MessageKind::Ai | MessageKind::Remove);
        match self.take("content") {
            Some(Value::String(text)) => Ok(Content::Text(text)),
            Some(Value::Array(blocks)) if blocks.iter().all(|block| block.is_string() || block.is_object()) => {
                Ok(Content::Blocks(blocks))
            }
            None if may_be_absent => Ok(Content::Text(String::new())),
            _ => Err(self.wrong("content", "a text or a list of blocks, each a text or an object")),
        }
    }

    fn id(&mut self) -> Result<String, MessageError> {
        match self.take("id") {
            Some(Value::String(id)) if !id.is_empty() => Ok(id),
            Some(Value::Number(id)) => Ok(id.to_string()),
            None | Some(Value::String(_)) if self.kind == MessageKind::Remove => {
                Err(self.wrong("id", "the id of the message to remove, or `__remove_all__`"))
            }
            None | Some(Value::String(_)) => Ok(random_id()),
            Some(_) => Err(self.wrong("id", "a text")),
        }
    }

    fn text(&mut self, key: &'static str) -> Result<Option<String>, MessageError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(key, "a text")),
        }
    }

    fn map(&mut self, key: &'static str) -> Result<Map<String, Value>, MessageError> {
        match self.take(key) {
            None => Ok(Map::new()),
            Some(Value::Object(map)) => Ok(map),
            Some(_) => Err(self.wrong(key, "an object")),
        }
    }

    fn list(&mut self, key: &'static str) -> Result<Vec<Value>, MessageError> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) if list.iter().all(Value::is_object) => Ok(list),
            Some(_) => Err(self.wrong(key, "a list of objects")),
        }
    }
}
