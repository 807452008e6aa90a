//! Node `generate_questions`.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use serde_json::json;

use super::fail;
use crate::ask::{Ask, AskFailure};
use crate::names::FEEDBACK_HANDLER;
use crate::resources::{Resources, Slot};
use crate::state::{ChatTurn, SearchContext};
use crate::status::{Notice, StatusCode};

const AGENT: &str = "generate_questions";

/// Makes three questions about the request. In: query, language, messages. Out: questions, streamed. Failure: 211700
/// ends the run.
///
/// Source: openJiuwen DeepSearch, `GenerateQuestionsNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn generate_questions(
    state: Snapshot<SearchContext>,
    cx: Context<Resources>,
) -> Result<Step<SearchContext>, NodeError> {
    let args = json!({
        "query": state.query, "language": state.language.as_str(), "today": state.request.today,
        "found": state.entry_search_results.iter().take(3).map(|found| &found.title).collect::<Vec<_>>(),
    });
    let ask = Ask::new(AGENT, AGENT).tries(state.config.workflow_max_gen_question_retry_num);
    let made = match cx.resources().strategy(Slot::General) {
        Strategy::Free => free::questions(&cx, ask, &args).await?,
        Strategy::Guided => guided::questions(&cx, ask, &args).await?,
    };
    match made {
        Ok(questions) => {
            let update =
                SearchContext::update().messages([ChatTurn::assistant(AGENT, &questions)]).questions(questions);
            Ok(Step::goto(FEEDBACK_HANDLER).with(update.spent(cx.resources().ledger.spent())))
        }
        Err(AskFailure::Empty { .. }) => {
            Ok(fail(Notice::fatal(StatusCode::Questions, "Query Interpreter result is empty.")))
        }
        Err(failure) => Ok(fail(Notice::fatal(StatusCode::Questions, failure.to_string()))),
    }
}
