//! A model that keeps to the rates of its host.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use super::super::budgeted::expected_input;
use super::super::on_end;
use super::{Rates, StartedCall};
use crate::{Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId};

/// Begins no call before the limits of a minute allow it. A call is expected to read one token for four characters and to
/// generate `max_tokens`, where that is set; when its answer is there, the tokens that it used count.
pub struct RateLimited {
    rates: Rates,
    inner: Arc<dyn ChatModel>,
}

impl RateLimited {
    /// Holds `inner` to `rates`, together with all other models that share them.
    pub fn new(inner: Arc<dyn ChatModel>, rates: &Rates) -> Self {
        Self { rates: rates.clone(), inner }
    }

    async fn begin(&self, request: &ChatRequest) -> Result<StartedCall, ModelError> {
        let output = u64::from(request.params.max_tokens.unwrap_or_default());
        let expected = expected_input(request).saturating_add(output);
        self.rates.begin(expected).await.map_err(|pause| ModelError::RateLimited {
            model: self.inner.id().to_string(),
            message: format!("the server wants a pause of {} s", pause.as_secs_f32().ceil()),
            retry_after: Some(pause),
            request_id: None,
        })
    }
}

/// A call that failed has used no tokens, and the server may want a pause.
fn failed(begun: &StartedCall, error: &ModelError) {
    if let Some(pause) = error.retry_after() {
        begun.pause(pause);
    }
    begun.settle(0);
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
            Ok(response) => begun.settle(response.usage.total()),
            Err(error) => failed(&begun, error),
        }
        result
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let begun = self.begin(&request).await?;
        match self.inner.stream(request).await {
            Ok(stream) => Ok(on_end(stream, move |end| match end {
                Ok(response) => begun.settle(response.usage.total()),
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
            Ok(choice) => begun.settle(choice.usage.total()),
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
