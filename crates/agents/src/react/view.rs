//! What the model reads of the state.

use graphloom_llm::Message;

use super::{ReactResources, ReactState};
use crate::AgentError;
use crate::converse::{Form, SHORT, feedback, images, message, result_limit, rough_tokens};

/// The messages of the next turn: the opening, then each turn with its results. Results of earlier turns are shortened,
/// oldest first, until the whole fits into about half of the model's context; those of the last turn stay whole.
pub(super) fn messages(state: &ReactState, resources: &ReactResources, form: Form) -> Result<Vec<Message>, AgentError> {
    let capabilities = resources.model.capabilities();
    let limit = result_limit(&*resources.model, &resources.options);
    let mut messages = state.opening.clone();
    // Where the result of each call stands, of all turns but the last.
    let mut placed = Vec::new();
    for (at, turn) in state.turns.iter().enumerate() {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        match &turn.message {
            Some(said) => messages.push(said.clone()),
            None => messages.extend(feedback(&resources.prompts)?),
        }
        let mut pictures = Vec::new();
        for record in state.calls.iter().filter(|record| record.turn == number) {
            if at + 1 < state.turns.len() {
                placed.push((messages.len(), record));
            }
            messages.push(message(&resources.prompts, form, &record.outcome, limit)?);
            if capabilities.images {
                pictures.extend(images(&record.outcome));
            }
        }
        messages.extend(pictures);
    }
    let Some(context) = capabilities.context else { return Ok(messages) };
    let budget = u64::from(context) / 2;
    let mut used: u64 = messages.iter().map(rough_tokens).sum();
    for (at, record) in placed {
        if used <= budget {
            break;
        }
        let short = message(&resources.prompts, form, &record.outcome, SHORT)?;
        if let Some(place) = messages.get_mut(at) {
            used = used.saturating_sub(rough_tokens(place)) + rough_tokens(&short);
            *place = short;
        }
    }
    Ok(messages)
}
