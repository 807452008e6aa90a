//! A judgement of a small model: yes or no, and a few queries.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Judged, args};
use crate::ask::{Ask, AskFailure, value};
use crate::collector::CollectorState;
use crate::resources::Resources;

/// The most documents that are shown, the newest first.
const MOST_SHOWN: usize = 4;

/// A judgement of a small model.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShortJudgement {
    is_sufficient: bool,
    #[schemars(length(max = 2), inner(length(min = 4, max = 60)))]
    next_queries: Vec<String>,
}

/// What the model judges.
pub(super) async fn judge(
    state: &CollectorState,
    cx: &Context<Resources>,
    ask: &Ask,
    asked: &[String],
) -> Result<Result<Judged, AskFailure>, NodeError> {
    let take = |given: ShortJudgement| {
        Ok(Judged { is_sufficient: given.is_sufficient, gap: String::new(), next: given.next_queries })
    };
    value(cx, ask, &args(state, asked, MOST_SHOWN), take).await
}
