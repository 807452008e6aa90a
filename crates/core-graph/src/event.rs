//! What a run tells while it runs, and what it writes to its journal.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use crate::bytes::RecordBytes;
use crate::json_value;
use crate::status::ThreadStatus;

/// The version of the JSON form of [`Event`].
pub const EVENT_VERSION: u32 = 1;

/// One event of a run.
///
/// *Journal* events have a `seq`: they are stored with the commit that they tell of, so a reader in any process can
/// continue after a `seq` ([`Thread::journal`](crate::Thread::journal)). *Live* events have none: they reach the
/// subscriber of this run only, at most once.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// [`EVENT_VERSION`].
    pub v: u32,
    /// The place in the thread's journal, from 1; none for live events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The namespace: `""` for the root graph, a task's id for the subgraph it runs.
    pub ns: Arc<str>,
    /// Super-steps committed in the namespace.
    pub step: u64,
    /// The task, where one is concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<Arc<str>>,
    /// The task's attempt, from 1; 0 where no task is concerned.
    #[serde(default)]
    pub attempt: u32,
    /// Milliseconds since 1970.
    pub time: u64,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventKind {
    /// A run began or went on. Journal.
    RunStarted {
        /// The graph.
        graph: String,
        /// `input`, `resume` or `continue`.
        how: String,
    },
    /// A subgraph began or went on in a namespace of its own: the event's. Live.
    SubgraphStarted {
        /// Its graph.
        graph: String,
        /// `input` for a new one, `continue` for one that goes on where it stopped.
        how: String,
    },
    /// A subgraph ended, waits for an answer, failed, or stopped with its run. Nothing is told of one that a cancelled
    /// run drops in the middle. Live.
    SubgraphEnded {
        /// Its graph.
        graph: String,
        /// What became of it.
        status: ThreadStatus,
        /// More about it: the error, the keys of its questions, or the nodes that have tasks.
        detail: String,
    },
    /// A task was dispatched. Live.
    TaskStarted {
        /// The node.
        node: String,
        /// The input of the send that made the task. Its JSON tells it; [`Payload::get`] finds nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        packet: Option<Payload>,
    },
    /// A task ended with a result, which waits for its commit: in barrier mode for the other tasks of its super-step. Live.
    TaskFinished {
        /// The node.
        node: String,
    },
    /// A kept result stood for the node's own, see [`StateGraph::add_cache`](crate::StateGraph::add_cache). Live.
    TaskCached {
        /// The node.
        node: String,
    },
    /// A task failed and will be tried again. Journal.
    TaskRetry {
        /// The node.
        node: String,
        /// The error.
        error: String,
        /// Milliseconds until the next attempt.
        delay: u64,
    },
    /// A task failed for good. Journal.
    TaskFailed {
        /// The node.
        node: String,
        /// The error.
        error: String,
    },
    /// A task failed for good and its error handler takes over. Journal.
    TaskHandled {
        /// The node.
        node: String,
        /// The error.
        error: String,
    },
    /// A checkpoint was committed. Journal.
    Committed {
        /// Its number.
        checkpoint: u64,
        /// The tasks that it commits, in commit order; empty for an input.
        tasks: Vec<Arc<str>>,
        /// The fields that changed.
        changed: Vec<Arc<str>>,
        /// The nodes that have tasks now.
        next: Vec<Arc<str>>,
    },
    /// A node's update was committed. Live.
    Update {
        /// The node.
        node: String,
        /// The update.
        payload: Payload,
    },
    /// The state after a commit. Live.
    Values {
        /// The state.
        payload: Payload,
    },
    /// A node told something, see [`Context::emit`](crate::Context::emit). Live.
    Custom {
        /// Its name.
        name: String,
        /// The value.
        payload: Payload,
    },
    /// A send did nothing, because its target has an unfinished task of the same key. Live.
    SendCoalesced {
        /// The target.
        node: String,
        /// The key.
        key: String,
    },
    /// A task waits for an answer. Journal.
    Question {
        /// The question's id.
        id: String,
        /// Its key.
        key: String,
        /// What is asked.
        payload: Value,
    },
    /// Something that is worth a look. Journal.
    Warning {
        /// What, where, and what to do.
        message: String,
    },
    /// Events were lost because the subscriber was slow: under [`Lag::DropOldest`](crate::Lag), or when its run was asked
    /// to stop. Live.
    Lagged {
        /// How many.
        lost: u64,
    },
    /// The run ended. Journal.
    RunEnded {
        /// The thread's status.
        status: ThreadStatus,
        /// More about it.
        detail: String,
    },
}

