//! One task of a tree.

use std::borrow::Cow;
use std::fmt::Debug;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Failure, NodeKey, NodeType, TaskStatus};

/// What a tree carries at each node, and what drawings and explanations ask about it.
///
/// `String` is a payload of nothing but a title, replaced as a whole.
pub trait Payload: Clone + Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {
    /// A change to a payload, carried by [`TreeChange::Changed`](crate::TreeChange::Changed).
    type Change: Clone + Debug + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static;

    /// Applies a change. Deterministic and total: the same changes in the same order give the same payload.
    fn change(&mut self, change: Self::Change);

    /// Forgets the results of its actions, because the task is done again
    /// ([`TreeChange::Retried`](crate::TreeChange::Retried)). Deterministic and total, as [`change`](Self::change)
    /// is.
    fn forget(&mut self) {}

    /// The goal of the task, for people.
    fn title(&self) -> Cow<'_, str>;

    /// The kind of task, such as `search` or `write.800 words`.
    fn kind_label(&self) -> Cow<'_, str> {
        Cow::Borrowed("task")
    }

    /// Whether others work on its result, so that drawings list it among their dependencies. WriteHERE leaves writes
    /// out: who depends on one waits for its turn only.
    fn listed_as_dependency(&self) -> bool {
        true
    }

    /// The `task_info` of the JSON export; the whole payload unless told otherwise.
    fn task_info(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }

    /// The `result` of the JSON export: an object from action to result.
    fn results(&self) -> Value {
        Value::Object(serde_json::Map::new())
    }
}

impl Payload for String {
    type Change = String;

    fn change(&mut self, change: String) {
        *self = change;
    }

    fn title(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }
}

/// The graph inside a plan node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct InnerGraph {
    /// The nodes in plan order.
    pub nodes: Vec<NodeKey>,
    /// The same nodes in topological batches, each batch in plan order.
    pub batches: Vec<Vec<NodeKey>>,
}

impl InnerGraph {
    /// The nodes in topological order: the order in which they are looked at.
    pub fn queue(&self) -> impl DoubleEndedIterator<Item = &NodeKey> {
        self.batches.iter().flatten()
    }

    /// Whether there is nothing inside.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// A task: its place, its status, its payload and the graph inside it.
///
/// It holds nothing that depends on the order in which independent actions of other nodes were reported; that order is
/// in the tree's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(bound = "T: Payload")]
#[non_exhaustive]
pub struct TaskNode<T> {
    /// Its unique key.
    pub key: NodeKey,
    /// Its id in the plan it comes from: `""` for the root, `"0"` for the execute child of an atomic task. Not unique
    /// in the tree.
    pub nid: String,
    /// Plan or execute node.
    pub node_type: NodeType,
    /// Where it stands.
    pub status: TaskStatus,
    /// Why it failed; present exactly while the status is `FAILED`.
    pub failure: Option<Failure>,
    /// The nodes of the same graph it depends on (WriteHERE's `parent_nodes`).
    pub parents: Vec<NodeKey>,
    /// The nodes of the same graph that depend on it.
    pub dependents: Vec<NodeKey>,
    /// The graph inside it.
    pub inner: InnerGraph,
    /// What the tree's owner keeps about it.
    pub payload: Arc<T>,
}

impl<T> TaskNode<T> {
    /// How deep it stands: 0 for the root.
    pub fn layer(&self) -> usize {
        self.key.layer()
    }

    /// The key of the node it stands inside.
    pub fn outer(&self) -> Option<NodeKey> {
        self.key.outer()
    }

    /// Whether it is the execute node that carries out an atomic task: alone in the graph of its outer node.
    pub fn is_atomic_execution(&self) -> bool {
        self.node_type == NodeType::Execute && self.key.place() == Some(0)
    }
}
