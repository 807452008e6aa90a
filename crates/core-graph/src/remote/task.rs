//! A task as data.

use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use serde_json::Value;

use super::Execution;
use crate::context::TaskInfo;
use crate::state::{StateError, codec};

/// A task that is to be executed, with all that its node may see. It is made by [`TaskHost::begin`](super::TaskHost::begin)
/// and taken by [`Compiled::perform`](crate::Compiled::perform), and is small where the state is: fields, inputs, answers and
/// results of durable steps are in it as MessagePack.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TaskRequest {
    /// The graphs and nodes that lead to the task, from the outside in. The last node is the one that is called.
    pub place: Vec<NodePlace>,
    /// The thread; empty without a store.
    pub thread: String,
    /// The namespace: `""` in the root graph.
    pub ns: String,
    /// The task's id, unique in the thread and the same for every attempt.
    pub task: String,
    /// The key of the send that made the task.
    pub key: Option<String>,
    /// Super-steps committed when the task was dispatched.
    pub step: u64,
    /// Counts attempts from 1.
    pub attempt: u32,
    /// Which execution of the attempt it is.
    pub execution: Execution,
    /// When the attempt is given up, in milliseconds since 1970.
    pub deadline: Option<u64>,
    /// What the run was given as its context, where its executor carries it: see [`WithContext`](super::WithContext).
    pub context: Option<Value>,
    /// Whether the error handler of the node is called, and not the node.
    pub(crate) handles_failure: bool,
    pub(crate) input: Option<ByteBuf>,
    /// The fields of the state, by name.
    pub(crate) fields: Vec<(String, ByteBuf)>,
    /// Answers to questions of the task, by key, as JSON.
    pub(crate) answers: Vec<(String, ByteBuf)>,
    /// Results of its durable steps, by key.
    pub(crate) steps: Vec<(String, ByteBuf)>,
    pub(crate) first_attempt: Option<u64>,
    pub(crate) remaining_steps: Option<u64>,
    pub(crate) remaining_tasks: Option<u64>,
}

/// A node of a graph. A worker whose graph has another name or version has nothing to call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NodePlace {
    /// The graph's name.
    pub graph: String,
    /// The graph's version.
    pub version: u32,
    /// The version of its state.
    pub state_version: u32,
    /// The node.
    pub node: String,
}

/// A graph in one of its versions. A worker takes the tasks of the graphs that it has.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GraphVersion {
    /// The graph's name.
    pub graph: String,
    /// The graph's version.
    pub version: u32,
    /// The version of its state.
    pub state_version: u32,
}

/// The name and both versions, such as `trip 2.1`.
impl std::fmt::Display for GraphVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { graph, version, state_version } = self;
        write!(f, "{graph} {version}.{state_version}")
    }
}

impl NodePlace {
    /// The graph of the node.
    pub fn graph_version(&self) -> GraphVersion {
        let Self { graph, version, state_version, .. } = self;
        GraphVersion { graph: graph.clone(), version: *version, state_version: *state_version }
    }
}

/// A task that a graph cannot perform: it is of another graph, or of another version. A worker leaves it to those that know it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the task is of {wanted}, and this process has {known}")]
pub struct UnknownTask {
    wanted: String,
    known: String,
}

impl UnknownTask {
    pub(crate) fn new(wanted: &NodePlace, known: impl std::fmt::Display) -> Self {
        let NodePlace { graph, version, state_version, node } = wanted;
        let wanted = format!("node `{node}` of graph `{graph}` in version {version} (state {state_version})");
        Self { wanted, known: known.to_string() }
    }
}

impl UnknownTask {
    /// A task at whose place no graph was looked for.
    pub(crate) fn without_graph(request: &TaskRequest) -> Self {
        let wanted =
            request.place.first().map_or_else(|| "no node".to_owned(), |place| place.graph_version().to_string());
        Self { wanted, known: "no such graph".to_owned() }
    }
}

impl TaskRequest {
    /// The task as bytes: MessagePack with the names of fields.
    ///
    /// # Errors
    /// None that a task of this crate has.
    pub fn to_bytes(&self) -> Result<Vec<u8>, StateError> {
        codec::encode_row("task", self)
    }

    /// The task of such bytes.
    ///
    /// # Errors
    /// What is no task, with the place.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        codec::decode("task", bytes)
    }

    /// The task as its node sees it.
    pub(crate) fn info(&self) -> TaskInfo {
        TaskInfo {
            thread: self.thread.as_str().into(),
            ns: self.ns.as_str().into(),
            node: self.place.last().map(|place| place.node.clone()).unwrap_or_default(),
            key: self.key.as_deref().map(Into::into),
            id: self.task.as_str().into(),
            attempt: self.attempt,
            step: self.step,
        }
    }
}
