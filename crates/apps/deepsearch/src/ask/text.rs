//! Answers that are texts.

use graphloom_agents::Piece;
use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::{ChatRequest, FinishReason, Message, ModelError, Role};
use serde::Serialize;
use serde_json::json;

use super::{Ask, AskFailure, calls, messages, params};
use crate::resources::Resources;
use crate::stream::{self, MessageEvent, StreamMessage};

/// What was made of a text, and what is to be told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TakenText<U> {
    /// What `check` made of it.
    pub value: U,
    /// How a text that is not whole ended, in words that stand behind "the text": at the limit of tokens, or by the
    /// provider.
    pub broken_off: Option<String>,
}

impl<U> TakenText<U> {
    /// What was made of a whole text.
    pub fn whole(value: U) -> Self {
        Self { value, broken_off: None }
    }

    /// What was made of a text that has to be whole.
    ///
    /// # Errors
    /// How the text ended, in words.
    pub fn all(self) -> Result<U, String> {
        match self.broken_off {
            None => Ok(self.value),
            Some(how) => Err(format!("the text {how}")),
        }
    }
}

/// As [`taken_text`], for a text of which it is of no matter that it was broken off, because `check` sees to it.
///
/// # Errors
/// As [`value`](super::value).
pub async fn text<U>(
    cx: &Context<Resources>,
    ask: &Ask,
    args: &(impl Serialize + Sync),
    check: impl Fn(&str) -> Result<U, String> + Send + Sync,
) -> Result<Result<U, AskFailure>, NodeError> {
    Ok(taken_text(cx, ask, args, check).await?.map(|taken| taken.value))
}

/// Asks for a text and makes something of it with `check`. A text that `check` refuses is shown to the model with the
/// reason, until the tries are used up. A text that was broken off is taken as far as it goes, which the caller tells; where
/// its pieces are emitted, the last event says it, too. Where the model is asked again in the middle of a text, START is
/// emitted again: what came since the last START is void.
///
/// # Errors
/// As [`value`](super::value).
pub async fn taken_text<U>(
    cx: &Context<Resources>,
    ask: &Ask,
    args: &(impl Serialize + Sync),
    check: impl Fn(&str) -> Result<U, String> + Send + Sync,
) -> Result<Result<TakenText<U>, AskFailure>, NodeError> {
    let resources = cx.resources();
    let calls = calls(cx, ask);
    let role = Some(ask.slot.name());
    let own = resources.models.role(ask.slot.name());
    let model = calls.model_of(role, own);
    let mut messages = messages(cx, ask, args)?;
    let tries = ask.tries.max(1);
    let (mut problem, mut last) = (String::new(), String::new());
    for _ in 0..tries {
        let request =
            ChatRequest { messages: messages.clone(), params: params(resources, ask), ..ChatRequest::default() };
        let answer = match &ask.stream {
            Some((agent, place)) => {
                let message = |event| StreamMessage::new(agent, event, "").at(place.clone());
                stream::emit(cx, message(MessageEvent::Start)).await;
                let piece = |piece: Piece| {
                    let (event, text) = match piece {
                        Piece::Text(text) => (MessageEvent::Message, text),
                        _ => (MessageEvent::Start, String::new()),
                    };
                    stream::emit(cx, StreamMessage::new(agent, event, text).at(place.clone()))
                };
                let answer = calls.streamed(role, own, request, piece).await;
                let mut done = message(MessageEvent::Done);
                done.finish_reason = answer.as_ref().ok().and_then(|answer| answer.finish.broken_off());
                stream::emit(cx, done).await;
                answer
            }
            None => model.chat(request).await,
        };
        if let Some(fault) = calls.take_fault() {
            return Err(fault);
        }
        let (raw, broken_off) = match answer {
            Ok(response) => (response.text(), response.finish.broken_off()),
            Err(ModelError::Incomplete { partial, .. }) => (partial, FinishReason::Length.broken_off()),
            Err(error) => return Ok(Err(AskFailure::Model(error))),
        };
        match check(raw.trim()) {
            Ok(value) => return Ok(Ok(TakenText { value, broken_off })),
            Err(reason) => problem = reason,
        }
        last.clone_from(&raw);
        // Providers refuse an empty message.
        let said = if raw.trim().is_empty() { "(no text)".to_owned() } else { raw };
        messages.push(Message::text(Role::Assistant, said));
        messages.extend(resources.prompts.render("complaint", &json!({ "problem": problem }))?.messages);
    }
    Ok(Err(AskFailure::after(tries, &last, problem)))
}