/// What a reader of a run wants to be told, see [`Run::only`](crate::Run::only).
///
/// The beginning and the end of a run, warnings and lost events are told in every mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EventMode {
    /// The state after each commit.
    Values,
    /// The update of each committed task.
    Updates,
    /// What nodes tell with [`Context::emit`](crate::Context::emit).
    Custom,
    /// Tasks that begin, finish, fail, are tried again or ask.
    Tasks,
    /// Commits.
    Checkpoints,
    /// What becomes of the run and of each of its subgraphs: started, done, waiting, failed, stopped, gone on.
    Lifecycle,
    /// Everything.
    Debug,
}

/// A typed value in an event.
#[derive(Clone)]
pub struct Payload(Arc<dyn ErasedPayload>);

trait ErasedPayload: Send + Sync {
    fn json(&self) -> Value;
    fn any(&self) -> &dyn Any;
}

impl<T: Serialize + Any + Send + Sync> ErasedPayload for T {
    fn json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_else(|error| json_value::unwritable(&error))
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

struct SharedValue<T>(Arc<T>);

impl<T: Serialize + Any + Send + Sync> ErasedPayload for SharedValue<T> {
    fn json(&self) -> Value {
        self.0.json()
    }

    fn any(&self) -> &dyn Any {
        &*self.0
    }
}

/// A value in its stored form, which is read when somebody wants to see it.
struct StoredValue(RecordBytes);

impl ErasedPayload for StoredValue {
    fn json(&self) -> Value {
        json_value::of_stored(&self.0)
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

impl Payload {
    /// A payload of a value.
    pub fn new<T: Serialize + Send + Sync + 'static>(value: T) -> Self {
        Self(Arc::new(value))
    }

    /// A payload of a shared value; [`Payload::get`] finds the value itself.
    pub fn shared<T: Serialize + Send + Sync + 'static>(value: Arc<T>) -> Self {
        Self(Arc::new(SharedValue(value)))
    }

    /// A payload of a value in its stored form, of a type that is not known here.
    pub(crate) fn stored(bytes: RecordBytes) -> Self {
        Self(Arc::new(StoredValue(bytes)))
    }

    /// The value as JSON.
    pub fn json(&self) -> Value {
        self.0.json()
    }

    /// The value as the type it was made of.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.any().downcast_ref()
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Payload({})", self.json())
    }
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::new)
    }
}

impl EventKind {
    /// Whether the event is told in a mode.
    pub fn is_in(&self, mode: EventMode) -> bool {
        let only = match self {
            Self::Values { .. } => EventMode::Values,
            Self::Update { .. } => EventMode::Updates,
            Self::Custom { .. } => EventMode::Custom,
            Self::TaskStarted { .. }
            | Self::TaskFinished { .. }
            | Self::TaskCached { .. }
            | Self::TaskRetry { .. }
            | Self::TaskFailed { .. }
            | Self::TaskHandled { .. }
            | Self::Question { .. } => EventMode::Tasks,
            Self::Committed { .. } => EventMode::Checkpoints,
            Self::SubgraphStarted { .. } | Self::SubgraphEnded { .. } => EventMode::Lifecycle,
            Self::SendCoalesced { .. } => EventMode::Debug,
            Self::RunStarted { .. } | Self::Warning { .. } | Self::Lagged { .. } | Self::RunEnded { .. } => {
                return true;
            }
        };
        mode == only || mode == EventMode::Debug
    }

    /// Whether the event is stored.
    pub(crate) fn is_journal(&self) -> bool {
        matches!(
            self,
            Self::RunStarted { .. }
                | Self::TaskRetry { .. }
                | Self::TaskFailed { .. }
                | Self::TaskHandled { .. }
                | Self::Committed { .. }
                | Self::Question { .. }
                | Self::Warning { .. }
                | Self::RunEnded { .. }
        )
    }
}
