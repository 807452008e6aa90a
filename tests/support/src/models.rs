//! Models around other models: what tests let happen before an answer.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use graphloom_llm::{Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId};

struct Before<F> {
    inner: Arc<dyn ChatModel>,
    happens: F,
}

/// A model that answers as another one does, after something has happened: a wait, a notice, or what never ends.
pub fn before<F, Fut>(inner: Arc<dyn ChatModel>, happens: F) -> Arc<dyn ChatModel>
where
    F: Fn(&ChatRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    Arc::new(Before { inner, happens })
}

/// A model that takes a time for each answer.
pub fn delayed(inner: Arc<dyn ChatModel>, time: Duration) -> Arc<dyn ChatModel> {
    before(inner, move |_| tokio::time::sleep(time))
}

#[async_trait]
impl<F, Fut> ChatModel for Before<F>
where
    F: Fn(&ChatRequest) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send,
{
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        (self.happens)(&request).await;
        self.inner.chat(request).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        self.inner.stream(request).await
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.inner.choose(request, options).await
    }
}
