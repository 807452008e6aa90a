//! Giving results to the model: fenced, with their origin, and no longer than it can read.

use graphloom_llm::{ChatModel, Message, Part, Role, ToolResult};
use serde_json::json;

use super::turn::Form;
use super::{CallRecord, Conversation, ConverseOptions};
use crate::prompts::RESULT;
use crate::{AgentError, Prompts, ToolOutcome};

/// The most characters of a result, for a model whose context is not small.
const CHARACTERS: usize = 16_000;
/// An old result is shortened to this many characters when the conversation outgrows the model's context.
pub(crate) const SHORT: usize = 200;

/// How many characters of a result the model reads: for a small context about an eighth of it.
pub(crate) fn limit(model: &dyn ChatModel, options: &ConverseOptions) -> usize {
    let context = model.capabilities().context;
    let fitting = context.and_then(|tokens| usize::try_from(tokens).ok()).map_or(CHARACTERS, |tokens| tokens / 2);
    options.result_characters.unwrap_or_else(|| fitting.min(CHARACTERS))
}

/// The message that gives the model a result.
pub(crate) fn message(
    prompts: &Prompts,
    form: Form,
    outcome: &ToolOutcome,
    limit: usize,
) -> Result<Message, AgentError> {
    let mut content = outcome.content();
    let mut omitted = 0;
    if let Some((cut, _)) = content.char_indices().nth(limit) {
        omitted = content[cut..].chars().count();
        content.truncate(cut);
    }
    let followed = outcome.result.as_ref().is_ok_and(|output| output.followed);
    let instructions = if followed { std::mem::take(&mut content) } else { String::new() };
    let args = json!({
        "tool": outcome.tool,
        "instructions": instructions,
        "failed": !outcome.is_success(),
        "notes": outcome.notes,
        "content": content,
        "origin": outcome.origin(),
        "omitted": omitted,
    });
    let rendered = prompts.render(RESULT, &args)?;
    let text: String = rendered.messages.iter().map(Message::joined_text).collect();
    Ok(match form {
        Form::Written => Message::user(text),
        Form::Native => {
            let result = ToolResult { call_id: outcome.call.clone(), content: text, is_error: !outcome.is_success() };
            Message { role: Role::Tool, parts: vec![Part::ToolResult(result)] }
        }
    })
}

/// The message with the images of a result, which providers do not take inside of one.
pub(crate) fn images(outcome: &ToolOutcome) -> Option<Message> {
    let images = outcome.result.as_ref().map(|output| output.images.as_slice()).unwrap_or_default();
    let parts: Vec<Part> = images.iter().map(|source| Part::Image { source: source.clone() }).collect();
    (!parts.is_empty()).then_some(Message { role: Role::User, parts })
}

/// Shortens old results, oldest first, until the conversation fits into about half of the model's context. The newest
/// result stays whole. `placed` says at which message each call's result stands.
pub(super) fn fit(
    conversation: &Conversation<'_>,
    form: Form,
    messages: &mut [Message],
    calls: &[CallRecord],
    placed: &[usize],
) -> Result<(), AgentError> {
    let Some(context) = conversation.model.capabilities().context else { return Ok(()) };
    let budget = u64::from(context) / 2;
    let mut used: u64 = messages.iter().map(rough_tokens).sum();
    for (call, index) in calls.iter().zip(placed).take(calls.len().saturating_sub(1)) {
        if used <= budget {
            return Ok(());
        }
        let short = message(conversation.prompts, form, &call.outcome, SHORT)?;
        if let Some(place) = messages.get_mut(*index) {
            used = used.saturating_sub(rough_tokens(place)) + rough_tokens(&short);
            *place = short;
        }
    }
    Ok(())
}

/// Tokens of an image, about.
const IMAGE: u64 = 1_500;

/// Tokens by a rule of thumb: three characters of ASCII each, one of any other script.
pub(crate) fn rough_tokens(message: &Message) -> u64 {
    let count = |text: &str| {
        let ascii = text.chars().filter(char::is_ascii).count();
        (ascii / 3 + text.chars().count() - ascii) as u64
    };
    let part = |part: &Part| match part {
        Part::Text { text } | Part::Reasoning { text, .. } => count(text),
        Part::ToolResult(result) => count(&result.content),
        Part::ToolCall(call) => count(&call.arguments.to_string()),
        Part::Image { .. } => IMAGE,
        _ => 0,
    };
    message.parts.iter().map(part).sum()
}
