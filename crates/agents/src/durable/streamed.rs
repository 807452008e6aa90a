//! A durable call whose pieces are given out as they come.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::StreamExt;
use graphloom_llm::{ChatEvent, ChatModel, ChatRequest, ChatResponse, ModelError};
use tokio::time::{Instant, timeout, timeout_at};

use super::calls::DurableCalls;
use super::hooks::{CallKind, CallReply};
use super::model::DurableModel;

impl<Cx: Send + Sync + 'static> DurableCalls<Cx> {
    /// One reply as a durable step, whose pieces of text go to `piece` while they come. What did not come as a piece
    /// goes to it at the end, so that the pieces together always hold the whole text: all of a reply that is taken from
    /// the record, and one that was asked for again because its stream had stalled for half of the
    /// [limit](Self::limit); such a second text begins with an empty line, and so does one whose beginning proved to be
    /// [thoughts](ChatEvent::TextTakenBack).
    ///
    /// # Errors
    /// Those of a call of [`model`](Self::model).
    pub async fn streamed<F>(
        &self,
        role: Option<&str>,
        model: &Arc<dyn ChatModel>,
        request: ChatRequest,
        piece: impl Fn(String) -> F + Send + Sync,
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
            Some(rest) => piece(rest.to_owned()).await,
            None => piece(format!("\n\n{whole}")).await,
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
    piece: &(impl Fn(String) -> F + Send + Sync),
) -> Result<ChatResponse, ModelError> {
    let begun = Instant::now();
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
                piece(text).await;
            }
            Some(Ok(ChatEvent::TextTakenBack)) => {
                shown.lock().unwrap_or_else(PoisonError::into_inner).clear();
                piece("\n\n".to_owned()).await;
            }
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use async_trait::async_trait;
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

    async fn run(model: &Stalling) -> (Result<ChatResponse, ModelError>, Vec<String>) {
        let (shown, received) = (Mutex::default(), Mutex::new(Vec::new()));
        let piece = |text: String| {
            received.lock().unwrap().push(text);
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
        let piece = |text: String| {
            received.lock().unwrap().push(text);
            std::future::ready(())
        };
        let reply = pieces(&model, ChatRequest::user("?"), None, &shown, &piece).await.unwrap();
        assert_eq!((reply.text().as_str(), reply.thoughts().as_str()), ("high tide at ten", "maybe nine, no"));
        let received = received.into_inner().unwrap().concat();
        assert!(received.ends_with("\n\nhigh tide at ten"), "{received}");
        assert_eq!(shown.into_inner().unwrap(), "high tide at ten");
    }

    #[tokio::test]
    async fn pieces_come_in_order() {
        let (reply, received) = run(&stalling(true)).await;
        assert_eq!(received.concat(), reply.unwrap().text());
        assert!(received.len() > 2, "{received:?}");
    }
}
