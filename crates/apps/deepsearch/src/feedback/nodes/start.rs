//! Nodes `start` and `end` of a change.

use graphloom_core_graph::{Context, NodeError, Snapshot, Step};

use super::AGENT;
use crate::feedback::state::{FeedbackState, FeedbackStateUpdate};
use crate::names::{FEEDBACK_END, LISTEN};
use crate::resources::Resources;
use crate::stream::{self, MessageEvent, StreamMessage};

/// Begins a change. In: the result. Out: `snapshot_sent`. When changes are turned off, nothing happens.
///
/// Source: openJiuwen DeepSearch, `UserFeedbackProcessorNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn start(state: Snapshot<FeedbackState>, cx: Context<Resources>) -> Result<Step<FeedbackState>, NodeError> {
    let off = !state.config.user_feedback_processor_enable || cx.resources().recheck;
    if off || state.result.response_content.is_empty() {
        return Ok(Step::goto(FEEDBACK_END).with(FeedbackState::update().done(true)));
    }
    if !state.snapshot_sent {
        let content = serde_json::to_string(&*state.result)?;
        stream::emit(&cx, StreamMessage::new(AGENT, MessageEvent::SummaryResponse, content)).await;
    }
    Ok(Step::goto(LISTEN).with(FeedbackState::update().snapshot_sent(true)))
}

/// Ends a change. It does nothing.
///
/// # Errors
/// None.
pub async fn end(_state: Snapshot<FeedbackState>, _cx: Context<Resources>) -> Result<FeedbackStateUpdate, NodeError> {
    Ok(FeedbackState::update())
}
