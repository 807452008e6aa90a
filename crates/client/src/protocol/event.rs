//! An event of the protocol.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Interrupt;

/// An event of a thread.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ProtocolEvent {
    /// Its place in what the server tells of the thread. [`Subscription::since`](crate::Subscription::since) goes on after it.
    pub seq: Option<u64>,
    /// Its id, the same however often it is told.
    pub event_id: Option<String>,
    /// What it is: `values`, `updates`, `messages`, `tools`, `lifecycle`, `input.requested`, `checkpoints`, `tasks`, `custom`;
    /// of servers of graphloom, `trace`.
    pub method: String,
    /// The tasks that lead to the subgraph that it is about, as `node:task`; empty for the graph itself.
    pub namespace: Vec<String>,
    /// When, in milliseconds since 1970.
    pub timestamp: Option<u64>,
    /// What happened, in the form of its method.
    pub data: Value,
}

/// The wire form.
#[derive(Deserialize, Serialize)]
struct Envelope {
    #[serde(default)]
    seq: Option<u64>,
    #[serde(default)]
    event_id: Option<String>,
    method: String,
    #[serde(default)]
    params: Params,
}

#[derive(Default, Deserialize, Serialize)]
struct Params {
    #[serde(default)]
    namespace: Vec<String>,
    #[serde(default)]
    timestamp: Option<u64>,
    #[serde(default)]
    data: Value,
}

impl ProtocolEvent {
    /// Reads an event.
    ///
    /// # Errors
    /// Data of another form.
    pub(super) fn read(data: &str) -> Result<Self, serde_json::Error> {
        let Envelope { seq, event_id, method, params: Params { namespace, timestamp, data } } =
            serde_json::from_str(data)?;
        Ok(Self { seq, event_id, method, namespace, timestamp, data })
    }

    /// The question, if it is one: an `input.requested`. Servers name what is asked `payload`, some also `value`.
    pub fn interrupt(&self) -> Option<Interrupt> {
        if self.method != "input.requested" {
            return None;
        }
        let value = self.data.get("payload").or_else(|| self.data.get("value")).cloned().unwrap_or_default();
        let id = self.data.get("interrupt_id").and_then(Value::as_str).map(str::to_owned);
        Some(Interrupt { id, value, response_schema: self.data.get("response_schema").cloned() })
    }

    /// What became of the graph or the subgraph of its namespace, if it is a `lifecycle` event: `started`, `running`,
    /// `completed`, `failed`, `interrupted`.
    pub fn lifecycle(&self) -> Option<&str> {
        if self.method == "lifecycle" { self.data.get("event").and_then(Value::as_str) } else { None }
    }

    /// Whether it says that the run of the thread itself is over or waits.
    pub fn is_end_of_run(&self) -> bool {
        self.namespace.is_empty() && matches!(self.lifecycle(), Some("completed" | "failed" | "interrupted"))
    }
}
