//! What a node finds beside the state: resources, durable steps, questions, events.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::depth::{MOST_LEVELS, is_nested_within, too_deep};
use crate::error::NodeError;
use crate::error_text::debug_is_text;
use crate::event::Payload;
use crate::questions::Answer;
use crate::state::codec;
use crate::store::Store;
use crate::tasks::{Question, Standing, Stop};
use crate::timeout::Timeout;

/// What a node finds beside the state. Cloning it is cheap.
pub struct Context<Cx = ()> {
    services: Arc<dyn TaskServices>,
    resources: Arc<Cx>,
}

/// The task that a node runs as.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaskInfo {
    /// The thread; empty without a store.
    pub thread: Arc<str>,
    /// The namespace: `""` in the root graph.
    pub ns: Arc<str>,
    /// The node.
    pub node: String,
    /// The key of the send that made the task.
    pub key: Option<Arc<str>>,
    /// The task's id, unique in the thread and the same for every attempt.
    pub id: Arc<str>,
    /// Counts attempts from 1.
    pub attempt: u32,
    /// Super-steps committed when the task was dispatched.
    pub step: u64,
}

/// Why a run stops before its work is done. Opaque; made by drivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopReason(pub(crate) Stop);

impl From<Stop> for StopReason {
    fn from(stop: Stop) -> Self {
        Self(stop)
    }
}

/// The place where a subgraph runs: the task that calls it. Opaque; made by drivers.
#[derive(Clone, Copy)]
pub struct Scope<'t>(pub(crate) &'t (dyn Any + Send + Sync));

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scope")
    }
}

/// What a driver does for the tasks that it runs. Implemented by drivers, called by [`Context`].
pub trait TaskServices: Send + Sync + 'static {
    /// The task.
    fn task(&self) -> &TaskInfo;

    /// The result of a durable step of the task.
    fn recorded(&self, key: &str) -> Option<Arc<[u8]>>;

    /// The answer to a question of the task, as JSON.
    fn answered(&self, key: &str) -> Option<Arc<[u8]>>;

    /// The answers to questions of the task, by key, as JSON: for who executes it elsewhere.
    fn answers(&self) -> Vec<(Arc<str>, Arc<[u8]>)>;

    /// The results of its durable steps, by key: for who executes it elsewhere.
    fn durable_steps(&self) -> Vec<(Arc<str>, Arc<[u8]>)>;

    /// How long the attempt may take.
    fn timeout(&self) -> Timeout;

    /// Marks a durable step as begun in this attempt; false when it already was.
    fn begin(&self, key: &str) -> bool;

    /// Makes the result of a durable step durable.
    fn record<'a>(&'a self, key: &'a str, value: Vec<u8>) -> BoxFuture<'a, Result<(), NodeError>>;

    /// Notes an open question.
    fn question(&self, key: &str, payload: Value) -> Result<(), NodeError>;

    /// Tells a custom event.
    fn emit<'a>(&'a self, name: &'a str, payload: Payload) -> BoxFuture<'a, ()>;

    /// Tells that a kept result stands for the node's own.
    fn found_cached(&self) -> BoxFuture<'_, ()>;

    /// Gives a sign of life.
    fn heartbeat(&self);

    /// Resolves when the run is asked to stop: cancelled or drained.
    fn stopping(&self) -> BoxFuture<'_, ()>;

    /// The long-term store, if there is one.
    fn store(&self) -> Option<&Arc<dyn Store>>;

    /// Milliseconds since 1970.
    fn now(&self) -> u64;

    /// How many super-steps the run may still commit after this one; none without a limit.
    fn remaining_steps(&self) -> Option<u64> {
        None
    }

    /// How many tasks the run's budget still has room for; none without a budget.
    fn remaining_tasks(&self) -> Option<u64> {
        None
    }

    /// When the first attempt began, in milliseconds since 1970; none for a task that is tried once.
    fn first_attempt(&self) -> Option<u64> {
        None
    }

    /// The place where a subgraph runs; none for drivers without subgraphs.
    fn scope(&self) -> Option<Scope<'_>>;

    /// A subgraph of the task waits for these answers.
    fn adopt_questions(&self, questions: Vec<Question>);

    /// A subgraph of the task stopped together with the run.
    fn adopt_stop(&self, reason: StopReason);

    /// A subgraph of the task has executed this many tasks.
    fn adopt_cost(&self, tasks: u64);

    /// Subgraphs that are kept per thread stand there when the task finishes.
    fn adopt_standing(&self, standing: Standing);
}

impl<Cx> Context<Cx> {
    /// A context over a driver's services. For drivers; nodes are given theirs.
    pub fn new(services: Arc<dyn TaskServices>, resources: Arc<Cx>) -> Self {
        Self { services, resources }
    }

    /// The resources: clients, keys, indexes, clocks. They are not part of the state and are never stored.
    pub fn resources(&self) -> &Cx {
        &self.resources
    }

    /// The resources, shared.
    pub fn shared_resources(&self) -> &Arc<Cx> {
        &self.resources
    }

    /// The task that runs.
    pub fn task(&self) -> &TaskInfo {
        self.services.task()
    }

    /// A key that is the same for every attempt of this task, in every process: `thread/task`. Append the name of the
    /// step for calls to services that take idempotency keys.
    pub fn idempotency_key(&self) -> String {
        let task = self.task();
        format!("{}/{}", task.thread, task.id)
    }

