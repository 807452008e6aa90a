//! Errors of nodes and runs.

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::checkpoint::{CheckpointError, ThreadStatus};
use crate::error_text::debug_is_text;
use crate::error_text::error_chain;
use crate::state::StateError;

/// An error of a node.
///
/// Any [`std::error::Error`] becomes one with `?`, and is then worth a retry where the node has a retry policy;
/// [`NodeError::terminal`] makes one that no retry mends. It is not itself a [`std::error::Error`].
pub struct NodeError {
    pub(crate) kind: ErrorKind,
    source: Box<dyn StdError + Send + Sync>,
    /// How long to wait before the next attempt, as the failed service asked.
    retry_after: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErrorKind {
    Retryable,
    Terminal,
    Suspended,
    Abandoned,
    Panic,
    Timeout,
}

/// An error that is only a text.
#[derive(Debug)]
struct Text(String);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StdError for Text {}

impl NodeError {
    /// An error that no retry mends.
    pub fn terminal(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::new(ErrorKind::Terminal, error)
    }

    /// An error that a retry may mend, from a text.
    pub fn retryable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Retryable, Text(message.into()))
    }

    /// The same error, worth another attempt no sooner than after `wait`: what a service asked for that was too busy, such
    /// as the `Retry-After` of an HTTP answer. The node's [`Retry`](crate::Retry) policy waits as long.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use graphloom_core_graph::NodeError;
    ///
    /// let busy = NodeError::retryable("the service is busy").after(Duration::from_secs(7));
    /// assert_eq!(busy.retry_after(), Some(Duration::from_secs(7)));
    /// ```
    #[must_use]
    pub fn after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// How long the next attempt is to wait at least, where the error says so.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    pub(crate) fn new(kind: ErrorKind, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { kind, source: source.into(), retry_after: None }
    }

    /// Whether a retry may mend it.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, ErrorKind::Retryable | ErrorKind::Timeout)
    }

    /// Whether the node ran out of time.
    pub fn is_timeout(&self) -> bool {
        self.kind == ErrorKind::Timeout
    }

    /// Whether the node waits for an answer, see [`Context::ask`](crate::Context::ask).
    pub fn is_suspended(&self) -> bool {
        self.kind == ErrorKind::Suspended
    }

    /// Whether it ends the node of an execution that [does not count any more](crate::remote::Superseded). Nothing that the node
    /// returns has an effect.
    pub fn is_superseded(&self) -> bool {
        self.kind == ErrorKind::Abandoned
    }

    /// The cause, as the type it was.
    pub fn downcast_ref<E: StdError + 'static>(&self) -> Option<&E> {
        self.source.downcast_ref()
    }

    pub(crate) fn kind(&self) -> ErrorKind {
        self.kind
    }

    pub(crate) fn suspended() -> Self {
        Self::new(ErrorKind::Suspended, Text("waiting for an answer".to_owned()))
    }

    /// A node asked what it does not declare.
    pub(crate) fn undeclared_question(node: &str, key: &str) -> Self {
        let remedy = format!("add `.asks::<Answer>(\"{key}\")` to the node");
        Self::terminal(format!("node `{node}` asks `{key}`, which it does not declare; {remedy}"))
    }

    /// A subgraph stopped before its end, together with its parent.
    pub(crate) fn abandoned() -> Self {
        Self::new(ErrorKind::Abandoned, Text("stopped with its run".to_owned()))
    }

    pub(crate) fn panic(payload: &(dyn Any + Send)) -> Self {
        Self::new(ErrorKind::Panic, Text(format!("panicked: {}", panic_text(payload))))
    }

    pub(crate) fn timeout(kind: &str, limit: Duration) -> Self {
        Self::new(ErrorKind::Timeout, Text(format!("no result within its {kind} limit of {limit:?}")))
    }

    /// The messages of the error and its causes, from the outside in.
    pub(crate) fn chain(&self) -> String {
        error_chain(&*self.source).join(": ")
    }
}

debug_is_text!(RunError);

pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a value that is not a text")
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.chain())
    }
}

impl fmt::Debug for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.chain())
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for NodeError {
    fn from(error: E) -> Self {
        Self::new(ErrorKind::Retryable, error)
    }
}

