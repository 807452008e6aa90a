//! Answers that are texts.

use graphloom_core_graph::{Context, NodeError};
use graphloom_llm::{ChatRequest, Message, ModelError, Role};
use serde::Serialize;
use serde_json::json;

use super::{Ask, AskFailure, calls, messages, params};
use crate::resources::Resources;
use crate::stream::{self, MessageEvent, StreamMessage};

/// Asks for a text and makes something of it with `check`. A text that `check` refuses is shown to the model with the
/// reason, until the tries are used up. A text that was broken off is taken as it is.
///
/// # Errors
/// As [`value`](super::value).
pub async fn text<U>(
    cx: &Context<Resources>,
    ask: &Ask,
    args: &(impl Serialize + Sync),
    check: impl Fn(&str) -> Result<U, String> + Send + Sync,
) -> Result<Result<U, AskFailure>, NodeError> {
    let taken = taken_text(cx, ask, args, check).await?;
    Ok(taken.map(|taken| taken.value))
}

/// What was made of a text that was taken.
#[derive(Debug)]
pub(crate) struct TakenText<U> {
    pub(crate) value: U,
    /// Whether the text was broken off.
    pub(crate) is_cut: bool,
}

/// As [`text`], and says whether the text was broken off.
///
/// # Errors
/// As [`value`](super::value).
pub(crate) async fn taken_text<U>(
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
                let piece =
                    |text| stream::emit(cx, StreamMessage::new(agent, MessageEvent::Message, text).at(place.clone()));
                let answer = calls.streamed(role, own, request, piece).await;
                stream::emit(cx, message(MessageEvent::Done)).await;
                answer
            }
            None => model.chat(request).await,
        };
        if let Some(fault) = calls.take_fault() {
            return Err(fault);
        }
        let (raw, is_cut) = match answer {
            Ok(response) => (response.text(), false),
            Err(ModelError::Incomplete { partial, .. }) => (partial, true),
            Err(error) => return Ok(Err(AskFailure::Model(error))),
        };
        match check(raw.trim()) {
            Ok(value) => return Ok(Ok(TakenText { value, is_cut })),
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
