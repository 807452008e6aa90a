//! The messages of a conversation.

use std::borrow::Cow;

use graphloom_core_graph::Log;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::message::Message;
use super::read::{MessageError, kind_of};

/// The messages of a conversation, oldest first; or changes to one, for [`add_messages`](super::add_messages).
///
/// A clone shares its messages with the original, however long the list is. It is written as a list and read from a
/// list of anything that a [`Message`] is read from, or from one such thing alone. A list of two texts, the first of
/// which is a role, is a pair of role and text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Messages(Log<Message>);

impl Messages {
    /// No messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The message at `index`, counted from the oldest.
    pub fn get(&self, index: usize) -> Option<&Message> {
        self.0.get(index)
    }

    /// The newest message.
    pub fn last(&self) -> Option<&Message> {
        self.0.last()
    }

    /// The messages, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Message> + ExactSizeIterator {
        self.0.iter()
    }

    pub(super) fn extend(&mut self, messages: impl IntoIterator<Item = Message>) {
        self.0.extend(messages);
    }
}

impl From<Message> for Messages {
    fn from(message: Message) -> Self {
        Self(Log::from([message]))
    }
}

impl From<Vec<Message>> for Messages {
    fn from(messages: Vec<Message>) -> Self {
        Self(messages.into())
    }
}

impl<const N: usize> From<[Message; N]> for Messages {
    fn from(messages: [Message; N]) -> Self {
        Self(messages.into())
    }
}

impl FromIterator<Message> for Messages {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self(messages.into_iter().collect())
    }
}

impl<'a> IntoIterator for &'a Messages {
    type Item = &'a Message;
    type IntoIter = <&'a Log<Message> as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        (&self.0).into_iter()
    }
}

impl TryFrom<Value> for Messages {
    type Error = MessageError;

    fn try_from(value: Value) -> Result<Self, MessageError> {
        match value {
            Value::Array(list) if !is_pair(&list) => list.into_iter().map(Message::try_from).collect(),
            one => Message::try_from(one).map(Self::from),
        }
    }
}

fn is_pair(list: &[Value]) -> bool {
    matches!(list, [Value::String(role), Value::String(_)] if kind_of(role).is_some())
}

impl Serialize for Messages {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Messages {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Messages {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Messages".into()
    }

    fn schema_id() -> Cow<'static, str> {
        concat!(module_path!(), "::Messages").into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<Message>::json_schema(generator)
    }
}
