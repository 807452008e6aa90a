//! The state of a thread at a checkpoint.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Object, or_default};

/// The state of a thread at a checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ThreadState {
    /// The state of the graph.
    #[serde(default, deserialize_with = "or_default")]
    pub values: Value,
    /// The nodes that have tasks, one name a task.
    #[serde(default, deserialize_with = "or_default")]
    pub next: Vec<String>,
    /// The tasks.
    #[serde(default, deserialize_with = "or_default")]
    pub tasks: Vec<StateTask>,
    /// What was noted with the checkpoint: `source`, `step`, `run_id` and others.
    #[serde(default, deserialize_with = "or_default")]
    pub metadata: Object,
    /// When the checkpoint was made, RFC 3339.
    #[serde(default)]
    pub created_at: Option<String>,
    /// Which checkpoint it is; none before the first run.
    #[serde(default)]
    pub checkpoint: Option<Checkpoint>,
    /// The checkpoint before it.
    #[serde(default)]
    pub parent_checkpoint: Option<Checkpoint>,
    #[serde(default, deserialize_with = "or_default")]
    interrupts: Vec<Interrupt>,
}

impl ThreadState {
    /// The open questions: those of the state, or those of its tasks on servers that tell them there alone.
    pub fn interrupts(&self) -> Vec<Interrupt> {
        if self.interrupts.is_empty() {
            return self.tasks.iter().flat_map(|task| task.interrupts.iter().cloned()).collect();
        }
        self.interrupts.clone()
    }
}

/// A task of a state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StateTask {
    /// Its id.
    #[serde(default, deserialize_with = "or_default")]
    pub id: String,
    /// Its node.
    #[serde(default, deserialize_with = "or_default")]
    pub name: String,
    /// How it came about.
    #[serde(default, deserialize_with = "or_default")]
    pub path: Vec<Value>,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<String>,
    /// What it asks.
    #[serde(default, deserialize_with = "or_default")]
    pub interrupts: Vec<Interrupt>,
    /// The checkpoint of the subgraph that it is in.
    #[serde(default)]
    pub checkpoint: Option<Checkpoint>,
    /// The state of the subgraph that it is in, where that was asked for.
    #[serde(default)]
    pub state: Option<Box<ThreadState>>,
    /// What it wrote.
    #[serde(default)]
    pub result: Option<Value>,
}

/// Which checkpoint it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// The namespace: empty for the graph itself.
    #[serde(default, deserialize_with = "or_default")]
    pub checkpoint_ns: String,
    /// The id. Ids of a thread sort by time as texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_id: Option<String>,
    /// The checkpoints of the graphs around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint_map: Option<Object>,
}

/// A question of a run to whoever started it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Interrupt {
    /// Its id, which an answer names.
    #[serde(default)]
    pub id: Option<String>,
    /// What is asked.
    #[serde(default, deserialize_with = "or_default")]
    pub value: Value,
    /// The JSON schema of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_schema: Option<Value>,
}
