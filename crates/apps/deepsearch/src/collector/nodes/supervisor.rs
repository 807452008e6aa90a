//! Node `collector_supervisor` of the collector.

use graphloom_core_graph::{Context, NodeError, Snapshot};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::ask::{is_constrained, value};
use crate::collector::asking::shown;
use crate::collector::retrieval::distinct;
use crate::collector::{CollectorState, CollectorStateUpdate};
use crate::names::SUPERVISOR;
use crate::resources::{Resources, Slot, Stage};
use crate::state::RetrievalQuery;
use crate::stream;

/// How much of a document is shown, in characters.
const EXCERPT: usize = 1200;
/// The most documents that are shown, the newest first.
const MOST_SHOWN: usize = 24;
/// The same for a small model.
const FEW_SHOWN: usize = 4;

/// Whether the question can be answered, and what to search next.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Judgement {
    /// Whether the documents are enough to answer the question.
    is_sufficient: bool,
    /// What is missing.
    #[serde(default)]
    knowledge_gap: String,
    /// Queries for what is missing, different from those that were asked.
    #[serde(default)]
    next_queries: Vec<String>,
}

/// A judgement of a small model.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShortJudgement {
    is_sufficient: bool,
    #[schemars(length(max = 2), inner(length(min = 4, max = 60)))]
    next_queries: Vec<String>,
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
        let told = json!({ "url": found.url, "title": found.title, "query": found.query }).to_string();
        stream::say(&cx, SUPERVISOR.as_str(), request.place(), told).await;
    }
    let small = is_constrained(cx.resources(), Slot::InfoCollecting);
    let no_round_left = state.research_loop_count >= request.limits.max_research_loops;
    if small && no_round_left {
        return Ok(CollectorState::update().is_sufficient(true));
    }
    if !cx.resources().may_spend(Stage::Research) {
        let note = format!("step `{}`: no further round, the budget of research is spent", request.step.id);
        return Ok(CollectorState::update().is_sufficient(true).notes([note]));
    }
    let asked: Vec<String> = state.history_queries.iter().map(|query| query.query.clone()).collect();
    let most = if small { FEW_SHOWN } else { MOST_SHOWN };
    let args = request.args(json!({
        "asked": asked,
        "documents": shown(state.doc_infos.iter().rev(), most, EXCERPT),
        "number_queries": request.limits.queries(),
        "round": state.research_loop_count,
        "max_rounds": request.limits.max_research_loops,
    }));
    let ask = request.ask("supervise", "collector_supervisor").small_tokens(80);
    let judged = if small {
        let take = |given: ShortJudgement| Ok((given.is_sufficient, String::new(), given.next_queries));
        value(&cx, &ask, &args, take).await?
    } else {
        let take = |given: Judgement| Ok((given.is_sufficient, given.knowledge_gap, given.next_queries));
        value(&cx, &ask, &args, take).await?
    };
    Ok(match judged {
        Ok((is_sufficient, gap, next)) => {
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
