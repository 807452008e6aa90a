//! Node `feedback_handler`.

use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use serde_json::{Value, json};

use super::payload::{Feedback, feedback};
use super::{FEEDBACK, fail};
use crate::names::{FINISH, OUTLINE};
use crate::resources::Resources;
use crate::state::{ChatTurn, SearchContext};
use crate::status::{Notice, StatusCode};
use crate::stream;

const AGENT: &str = "feedback_handler";
const PROMPT: &str = "Enter your feedback: ";

/// Takes the answer to the clarifying questions. In: questions. Out: `user_feedback`. Failure: 211701 unreadable,
/// 211702 empty; `FINISH TASK` ends the run without one.
///
/// Source: openJiuwen DeepSearch, `FeedbackHandlerNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn feedback_handler(
    state: Snapshot<SearchContext>,
    cx: Context<Resources>,
) -> Result<Step<SearchContext>, NodeError> {
    stream::emit_waiting(&cx, AGENT, PROMPT).await?;
    let question = json!({ "prompt": PROMPT, "questions": state.questions, "expects": { "feedback": "text" } });
    let answer: Value = cx.ask(FEEDBACK, &question).await?;
    stream::emit_answered(&cx, AGENT).await;
    Ok(match feedback(&answer) {
        Feedback::Text(text) => {
            let update = SearchContext::update().messages([ChatTurn::user(&text)]).user_feedback(text);
            Step::goto(OUTLINE).with(update)
        }
        Feedback::Finish => Step::goto(FINISH),
        Feedback::Empty => fail(Notice::fatal(StatusCode::FeedbackEmpty, "User feedback is empty.")),
        Feedback::Unreadable(why) => fail(Notice::fatal(StatusCode::Feedback, why)),
    })
}
