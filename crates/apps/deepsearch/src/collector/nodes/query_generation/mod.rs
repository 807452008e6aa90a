//! Node `collector_query_generation` of the collector.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError, Snapshot};
use serde_json::json;

use crate::collector::{CollectorState, CollectorStateUpdate};
use crate::resources::{Resources, Slot, Stage};
use crate::state::RetrievalQuery;

/// Generated queries, and what they are to find.
struct GeneratedQueries {
    description: String,
    queries: Vec<String>,
}

/// Makes the first queries of a step. In: the request. Out: `search_queries`. Failure: the title of the step is the
/// query, with a note.
///
/// Source: openJiuwen DeepSearch, `GenerateQueryNode` and its prompt `collector_gen_query`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn query_generation(
    state: Snapshot<CollectorState>,
    cx: Context<Resources>,
) -> Result<CollectorStateUpdate, NodeError> {
    let request = &*state.request;
    let (title, limit) = (request.step.title.trim().to_owned(), request.limits.queries());
    let own = || RetrievalQuery { query: title.clone(), ..RetrievalQuery::default() };
    if !cx.resources().may_spend(Stage::Research) {
        let note = format!("step `{}`: the budget of research is spent, so its title is searched", request.step.id);
        return Ok(CollectorState::update().search_queries(vec![own()]).notes([note]));
    }
    let ask = request.ask("queries", "collector_gen_query").small_tokens(80);
    let args = request.args(json!({
        "number_queries": limit, "section_title": request.section_title, "query": request.query,
    }));
    let answer = match cx.resources().strategy(Slot::InfoCollecting) {
        Strategy::Free => free::queries(&cx, request, &ask, &args).await?,
        Strategy::Guided => guided::queries(&cx, request, &ask, &args).await?,
    };
    Ok(match answer {
        Ok(GeneratedQueries { description, queries }) => {
            let of = |query| RetrievalQuery { query, description: description.clone(), ..RetrievalQuery::default() };
            CollectorState::update().search_queries(queries.into_iter().map(of).collect::<Vec<_>>())
        }
        Err(failure) => {
            let note = format!("step `{}`: no queries were made, so its title is searched: {failure}", request.step.id);
            CollectorState::update().search_queries(vec![own()]).notes([note])
        }
    })
}
