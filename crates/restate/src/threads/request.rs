//! What is asked of a thread, and how a run ended: the JSON of the handlers.

use graphloom_core_graph::Question;
use graphloom_core_graph::checkpoint::ThreadStatus;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What is asked of a thread, as JSON: `{"input": {…}}`, `{"answers": {…}}`, or `{}` to go on where a run stopped.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RunRequest {
    /// A run of this input: fields of the state, folded as reducers say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Map<String, Value>>,
    /// Answers to open questions, by key or id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Map<String, Value>>,
    /// What the resources of the run are made of, where each run has its own.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
}

/// The invocation by which the engine has a run driven.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Invocation {
    /// Its id at the engine: the same for every process that takes the run up.
    pub id: String,
    /// The mark of the thread before the run was first taken up, see [`Drive::mark`](super::Drive::mark).
    pub since: u64,
}

/// How a run ended, or how a thread stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunEnd {
    /// What the thread is doing.
    pub status: ThreadStatus,
    /// More about that, such as the error of a run that failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// The state.
    pub state: Value,
    /// Open questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<ThreadQuestion>,
    /// The nodes that are next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
}

/// A question of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ThreadQuestion {
    /// Unique in the thread.
    pub id: String,
    /// The key under which it was asked; several tasks may ask under the same key.
    pub key: String,
    /// The nodes that lead to the asking one, from the outside in.
    pub path: Vec<String>,
    /// What is asked.
    pub payload: Value,
}

impl From<Question> for ThreadQuestion {
    fn from(question: Question) -> Self {
        let Question { id, key, path, payload, .. } = question;
        Self { id, key, path, payload }
    }
}

impl RunEnd {
    /// How a thread stands.
    pub fn new(status: ThreadStatus, state: Value) -> Self {
        Self { status, detail: String::new(), state, questions: Vec::new(), next: Vec::new() }
    }
}
