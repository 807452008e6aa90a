//! A durable call whose pieces are given out as they come.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use graphloom_llm::{ChatEvent, ChatModel, ChatRequest, ChatResponse, ModelError};
use tokio::time::{Instant, timeout, timeout_at};

use super::calls::DurableCalls;
use super::hooks::{CallKind, CallReply};
use super::model::DurableModel;

/// What a reader of a reply gets while it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// More of the text.
    Text(String),
    /// The reply begins anew: the pieces before this one are void.
    Restart,
}

impl<Cx: Send + Sync + 'static> DurableCalls<Cx> {
    /// One reply as a durable step, whose pieces go to `piece` while they come. What did not come as a piece goes to it at
    /// the end, so that the pieces since the last [`Piece::Restart`] always hold the whole text: all of a reply that is
    /// taken from the record, one that was asked for again because its stream broke off or had stalled for half of
    /// the [limit](Self::limit), and one whose beginning proved to be [thoughts](ChatEvent::TextTakenBack).
    ///
    /// # Errors
    /// Those of a call of [`model`](Self::model).
    pub async fn streamed<F>(
        &self,
        role: Option<&str>,
        model: &Arc<dyn ChatModel>,
        request: ChatRequest,
        piece: impl Fn(Piece) -> F + Send + Sync,
    ) -> Result<ChatResponse, ModelError>
    where
        F: Future<Output = ()> + Send,
    {
        let inner = self.told(role, model);
        let durable = DurableModel { inner: Arc::clone(&inner), calls: Arc::clone(&self.inner) };
        let asked = serde_json::to_value(&request).unwrap_or_default();
        let shown = Mutex::new(String::new());
        let ask = || pieces(&*inner, request.clone(), self.inner.limit, &shown, &piece);
        let response = durable.call(CallKind::Chat, asked, ask, |reply| CallReply::Chat(reply)).await?;
        let shown = shown.into_inner().unwrap_or_else(PoisonError::into_inner);
        let whole = response.text();
        match whole.strip_prefix(&shown) {
            Some("") => {}
            Some(rest) => piece(Piece::Text(rest.to_owned())).await,
            None => {
                piece(Piece::Restart).await;
                piece(Piece::Text(whole)).await;
            }
        }
        Ok(response)
    }
}

/// Gives out each piece of a reply and returns the whole. A stream that stalls is given up, and the reply is asked
/// for as one.
async fn pieces<F: Future<Output = ()> + Send>(
    model: &dyn ChatModel,
    request: ChatRequest,
    limit: Option<Duration>,
    shown: &Mutex<String>,
    piece: &(impl Fn(Piece) -> F + Send + Sync),
) -> Result<ChatResponse, ModelError> {
    let begun = Instant::now();
    restart(shown, piece).await;
    let mut events = model.stream(request.clone()).await?;
    loop {
        let event = match limit {
            // Half of the limit without a piece: the stream has stalled, and there is time left to ask again.
            Some(limit) => match timeout(limit / 2, events.next()).await {
                Ok(event) => event,
                Err(_) => {
                    tracing::warn!("a stream of `{}` has stalled, so its answer is asked for again", model.id());
                    let late = ModelError::Timeout { model: model.id().to_string(), limit };
                    return timeout_at(begun + limit, model.chat(request)).await.unwrap_or(Err(late));
                }
            },
            None => events.next().await,
        };
        match event {
            Some(Ok(ChatEvent::TextDelta { text })) => {
                shown.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
                piece(Piece::Text(text)).await;
            }
            Some(Ok(ChatEvent::Restart { message })) => {
                tracing::warn!("a stream of `{}` broke off, and its answer is asked for again: {message}", model.id());
                restart(shown, piece).await;
            }
            Some(Ok(ChatEvent::TextTakenBack)) => restart(shown, piece).await,
            Some(Ok(ChatEvent::Done(response))) => return Ok(response),
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(error),
            None => {
                let message = "the stream ended without an end".to_owned();
                return Err(ModelError::Internal { model: model.id().to_string(), message });
            }
        }
    }
}

