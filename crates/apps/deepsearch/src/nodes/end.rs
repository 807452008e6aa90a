//! Node `end`.

use graphloom_core_graph::{Context, NodeError, Snapshot, Step};

use crate::resources::Resources;
use crate::state::SearchContext;
use crate::stream::{self, ALL_END, MessageEvent, MessageKind, StreamMessage};

/// Ends the run. In: the result and the notices. Out: nothing; the result and `ALL END` on the stream.
///
/// Source: openJiuwen DeepSearch, `EndNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn end(state: Snapshot<SearchContext>, cx: Context<Resources>) -> Result<Step<SearchContext>, NodeError> {
    let result = serde_json::to_string(&state.result())?;
    let event = if state.fatal().is_some() { MessageEvent::Error } else { MessageEvent::SummaryResponse };
    stream::emit(&cx, StreamMessage::new("end", event, result)).await;
    let last = StreamMessage::new("end", MessageEvent::SummaryResponse, ALL_END).kind(MessageKind::System);
    stream::emit(&cx, last).await;
    Ok(SearchContext::update().spent(cx.resources().ledger.spent()).into())
}
