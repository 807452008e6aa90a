//! Node `sub_source_tracer` of a section.

use graphloom_core_graph::{Context, Failure, NodeError, Snapshot, Step};

use crate::names::SECTION_END_NODE;
use crate::resources::Resources;
use crate::section::{SectionState, SectionStateUpdate};
use crate::state::SubReport;
use crate::status::{Notice, StatusCode};
use crate::trace::trace_section;

/// Traces the citations of a section. In: the section's text and documents. Out: the text with its citations traced,
/// and the list of citations. Failure: the section goes on with what equal wording finds, with a notice (212100); a
/// citation without a source is taken out, with a notice (212101). A failure that no model caused leaves the section as
/// it was written (212100).
///
/// Source: openJiuwen DeepSearch, `SubSourceTracerNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn sub_source_tracer(
    state: Snapshot<SectionState>,
    cx: Context<Resources>,
) -> Result<SectionStateUpdate, NodeError> {
    let Some(report) = &state.sub_report else { return Ok(SectionState::update()) };
    let brief = &*state.brief;
    let traced = trace_section(&cx, &report.content, &brief.config).await?;
    let notices: Vec<Notice> = traced.notices.into_iter().map(|notice| notice.in_section(&brief.section.id)).collect();
    let report = SubReport { content: traced.content, ..report.clone() };
    let unwritten = state.unwritten.clone().map(|unwritten| unwritten.with_reports(&notices, &traced.notes));
    Ok(SectionState::update().sub_report(Some(report)).unwritten(unwritten).notices(notices).notes(traced.notes))
}

/// A section whose citations could not be traced goes on with those of its writer: the error handler of the node.
///
/// # Errors
/// None.
pub async fn untraced(
    failure: Failure,
    state: Snapshot<SectionState>,
    _cx: Context<Resources>,
) -> Result<Step<SectionState>, NodeError> {
    let notice = Notice::exception(StatusCode::SubSourceTrace, failure.message).in_section(&state.brief.section.id);
    let unwritten = state.unwritten.clone().map(|unwritten| unwritten.with_reports(std::slice::from_ref(&notice), &[]));
    Ok(Step::goto(SECTION_END_NODE).with(SectionState::update().unwritten(unwritten).notices([notice])))
}
