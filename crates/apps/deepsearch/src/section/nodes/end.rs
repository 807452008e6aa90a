//! Node `end` of a section.

use graphloom_core_graph::{Context, NodeError, Snapshot};

use crate::names::SECTION_END_NODE;
use crate::resources::Resources;
use crate::section::{SectionState, SectionStateUpdate};
use crate::stream::{self, MessageEvent, Place, SECTION_END, StreamMessage};

/// Ends a section. In: nothing. Out: `SECTION END` on the stream, after the last graph of the section.
///
/// Source: openJiuwen DeepSearch, `SectionEndNode` and `SectionReasoningEndNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn end(state: Snapshot<SectionState>, cx: Context<Resources>) -> Result<SectionStateUpdate, NodeError> {
    let place = Place::section(&state.brief.section.id);
    let message = StreamMessage::new(SECTION_END_NODE.as_str(), MessageEvent::SummaryResponse, SECTION_END);
    stream::emit(&cx, message.at(place)).await;
    Ok(SectionState::update())
}

/// The end of research for a section that is written later: it says nothing.
///
/// # Errors
/// None.
pub async fn reasoning_end(_state: Snapshot<SectionState>) -> Result<SectionStateUpdate, NodeError> {
    Ok(SectionState::update())
}
