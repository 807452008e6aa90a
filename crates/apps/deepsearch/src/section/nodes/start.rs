//! Node `start` of a section.

use graphloom_core_graph::{Context, NodeError, Snapshot};
use serde_json::json;

use crate::resources::Resources;
use crate::section::{SectionState, SectionStateUpdate};
use crate::state::ChatTurn;

/// Begins a section. In: the brief. Out: its conversation, and when work began. Failure: none.
///
/// Source: openJiuwen DeepSearch, `SectionStartNode`, `SectionReasoningStartNode`, `SectionWritingStartNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn start(state: Snapshot<SectionState>, cx: Context<Resources>) -> Result<SectionStateUpdate, NodeError> {
    let brief = &state.brief;
    let args = json!({
        "query": brief.query,
        "report_title": brief.report_title,
        "section_title": brief.section.title,
        "section_description": brief.section.description,
    });
    let asked = cx.resources().prompts.render("section_task", &args).map_err(NodeError::terminal)?;
    let text: String = asked.messages.iter().map(graphloom_llm::Message::joined_text).collect();
    let first = brief.messages.iter().find(|turn| turn.role == "user").cloned();
    let task = ChatTurn { name: Some("outliner".into()), ..ChatTurn::user(text) };
    let messages = first.into_iter().chain([task]).collect::<Vec<_>>();
    Ok(SectionState::update().messages(messages).started_at(cx.now()))
}
