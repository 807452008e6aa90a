//! A model whose replies are durable steps of the task.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use futures::StreamExt;
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::cassette::key_of;
use graphloom_llm::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, events_of,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout, timeout_at};

use crate::resources::Resources;
use crate::stream::{self, MessageEvent, Place, StreamMessage};

/// A model whose replies are durable steps `KEY/NUMBER/HASH` of the task. The hash makes changed prompts be asked anew.
pub(super) struct DurableModel {
    pub(super) inner: Arc<dyn ChatModel>,
    pub(super) cx: Context<Resources>,
    pub(super) key: String,
    steps: AtomicU32,
    /// An error of the runtime, which is none of the model's.
    fault: Mutex<Option<NodeError>>,
}

impl DurableModel {
    pub(super) fn new(inner: &Arc<dyn ChatModel>, cx: &Context<Resources>, key: &str) -> Self {
        Self {
            inner: Arc::clone(inner),
            cx: cx.clone(),
            key: key.to_owned(),
            steps: AtomicU32::new(0),
            fault: Mutex::new(None),
        }
    }

    /// The error of the runtime that stopped a call, if one did.
    pub(super) fn take_fault(&self) -> Option<NodeError> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn step(&self, asked: &Value) -> String {
        let number = self.steps.fetch_add(1, Ordering::SeqCst);
        let hash = key_of(asked);
        format!("{}/{number}/{}", self.key, hash.get(..12).unwrap_or(&hash))
    }

    fn refused(&self, error: NodeError) -> ModelError {
        if let Some(error) = error.downcast_ref::<ModelError>() {
            return error.clone();
        }
        let (model, message) = (self.inner.id().to_string(), error.to_string());
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        ModelError::Internal { model, message }
    }

    /// A durable step. What is logged as committed was called, and is never called again.
    async fn once<T>(&self, step: &str, call: impl Future<Output = Result<T, ModelError>>) -> Result<T, ModelError>
    where
        T: Serialize + DeserializeOwned,
    {
        let mut called = false;
        let work = async {
            called = true;
            call.await
        };
        let result = self.cx.once(step, work).await;
        if called && result.is_ok() {
            tracing::info!("model call committed: {} {step}", self.cx.task().id);
        }
        result.map_err(|error| self.refused(error))
    }

    /// One reply whose pieces are emitted as they come.
    pub(super) async fn streamed(
        &self,
        request: ChatRequest,
        agent: &str,
        place: &Place,
    ) -> Result<ChatResponse, ModelError> {
        let step = self.step(&serde_json::to_value(&request).unwrap_or_default());
        let piece = |text: String| StreamMessage::new(agent, MessageEvent::Message, text).at(place.clone());
        let limit = self.cx.resources().call_limit;
        let end = Instant::now() + limit;
        let mut told = String::new();
        let work = async {
            let mut events = self.inner.stream(request.clone()).await?;
            // Half of the limit without a piece: the stream hangs, and there is time left to ask again.
            while let Ok(event) = timeout(limit / 2, events.next()).await {
                let Some(event) = event else {
                    let (model, message) = (self.inner.id().to_string(), "the stream ended without an end".to_owned());
                    return Err(ModelError::Internal { model, message });
                };
                match event? {
                    ChatEvent::TextDelta { text } => {
                        told.push_str(&text);
                        stream::emit(&self.cx, piece(text)).await;
                    }
                    ChatEvent::Done(response) => return Ok(response),
                    _ => {}
                }
            }
            tracing::warn!("a stream of `{}` has stalled, so its answer is asked for again", self.inner.id());
            let late = ModelError::Timeout { model: self.inner.id().to_string(), limit };
            timeout_at(end, self.inner.chat(request)).await.unwrap_or(Err(late))
        };
        let response: ChatResponse = self.once(&step, work).await?;
        let whole = response.text();
        // What was not told as it came: all of an answer from the store, and one that was asked for again.
        match whole.strip_prefix(&told) {
            Some("") => {}
            Some(rest) => stream::emit(&self.cx, piece(rest.to_owned())).await,
            None => stream::emit(&self.cx, piece(format!("\n\n{whole}"))).await,
        }
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
        let step = self.step(&serde_json::to_value(&request).unwrap_or_default());
        self.once(&step, self.inner.chat(request)).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        // A stream cannot be made durable before its end, so the whole answer is one event.
        let response = self.chat(request).await?;
        Ok(Box::pin(futures::stream::iter(events_of(response, usize::MAX).into_iter().map(Ok))))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let step = self.step(&json!({ "request": request, "options": options }));
        self.once(&step, self.inner.choose(request, options)).await
    }
}
