//! Node `outline_interaction`.

use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use serde_json::{Value, json};

use super::payload::{OutlineFeedback, is_words, outline_feedback, outline_words};
use super::{OUTLINE_FEEDBACK, fail};
use crate::config::FeedbackMode;
use crate::names::{FINISH, GraphKind, OUTLINE};
use crate::resources::Resources;
use crate::state::{InteractionMode, OutlineInteraction, SearchContext};
use crate::status::{Notice, StatusCode};
use crate::stream::{self, Place};

const AGENT: &str = "outline_interaction";

/// Shows the outline to a person. In: `current_outline`, `outline_interactions`. Out: `outline_interactions`. Failure:
/// 211701 unreadable; any action but the three ends the run without one.
///
/// Source: openJiuwen DeepSearch, `OutlineInteractionNode`, `DependencyOutlineInteractionNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn outline_interaction(
    kind: GraphKind,
    state: Snapshot<SearchContext>,
    cx: Context<Resources>,
) -> Result<Step<SearchContext>, NodeError> {
    let rounds = state.outline_interactions.len();
    if !state.config.outline_interaction_enabled {
        return Ok(Step::goto(kind.team()));
    }
    if rounds >= usize::try_from(state.config.outline_interaction_max_rounds).unwrap_or(usize::MAX) {
        stream::emit_whole(&cx, AGENT, Place::default(), "Maximum interaction rounds reached.").await;
        return Ok(Step::goto(kind.team()));
    }
    let prompt = format!("Round {}: waiting for user feedback.", rounds + 1);
    stream::emit_waiting(&cx, AGENT, &prompt).await?;
    let outline = state.current_outline.as_deref();
    let question = json!({
        "prompt": prompt, "outline": outline,
        "expects": { "interrupt_feedback": "accepted | revise_comment | revise_outline", "feedback": "text or outline" },
    });
    let mut answer: Value = cx.ask(OUTLINE_FEEDBACK, &question).await?;
    // Programs send payloads; a person at a terminal or in a chat says what they think.
    if state.config.workflow_feedback_mode == FeedbackMode::Cmd
        && let Some(words) = is_words(&answer)
    {
        answer = outline_words(words);
    }
    stream::emit_answered(&cx, AGENT).await;
    let revise = |interaction_mode, feedback| {
        let round = OutlineInteraction { feedback, interaction_mode, outline_before: outline.cloned() };
        Step::goto(OUTLINE).with(SearchContext::update().outline_interactions([round]))
    };
    Ok(match outline_feedback(&answer) {
        OutlineFeedback::Accepted => {
            stream::emit_whole(&cx, AGENT, Place::default(), "Outline accepted.").await;
            Step::goto(kind.team())
        }
        OutlineFeedback::ReviseComment(text) => revise(InteractionMode::ReviseComment, text),
        OutlineFeedback::ReviseOutline(text) => revise(InteractionMode::ReviseOutline, text),
        OutlineFeedback::Other(_) => Step::goto(FINISH),
        OutlineFeedback::Unreadable(why) => fail(Notice::fatal(StatusCode::Feedback, why)),
    })
}
