//! The durable calls of one task.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::layers::TimeLimited;
use graphloom_llm::{ChatModel, ModelError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::hooks::{Call, CallHooks, NoHooks};
use super::keys::{IssuedKeys, StepKeys};
use super::model::DurableModel;
use super::model_call::ToldModel;
use crate::Models;

/// Makes the calls of one task durable steps, whoever makes them: an agent, a loop with tools, a structured question.
///
/// A model from [`model`](Self::model) answers from the record what was answered before a crash, and tells its calls as a
/// [`ToldModel`] does. Errors of the model reach the caller as they are. An error of the runtime, such as a store that
/// fails or a task that waits for a person, reaches the caller as [`ModelError::Internal`]; the node then returns what
/// [`take_fault`](Self::take_fault) gives.
///
/// ```
/// use graphloom_agents::DurableCalls;
/// use graphloom_core_graph::{Context, NodeError};
/// use graphloom_llm::{ChatModel, ChatRequest};
/// use std::sync::Arc;
///
/// struct Tools {
///     model: Arc<dyn ChatModel>,
/// }
///
/// async fn two_lines(cx: Context<Tools>) -> Result<[String; 2], NodeError> {
///     let calls = DurableCalls::new(&cx);
///     let model = calls.model(&cx.resources().model);
///     let ask = |what: &str| ChatRequest::user(format!("One line on {what}."));
///     let lines = async { Ok::<_, NodeError>([model.chat(ask("tides")).await?, model.chat(ask("wind")).await?])
/// }.await;
///     // A task that has to stop says so itself.
///     if let Some(fault) = calls.take_fault() {
///         return Err(fault);
///     }
///     Ok(lines?.map(|line| line.text()))
/// }
/// ```
pub struct DurableCalls<Cx> {
    pub(super) inner: Arc<Inner<Cx>>,
}

pub(super) struct Inner<Cx> {
    pub(super) cx: Context<Cx>,
    keys: StepKeys,
    pub(super) hooks: Arc<dyn CallHooks>,
    pub(super) limit: Option<Duration>,
    issued: Mutex<IssuedKeys>,
    /// The first error of the graph runtime, as opposed to an error of the model.
    fault: Mutex<Option<NodeError>>,
}

impl<Cx: Send + Sync + 'static> DurableCalls<Cx> {
    /// The calls of this task, named [in their order](StepKeys::InOrder), without hooks and without a time limit.
    pub fn new(cx: &Context<Cx>) -> Self {
        Self::with(cx, StepKeys::default(), Arc::new(NoHooks), None)
    }

    fn with(cx: &Context<Cx>, keys: StepKeys, hooks: Arc<dyn CallHooks>, limit: Option<Duration>) -> Self {
        let (issued, fault) = (Mutex::default(), Mutex::default());
        Self { inner: Arc::new(Inner { cx: cx.clone(), keys, hooks, limit, issued, fault }) }
    }

    /// Sets how the durable steps are named. Set this before the first call.
    #[must_use]
    pub fn keys(self, keys: StepKeys) -> Self {
        Self::with(&self.inner.cx, keys, Arc::clone(&self.inner.hooks), self.inner.limit)
    }

    /// Sets the hooks that run around every call. Set this before the first call.
    #[must_use]
    pub fn hooks(self, hooks: Arc<dyn CallHooks>) -> Self {
        Self::with(&self.inner.cx, self.inner.keys.clone(), hooks, self.inner.limit)
    }

    /// Sets the longest time of one call, after which the call fails with [`ModelError::Timeout`]. Set this before
    /// the first call.
    #[must_use]
    pub fn limit(self, limit: Duration) -> Self {
        Self::with(&self.inner.cx, self.inner.keys.clone(), Arc::clone(&self.inner.hooks), Some(limit))
    }

    /// A model whose calls are durable steps of the task.
    pub fn model(&self, model: &Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        self.model_of(None, model)
    }

    /// As [`model`](Self::model), of a model that plays a role.
    pub fn model_of(&self, role: Option<&str>, model: &Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
        Arc::new(DurableModel { inner: self.told(role, model), calls: Arc::clone(&self.inner) })
    }

    /// A model whose calls keep to the time limit, and are told.
    pub(super) fn told(&self, role: Option<&str>, model: &Arc<dyn ChatModel>) -> Arc<ToldModel<Cx>> {
        let limited = self.inner.limit.map(|limit| Arc::new(TimeLimited::new(model, limit)) as Arc<dyn ChatModel>);
        Arc::new(ToldModel::new(&self.inner.cx, limited.as_ref().unwrap_or(model), role))
    }

    /// All models of a run, each with durable calls.
    pub fn models(&self, models: &Models) -> Models {
        models.map_roles(|role, model| self.model_of(role, model))
    }

    /// Any other work as a durable step, such as a search, under the next key of this kind.
    ///
    /// # Errors
    /// That of the work as the runtime keeps it, and those of the runtime.
    pub async fn step<T, E>(
        &self,
        kind: &str,
        asked: &Value,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, NodeError>
    where
        T: Serialize + DeserializeOwned,
        E: Into<NodeError>,
    {
        let work = async { work.await.map_err(Into::into) };
        self.inner.cx.once(&self.inner.key(kind, asked), work).await
    }

    /// Stores an error of the graph runtime for [`take_fault`](Self::take_fault). Only the first one is stored.
    pub fn stop(&self, fault: NodeError) {
        self.inner.stop(fault);
    }

    /// The error of the graph runtime that stopped a call, if there is one. A node returns it in place of its result.
    pub fn take_fault(&self) -> Option<NodeError> {
        self.inner.lock_fault().take()
    }
}

impl<Cx> Inner<Cx> {
    pub(super) fn key(&self, kind: &str, asked: &Value) -> String {
        let mut issued = self.issued.lock().unwrap_or_else(PoisonError::into_inner);
        self.keys.next(&mut issued, kind, asked)
    }

    pub(super) fn stop(&self, fault: NodeError) {
        self.lock_fault().get_or_insert(fault);
    }

    fn lock_fault(&self) -> MutexGuard<'_, Option<NodeError>> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a call until the hooks give up on a spent budget. The step stays open while a task waits, so that what was
    /// paid for in it is kept.
    pub(super) async fn within_budget<T, F>(&self, call: Call<'_>, ask: impl Fn() -> F) -> Result<T, NodeError>
    where
        F: Future<Output = Result<T, ModelError>>,
    {
        let mut refusals = 0_u32;
        loop {
            match ask().await {
                Err(refused @ ModelError::Budget { .. }) => {
                    refusals += 1;
                    self.hooks.over_budget(call, refused, refusals).await?;
                }
                other => return other.map_err(NodeError::from),
            }
        }
    }
}

/// A model call as the durable step `key`, with a line in the log that says whether it was made or taken from the
/// record.
///
/// # Errors
/// That of the call as the runtime keeps it, and those of the runtime.
pub async fn logged_step<Cx, T, E>(
    cx: &Context<Cx>,
    key: &str,
    call: impl Future<Output = Result<T, E>>,
) -> Result<T, NodeError>
where
    Cx: Send + Sync + 'static,
    T: Serialize + DeserializeOwned,
    E: Into<NodeError>,
{
    let mut called = false;
    let work = async {
        called = true;
        call.await.map_err(Into::into)
    };
    let answer = cx.once(key, work).await?;
    let what = if called { "model call committed" } else { "model call taken from the record" };
    tracing::info!(task = %cx.task().id, %key, "{what}");
    Ok(answer)
}

impl<Cx> fmt::Debug for DurableCalls<Cx> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DurableCalls")
            .field("keys", &self.inner.keys)
            .field("limit", &self.inner.limit)
            .finish_non_exhaustive()
    }
}
