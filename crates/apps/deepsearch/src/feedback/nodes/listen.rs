//! Node `listen` of a change.

use graphloom_core_graph::{Context, NodeError, Shared, Snapshot, Step};
use serde_json::{Value, json};

use super::{AGENT, failed};
use crate::feedback::apply::{Change, remember};
use crate::feedback::payload::{Action, Payload, counts, read};
use crate::feedback::reply::lost_marks;
use crate::feedback::state::{FeedbackState, FeedbackStateUpdate, Pending};
use crate::names::{FEEDBACK_END, PREPARE, REWRITE};
use crate::resources::Resources;
use crate::state::FinalResult;
use crate::stream::{self, MessageEvent, Place, StreamMessage};

/// The question's key.
pub const USER_FEEDBACK: &str = "user_feedback_processor";
const PROMPT: &str = "Waiting for user feedback.";

/// Asks the person what to change. In: the report, the count. Out: the change that is to be worked on; `sync` and
/// `finish` are done here. Failure: every rule of the payload with its code; the interaction counts, the thread goes
/// on.
///
/// Source: openJiuwen DeepSearch, `UserFeedbackProcessorNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn listen(state: Snapshot<FeedbackState>, cx: Context<Resources>) -> Result<Step<FeedbackState>, NodeError> {
    stream::emit_waiting(&cx, AGENT, PROMPT).await?;
    let question = json!({
        "prompt": PROMPT,
        "response_content": state.result.response_content,
        "feedback_interaction_count": state.count,
        "expects": {
            "action": "expand | shorten | polish | supplementary_search | new_task | sync | finish",
            "selected_text": "text", "start_offset": "integer", "end_offset": "integer",
            "offset_unit": "code_points | bytes | utf16, optional",
            "user_instruction": "text, optional",
            "rewrite_scope": "selected_only | selected_and_related, for supplementary_search",
        },
    });
    let answer: Value = cx.ask(USER_FEEDBACK, &question).await?;
    stream::emit_answered(&cx, AGENT).await;
    let most = state.config.user_feedback_processor_max_interactions;
    if state.count >= most && counts(&answer) {
        stream::emit_whole(&cx, AGENT, Place::default(), "Maximum interaction rounds reached.").await;
        return Ok(Step::goto(FEEDBACK_END).with(FeedbackState::update().done(true)));
    }
    let payload = match read(&answer, &state.result.response_content) {
        Ok(payload) => payload,
        Err(rejection) => return Ok(Step::goto(FEEDBACK_END).with(failed(&cx, &state, rejection).await)),
    };
    Ok(match payload {
        Payload::Finish => {
            stream::emit_whole(&cx, AGENT, Place::default(), "User feedback finished.").await;
            Step::goto(FEEDBACK_END).with(FeedbackState::update().done(true))
        }
        Payload::Sync(report) => Step::goto(FEEDBACK_END).with(synced(&cx, &state, report).await),
        Payload::Edit { action, selection, instruction, scope } => {
            let next = match action {
                Action::Expand | Action::Shorten | Action::Polish => REWRITE,
                Action::SupplementarySearch | Action::NewTask => PREPARE,
            };
            let pending = Pending { action, selection, instruction, scope };
            Step::goto(next).with(FeedbackState::update().pending(Some(pending)))
        }
    })
}

/// Takes the report as the person has edited it. It does not count, and a report that is the same leaves no record.
async fn synced(cx: &Context<Resources>, state: &FeedbackState, report: String) -> FeedbackStateUpdate {
    let old = &state.result.response_content;
    let (unmarked, dangling) = lost_marks(old, &report, &state.result);
    let ack = json!({
        "action_category": "sync", "synced": true, "unmarked_citations": unmarked, "unknown_citations": dangling,
    });
    stream::emit(cx, StreamMessage::new(AGENT, MessageEvent::SummaryResponse, ack.to_string())).await;
    if *old == report {
        return FeedbackState::update();
    }
    let change = Change {
        old: 0..old.len(),
        old_text: old.clone(),
        new: 0..report.len(),
        new_text: report.clone(),
        report: report.clone(),
    };
    let mut history = state.history.clone();
    remember(&mut history, change.record(old, "sync", "", ""));
    let result = FinalResult::clone(&state.result).with_content(report);
    FeedbackState::update().result(Shared::new(result)).history(history)
}
