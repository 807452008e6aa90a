//! The driver's end of a task that is executed elsewhere.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, join_all};
use serde::{Deserialize, Serialize};
use serde_bytes::ByteBuf;
use serde_json::Value;

use super::task::{NodePlace, TaskRequest};
use crate::context::{TaskInfo, TaskServices};
use crate::error::{ErrorKind, NodeError};
use crate::error_row::ErrorRow;
use crate::event::Payload;
use crate::lock::lock;
use crate::store::Store;

/// An attempt of a task in the process that drives its run, for the [`Executor`](super::Executor) that has it executed
/// elsewhere.
///
/// An attempt may be begun more than once, as when its worker is lost. The execution that was begun last is the one that counts:
/// what any other asks for is refused. So a queue that delivers a task twice, and a worker that was taken for dead and is not,
/// change nothing.
pub struct TaskHost<'t> {
    services: &'t dyn TaskServices,
    node: TaskNode<'t>,
    input: Option<ByteBuf>,
    fields: Vec<(String, ByteBuf)>,
    context: Option<&'t Value>,
    deadline: Option<u64>,
    /// Tells this host from every other, whatever process it is in.
    id: u64,
    executions: Mutex<Executions<'t>>,
}

/// The node of a task.
#[derive(Clone, Copy)]
pub(crate) struct TaskNode<'t> {
    /// The graphs and nodes that lead to it.
    pub(crate) place: &'t [NodePlace],
    /// Its concurrency class.
    pub(crate) class: Option<&'t str>,
    /// Whether its error handler is called.
    pub(crate) handles_failure: bool,
}

/// One execution of a task: no other has the same, in whatever process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    host: u64,
    number: u64,
}

/// What was begun, and what is being stored.
struct Executions<'t> {
    /// The number of the execution that counts; 0 before the first.
    current: u64,
    storing: Vec<StoredStep<'t>>,
}

/// The result of a durable step on its way to the store. It is carried to its end by whoever waits for it: who reported it, or a
/// new execution, which is to know it.
struct StoredStep<'t> {
    key: String,
    value: Vec<u8>,
    stored: Shared<BoxFuture<'t, Result<(), Arc<NodeError>>>>,
}

/// What an execution asked for is refused: another one was begun since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("another execution of the task was begun, and this one does not count any more")]
pub struct Superseded;

impl Execution {
    /// Counts the executions of an attempt from 1.
    pub fn number(self) -> u64 {
        self.number
    }
}

impl Superseded {
    /// The error that ends the node of an execution which does not count, see [`NodeError::is_superseded`].
    pub fn into_error(self) -> NodeError {
        NodeError::new(ErrorKind::Abandoned, self)
    }
}

