//! Queries in the model's own words.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::GeneratedQueries;
use crate::ask::{Ask, AskFailure, value};
use crate::collector::CollectRequest;
use crate::collector::retrieval::distinct;
use crate::resources::Resources;

/// Queries, and what they are for.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Queries {
    /// What the queries shall find.
    #[serde(default)]
    description: String,
    /// Search queries of a few words, the subject first.
    queries: Vec<String>,
}

/// At least one query, and what the queries are for.
pub(super) async fn queries(
    cx: &Context<Resources>,
    request: &CollectRequest,
    ask: &Ask,
    args: &Value,
) -> Result<Result<GeneratedQueries, AskFailure>, NodeError> {
    let check = |answer: Queries| {
        let queries = distinct(answer.queries, &[], request.limits.queries());
        let made = GeneratedQueries { description: answer.description, queries };
        if made.queries.is_empty() { Err("there are no queries".to_owned()) } else { Ok(made) }
    };
    value(cx, ask, args, check).await
}
