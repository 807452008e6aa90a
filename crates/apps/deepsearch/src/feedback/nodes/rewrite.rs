//! Node `rewrite` of a change.

use graphloom_core_graph::{Context, NodeError, Snapshot};
use graphloom_text::markdown::close;
use serde_json::json;

use super::{ChangeDetails, changed, failed};
use crate::ask::{Ask, TakenText, taken_text};
use crate::feedback::apply::apply;
use crate::feedback::payload::Rejection;
use crate::feedback::state::{FeedbackState, FeedbackStateUpdate};
use crate::markup::{clean, plain};
use crate::resources::{Resources, Slot};
use crate::status::StatusCode;

/// Expands, shortens or polishes the selected text. In: the change. Out: the report, history, count. Failure: 212405;
/// the report stays as it is.
///
/// Source: openJiuwen DeepSearch, `UserFeedbackProcessorNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn rewrite(state: Snapshot<FeedbackState>, cx: Context<Resources>) -> Result<FeedbackStateUpdate, NodeError> {
    let Some(pending) = &state.pending else { return Ok(FeedbackState::update()) };
    let report = &state.result.response_content;
    let cleaned = clean(report, pending.selection.range.clone());
    if cleaned.text.trim().is_empty() {
        let message = "the selection holds no text, only marks".to_owned();
        return Ok(failed(&cx, &state, Rejection { code: StatusCode::FeedbackRewrite, message }).await);
    }
    let words = cleaned.text.chars().count();
    let ask = Ask::new("rewrite", format!("feedback/{}", pending.action.name())).slot(Slot::WritingChecking).tries(2);
    let ask = ask.small_tokens(u32::try_from(words).unwrap_or(u32::MAX).clamp(60, 600));
    let args = json!({
        "text": cleaned.text.trim(),
        "instruction": pending.instruction,
        "language": state.language.as_str(),
    });
    let rewritten = taken_text(&cx, &ask, &args, |answer| {
        let answer = plain(&close(answer).text);
        if answer.trim().is_empty() { Err("the text is empty".to_owned()) } else { Ok(answer) }
    });
    // Half a text is no change of a whole one.
    match rewritten.await?.map_err(|failure| failure.to_string()).and_then(TakenText::all) {
        Ok(rewritten) => {
            let change = apply(report, &cleaned, &rewritten);
            let details = ChangeDetails {
                subcategory: pending.action.name().to_owned(),
                clean: cleaned.text,
                lost: cleaned.lost,
                section: None,
                summary: None,
            };
            Ok(changed(&cx, &state, pending, change, details).await)
        }
        Err(failure) => {
            let rejection = Rejection { code: StatusCode::FeedbackRewrite, message: failure };
            Ok(failed(&cx, &state, rejection).await)
        }
    }
}
