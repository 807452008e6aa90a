//! How an answer is fetched: whole, or as a stream that is looked at.

use futures::StreamExt;

use super::{PartialEvent, PartialJson};
use crate::{ChatEvent, ChatModel, ChatRequest, ChatResponse, ModelError};

/// A way to fetch an answer.
pub(super) trait AnswerSource: Send {
    /// `member` holds the value where a provider takes objects only.
    fn ask(
        &mut self,
        model: &dyn ChatModel,
        request: ChatRequest,
        member: Option<&'static str>,
    ) -> impl Future<Output = Result<ChatResponse, ModelError>> + Send;
}

/// The whole answer at once.
pub(super) struct Whole;

/// A stream, whose value is looked at while it arrives.
pub(super) struct Watched<'w>(pub(super) &'w mut (dyn FnMut(&PartialJson, &[PartialEvent]) + Send));

impl AnswerSource for Whole {
    async fn ask(
        &mut self,
        model: &dyn ChatModel,
        request: ChatRequest,
        _: Option<&'static str>,
    ) -> Result<ChatResponse, ModelError> {
        model.chat(request).await
    }
}

impl AnswerSource for Watched<'_> {
    async fn ask(
        &mut self,
        model: &dyn ChatModel,
        request: ChatRequest,
        member: Option<&'static str>,
    ) -> Result<ChatResponse, ModelError> {
        let mut stream = model.stream(request).await?;
        let mut partial = PartialJson::within(member);
        let mut text = String::new();
        while let Some(event) = stream.next().await {
            match event? {
                ChatEvent::TextDelta { text: more } => {
                    let events = partial.push(&more);
                    if !events.is_empty() {
                        (self.0)(&partial, &events);
                    }
                    text.push_str(&more);
                }
                ChatEvent::TextTakenBack | ChatEvent::Restart { .. } => {
                    partial = PartialJson::within(member);
                    text.clear();
                }
                ChatEvent::Done(response) => return Ok(response),
                _ => {}
            }
        }
        let message = "the stream ended without its last event".to_owned();
        Err(ModelError::StreamInterrupted { model: model.id().to_string(), partial: text, message })
    }
}
