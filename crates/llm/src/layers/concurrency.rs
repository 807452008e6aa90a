//! A model with a bounded number of calls at a time.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId};

/// Lets a bounded number of calls run at a time. Other calls wait, in order. A stream counts until it ends or is
/// dropped.
pub struct Concurrency {
    turns: Turns,
    inner: Arc<dyn ChatModel>,
}

/// A limit on calls at a time that several models share, such as those of one server.
#[derive(Clone, Debug)]
pub struct Turns(Arc<Semaphore>);

impl Turns {
    /// Allows `limit` calls at a time, at least one.
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Semaphore::new(limit.clamp(1, Semaphore::MAX_PERMITS))))
    }
}

impl Concurrency {
    /// Bounds `inner` to `limit` calls at a time, at least one.
    pub fn new(inner: Arc<dyn ChatModel>, limit: usize) -> Self {
        Self::sharing(inner, &Turns::new(limit))
    }

    /// Bounds `inner` together with all other models that share `turns`.
    pub fn sharing(inner: Arc<dyn ChatModel>, turns: &Turns) -> Self {
        Self { turns: turns.clone(), inner }
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, ModelError> {
        Arc::clone(&self.turns.0)
            .acquire_owned()
            .await
            .map_err(|error| ModelError::Internal { model: self.inner.id().to_string(), message: error.to_string() })
    }
}

#[async_trait]
impl ChatModel for Concurrency {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let _turn = self.turn().await?;
        self.inner.chat(request).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let turn = self.turn().await?;
        let stream = self.inner.stream(request).await?;
        // The last event ends the turn, even when the stream is dropped later.
        let ends = futures::stream::unfold((stream, Some(turn)), |(mut stream, turn)| async move {
            let event = stream.next().await?;
            let turn = if matches!(event, Err(_) | Ok(crate::ChatEvent::Done(_))) { None } else { turn };
            Some((event, (stream, turn)))
        });
        Ok(ends.boxed())
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let _turn = self.turn().await?;
        self.inner.choose(request, options).await
    }
}

impl fmt::Debug for Concurrency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Concurrency")
            .field("model", self.inner.id())
            .field("free", &self.turns.0.available_permits())
            .finish()
    }
}