/// An error of a run or of a call on a thread, by whose fault it is.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A task failed for good; its siblings that were in flight are committed.
    #[error("node `{node}` failed{}: {message}", attempts_text(*attempts))]
    TaskFailed {
        /// The node.
        node: String,
        /// The task's id.
        task: String,
        /// Attempts made.
        attempts: u32,
        /// The error and its causes.
        message: String,
    },
    /// Two tasks wrote a field that has no reducer.
    #[error(
        "nodes `{first}` and `{second}` both wrote `{field}`, which has no reducer; give it one (`append`, `merge`, `add`, `reduce_with`), or let one node write it"
    )]
    Conflict {
        /// The field.
        field: String,
        /// The writer that came first.
        first: String,
        /// The writer that came second.
        second: String,
    },
    /// Two tasks of a super-step replaced a field as a whole.
    #[error(
        "nodes `{first}` and `{second}` both replaced `{field}` in one super-step; let one of them replace it, or order the two nodes by an edge"
    )]
    ReplaceConflict {
        /// The field.
        field: String,
        /// The writer that came first.
        first: String,
        /// The writer that came second.
        second: String,
    },
    /// Eager mode: a field without a reducer changed after the writer was dispatched.
    #[error(
        "node `{task}` wrote `{field}`, which `{other}` changed after `{task}` was dispatched; give the field a reducer, or order the two nodes by an edge"
    )]
    WriteConflict {
        /// The field.
        field: String,
        /// The writer that is refused.
        task: String,
        /// What changed the field in between.
        other: String,
    },
    /// A node went where it did not declare to go.
    #[error(
        "node `{node}` went to `{target}`, which it does not declare; declared: {declared}. {}",
        declare(method, target)
    )]
    Undeclared {
        /// The node.
        node: String,
        /// Where it went.
        target: String,
        /// The declared targets.
        declared: String,
        /// The method that declares it.
        method: &'static str,
    },
    /// Two calls of a subgraph that is [kept per thread](crate::Persistence::PerThread) at the same time. The node's
    /// retry policy may mend it.
    #[error(
        "subgraph `{node}` is kept per thread and has one call at a time: `{call}` came while `{other}` is unfinished; run them one after the other, retry, or keep the subgraph per call"
    )]
    SubgraphBusy {
        /// The node, with those that lead to it.
        node: String,
        /// The id of the task that is refused.
        call: String,
        /// The id of the task that has the subgraph.
        other: String,
    },
    /// `max_steps` was reached.
    #[error(
        "the limit of {limit} super-steps was reached, next would be {next}; raise `max_steps`, or check the exit of the loop"
    )]
    StepLimit {
        /// The limit.
        limit: u64,
        /// The nodes that would run.
        next: String,
    },
    /// A super-step took longer than it may. What finished in it is kept.
    #[error(
        "super-step {step} took longer than {limit:?}; unfinished: {}. `continue_()` runs only those, with the whole limit again; raise `step_timeout`, or limit the time of the node that is slow",
        unfinished.join(", ")
    )]
    StepTimeout {
        /// The super-step, as its checkpoint would count it.
        step: u64,
        /// The limit.
        limit: Duration,
        /// The nodes whose tasks had not finished.
        unfinished: Vec<String>,
    },
    /// A simulated process waits for something that never comes: [`Simulator::run`](crate::simulate::Simulator::run) in paused
    /// time.
    #[error("a simulated process waits, and nothing goes on; unfinished: {unfinished}")]
    Stuck {
        /// The nodes that have tasks, as the store has them.
        unfinished: String,
    },
    /// The call does not fit the thread's status.
    #[error("thread `{thread}` is {status:?}: {remedy}")]
    WrongStatus {
        /// The thread.
        thread: String,
        /// Its status.
        status: ThreadStatus,
        /// What can be called instead.
        remedy: String,
    },
    /// An answer does not fit its question.
    #[error("the answer to `{key}` does not fit: {message}")]
    BadAnswer {
        /// The key of the question.
        key: String,
        /// Where and why.
        message: String,
    },
    /// An update that came with answers does not fit the state. The questions are open.
    #[error("the update does not fit: {message}")]
    BadUpdate {
        /// What the state has against it.
        message: String,
    },
    /// No open question has this key or id.
    #[error("no open question `{key}`; open: {open}")]
    UnknownQuestion {
        /// The key or id.
        key: String,
        /// The open questions.
        open: String,
    },
    /// The stored thread does not fit the graph.
    #[error("thread `{thread}` does not fit the graph `{graph}`: {message}")]
    GraphMismatch {
        /// The thread.
        thread: String,
        /// The graph.
        graph: String,
        /// What differs and what to do.
        message: String,
    },
    /// A [migration](crate::StateGraph::migrate) of the state failed. The thread is as it was.
    #[error(
        "the state of thread `{thread}` at checkpoint {checkpoint}{} cannot be migrated from version {version}: {message}",
        namespace_text(ns)
    )]
    Migration {
        /// The thread.
        thread: String,
        /// The namespace: `""` for the root graph.
        ns: String,
        /// The checkpoint.
        checkpoint: u64,
        /// The version that the state has.
        version: u32,
        /// What the migration had against it.
        message: String,
    },
    /// An import has a result that belongs to no task.
    #[error("the import has a result of {task}, which no task waits for; tasks wait at {waits}")]
    NotImported {
        /// The node, and the key if the result has one.
        task: String,
        /// The nodes, with their keys, whose tasks wait for a result.
        waits: String,
    },
    /// No checkpoint of this number.
    #[error("thread `{thread}` has no checkpoint {number}; `history()` lists them")]
    UnknownCheckpoint {
        /// The thread.
        thread: String,
        /// The number.
        number: u64,
    },
    /// A value could not be encoded or decoded.
    #[error(transparent)]
    State(#[from] StateError),
    /// The store failed or refused.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A fault of this crate: please report it.
    #[error("internal fault: {0}; please report it")]
    Internal(String),
}

fn declare(method: &str, target: &str) -> String {
    if method.starts_with("may_") {
        format!("Add `.{method}({target})` to the node")
    } else {
        format!("Name `{target}` among the targets of `{method}`")
    }
}

fn namespace_text(ns: &str) -> String {
    if ns.is_empty() { String::new() } else { format!(" of namespace `{ns}`") }
}

fn attempts_text(attempts: u32) -> String {
    if attempts > 1 { format!(" after {attempts} attempts") } else { String::new() }
}