    /// Milliseconds since 1970, from the runtime's clock.
    pub fn now(&self) -> u64 {
        self.services.now()
    }

    /// How many super-steps the run may still commit after the one that this task is part of, by its
    /// [`max_steps`](crate::RunPolicy::max_steps); none without that limit, and in eager mode, which it does not bind.
    pub fn remaining_steps(&self) -> Option<u64> {
        self.services.remaining_steps()
    }

    /// How many more tasks the run's [`budget`](crate::RunPolicy::budget) has room for. This task is not among them,
    /// nor is any other that was dispatched: in barrier mode the whole super-step, in eager mode and beside subgraphs
    /// those that are in flight by now. None without a budget.
    pub fn remaining_tasks(&self) -> Option<u64> {
        self.services.remaining_tasks()
    }

    /// Whether the run's limits leave no room for another super-step, or another task, after this one: the time to
    /// make do with what there is. The last that really runs is told so, none before it.
    pub fn is_last_step(&self) -> bool {
        self.remaining_steps() == Some(0) || self.remaining_tasks() == Some(0)
    }

    /// When the first attempt of this task began, in milliseconds since 1970, also after a crash between two attempts.
    /// None for a node without a [retry policy](crate::NodeSpec::retry): its only attempt has just begun.
    pub fn first_attempt(&self) -> Option<u64> {
        self.services.first_attempt()
    }

    /// The long-term store that outlives threads, if the threads have one.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.services.store()
    }

    /// Asks a person. The node declares the question with [`asks`](crate::NodeSpec::asks).
    ///
    /// Until there is an answer this returns an error that the node passes on with `?`; the task is then suspended, its
    /// update discarded, and the run waits. With the answer the node runs again from its beginning. Several questions
    /// are asked together with `tokio::join!`.
    ///
    /// # Errors
    /// No answer yet; an undeclared key; a question that is nested too deeply, see [`MOST_LEVELS`](crate::MOST_LEVELS).
    pub async fn ask<A: Answer>(&self, key: &str, question: &(impl Serialize + ?Sized + Sync)) -> Result<A, NodeError> {
        if let Some(answer) = self.services.answered(key) {
            return serde_json::from_slice(&answer)
                .map_err(|error| NodeError::terminal(format!("the answer to `{key}` cannot be read: {error}")));
        }
        let payload = serde_json::to_value(question).map_err(NodeError::terminal)?;
        if !is_nested_within(&payload, MOST_LEVELS) {
            return Err(NodeError::terminal(format!("the question `{key}` cannot be asked: {}", too_deep())));
        }
        self.services.question(key, payload)?;
        Err(NodeError::suspended())
    }

    /// A durable step: runs `work` until its result is durable, then never again for this task.
    ///
    /// Only `Ok` is kept. The result outlives retries, crashes and re-entry after a question. Without a store it is
    /// kept in memory for as long as the run lasts. Work with an error of another type passes it on with `?`, as in
    /// `cx.once("charge", async { Ok(card.charge(cents).await?) })`.
    ///
    /// # Errors
    /// The error of `work`; the store's; a key used twice in one attempt.
    pub async fn once<T>(&self, key: &str, work: impl Future<Output = Result<T, NodeError>>) -> Result<T, NodeError>
    where
        T: Serialize + DeserializeOwned,
    {
        if !self.services.begin(key) {
            return Err(NodeError::terminal(DuplicateKey { key: key.to_owned() }));
        }
        if let Some(bytes) = self.services.recorded(key) {
            return codec::decode(key, &bytes).map_err(NodeError::terminal);
        }
        let value = work.await?;
        let bytes = codec::encode(key, &value).map_err(NodeError::terminal)?;
        self.services.record(key, bytes).await?;
        Ok(value)
    }

    /// The result of a durable step that this task made before, in an earlier attempt or process. It does not begin the
    /// step, so that work can look how far it came.
    ///
    /// # Errors
    /// A result that cannot be read as `T`.
    pub fn recorded<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, NodeError> {
        let bytes = self.services.recorded(key);
        bytes.map(|bytes| codec::decode(key, &bytes).map_err(NodeError::terminal)).transpose()
    }

    /// Tells subscribers of the run something, live; waits while a blocking subscriber has no room.
    pub async fn emit<T: Serialize + Send + Sync + 'static>(&self, name: &str, value: T) {
        self.services.emit(name, Payload::new(value)).await;
    }

    /// Gives a sign of life to the node's idle limit.
    pub fn heartbeat(&self) {
        self.services.heartbeat();
    }

    /// Resolves when the run is asked to stop, for nodes that can end early with what they have.
    pub async fn stopping(&self) {
        self.services.stopping().await;
    }

    pub(crate) fn services(&self) -> &Arc<dyn TaskServices> {
        &self.services
    }
}

/// A key of [`Context::once`] was used twice in one attempt.
#[derive(thiserror::Error)]
#[error(
    "the durable step `{key}` was begun twice in one attempt; give each step its own key, for instance with a counter"
)]
pub struct DuplicateKey {
    /// The key.
    pub key: String,
}

debug_is_text!(DuplicateKey);

impl<Cx> Clone for Context<Cx> {
    fn clone(&self) -> Self {
        Self { services: Arc::clone(&self.services), resources: Arc::clone(&self.resources) }
    }
}

impl<Cx> fmt::Debug for Context<Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("task", self.task()).finish_non_exhaustive()
    }
}
