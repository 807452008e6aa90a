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
    let title = request.step.title.trim();
    let take = |answer: FewQueries| {
        // The section of a question with several parts is one of them.
        let has_parts = Request::of(&request.query).parts().len() > 1;
        let part = if has_parts { request.section_title.clone() } else { request.query.clone() };
        let plain = [part, format!("{title} {}", request.query), format!("{} {title}", request.section_title)];
        let queries = distinct(plain.into_iter().chain(answer.queries), &[], request.limits.queries());
        Ok(GeneratedQueries { description: String::new(), queries })
    };
    value(cx, ask, args, take).await
}
