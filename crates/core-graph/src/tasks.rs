//! What is said of tasks on every floor: their ids, their questions, why they stop, and what subgraphs leave.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use smallvec::SmallVec;

/// A task within its namespace: the commit that made it, and its place among the tasks of that commit. Ids grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct TaskId {
    pub(crate) number: u64,
    pub(crate) place: u32,
}

/// A fan-out: the sends of one task, and the sends of those.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct GroupId {
    pub(crate) number: u64,
    pub(crate) place: u32,
}

/// Why a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Done,
    Waiting,
    Failed,
    Budget,
    StepLimit,
    /// A super-step took longer than it may.
    StepTimeout,
    Drained,
    Cancelled,
}

/// Checks an answer against the declared type.
pub(crate) type AnswerCheck = Arc<dyn Fn(&Value) -> Result<(), String> + Send + Sync>;

/// A question that a task asked and nobody has answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// Unique in the thread.
    pub id: String,
    /// The key under which it was asked; several tasks may ask under the same key.
    pub key: String,
    /// The nodes that lead to the asking one, from the outside in.
    pub path: Vec<String>,
    /// The id of the asking task.
    pub task: String,
    /// What is asked.
    pub payload: Value,
    /// Reads an answer as the declared type. Not stored: found again by `path`.
    #[serde(skip)]
    pub(crate) check: Check,
}

#[derive(Clone, Default)]
pub(crate) struct Check(pub(crate) Option<AnswerCheck>);

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "declared" } else { "undeclared" })
    }
}

impl PartialEq for Check {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Check {}

/// A task of a thread that is not committed, as [`ThreadState::tasks`](crate::ThreadState::tasks) lists it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PendingTask {
    /// Its id, as events tell it.
    pub id: String,
    /// Its node.
    pub node: String,
    /// The key of the send that made it; none for a task that no send made.
    pub key: Option<String>,
    /// The input of that send, as JSON.
    pub input: Option<Value>,
    /// Whether it has finished, and waits for the others of its super-step.
    pub finished: bool,
}

impl TaskId {
    pub(crate) fn path(self, ns: &str, node: &str) -> Arc<str> {
        let mut text = SmallVec::<[u8; 96]>::new();
        if !ns.is_empty() {
            text.extend_from_slice(ns.as_bytes());
            text.push(b'/');
        }
        text.extend_from_slice(node.as_bytes());
        text.push(b':');
        text.extend_from_slice(itoa::Buffer::new().format(self.number).as_bytes());
        text.push(b'.');
        text.extend_from_slice(itoa::Buffer::new().format(self.place).as_bytes());
        // It is made of texts.
        std::str::from_utf8(&text).unwrap_or_default().into()
    }
}

/// The check of a question.
pub(crate) fn question_check(check: AnswerCheck) -> Check {
    Check(Some(check))
}

/// Namespaces of children that are kept per thread, with the checkpoints at which they stand.
pub(crate) type ChildHeads = Vec<(Arc<str>, u64)>;

/// A namespace as a call left it: the `Restored` of its state.
pub(crate) type Kept = Arc<dyn Any + Send + Sync>;

/// Where the subgraphs that are kept per thread stand when a call ends. Opaque; made by drivers.
#[derive(Clone, Default)]
pub struct Standing {
    pub(crate) heads: ChildHeads,
    /// The subgraph of the call itself.
    pub(crate) own: Option<(Arc<str>, Kept)>,
}

impl fmt::Debug for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standing").field("heads", &self.heads).finish_non_exhaustive()
    }
}
