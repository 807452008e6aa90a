//! A model whose calls each end within a limit. A call that seems to hang is made a second time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use futures::future::select_ok;
use tokio::time::{Instant, timeout, timeout_at};

use super::{Ledger, until};
use crate::{Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId};

/// A model whose calls each end within `limit`.
///
/// A server that took a request and never answers cannot be told from a slow server. So when half of the limit has
/// passed, the call is made once more while the first one goes on, and the first good answer is taken. A model inside
/// the process is called once: it does not hang, and two calls at a time would only be slower.
pub struct TimeLimited {
    inner: Arc<dyn ChatModel>,
    limit: Duration,
}

impl TimeLimited {
    /// Limits each call of `inner` to `limit`.
    pub fn new(inner: &Arc<dyn ChatModel>, limit: Duration) -> Self {
        Self { inner: Arc::clone(inner), limit }
    }

    async fn call<T, F>(&self, call: impl Fn() -> F) -> Result<T, ModelError>
    where
        F: Future<Output = Result<T, ModelError>> + Send,
    {
        let end = Instant::now() + self.limit;
        let mut first = Box::pin(call());
        if !self.inner.capabilities().local {
            if let Ok(answer) = timeout(self.limit / 2, &mut first).await {
                return answer;
            }
            tracing::warn!(
                "`{}` has not answered for {} s, so it is asked a second time; the first answer is taken",
                self.inner.id(),
                (self.limit / 2).as_secs_f32(),
            );
            let either = select_ok([first.boxed(), call().boxed()]).map(|answer| answer.map(|(answer, _)| answer));
            return timeout_at(end, either).await.unwrap_or_else(|_| Err(self.too_late()));
        }
        timeout_at(end, first).await.unwrap_or_else(|_| Err(self.too_late()))
    }

    fn too_late(&self) -> ModelError {
        ModelError::Timeout { model: self.inner.id().to_string(), limit: self.limit }
    }
}

impl fmt::Debug for TimeLimited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimeLimited").field("model", self.inner.id()).field("limit", &self.limit).finish()
    }
}

#[async_trait]
impl ChatModel for TimeLimited {
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
        self.call(|| self.inner.chat(request.clone())).await
    }

    /// The limit holds for the whole stream. Only the beginning of a stream is asked for a second time, because events
    /// that were given out cannot be taken back.
    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let end = Instant::now() + self.limit;
        let events = self.call(|| self.inner.stream(request.clone())).await?;
        let too_late = self.too_late();
        Ok(until(events, end, move || too_late))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.call(|| self.inner.choose(request.clone(), options)).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures::StreamExt;

    use super::*;
    use crate::{ChatEvent, FinishReason, Message, StructuredSupport, Usage};

    /// Hangs for its first calls, then answers; its streams stop after a piece.
    struct Hanging {
        id: ModelId,
        capabilities: Capabilities,
        hangs: u32,
        calls: AtomicU32,
    }

    impl Hanging {
        fn new(hangs: u32, local: bool) -> Arc<Self> {
            let structured = StructuredSupport::JsonSchema;
            let capabilities = Capabilities {
                structured,
                tools: true,
                images: false,
                sampling: true,
                context: None,
                local,
                documents: false,
            };
            Arc::new(Self { id: ModelId::new("scripted", "hanging"), capabilities, hangs, calls: AtomicU32::new(0) })
        }

        async fn turn(&self) {
            if self.calls.fetch_add(1, Ordering::SeqCst) < self.hangs {
                std::future::pending::<()>().await;
            }
        }
    }

    #[async_trait]
    impl ChatModel for Hanging {
        fn id(&self) -> &ModelId {
            &self.id
        }

        fn capabilities(&self) -> &Capabilities {
            &self.capabilities
        }

        async fn chat(&self, _: ChatRequest) -> Result<ChatResponse, ModelError> {
            self.turn().await;
            let (model, message) = (self.id.to_string(), Message::assistant("here"));
            Ok(ChatResponse { model, message, finish: FinishReason::Stop, usage: Usage::default(), request_id: None })
        }

        async fn stream(&self, _: ChatRequest) -> Result<ChatStream, ModelError> {
            let piece = ChatEvent::TextDelta { text: "half".to_owned() };
            Ok(Box::pin(futures::stream::iter([Ok(piece)]).chain(futures::stream::pending())))
        }

        async fn choose(&self, _: ChatRequest, _: &[String]) -> Result<Choice, ModelError> {
            self.turn().await;
            Ok(Choice { index: 0, scores: Vec::new(), usage: Usage::default() })
        }
    }

    const LIMIT: Duration = Duration::from_secs(4);

    fn time_limited(model: &Arc<Hanging>) -> TimeLimited {
        let inner: Arc<dyn ChatModel> = Arc::clone(model) as Arc<dyn ChatModel>;
        TimeLimited::new(&inner, LIMIT)
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_hangs_is_made_again_within_the_limit() {
        let model = Hanging::new(1, false);
        let begun = Instant::now();
        assert_eq!(time_limited(&model).chat(ChatRequest::user("?")).await.unwrap().text(), "here");
        assert_eq!((begun.elapsed(), model.calls.load(Ordering::SeqCst)), (LIMIT / 2, 2));

        let model = Hanging::new(9, false);
        let begun = Instant::now();
        let error = time_limited(&model).choose(ChatRequest::user("?"), &["a".into(), "b".into()]).await.unwrap_err();
        assert!(matches!(&error, ModelError::Timeout { limit: LIMIT, .. }), "{error}");
        assert_eq!((begun.elapsed(), model.calls.load(Ordering::SeqCst)), (LIMIT, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_inside_the_process_is_asked_once() {
        let model = Hanging::new(1, true);
        let error = time_limited(&model).chat(ChatRequest::user("?")).await.unwrap_err();
        assert!(matches!(error, ModelError::Timeout { .. }), "{error}");
        assert_eq!(model.calls.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_stalls_ends_with_the_limit() {
        let model = Hanging::new(0, false);
        let begun = Instant::now();
        let events: Vec<_> = time_limited(&model).stream(ChatRequest::user("?")).await.unwrap().collect().await;
        assert_eq!((events.len(), begun.elapsed()), (2, LIMIT));
        assert!(matches!(&events[1], Err(ModelError::Timeout { .. })));
    }
}
