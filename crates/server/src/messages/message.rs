//! One chat message, in the JSON form that `LangChain`'s clients read.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};
use uuid::Uuid;

/// Who a message is from, or that it takes one away: the key `type` of its JSON form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum MessageKind {
    /// From a person.
    Human,
    /// From a model.
    Ai,
    /// From the author of the application, to the model.
    System,
    /// The result of a tool call.
    Tool,
    /// From nobody: [`add_messages`](super::add_messages) takes the message of this id away.
    Remove,
}

/// What a message says: a text, or a list of blocks, each a text or an object with a `type`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Content {
    /// A text.
    Text(String),
    /// Blocks such as `{"type":"text","text":"…"}`.
    Blocks(Vec<Value>),
}

/// A chat message: an object with `content`, `type`, `id` and whatever else belongs to its kind. Cloning it is cheap.
///
/// It is written with its known keys first, in a fixed order, and then the keys that nobody here knows, in the order in
/// which they came. It is read from each of these forms; what has no id gets a random UUID:
///
/// | form | is |
/// | --- | --- |
/// | `"hello"` | a human message |
/// | `["user", "hello"]` | a message of that role |
/// | `{"role": "user", "content": "hello"}` | the form of OpenAI |
/// | `{"type": "human", "content": "hello", …}` | the form of `LangChain` |
/// | `{"type": "human", "data": {…}}` | an older form of `LangChain` |
/// | `{"lc": 1, "type": "constructor", "id": […, "HumanMessage"], "kwargs": {…}}` | what `LangChain`'s objects are as JSON |
/// | `{"type": "remove", "id": "…"}` | an order to take a message away |
#[derive(Clone, Debug, PartialEq)]
pub struct Message(pub(super) Arc<Body>);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Body {
    pub(super) content: Content,
    pub(super) additional_kwargs: Map<String, Value>,
    pub(super) response_metadata: Map<String, Value>,
    pub(super) kind: MessageKind,
    pub(super) name: Option<String>,
    pub(super) id: String,
    /// The keys of the kind, and those that are not known here.
    pub(super) rest: Map<String, Value>,
}

impl MessageKind {
    /// The kind as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Ai => "ai",
            Self::System => "system",
            Self::Tool => "tool",
            Self::Remove => "remove",
        }
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Vec<Value>> for Content {
    fn from(blocks: Vec<Value>) -> Self {
        Self::Blocks(blocks)
    }
}

impl Message {
    /// A message from a person, with a random id.
    pub fn human(content: impl Into<Content>) -> Self {
        Self::of(MessageKind::Human, content.into(), Map::new())
    }

    /// A message from a model, with a random id.
    pub fn ai(content: impl Into<Content>) -> Self {
        let rest = [
            ("tool_calls", Value::Array(Vec::new())),
            ("invalid_tool_calls", Value::Array(Vec::new())),
            ("usage_metadata", Value::Null),
        ];
        Self::of(
            MessageKind::Ai,
            content.into(),
            rest.map(|(key, value)| (key.to_owned(), value)).into_iter().collect(),
        )
    }

    /// A message from the author of the application, with a random id.
    pub fn system(content: impl Into<Content>) -> Self {
        Self::of(MessageKind::System, content.into(), Map::new())
    }

    /// The result of the tool call of this id, with a random id of its own.
    pub fn tool(call: impl Into<String>, content: impl Into<Content>) -> Self {
        let rest = [
            ("tool_call_id", Value::String(call.into())),
            ("artifact", Value::Null),
            ("status", Value::String("success".to_owned())),
        ];
        let rest = rest.map(|(key, value)| (key.to_owned(), value)).into_iter().collect();
        Self::of(MessageKind::Tool, content.into(), rest)
    }

    /// An order to take away the message of this id; [`REMOVE_ALL`](super::REMOVE_ALL) is the id of all.
    pub fn remove(id: impl Into<String>) -> Self {
        Self::of(MessageKind::Remove, String::new().into(), Map::new()).with_id(id)
    }

    fn of(kind: MessageKind, content: Content, rest: Map<String, Value>) -> Self {
        Self(Arc::new(Body {
            content,
            additional_kwargs: Map::new(),
            response_metadata: Map::new(),
            kind,
            name: None,
            id: random_id(),
            rest,
        }))
    }

    /// The same message under this id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.0).id = id.into();
        self
    }

    /// Who it is from.
    pub fn kind(&self) -> MessageKind {
        self.0.kind
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The name of the person, the model or the tool, where one is given.
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// What it says.
    pub fn content(&self) -> &Content {
        &self.0.content
    }

    /// What it says as text: the text blocks joined, without anything between; blocks of other types are left out.
    pub fn text(&self) -> String {
        match &self.0.content {
            Content::Text(text) => text.clone(),
            Content::Blocks(blocks) => blocks.iter().filter_map(block_text).collect(),
        }
    }

    /// The tool calls of a model's message, each an object with `name`, `args` and `id`.
    pub fn tool_calls(&self) -> &[Value] {
        self.get("tool_calls").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The value of a key that is not among those of every message: `tool_call_id`, `usage_metadata`, and others.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.rest.get(key)
    }
}

pub(super) fn random_id() -> String {
    Uuid::new_v4().to_string()
}

fn block_text(block: &Value) -> Option<&str> {
    match block {
        Value::String(text) => Some(text),
        Value::Object(block) if block.get("type").is_none_or(|kind| kind == "text") => block.get("text")?.as_str(),
        _ => None,
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let body = &*self.0;
        let mut map = serializer.serialize_map(Some(6 + body.rest.len()))?;
        map.serialize_entry("content", &body.content)?;
        map.serialize_entry("additional_kwargs", &body.additional_kwargs)?;
        map.serialize_entry("response_metadata", &body.response_metadata)?;
        map.serialize_entry("type", &body.kind)?;
        map.serialize_entry("name", &body.name)?;
        map.serialize_entry("id", &body.id)?;
        for (key, value) in &body.rest {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::try_from(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Message {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Message".into()
    }

    fn schema_id() -> Cow<'static, str> {
        concat!(module_path!(), "::Message").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "A chat message. `type` is `human`, `ai`, `system`, `tool` or `remove`; `role` with `user` or `assistant` is read too.",
            "properties": {
                "content": {
                    "description": "What it says: a text, or a list of blocks.",
                    "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": ["string", "object"] } }],
                },
                "type": { "type": "string", "description": "Who it is from." },
                "id": {
                    "type": ["string", "null"],
                    "description": "A message of the same id is replaced. A new one gets an id.",
                },
                "name": { "type": ["string", "null"] },
            },
            "additionalProperties": true,
        })
    }
}
