//! Node `collector_query_generation` of the collector.

use graphloom_core_graph::{Context, NodeError, Snapshot};
use graphloom_retrieval::answer::Request;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::ask::{is_constrained, value};
use crate::collector::retrieval::distinct;
use crate::collector::{CollectorState, CollectorStateUpdate};
use crate::resources::{Resources, Slot, Stage};
use crate::state::RetrievalQuery;

/// Queries, and what they are for.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Queries {
    /// What the queries shall find.
    #[serde(default)]
    description: String,
    /// Search queries of a few words, the subject first.
    queries: Vec<String>,
}

/// Queries of a small model.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FewQueries {
    #[schemars(length(min = 1, max = 2), inner(length(min = 4, max = 60)))]
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
    let none = || "there are no queries".to_owned();
    let small = is_constrained(cx.resources(), Slot::InfoCollecting);
    let answer = if small {
        let answer = value(&cx, &ask, &args, |answer: FewQueries| {
            // The words of the question ask better than a small model does; its queries add to them. The section of a
            // question with several parts is one of them.
            let has_parts = Request::of(&request.query).parts().len() > 1;
            let part = if has_parts { request.section_title.clone() } else { request.query.clone() };
            let plain = [part, format!("{title} {}", request.query), format!("{} {title}", request.section_title)];
            Ok((String::new(), distinct(plain.into_iter().chain(answer.queries), &[], limit)))
        });
        answer.await?
    } else {
        let answer = value(&cx, &ask, &args, |answer: Queries| {
            let queries = distinct(answer.queries, &[], limit);
            if queries.is_empty() { Err(none()) } else { Ok((answer.description, queries)) }
        });
        answer.await?
    };
    Ok(match answer {
        Ok((description, queries)) => {
            let of = |query| RetrievalQuery { query, description: description.clone(), ..RetrievalQuery::default() };
            CollectorState::update().search_queries(queries.into_iter().map(of).collect::<Vec<_>>())
        }
        Err(failure) => {
            let note = format!("step `{}`: no queries were made, so its title is searched: {failure}", request.step.id);
            CollectorState::update().search_queries(vec![own()]).notes([note])
        }
    })
}
