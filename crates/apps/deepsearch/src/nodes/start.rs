//! Node `start`.

use graphloom_core_graph::{Context, NodeError, Snapshot};

use crate::error::DeepSearchError;
use crate::resources::Resources;
use crate::state::{ChatTurn, SearchContext, SearchContextUpdate};

/// Begins a run. In: the request. Out: a fresh search context: question, conversation, merged configuration. Failure: a
/// configuration that cannot run, which [`Request::check`](crate::state::Request::check) tells before.
///
/// Source: openJiuwen DeepSearch, `StartNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn start(state: Snapshot<SearchContext>, cx: Context<Resources>) -> Result<SearchContextUpdate, NodeError> {
    let request = &state.request;
    let wrong = request.check();
    if let Some(notice) = wrong.into_iter().next() {
        return Err(NodeError::terminal(DeepSearchError::Refused(notice)));
    }
    let mut config = request.config().clone();
    let mut notes = Vec::new();
    if config.vlm_chart_generator_enable && config.visualization_enable {
        config.visualization_enable = false;
        notes.push("`vlm_chart_generator_enable` is on, so `visualization_enable` was turned off".to_owned());
    }
    let query = request.query.trim().to_owned();
    Ok(SearchContext::update()
        .session_id(cx.task().thread.to_string())
        .messages([ChatTurn::user(&query)])
        .query(query)
        .report_template(request.report_template.trim())
        .search_mode(request.mode())
        .config(config)
        .notes(notes))
}
