//! Node `collector_supervisor` of the collector.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError, Snapshot};
use serde_json::{Value, json};

use crate::collector::prompt::documents_in_prompt;
use crate::collector::retrieval::distinct;
use crate::collector::{CollectorState, CollectorStateUpdate};
use crate::names::SUPERVISOR;
use crate::resources::{Resources, Slot, Stage};
use crate::state::RetrievalQuery;
use crate::stream;

/// How much of a document is shown, in characters.
const EXCERPT: usize = 1200;

/// What was judged.
struct Judged {
    is_sufficient: bool,
    /// What is missing.
    gap: String,
    /// What is searched next.
    next: Vec<String>,
}

/// Judges whether enough was found. In: the documents. Out: `is_sufficient`, `knowledge_gap`, `search_queries`; each
/// new document on the stream. Failure: what was found counts as enough, with a note.
///
/// Source: openJiuwen DeepSearch, `SupervisorNode` and its prompt `collector_supervisor`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn supervisor(
    state: Snapshot<CollectorState>,
    cx: Context<Resources>,
) -> Result<CollectorStateUpdate, NodeError> {
    let request = &*state.request;
    for found in state.new_documents() {
        let content = json!({ "url": found.url, "title": found.title, "query": found.query }).to_string();
        stream::emit_whole(&cx, SUPERVISOR.as_str(), request.place(), content).await;
    }
    let strategy = cx.resources().strategy(Slot::InfoCollecting);
    let no_round_left = state.research_loop_count >= request.limits.max_research_loops;
    if strategy == Strategy::Guided && no_round_left {
        return Ok(CollectorState::update().is_sufficient(true));
    }
    if !cx.resources().may_spend(Stage::Research) {
        let note = format!("step `{}`: no further round, the budget of research is spent", request.step.id);
        return Ok(CollectorState::update().is_sufficient(true).notes([note]));
    }
    let asked: Vec<String> = state.history_queries.iter().map(|query| query.query.clone()).collect();
    let ask = request.ask("supervise", "collector_supervisor").small_tokens(80);
    let judged = match strategy {
        Strategy::Free => free::judge(&state, &cx, &ask, &asked).await?,
        Strategy::Guided => guided::judge(&state, &cx, &ask, &asked).await?,
    };
    Ok(match judged {
        Ok(Judged { is_sufficient, gap, next }) => {
            let next = distinct(next, &asked, request.limits.queries());
            let of = |query| RetrievalQuery { query, description: gap.clone(), ..RetrievalQuery::default() };
            let update = CollectorState::update().is_sufficient(is_sufficient).knowledge_gap(gap.clone());
            update.search_queries(next.into_iter().map(of).collect::<Vec<_>>())
        }
        Err(failure) => {
            let note = format!("step `{}`: what was found counts as enough: {failure}", request.step.id);
            CollectorState::update().is_sufficient(true).notes([note])
        }
    })
}

/// What the prompt is told, with at most `most` documents.
fn args(state: &CollectorState, asked: &[String], most: usize) -> Value {
    let request = &*state.request;
    request.args(json!({
        "asked": asked,
        "documents": documents_in_prompt(state.doc_infos.iter().rev(), most, EXCERPT),
        "number_queries": request.limits.queries(),
        "round": state.research_loop_count,
        "max_rounds": request.limits.max_research_loops,
    }))
}
