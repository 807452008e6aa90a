//! The events of a run as types, §4.2 to §4.4 of the protocol.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Frame;
use crate::calls::RunResult;
use crate::{Interrupt, Object, RunId, RunStatus};

/// An event of a run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamEvent {
    /// Its id, where the server gives it one. Streams can be [joined](crate::Runs::join_stream) after it.
    pub id: Option<String>,
    /// The tasks that lead to the subgraph that it is about, as `node:task`; empty for the graph itself.
    pub namespace: Vec<String>,
    /// What happened.
    pub data: StreamData,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StreamData {
    /// The run began, or begins again after its process died. On streams of threads also its end.
    Metadata(RunMetadata),
    /// The whole state.
    Values(Value),
    /// What tasks wrote, by node; `null` for a node that wrote nothing.
    Updates(Object),
    /// A piece of a message, and what it belongs to.
    Message(Box<MessageChunk>, Object),
    /// Messages as far as they have come; whole ones with `complete`.
    Messages {
        /// The messages.
        messages: Vec<MessageChunk>,
        /// Whether they are whole.
        complete: bool,
    },
    /// What messages belong to, by the ids of the messages.
    MessagesMetadata(Object),
    /// What a node told.
    Custom(Value),
    /// A task began or ended.
    Task(Box<TaskEvent>),
    /// A checkpoint was made.
    Checkpoint(Box<CheckpointEvent>),
    /// A task or a checkpoint in detail.
    Debug(Box<DebugEvent>),
    /// The run failed. Nothing follows.
    Error(RunError),
    /// The run ended. Nothing follows.
    End(RunEnd),
    /// Something else: a mode or a form that this version of the client does not know.
    Other {
        /// The name.
        event: String,
        /// The value.
        data: Value,
    },
}

/// Which run it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunMetadata {
    /// The run.
    pub run_id: RunId,
    /// Counts its attempts from 1.
    #[serde(default)]
    pub attempt: Option<u64>,
    /// `run_done` at the end of a run, on streams of threads.
    #[serde(default)]
    pub status: Option<String>,
}

/// A message of a chat, or a piece of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MessageChunk {
    /// Its id, the same for all pieces.
    #[serde(default)]
    pub id: Option<String>,
    /// `human`, `ai`, `tool`, `system`, or `AIMessageChunk` and the like for a piece.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// A text, or a list of blocks.
    #[serde(default)]
    pub content: Value,
    /// Calls of tools, and all else.
    #[serde(flatten)]
    pub extra: Object,
}

impl MessageChunk {
    /// The text of the content, blocks of other kinds left out.
    pub fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(blocks) => {
                let text = |block: &Value| match block {
                    Value::String(text) => Some(text.clone()),
                    block => block.get("text").and_then(Value::as_str).map(str::to_owned),
                };
                blocks.iter().filter_map(text).collect()
            }
            _ => String::new(),
        }
    }
}

/// A task that began or ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskEvent {
    /// Its id.
    pub id: String,
    /// Its node.
    pub name: String,
    /// What it was given; none at its end.
    #[serde(default)]
    pub input: Option<Value>,
    /// What set it off; empty at its end.
    #[serde(default)]
    pub triggers: Vec<String>,
    /// What it wrote; none at its begin.
    #[serde(default)]
    pub result: Option<Value>,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<Value>,
    /// What it asks.
    #[serde(default)]
    pub interrupts: Vec<Interrupt>,
}

/// A checkpoint that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckpointEvent {
    /// Which it is: `configurable` with `thread_id`, `checkpoint_ns`, `checkpoint_id`.
    #[serde(default)]
    pub config: Value,
    /// Which came before it.
    #[serde(default)]
    pub parent_config: Option<Value>,
    /// The state.
    #[serde(default)]
    pub values: Value,
    /// `source`, `step`, `parents`.
    #[serde(default)]
    pub metadata: Object,
    /// The nodes that have tasks.
    #[serde(default)]
    pub next: Vec<String>,
    /// The tasks.
    #[serde(default)]
    pub tasks: Vec<Value>,
}

