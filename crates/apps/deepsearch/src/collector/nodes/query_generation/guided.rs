//! Queries of a small model, which add to the words of the question.

use graphloom_core_graph::{Context, NodeError};
use graphloom_retrieval::answer::Request;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::GeneratedQueries;
use crate::ask::{Ask, AskFailure, value};
use crate::collector::CollectRequest;
use crate::collector::retrieval::distinct;
use crate::resources::Resources;

/// Queries of a small model.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FewQueries {
    #[schemars(length(min = 1, max = 2), inner(length(min = 4, max = 60)))]
    queries: Vec<String>,
}

/// The words of the question ask better than a small model does, so its queries come last.
pub(super) async fn queries(
    cx: &Context<Resources>,
    request: &CollectRequest,
    ask: &Ask,
    args: &Value,
) -> Result<Result<GeneratedQueries, AskFailure>, NodeError> {
    let take = |answer: FewQueries| {
        let queries = distinct(plain(request).into_iter().chain(answer.queries), &[], request.limits.queries());
        Ok(GeneratedQueries { description: String::new(), queries })
    };
    value(cx, ask, args, take).await
}

/// The parts of the question that the section is about, the question, and at the end what a model called the step: a small
/// one names things that nobody asked for.
fn plain(request: &CollectRequest) -> Vec<String> {
    let CollectRequest { query, section_title, .. } = request;
    let title = request.step.title.trim();
    let asked = Request::of(query).about(section_title);
    // A section that a person named otherwise has words of its own.
    let first = match asked.parts().len() {
        0 | 1 => Vec::new(),
        _ if asked.is_narrowed() => asked.queries(),
        _ => vec![format!("{section_title} {query}")],
    };
    let named = [query.clone(), format!("{title} {query}"), format!("{section_title} {title}")];
    first.into_iter().chain(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Step;

    #[test]
    fn a_section_searches_for_its_parts_of_the_question() {
        let query = "How do bees, wasps and ants differ in what they build in a cold winter?";
        let queries = |section_title: &str| {
            let step = Step { title: "Honey of the mountains".to_owned(), ..Step::default() };
            plain(&CollectRequest {
                step,
                query: query.to_owned(),
                section_title: section_title.to_owned(),
                ..CollectRequest::default()
            })
        };
        assert_eq!(queries("Bees")[..2], ["bees build cold winter", query]);
        assert_eq!(queries("Wasps; ants")[..3], ["wasps build cold winter", "ants build cold winter", query]);
        assert_eq!(queries("Bees")[2], format!("Honey of the mountains {query}"));
        assert_eq!(queries("Shelter")[..2], [format!("Shelter {query}"), query.to_owned()]);
    }
}
