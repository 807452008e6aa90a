//! Node `source_tracer_infer`.

use graphloom_core_graph::{Context, NodeError, Snapshot};

use crate::resources::Resources;
use crate::state::{SearchContext, SearchContextUpdate};
use crate::trace::infer::infer;

/// Shows what conclusions rest on. In: the checked report and its citations. Out: the report with `#inference:N` links,
/// `infer_messages`. A failure is appended (212300 to 212302) and the report stays.
///
/// Source: openJiuwen DeepSearch, `SourceTracerInferNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn source_tracer_infer(
    state: Snapshot<SearchContext>,
    cx: Context<Resources>,
) -> Result<SearchContextUpdate, NodeError> {
    let citations = &state.final_result.citation_messages.data;
    let content = &state.final_result.response_content;
    if !state.config.source_tracer_infer_switch || content.is_empty() || citations.is_empty() {
        return Ok(SearchContext::update());
    }
    let found = infer(&cx, content, citations, state.language).await?;
    let mut result = state.final_result.clone().with_content(found.content);
    result.infer_messages = found.messages;
    let update = SearchContext::update().final_result(result).notices(found.notices);
    Ok(update.spent(cx.resources().ledger.spent()))
}
