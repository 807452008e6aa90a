//! The nodes of one change, one file each, for graphs of one's own over a [`FeedbackState`].

mod compose;
mod listen;
mod prepare;
mod rewrite;
mod start;

pub use compose::compose;
pub use listen::{USER_FEEDBACK, listen};
pub use prepare::prepare;
pub use rewrite::rewrite;
pub use start::{end, start};

use graphloom_core_graph::{Context, Shared};
use serde_json::json;

use super::apply::{Change, remember};
use super::payload::Rejection;
use super::reply::{Reply, lost_marks};
use super::state::{FeedbackState, FeedbackStateUpdate, Pending};
use crate::resources::Resources;
use crate::state::FinalResult;
use crate::status::Notice;
use crate::stream::{self, MessageEvent, StreamMessage};

/// The agent of all messages.
const AGENT: &str = "user_feedback_processor";

/// Tells that a change failed. It counts all the same.
async fn failed(cx: &Context<Resources>, state: &FeedbackState, rejection: Rejection) -> FeedbackStateUpdate {
    let content = json!({ "error": rejection.to_string() }).to_string();
    stream::emit(cx, StreamMessage::new(AGENT, MessageEvent::Error, content)).await;
    FeedbackState::update()
        .count(state.count.saturating_add(1))
        .pending(None::<Pending>)
        .notices([Notice::from(rejection)])
}

/// Stores a change and tells of it.
async fn changed(
    cx: &Context<Resources>,
    state: &FeedbackState,
    pending: &Pending,
    change: Change,
    mut details: ChangeDetails,
) -> FeedbackStateUpdate {
    let old = &state.result.response_content;
    let (unmarked, dangling) = lost_marks(old, &change.report, &state.result);
    let mut history = state.history.clone();
    let mut record = change.record(old, pending.action.name(), &details.clean, &pending.instruction);
    if pending.action == super::Action::SupplementarySearch {
        pending.scope.name().clone_into(&mut record.rewrite_scope);
    }
    record.section_start_offset =
        details.section.as_ref().map(|range| super::Unit::CodePoints.offset(old, range.start));
    record.section_end_offset = details.section.as_ref().map(|range| super::Unit::CodePoints.offset(old, range.end));
    record.collector_summary = details.summary.take();
    remember(&mut history, record);
    let count = state.count.saturating_add(1);
    let result = FinalResult::clone(&state.result).with_content(change.report.clone());
    let mut reply = Reply::of(&change, old, pending.selection.unit);
    pending.action.category().clone_into(&mut reply.action_category);
    reply.action_subcategory = details.subcategory;
    reply.feedback_interaction_count = count;
    reply.final_result = result.clone();
    reply.lost_markers = details.lost;
    reply.unmarked_citations.clone_from(&unmarked);
    let content = serde_json::to_string(&reply).unwrap_or_default();
    stream::emit(cx, StreamMessage::new(AGENT, MessageEvent::SummaryResponse, content)).await;
    let mut notes = Vec::new();
    if !unmarked.is_empty() {
        notes.push(format!("`{}` took out the marks of {} citations", pending.action.name(), unmarked.len()));
    }
    if !dangling.is_empty() {
        notes.push(format!("{} marks of the report lead to no citation", dangling.len()));
    }
    FeedbackState::update()
        .result(Shared::new(result))
        .history(history)
        .count(count)
        .pending(None::<Pending>)
        .notes(notes)
}

/// What is told of a change besides its text.
struct ChangeDetails {
    subcategory: String,
    /// The selected text without markup.
    clean: String,
    /// The markup that is gone.
    lost: Vec<String>,
    /// The section, where the change looked at one.
    section: Option<std::ops::Range<usize>>,
    /// What was found.
    summary: Option<String>,
}