/// Says that what was shown is void, where something was.
async fn restart<F: Future<Output = ()> + Send>(shown: &Mutex<String>, piece: &(impl Fn(Piece) -> F + Send + Sync)) {
    let before = std::mem::take(&mut *shown.lock().unwrap_or_else(PoisonError::into_inner));
    if !before.is_empty() {
        piece(Piece::Restart).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use async_trait::async_trait;
    use graphloom_llm::layers::{Retry, RetryPolicy};
    use graphloom_llm::{
        Capabilities, ChatStream, Choice, FinishReason, Message, ModelId, StructuredSupport, Usage, events_of,
    };

    use super::*;

    /// Streams one piece and stalls; answers as a whole.
    struct Stalling {
        id: ModelId,
        capabilities: Capabilities,
        streams: bool,
        asked: AtomicU32,
    }

    fn stalling(streams: bool) -> Stalling {
        let structured = StructuredSupport::JsonSchema;
        let capabilities = Capabilities {
            structured,
            tools: true,
            images: false,
            sampling: true,
            context: None,
            local: true,
            documents: false,
        };
        Stalling { id: ModelId::new("scripted", "stalling"), capabilities, streams, asked: AtomicU32::new(0) }
    }

    #[async_trait]
    impl ChatModel for Stalling {
        fn id(&self) -> &ModelId {
            &self.id
        }

        fn capabilities(&self) -> &Capabilities {
            &self.capabilities
        }

        async fn chat(&self, _: ChatRequest) -> Result<ChatResponse, ModelError> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            let (model, message) = (self.id.to_string(), Message::assistant("high tide at ten"));
            Ok(ChatResponse { model, message, finish: FinishReason::Stop, usage: Usage::default(), request_id: None })
        }

        async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
            if self.streams {
                let events = events_of(self.chat(request).await?, 5);
                return Ok(Box::pin(futures::stream::iter(events.into_iter().map(Ok))));
            }
            let piece = ChatEvent::TextDelta { text: "high".to_owned() };
            Ok(Box::pin(futures::stream::iter([Ok(piece)]).chain(futures::stream::pending())))
        }

        async fn choose(&self, _: ChatRequest, _: &[String]) -> Result<Choice, ModelError> {
            Ok(Choice { index: 0, scores: Vec::new(), usage: Usage::default() })
        }
    }

    async fn run(model: &dyn ChatModel) -> (Result<ChatResponse, ModelError>, Vec<String>) {
        let (shown, received) = (Mutex::default(), Mutex::new(Vec::new()));
        let piece = |piece: Piece| {
            received.lock().unwrap().push(match piece {
                Piece::Text(text) => text,
                Piece::Restart => "(again)".to_owned(),
            });
            std::future::ready(())
        };
        let reply = pieces(model, ChatRequest::user("?"), Some(Duration::from_secs(4)), &shown, &piece).await;
        (reply, received.into_inner().unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_stalls_is_asked_for_again() {
        let model = stalling(false);
        let begun = Instant::now();
        let (reply, received) = run(&model).await;
        assert_eq!((reply.unwrap().text().as_str(), received), ("high tide at ten", vec!["high".to_owned()]));
        assert_eq!((begun.elapsed(), model.asked.load(Ordering::SeqCst)), (Duration::from_secs(2), 1));
    }

    #[tokio::test]
    async fn an_answer_whose_beginning_was_thoughts_begins_anew() {
        let text = "maybe nine, no</think>high tide at ten";
        let model = graphloom_llm::Scripted::from_fn(move |_| Ok(text));
        let (shown, received) = (Mutex::default(), Mutex::new(Vec::new()));
        let piece = |piece: Piece| {
            let mut received = received.lock().unwrap();
            match piece {
                Piece::Text(text) => received.push(text),
                Piece::Restart => received.clear(),
            }
            std::future::ready(())
        };
        let reply = pieces(&model, ChatRequest::user("?"), None, &shown, &piece).await.unwrap();
        assert_eq!((reply.text().as_str(), reply.thoughts().as_str()), ("high tide at ten", "maybe nine, no"));
        assert_eq!(received.into_inner().unwrap().concat(), "high tide at ten");
        assert_eq!(shown.into_inner().unwrap(), "high tide at ten");
    }

    #[tokio::test]
    async fn pieces_come_in_order() {
        let (reply, received) = run(&stalling(true)).await;
        assert_eq!(received.concat(), reply.unwrap().text());
        assert!(received.len() > 2, "{received:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_breaks_off_begins_anew_for_its_reader() {
        let broken = Breaking { inner: stalling(true), breaks: AtomicU32::new(1) };
        let model = Retry::new(Arc::new(broken), RetryPolicy::default());
        let (reply, received) = run(&model).await;
        assert_eq!(reply.unwrap().text(), "high tide at ten");
        assert_eq!(received[..2], ["high".to_owned(), "(again)".to_owned()]);
        assert_eq!(received[2..].concat(), "high tide at ten");
    }

    /// Breaks off after its first piece, so many times.
    struct Breaking {
        inner: Stalling,
        breaks: AtomicU32,
    }

    #[async_trait]
    impl ChatModel for Breaking {
        fn id(&self) -> &ModelId {
            self.inner.id()
        }

        fn capabilities(&self) -> &Capabilities {
            self.inner.capabilities()
        }

        async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
            self.inner.chat(request).await
        }

        async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
            let left = self.breaks.load(Ordering::SeqCst);
            if left == 0 {
                return self.inner.stream(request).await;
            }
            self.breaks.store(left - 1, Ordering::SeqCst);
            let piece = ChatEvent::TextDelta { text: "high".to_owned() };
            let error = ModelError::StreamInterrupted {
                model: "m".to_owned(),
                partial: "high".to_owned(),
                message: "reset".to_owned(),
            };
            Ok(Box::pin(futures::stream::iter([Ok(piece), Err(error)])))
        }

        async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
            self.inner.choose(request, options).await
        }
    }
}