impl<'t> TaskHost<'t> {
    pub(crate) fn new(
        services: &'t dyn TaskServices,
        node: TaskNode<'t>,
        input: Option<ByteBuf>,
        fields: Vec<(String, ByteBuf)>,
        context: Option<&'t Value>,
    ) -> Self {
        let limit = services.timeout().attempt;
        let limit = limit.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX));
        let deadline = limit.map(|limit| services.now().saturating_add(limit));
        // Each state of this kind has keys of its own, drawn at random.
        let id = RandomState::new().hash_one(&services.task().id);
        let executions = Mutex::new(Executions { current: 0, storing: Vec::new() });
        Self { services, node, input, fields, context, deadline, id, executions }
    }

    /// The task.
    pub fn task(&self) -> &TaskInfo {
        self.services.task()
    }

    /// The graphs and nodes that lead to the task, from the outside in.
    pub fn place(&self) -> &[NodePlace] {
        self.node.place
    }

    /// The concurrency class of the node, see [`StateGraph::limit`](crate::StateGraph::limit). A run keeps to its limit by
    /// itself; an executor may keep to one of its own over many runs.
    pub fn class(&self) -> Option<&str> {
        self.node.class
    }

    /// Begins an execution of the task. It is the one that counts from now on. Results of durable steps that are being stored are
    /// waited for, and are in what is returned.
    ///
    /// One execution is for one worker. Where a task may come to several, as from a queue that delivers it again, the queue names
    /// the task, and each worker has it begun.
    pub async fn begin(&self) -> TaskRequest {
        let (number, storing) = {
            let mut executions = lock(&self.executions);
            executions.current += 1;
            (executions.current, executions.storing.iter().map(|step| step.stored.clone()).collect::<Vec<_>>())
        };
        join_all(storing).await;
        let TaskInfo { thread, ns, id, key, attempt, step, .. } = self.services.task();
        let rows = |known: Vec<(Arc<str>, Arc<[u8]>)>| {
            known.into_iter().map(|(key, value)| (key.to_string(), ByteBuf::from(&*value))).collect()
        };
        TaskRequest {
            place: self.node.place.to_vec(),
            thread: thread.to_string(),
            ns: ns.to_string(),
            task: id.to_string(),
            key: key.as_deref().map(str::to_owned),
            step: *step,
            attempt: *attempt,
            execution: Execution { host: self.id, number },
            deadline: self.deadline,
            handles_failure: self.node.handles_failure,
            input: self.input.clone(),
            fields: self.fields.clone(),
            context: self.context.cloned(),
            answers: rows(self.services.answers()),
            steps: rows(self.services.durable_steps()),
            first_attempt: self.services.first_attempt(),
            remaining_steps: self.services.remaining_steps(),
            remaining_tasks: self.services.remaining_tasks(),
        }
    }

    /// Makes the result of a durable step durable, for an execution. A result that is stored already is not stored again, so
    /// that an execution may ask until it is answered.
    ///
    /// # Errors
    /// [`Superseded`], also where another result of the step is stored ([`NodeError::is_superseded`]); the store's.
    pub async fn record(&self, execution: Execution, key: &str, value: Vec<u8>) -> Result<(), NodeError> {
        let stored = {
            let mut executions = lock(&self.executions);
            if !executions.is_newest(self.id, execution) {
                return Err(Superseded.into_error());
            }
            let storing = executions.storing.iter().find(|step| step.key == key);
            match (self.services.recorded(key), storing) {
                (Some(stored), _) if *stored == *value => return Ok(()),
                (None, Some(step)) if step.value == value => step.stored.clone(),
                (Some(_), _) | (None, Some(_)) => return Err(Superseded.into_error()),
                (None, None) => executions.store(self.services, key, value),
            }
        };
        let result = stored.await;
        lock(&self.executions).storing.retain(|step| step.stored.peek().is_none());
        result.map_err(|error| ErrorRow::of(&error).into_error())
    }

    /// Tells a custom event of the task, if it is of the execution that counts; waits while a blocking subscriber has no room.
    pub async fn emit(&self, execution: Execution, name: &str, payload: Value) {
        if self.is_current(execution) {
            self.services.emit(name, Payload::new(payload)).await;
        }
    }

    /// Takes a sign of life of a node, which holds off its idle limit if the execution counts.
    pub fn heartbeat(&self, execution: Execution) {
        if self.is_current(execution) {
            self.services.heartbeat();
        }
    }

    /// Whether an execution is the one that counts.
    pub fn is_current(&self, execution: Execution) -> bool {
        lock(&self.executions).is_newest(self.id, execution)
    }

    /// Resolves when the run is asked to stop: cancelled or drained.
    pub async fn stopping(&self) {
        self.services.stopping().await;
    }

    /// The long-term store of the process that drives the run, if it has one.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.services.store()
    }

    /// Milliseconds since 1970, from the runtime's clock.
    pub fn now(&self) -> u64 {
        self.services.now()
    }
}

impl<'t> Executions<'t> {
    /// The one place where it is decided which execution counts: the newest of this host.
    fn is_newest(&self, host: u64, execution: Execution) -> bool {
        execution == Execution { host, number: self.current }
    }

    /// Begins to store the result of a durable step.
    fn store(
        &mut self,
        services: &'t dyn TaskServices,
        key: &str,
        value: Vec<u8>,
    ) -> Shared<BoxFuture<'t, Result<(), Arc<NodeError>>>> {
        let (own_key, own_value) = (key.to_owned(), value.clone());
        let stored = async move { services.record(&own_key, own_value).await.map_err(Arc::new) };
        let stored = stored.boxed().shared();
        self.storing.push(StoredStep { key: key.to_owned(), value, stored: stored.clone() });
        stored
    }
}

impl fmt::Debug for TaskHost<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskHost").field("task", self.task()).finish_non_exhaustive()
    }
}
