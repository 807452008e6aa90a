//! A model whose calls are durable steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use graphloom_core_graph::NodeError;
use graphloom_llm::layers::Ledger;
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, events_of,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::calls::{Inner, logged_step};
use super::hooks::{Call, CallKind, CallReply};
use super::model_call::ToldModel;

pub(super) struct DurableModel<Cx> {
    pub(super) inner: Arc<ToldModel<Cx>>,
    pub(super) calls: Arc<Inner<Cx>>,
}

impl<Cx: Send + Sync + 'static> DurableModel<Cx> {
    /// Makes one call as a durable step, with the hooks around it.
    pub(super) async fn call<T, F>(
        &self,
        kind: CallKind,
        asked: Value,
        ask: impl Fn() -> F + Send + Sync,
        reply: impl Fn(&T) -> CallReply<'_> + Send + Sync,
    ) -> Result<T, ModelError>
    where
        T: Serialize + DeserializeOwned + Send + Sync,
        F: Future<Output = Result<T, ModelError>> + Send,
    {
        let key = self.calls.key(kind.word(), &asked);
        let call = Call { key: &key, kind, model: self.inner.id(), asked: &asked };
        let is_made = AtomicBool::new(false);
        let ask = || {
            is_made.store(true, Ordering::Relaxed);
            ask()
        };
        let done = async {
            self.calls.hooks.before(call).await?;
            let value: T = logged_step(&self.calls.cx, &key, self.calls.within_budget(call, ask)).await?;
            if !is_made.load(Ordering::Relaxed) {
                self.inner.teller.recorded(kind, reply(&value).usage()).await;
            }
            self.calls.hooks.after(call, reply(&value)).await?;
            Ok(value)
        };
        done.await.map_err(|error| self.refused(error))
    }

    /// Passes a model's error on, and stores any other error for the task.
    fn refused(&self, error: NodeError) -> ModelError {
        if let Some(error) = error.downcast_ref::<ModelError>() {
            return error.clone();
        }
        let (model, message) = (self.inner.id().to_string(), error.to_string());
        self.calls.stop(error);
        ModelError::Internal { model, message }
    }
}

#[async_trait]
impl<Cx: Send + Sync + 'static> ChatModel for DurableModel<Cx> {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    fn ledger(&self) -> Option<&Arc<Ledger>> {
        self.inner.ledger()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let asked = serde_json::to_value(&request).unwrap_or_default();
        self.call(CallKind::Chat, asked, || self.inner.chat(request.clone()), |reply| CallReply::Chat(reply)).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        // A stream cannot be made durable before its end, so the whole answer is one event.
        let response = self.chat(request).await?;
        Ok(Box::pin(futures::stream::iter(events_of(response, usize::MAX).into_iter().map(Ok))))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let asked = json!({ "request": request, "options": options });
        let ask = || self.inner.choose(request.clone(), options);
        self.call(CallKind::Choose, asked, ask, |choice| CallReply::Choice(choice)).await
    }
}