/// A task or a checkpoint in detail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DebugEvent {
    /// `checkpoint`, `task` or `task_result`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The super-step.
    #[serde(default)]
    pub step: i64,
    /// When, RFC 3339.
    #[serde(default)]
    pub timestamp: Option<String>,
    /// The details.
    #[serde(default)]
    pub payload: Value,
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunError {
    /// The kind, such as `ValueError`.
    #[serde(rename = "error")]
    pub kind: String,
    /// The message.
    #[serde(default)]
    pub message: String,
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunEnd {
    /// How it stands; none where the server could not say, because the run is deleted.
    #[serde(default)]
    pub status: Option<RunStatus>,
}

impl StreamEvent {
    /// The questions in a `values` or an `updates` event.
    pub fn interrupts(&self) -> Vec<Interrupt> {
        let told = match &self.data {
            StreamData::Values(values) => values.get("__interrupt__"),
            StreamData::Updates(updates) => updates.get("__interrupt__"),
            _ => None,
        };
        told.map(RunResult::interrupts_of).unwrap_or_default()
    }

    /// Whether nothing follows.
    pub fn is_last(&self) -> bool {
        matches!(self.data, StreamData::Error(_) | StreamData::End(_))
    }

    /// Reads an event.
    ///
    /// # Errors
    /// Data that is no JSON.
    pub(super) fn read(frame: Frame) -> Result<Self, serde_json::Error> {
        let value: Value = if frame.data.is_empty() { Value::Null } else { serde_json::from_str(&frame.data)? };
        let mut parts = frame.event.split('|').map(str::to_owned);
        let name = parts.next().unwrap_or_default();
        let namespace = parts.collect();
        let data = StreamData::read(&name, &value).unwrap_or(StreamData::Other { event: frame.event, data: value });
        Ok(Self { id: frame.id, namespace, data })
    }
}

impl StreamData {
    /// The data of an event; none where the client does not know its form.
    fn read(name: &str, value: &Value) -> Option<Self> {
        fn typed<T: for<'v> Deserialize<'v>>(value: &Value) -> Option<T> {
            T::deserialize(value).ok()
        }
        let object = || value.as_object().cloned();
        Some(match name {
            "metadata" => Self::Metadata(typed(value)?),
            "values" => Self::Values(value.clone()),
            "updates" => Self::Updates(object()?),
            "messages" => {
                let (chunk, metadata) = typed(value)?;
                Self::Message(Box::new(chunk), metadata)
            }
            "messages/partial" => Self::Messages { messages: typed(value)?, complete: false },
            "messages/complete" => Self::Messages { messages: typed(value)?, complete: true },
            "messages/metadata" => Self::MessagesMetadata(object()?),
            "custom" => Self::Custom(value.clone()),
            "tasks" => Self::Task(Box::new(typed(value)?)),
            "checkpoints" => Self::Checkpoint(Box::new(typed(value)?)),
            "debug" => Self::Debug(Box::new(typed(value)?)),
            // An error in an unknown form ends the stream as well.
            "error" => Self::Error(typed(value).unwrap_or_else(|| RunError {
                kind: "Error".to_owned(),
                message: value.as_str().map_or_else(|| value.to_string(), str::to_owned),
            })),
            "end" => Self::End(typed(value).unwrap_or_default()),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(event: &str, data: &Value) -> StreamEvent {
        StreamEvent::read(Frame { event: event.into(), data: data.to_string(), id: None }).unwrap()
    }

    #[test]
    fn events_have_their_types_and_namespaces() {
        let event = read("updates|child:t1|grand:t2", &json!({"upper": null}));
        assert_eq!(event.namespace, ["child:t1", "grand:t2"]);
        assert!(matches!(event.data, StreamData::Updates(updates) if updates["upper"].is_null()));

        let event = read("messages", &json!([{"type": "AIMessageChunk", "id": "m", "content": "hi"}, {"run_id": "r"}]));
        let StreamData::Message(chunk, metadata) = event.data else { panic!("{event:?}") };
        assert_eq!((chunk.text().as_str(), metadata["run_id"].as_str()), ("hi", Some("r")));

        let event = read("values", &json!({"__interrupt__": [{"value": {"q": 1}, "id": "i"}]}));
        assert_eq!(event.interrupts()[0].id.as_deref(), Some("i"));
        assert!(!event.is_last());

        let event = read("debug", &json!({"type": "task", "step": -1, "payload": {}}));
        assert!(matches!(event.data, StreamData::Debug(debug) if debug.step == -1));
        let task = read("tasks", &json!({"id": "t", "name": "n", "input": null, "triggers": ["a"]}));
        assert!(matches!(task.data, StreamData::Task(task) if task.triggers == ["a"]));
    }

    #[test]
    fn what_is_not_known_is_told_as_it_stands() {
        for (event, data) in [("tools", json!({"a": 1})), ("tasks", json!("odd")), ("updates|x", json!(3))] {
            let read = read(event, &data);
            assert_eq!(read.data, StreamData::Other { event: event.into(), data });
        }
        assert!(StreamEvent::read(Frame { event: "values".into(), data: "{".into(), id: None }).is_err());
    }

    #[test]
    fn the_end_is_an_end_in_every_form() {
        for (event, data) in
            [("error", json!("out of memory")), ("end", json!(null)), ("end", json!({"status": "new"}))]
        {
            assert!(read(event, &data).is_last(), "{event} {data}");
        }
        let StreamData::Error(error) = read("error", &json!({"error": "ValueError", "message": "boom"})).data else {
            panic!("no error");
        };
        assert_eq!((error.kind.as_str(), error.message.as_str()), ("ValueError", "boom"));
    }

    #[test]
    fn text_is_read_out_of_blocks() {
        let content = json!([{"type": "text", "text": "a"}, {"type": "image"}, "b"]);
        assert_eq!(MessageChunk { content, ..MessageChunk::default() }.text(), "ab");
    }
}
