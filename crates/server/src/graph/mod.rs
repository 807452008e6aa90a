//! A graph over a state of any type, behind one trait: JSON goes in and comes out.
//!
//! | rule | where |
//! | --- | --- |
//! | what is known of a graph before it runs | `outline.rs` |
//! | what the nodes of a run find in their context | `resources.rs` |
//! | which fields of a state are shown | `outline.rs`, [`Outline::shown`] |
//! | how a state is drawn | `picture.rs` |
//! | how a run is launched, and a thread read | `typed.rs` |
//! | ids of tasks, questions and checkpoints as clients see them | `ids.rs` |
//! | how a failure is told | `failure.rs` |
//! | what the program of a server is told of the runs of its own thread | `program.rs` |
//! | a thread has another name in its store than clients know it by | `named.rs` |

mod failure;
mod ids;
mod named;
mod outline;
mod picture;
mod program;
mod resources;
mod typed;

use std::sync::Arc;

use futures::future::BoxFuture;
use graphloom_core_graph::checkpoint::{CheckpointRow, Checkpointer, ThreadStatus};
use graphloom_core_graph::store::Store;
use graphloom_core_graph::{Event, PendingTask, Question, RunError, RunHandle, RunPolicy};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::changes::Changes;

pub(crate) use failure::{Failed, UNKNOWN_INTERRUPT, failure};
pub(crate) use ids::{Position, interrupt_id, namespace, task_id, thread_id};
pub(crate) use named::{Named, ThreadName};
pub(crate) use outline::{AnswerSchemas, Outline};
pub(crate) use picture::Pictures;
pub(crate) use program::Program;
pub use program::ProgramRun;
pub(crate) use resources::{BadContext, Resources};
pub(crate) use typed::Typed;

/// An object of fields.
pub(crate) type Fields = Map<String, Value>;

/// Where threads, and what outlives them, are kept.
#[derive(Clone)]
pub(crate) struct Stores {
    pub(crate) checkpoints: Arc<dyn Checkpointer>,
    /// What nodes keep, and clients see at the store's endpoints.
    pub(crate) memory: Arc<dyn Store>,
    /// What is told of changes in them, and in the store of the records.
    pub(crate) changes: Changes,
}

/// How a run begins.
#[derive(Clone, Debug)]
pub(crate) enum Launch {
    /// With an input, after what was pending is dropped.
    Input { values: Fields, at: Option<Position> },
    /// With answers to questions, by their ids, and what counts only with them.
    Resume { answers: Vec<(String, Value)>, beside: Option<Goto> },
    /// Where the thread stopped, or where it stood at a checkpoint.
    Continue { at: Option<Position> },
    /// In the place of all that is pending, at the head or at a checkpoint.
    Goto { goto: Goto, at: Option<Position> },
}

/// An update of no node, and what runs of it: these nodes, and task nodes with an input each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Goto {
    pub(crate) nodes: Vec<String>,
    pub(crate) sends: Vec<(String, Value)>,
    pub(crate) update: Fields,
}

impl Goto {
    /// Whether it asks for nothing.
    pub(crate) fn is_nothing(&self) -> bool {
        self.nodes.is_empty() && self.sends.is_empty() && self.update.is_empty()
    }
}

/// A graph over a state of any type.
pub(crate) trait Graph: Send + Sync + 'static {
    fn outline(&self) -> &Outline;

    /// A run that has not started.
    ///
    /// # Errors
    /// An input that does not fit the state; a context that does not fit the graph.
    fn launch(
        &self,
        thread: &str,
        launch: Launch,
        policy: RunPolicy,
        context: &Value,
    ) -> Result<Box<dyn GraphRun>, BadLaunch>;

    /// The run of this id, where the program of the server begins it and not a client. It is given away once.
    fn begun(&self, run: Uuid) -> Option<Box<dyn GraphRun>>;

    /// The policy of a run whose order says nothing else.
    fn policy(&self) -> RunPolicy;

    /// Checks an input without a run.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    fn check(&self, values: &Fields) -> Result<(), BadLaunch>;

    /// Checks an answer to a question that a node asks: the nodes that lead to it, and the key.
    ///
    /// # Errors
    /// The answer does not fit its type; the node asks nothing under the key.
    fn check_answer(&self, path: &[String], key: &str, answer: &Value) -> Result<(), RunError>;

    /// The thread as it stands, or as it stood at a checkpoint of this number.
    fn view<'a>(&'a self, thread: &'a str, at: Option<u64>) -> BoxFuture<'a, Result<View, RunError>>;

    /// Commits an update as if a node had made it, or for no node as an input of which nothing follows; at a checkpoint, or at
    /// the head.
    fn update<'a>(
        &'a self,
        thread: &'a str,
        at: Option<Position>,
        node: Option<String>,
        values: Fields,
    ) -> BoxFuture<'a, Result<(), UpdateFault>>;
}

/// A run of a graph over a state of any type.
pub(crate) trait GraphRun: Send {
    /// The next event; none when the run has ended.
    fn next(&mut self) -> BoxFuture<'_, Option<Event>>;

    fn handle(&self) -> RunHandle;

    /// How it ended, after the last event.
    fn ended(self: Box<Self>) -> BoxFuture<'static, Result<Ended, Failed>>;
}

/// How a run ended that did not fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Done,
    Waiting,
    /// Before these nodes, at a breakpoint or because it was asked to.
    Drained,
    Cancelled,
    /// The limit of tasks was reached before these nodes.
    OutOfBudget(Vec<String>),
}

/// Why a run cannot begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BadLaunch {
    #[error("{0}")]
    Input(String),
    #[error(transparent)]
    Context(#[from] BadContext),
}

/// Why an update from outside was not committed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UpdateFault {
    /// The values do not fit the state.
    #[error("{0}")]
    Values(String),
    #[error("Node {0} does not exist")]
    UnknownNode(String),
    #[error(transparent)]
    Run(#[from] RunError),
}

/// A thread as it stands, or as it stood at a checkpoint.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// The fields that were written, and those with a reducer.
    pub(crate) values: Fields,
    pub(crate) status: ThreadStatus,
    /// More about the status: an error, the nodes before which it stopped.
    pub(crate) detail: String,
    pub(crate) checkpoint: Option<CheckpointRow>,
    pub(crate) tasks: Vec<PendingTask>,
    pub(crate) questions: Vec<Question>,
    /// What their answers look like.
    pub(crate) answers: Arc<AnswerSchemas>,
}
