//! A judgement in which the model says what is missing.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Judged, args};
use crate::ask::{Ask, AskFailure, value};
use crate::collector::CollectorState;
use crate::resources::Resources;

/// The most documents that are shown, the newest first.
const MOST_SHOWN: usize = 24;

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

/// What the model judges.
pub(super) async fn judge(
    state: &CollectorState,
    cx: &Context<Resources>,
    ask: &Ask,
    asked: &[String],
) -> Result<Result<Judged, AskFailure>, NodeError> {
    let take = |given: Judgement| {
        Ok(Judged { is_sufficient: given.is_sufficient, gap: given.knowledge_gap, next: given.next_queries })
    };
    value(cx, ask, &args(state, asked, MOST_SHOWN), take).await
}
