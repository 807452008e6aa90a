//! Node `source_tracer`.

use std::collections::BTreeSet;

use graphloom_citations::unresolved;
use graphloom_core_graph::{Context, NodeError, Shared, Snapshot};

use crate::markup::placed;
use crate::resources::Resources;
use crate::state::{CitationMessages, SearchContext, SearchContextUpdate};
use crate::status::{Notice, StatusCode};
use crate::trace::{check_report, check_uncited, unchecked};

/// Checks the report's citations, and looks up what has none. In: the report and its sources. Out: the checked report,
/// `citation_messages`, `statement_messages`, what became of statements without support. A failure is appended and the
/// report stays as it is (212106).
///
/// Source: openJiuwen DeepSearch, `SourceTracerNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn source_tracer(
    state: Snapshot<SearchContext>,
    cx: Context<Resources>,
) -> Result<SearchContextUpdate, NodeError> {
    let Some(report) = state.report.as_deref() else { return Ok(SearchContext::update()) };
    let mut result = state.final_result.clone();
    let off = !state.config.source_tracer_research_trace_source_switch;
    if off || report.report_content.trim().is_empty() || report.merged_trace_source_datas.is_empty() {
        // The marks of stage 1 are no text for readers.
        result.response_content = unchecked(report, state.language);
        let why = if off { "checking is turned off" } else { "there are no citations" };
        result.citation_messages = CitationMessages { msg: why.to_owned(), ..CitationMessages::default() };
        // Nothing is cited, so every statement is the writer's own.
        result.statement_messages = (!off).then(|| placed(&result.response_content, &[], &result.chart_messages));
        return Ok(SearchContext::update().final_result(result));
    }
    let checked = check_report(&cx, report, state.language, &state.config).await?;
    let known: BTreeSet<u64> = checked.data.iter().map(|one| u64::from(one.id)).collect();
    let lost = unresolved(&checked.content, &known);
    if !lost.is_empty() {
        let message = format!("{} marks lead to no citation; the report is left unchecked", lost.len());
        result.response_content = unchecked(report, state.language);
        let notice = Notice::exception(StatusCode::SourceTrace, message);
        return Ok(SearchContext::update().final_result(result).notices([notice]));
    }
    let found = check_uncited(&cx, &checked.content, &checked.data, &result.chart_messages, &state.config).await?;
    result.response_content.clone_from(&checked.content);
    result.statement_messages = Some(found.statements);
    result.citation_messages = CitationMessages { code: 0, msg: "success".to_owned(), data: checked.data };
    let mut report = report.clone();
    report.checked_trace_source_report_content = checked.content;
    report.checked_trace_source_datas = checked.sources;
    Ok(SearchContext::update()
        .report(Some(Shared::new(report)))
        .final_result(result)
        .notices(checked.notices.into_iter().chain(found.notices))
        .notes(checked.notes.into_iter().chain(found.notes))
        .spent(cx.resources().ledger.spent()))
}
