//! Who brings tasks to workers.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

use super::{TaskHost, TaskReply};
use crate::error::NodeError;

/// Executes tasks somewhere else: brings each to a worker, and what came of it back.
///
/// A graph whose tasks are executed so is made with [`Compiled::executed_by`](crate::Compiled::executed_by).
pub trait Executor: Send + Sync + 'static {
    /// Executes an attempt of a task: begins it ([`TaskHost::begin`]), has a worker perform it
    /// ([`Compiled::perform`](crate::Compiled::perform)), does for the worker what its [`TaskLink`](super::TaskLink) asks of the
    /// host, and returns the reply of the execution that was begun last. A worker that is lost is replaced by beginning once
    /// more; what an execution before says after that is refused.
    ///
    /// All that reaches the run goes through the host, which lives as long as the returned future: when that is dropped, since
    /// the run was stopped, the attempt has run out of time or the process dies, nothing of the attempt has an effect any more.
    /// A worker should be told to stop then.
    ///
    /// # Errors
    /// The task could not be brought to a worker; the node's retry policy decides what follows. What comes of a node, its errors
    /// too, is a reply.
    fn execute<'e>(&'e self, host: &'e TaskHost<'_>) -> BoxFuture<'e, Result<TaskReply, NodeError>>;

    /// What each task of this executor carries as the context of its run, see [`WithContext`](super::WithContext). None
    /// unless the executor says otherwise.
    fn context(&self) -> Option<&Value> {
        None
    }
}

impl<E: Executor + ?Sized> Executor for Arc<E> {
    fn execute<'e>(&'e self, host: &'e TaskHost<'_>) -> BoxFuture<'e, Result<TaskReply, NodeError>> {
        (**self).execute(host)
    }

    fn context(&self) -> Option<&Value> {
        (**self).context()
    }
}

/// A graph whose tasks cannot be executed elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "tasks of the graph `{graph}` cannot be executed elsewhere: the field `{field}` of its state is never stored, so no other process can see it; store it, or pass it among the resources"
)]
pub struct NotPortable {
    /// The graph, which may be one inside.
    pub graph: String,
    /// The field.
    pub field: String,
}

impl fmt::Debug for dyn Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Executor")
    }
}
