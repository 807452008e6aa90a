//! Model calls and searches as durable steps: what was answered and stored is never asked again.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use graphloom_agents::Models;
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::cassette::key_of;
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Usage, events_of,
};
use graphloom_retrieval::{Hit, RetrievalError, Search};
use serde_json::{Value, json};

use crate::breakpoint::{Sight, Stage};
use crate::budget::{Answered, BUDGET, Shortage};
use crate::resources::Resources;
use crate::stage::Desk;
use crate::state::Request;

/// The durable steps of one turn. Steps are numbered in the order in which they begin, which is the same at every
/// attempt because a turn makes one after the other.
pub(super) struct Steps(Arc<Inner>);

struct Inner {
    cx: Context<Resources>,
    resources: Arc<Resources>,
    sight: Sight,
    begun: AtomicU32,
    /// The calls of this turn that were answered, now or before a stop, by model.
    answered: Mutex<BTreeMap<String, Answered>>,
    /// An error of the runtime, which is none of the model's.
    fault: Mutex<Option<NodeError>>,
}

impl Steps {
    pub(super) fn new(cx: &Context<Resources>, resources: &Arc<Resources>, sight: Sight) -> Self {
        let (cx, resources) = (cx.clone(), Arc::clone(resources));
        let (begun, answered, fault) = (AtomicU32::new(0), Mutex::default(), Mutex::new(None));
        Self(Arc::new(Inner { cx, resources, sight, begun, answered, fault }))
    }

    /// The run's desk, with models and search that go through durable steps.
    pub(super) fn desk(&self, request: &Request) -> Desk {
        let desk = &self.0.resources.desk;
        let durable = |model: &Arc<dyn ChatModel>| -> Arc<dyn ChatModel> {
            Arc::new(DurableModel { inner: Arc::clone(model), steps: Arc::clone(&self.0) })
        };
        let mut models = Models::new(durable(desk.models.role("default")));
        for role in desk.models.roles() {
            models = models.with_role(role, durable(desk.models.role(role)));
        }
        let search = desk.search.as_ref().map(|engine| -> Arc<dyn Search> {
            Arc::new(DurableSearch { inner: Arc::clone(engine), steps: Arc::clone(&self.0) })
        });
        Desk {
            models,
            search,
            today: request.today.clone(),
            max_depth: request.max_depth,
            max_nodes: request.max_nodes,
            seed: request.seed,
            ..desk.clone()
        }
    }

    /// The error of the runtime that stopped the turn, if one did.
    pub(super) fn take_fault(&self) -> Option<NodeError> {
        self.0.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Inner {
    /// The key of the next step: its number, and a hash of what it asks, so that changed prompts are asked anew.
    fn key(&self, kind: &str, asked: &Value) -> String {
        let number = self.begun.fetch_add(1, Ordering::SeqCst);
        let hash = key_of(asked);
        format!("{kind}/{number}/{}", hash.get(..12).unwrap_or(&hash))
    }

    fn stop(&self, fault: NodeError) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
    }

    /// Makes a call. Where the budget refuses it, the task waits until the run goes on with more, and then calls again:
    /// a turn that has begun keeps what it paid for.
    async fn within_budget<T, F>(&self, step: &str, call: impl Fn() -> F) -> Result<T, NodeError>
    where
        F: Future<Output = Result<T, ModelError>>,
    {
        let mut refusals = 0_u32;
        loop {
            let refused = match call().await {
                Err(refused @ ModelError::Budget { .. }) => refused,
                other => return other.map_err(NodeError::from),
            };
            refusals += 1;
            let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let shortage = Shortage::new(&refused, self.resources.ledger.spent(), answered);
            let key = format!("{BUDGET}/{}/{step}/{refusals}", self.sight.node);
            self.cx.ask::<String>(&key, &shortage).await?;
        }
    }

    fn count(&self, model: &ModelId, usage: Usage) {
        let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        answered.entry(model.to_string()).or_default().add(1, usage);
    }

    async fn pause(&self, stage: Stage, shown: impl FnOnce() -> Value) -> Result<(), NodeError> {
        self.resources.breaks.pause(&self.cx, &self.sight, stage, shown).await
    }
}

struct DurableModel {
    inner: Arc<dyn ChatModel>,
    steps: Arc<Inner>,
}

impl DurableModel {
    /// Passes a model's error on, and keeps any other for the turn.
    fn refused(&self, error: NodeError) -> ModelError {
        if let Some(error) = error.downcast_ref::<ModelError>() {
            return error.clone();
        }
        let (model, message) = (self.inner.id().to_string(), error.to_string());
        self.steps.stop(error);
        ModelError::Internal { model, message }
    }

    async fn call(&self, request: ChatRequest) -> Result<ChatResponse, NodeError> {
        let asked = serde_json::to_value(&request)?;
        let key = self.steps.key("call", &asked);
        self.steps.pause(Stage::Prompt, || asked).await?;
        let mut called = false;
        let work = async {
            called = true;
            self.steps.within_budget(&key, || self.inner.chat(request.clone())).await
        };
        let response: ChatResponse = self.steps.cx.once(&key, work).await?;
        self.steps.count(self.inner.id(), response.usage);
        let what = if called { "model call committed" } else { "model call taken from the record" };
        tracing::info!(task = %self.steps.cx.task().id, %key, "{what}");
        self.steps.pause(Stage::Reply, || json!({ "reply": response.text(), "finish": response.finish })).await?;
        Ok(response)
    }
}

#[async_trait]
impl ChatModel for DurableModel {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        self.call(request).await.map_err(|error| self.refused(error))
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        // A stream cannot be made durable before its end, so the whole answer is one event.
        let response = self.chat(request).await?;
        let events = events_of(response, usize::MAX);
        Ok(Box::pin(futures::stream::iter(events.into_iter().map(Ok))))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let asked = json!({ "request": request, "options": options });
        let key = self.steps.key("choose", &asked);
        let work = self.steps.within_budget(&key, || self.inner.choose(request.clone(), options));
        let chosen = self.steps.cx.once(&key, work).await;
        chosen.map_err(|error| self.refused(error))
    }
}

struct DurableSearch {
    inner: Arc<dyn Search>,
    steps: Arc<Inner>,
}

#[async_trait]
impl Search for DurableSearch {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn search(&self, query: &str, limit: usize) -> Result<Vec<Hit>, RetrievalError> {
        let key = self.steps.key("search", &json!({ "query": query, "limit": limit }));
        let mut failed = None;
        let work = async {
            self.inner.search(query, limit).await.map_err(|error| {
                let text = NodeError::retryable(error.to_string());
                failed = Some(error);
                text
            })
        };
        match self.steps.cx.once(&key, work).await {
            Ok(hits) => Ok(hits),
            Err(error) => Err(failed.unwrap_or_else(|| {
                let message = error.to_string();
                self.steps.stop(error);
                RetrievalError::Interrupted { name: self.inner.name().to_owned(), reason: message }
            })),
        }
    }
}
