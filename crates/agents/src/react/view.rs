//! What the model reads of the state.

use graphloom_llm::{Message, Role};

use super::{ReactResources, ReactState};
use crate::compaction::{Group, due, earlier, groups_of};
use crate::converse::{Form, SHORT, feedback, images, message, result_limit, rough_tokens};
use crate::{AgentError, CallRecord};

/// What the model reads, before and after it is fitted into its window.
pub(super) struct View {
    /// The groups of the conversation, whole: of the opening, then one for each turn with its results.
    pub(super) groups: Vec<Group>,
    /// The messages as the model reads them.
    pub(super) messages: Vec<Message>,
    /// Their tokens, about.
    pub(super) tokens: u64,
    /// How many groups are to be summarised before the model is asked.
    pub(super) due: Option<usize>,
}

/// Where a result stands, which can be shortened.
struct Place<'s> {
    message: usize,
    record: &'s CallRecord,
}

/// The messages of the next turn: the opening, then each turn with its results, and a summary in the place of what was
/// compacted. Results of earlier turns are shortened, oldest first, until the whole fits into its share of the model's
/// window; those of the last turn stay whole.
pub(super) fn view(state: &ReactState, resources: &ReactResources, form: Form) -> Result<View, AgentError> {
    let (groups, placed) = groups(state, resources, form)?;
    let compaction = state.compactions.last();
    let summarised = compaction.map_or(0, |compaction| compaction.groups as usize);
    let mut messages = Vec::new();
    let mut places = Vec::new();
    let mut skipped = 0;
    for (at, group) in groups.iter().enumerate() {
        if !group.pinned && skipped < summarised {
            skipped += 1;
            if let Some(compaction) = compaction.filter(|_| skipped == summarised) {
                messages.extend(earlier(&resources.prompts, &compaction.text, compaction.messages)?);
            }
            continue;
        }
        let begin = messages.len();
        messages.extend(group.messages.iter().cloned());
        let of_group = placed.iter().filter(|(of, _)| *of == at);
        places.extend(of_group.map(|(_, place)| Place { message: begin + place.message, record: place.record }));
    }
    let mut tokens: u64 = messages.iter().map(rough_tokens).sum();
    let most = resources.compaction.most(&*resources.model).unwrap_or(u64::MAX);
    for Place { message: at, record } in places {
        if tokens <= most {
            break;
        }
        let short = message(&resources.prompts, form, &record.outcome, SHORT)?;
        if let Some(place) = messages.get_mut(at) {
            tokens = tokens.saturating_sub(rough_tokens(place)) + rough_tokens(&short);
            *place = short;
        }
    }
    let due = due(&groups, tokens, summarised, &*resources.model, &resources.compaction);
    Ok(View { groups, messages, tokens, due })
}

/// A result of a turn that is not the last: its group, and where in it the result stands.
type Placed<'s> = (usize, Place<'s>);

/// The groups of the conversation, and where the results of all turns but the last stand.
fn groups<'s>(
    state: &'s ReactState,
    resources: &ReactResources,
    form: Form,
) -> Result<(Vec<Group>, Vec<Placed<'s>>), AgentError> {
    let capabilities = resources.model.capabilities();
    let limit = result_limit(&*resources.model, &resources.options);
    let mut groups = groups_of(&state.opening);
    // What it is for stays, whatever comes after it.
    if let Some(last) = groups.iter_mut().rfind(|group| group.messages.iter().any(|one| one.role == Role::User)) {
        last.pinned = true;
    }
    let mut placed = Vec::new();
    for (at, turn) in state.turns.iter().enumerate() {
        let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
        let mut messages = match &turn.message {
            Some(said) => vec![said.clone()],
            None => feedback(&resources.prompts)?,
        };
        let mut pictures = Vec::new();
        for record in state.calls.iter().filter(|record| record.turn == number) {
            if at + 1 < state.turns.len() {
                placed.push((groups.len(), Place { message: messages.len(), record }));
            }
            messages.push(message(&resources.prompts, form, &record.outcome, limit)?);
            if capabilities.images {
                pictures.extend(images(&record.outcome));
            }
        }
        messages.extend(pictures);
        groups.push(Group::of(messages));
    }
    Ok((groups, placed))
}
