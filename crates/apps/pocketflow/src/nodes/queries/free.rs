//! Queries in the model's own words.

use graphloom_core_graph::{Context, NodeError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::actions::GenerateQueries;
use crate::resources::Resources;
use crate::session::SearchQuery;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Queries {
    #[schemars(length(min = 1, max = 5))]
    queries: Vec<SearchQuery>,
}

/// What the model makes in one call.
pub(super) async fn make(cx: &Context<Resources>, parameters: &GenerateQueries) -> Result<Vec<SearchQuery>, NodeError> {
    Ok(cx.resources().ask::<Queries>(cx, "queries", "queries", parameters).await?.queries)
}
