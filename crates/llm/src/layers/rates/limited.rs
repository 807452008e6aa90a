//! A model that keeps to the rates of its host.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::super::{LongestAnswer, expected, on_end};
use super::{Rates, StartedCall};
use crate::{Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Usage};

/// Begins no call before the limits of a minute allow it. A call is expected to read one token for four characters and to
/// generate `max_tokens`, and where that is not set as many as the longest answer so far; when its answer is there, the
/// tokens that it used count.
pub struct RateLimited {
    rates: Rates,
    longest: Arc<LongestAnswer>,
    inner: Arc<dyn ChatModel>,
}

impl RateLimited {
    /// Holds `inner` to `rates`, together with all other models that share them.
    pub fn new(inner: Arc<dyn ChatModel>, rates: &Rates) -> Self {
        Self { rates: rates.clone(), longest: Arc::default(), inner }
    }

    async fn begin(&self, request: &ChatRequest) -> Result<StartedCall, ModelError> {
        let model = self.inner.id().to_string();
        let need = expected(request, self.longest.tokens());
        self.rates.begin(&model, need).await.map_err(|pause| ModelError::RateLimited {
            model,
            message: format!("the server wants a pause of {} s", pause.as_secs_f32().ceil()),
            retry_after: Some(pause),
            request_id: None,
        })
    }
}

/// A call that failed has used no tokens, save one that was not waited for, and the server may want a pause.
fn failed(begun: &StartedCall, error: &ModelError) {
    if let Some(pause) = error.retry_after() {
        begun.pause(pause);
    }
    if !matches!(error, ModelError::Timeout { .. }) {
        begun.settle(0);
    }
}

/// Counts what an answer used. Where the server states no counts, what was expected stays.
fn settle(begun: &StartedCall, longest: &LongestAnswer, usage: Usage) {
    longest.saw(usage);
    if usage.total() > 0 {
        begun.settle(usage.total());
    }
}

#[async_trait]
impl ChatModel for RateLimited {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let begun = self.begin(&request).await?;
        let result = self.inner.chat(request).await;
        match &result {
            Ok(response) => settle(&begun, &self.longest, response.usage),
            Err(error) => failed(&begun, error),
        }
        result
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let begun = self.begin(&request).await?;
        let longest = Arc::clone(&self.longest);
        match self.inner.stream(request).await {
            Ok(stream) => Ok(on_end(stream, move |end| match end {
                Ok(response) => settle(&begun, &longest, response.usage),
                Err(error) => {
                    if let Some(pause) = error.retry_after() {
                        begun.pause(pause);
                    }
                }
            })),
            Err(error) => {
                failed(&begun, &error);
                Err(error)
            }
        }
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let begun = self.begin(&request).await?;
        let result = self.inner.choose(request, options).await;
        match &result {
            Ok(choice) => settle(&begun, &self.longest, choice.usage),
            Err(error) => failed(&begun, error),
        }
        result
    }
}

impl fmt::Debug for RateLimited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimited").field("model", self.inner.id()).finish_non_exhaustive()
    }
}
