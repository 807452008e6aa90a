//! Thoughts and answer of a model's reply.

use std::collections::VecDeque;

use futures::StreamExt;

use super::separate::separate;
use super::splitter::{Piece, Splitter};
use crate::{ChatEvent, ChatResponse, ChatStream, ModelError, Part};

/// The reply with the thoughts of its text as reasoning, which stands before the text.
///
/// A reply that holds thoughts only has no text afterwards.
#[must_use]
pub fn apart(mut response: ChatResponse) -> ChatResponse {
    let text = response.text();
    let told = separate(&text);
    if told.answer == text {
        return response;
    }
    // Thoughts may go over the borders of parts, as they do over those of pieces of a stream.
    let place = response.message.parts.iter().position(is_text).unwrap_or_default();
    response.message.parts.retain(|part| !is_text(part));
    let thoughts = (!told.thoughts.is_empty()).then_some(Part::Reasoning { text: told.thoughts, signature: None });
    let text = (!told.answer.is_empty()).then_some(Part::Text { text: told.answer });
    response.message.parts.splice(place..place, thoughts.into_iter().chain(text));
    response
}

fn is_text(part: &Part) -> bool {
    matches!(part, Part::Text { .. })
}

/// The error with the answer only of what had come before it.
fn apart_error(mut error: ModelError) -> ModelError {
    if let ModelError::StreamInterrupted { partial, .. } | ModelError::Incomplete { partial, .. } = &mut error {
        *partial = separate(partial).answer;
    }
    error
}

/// The stream with the thoughts of its text as reasoning. See [`ChatEvent::TextTakenBack`] for thoughts that are known as
/// such only when they end.
pub fn apart_stream(stream: ChatStream) -> ChatStream {
    let start = (stream, Some(Splitter::default()), VecDeque::new());
    futures::stream::unfold(start, |(mut stream, mut splitter, mut ready)| async move {
        loop {
            if let Some(event) = ready.pop_front() {
                return Some((event, (stream, splitter, ready)));
            }
            match stream.next().await? {
                Ok(ChatEvent::TextDelta { text }) => match &mut splitter {
                    Some(splitter) => ready.extend(splitter.push(&text).into_iter().map(event_of).map(Ok)),
                    None => ready.push_back(Ok(ChatEvent::TextDelta { text })),
                },
                Ok(ChatEvent::Done(response)) => {
                    ready.extend(rest(&mut splitter));
                    ready.push_back(Ok(ChatEvent::Done(apart(response))));
                }
                Ok(event @ ChatEvent::ToolCall(_)) => {
                    ready.extend(rest(&mut splitter));
                    ready.push_back(Ok(event));
                }
                Ok(event) => ready.push_back(Ok(event)),
                Err(error) => {
                    ready.extend(rest(&mut splitter));
                    ready.push_back(Err(apart_error(error)));
                }
            }
        }
    })
    .boxed()
}

/// The events of what is left of a text.
fn rest(splitter: &mut Option<Splitter>) -> Vec<Result<ChatEvent, ModelError>> {
    let pieces = splitter.take().map(|splitter| splitter.finish().0).unwrap_or_default();
    pieces.into_iter().map(event_of).map(Ok).collect()
}

fn event_of(piece: Piece) -> ChatEvent {
    match piece {
        Piece::Answer(text) => ChatEvent::TextDelta { text },
        Piece::Thoughts(text) => ChatEvent::ReasoningDelta { text },
        Piece::TakenBack => ChatEvent::TextTakenBack,
    }
}
