//! Model calls as durable steps: what was answered and stored is never asked again.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use graphloom_agents::Models;
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::cassette::key_of;
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, events_of,
};
use serde_json::{Value, json};

use crate::desk::{Desk, Resources};

/// The durable steps of one task. A step is named by what it asks and by how often that was asked before, so that work
/// that goes on in the middle after a crash still finds its answers.
pub(crate) struct Steps(Arc<Inner>);

struct Inner {
    cx: Context<Resources>,
    asked: Mutex<BTreeMap<String, u32>>,
    /// An error of the runtime, which is none of the model's.
    fault: Mutex<Option<NodeError>>,
}

impl Steps {
    pub(crate) fn new(cx: &Context<Resources>) -> Self {
        Self(Arc::new(Inner { cx: cx.clone(), asked: Mutex::default(), fault: Mutex::default() }))
    }

    /// A desk whose models answer through durable steps.
    pub(crate) fn desk(&self, desk: &Desk) -> Desk {
        let durable = |model: &Arc<dyn ChatModel>| -> Arc<dyn ChatModel> {
            Arc::new(DurableModel { inner: Arc::clone(model), steps: Arc::clone(&self.0) })
        };
        let mut models = Models::new(durable(desk.models.role("default")));
        for role in desk.models.roles() {
            models = models.with_role(role, durable(desk.models.role(role)));
        }
        Desk { models, ..desk.clone() }
    }

    /// The error of the runtime that stopped the work, if one did.
    pub(crate) fn take_fault(&self) -> Option<NodeError> {
        self.0.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Inner {
    fn key(&self, kind: &str, asked: &Value) -> String {
        let hash = key_of(asked);
        let short = hash.get(..16).unwrap_or(&hash).to_owned();
        let mut counts = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(short.clone()).or_default();
        *count += 1;
        format!("{kind}/{short}/{count}")
    }
}

struct DurableModel {
    inner: Arc<dyn ChatModel>,
    steps: Arc<Inner>,
}

impl DurableModel {
    /// Passes a model's error on, and keeps any other for the task.
    fn refused(&self, error: NodeError) -> ModelError {
        if let Some(error) = error.downcast_ref::<ModelError>() {
            return error.clone();
        }
        let (model, message) = (self.inner.id().to_string(), error.to_string());
        *self.steps.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        ModelError::Internal { model, message }
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
        let asked = serde_json::to_value(&request).unwrap_or_default();
        let key = self.steps.key("call", &asked);
        let answered = self.steps.cx.once(&key, self.inner.chat(request)).await;
        answered.map_err(|error| self.refused(error))
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        // A stream cannot be made durable before its end, so the whole answer is one event.
        let response = self.chat(request).await?;
        Ok(Box::pin(futures::stream::iter(events_of(response, usize::MAX).into_iter().map(Ok))))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let asked = json!({ "request": request, "options": options });
        let key = self.steps.key("choose", &asked);
        let chosen = self.steps.cx.once(&key, self.inner.choose(request, options)).await;
        chosen.map_err(|error| self.refused(error))
    }
}
