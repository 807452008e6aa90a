//! Node `reporter`.

mod free;
mod guided;

use graphloom_agents::Strategy;
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};

use super::fail;
use crate::ask::{AskFailure, TakenText};
use crate::report::{Chapter, Parts, assemble};
use crate::resources::{Resources, Slot};
use crate::state::{FinalResult, Report, SearchContext};
use crate::status::{Notice, StatusCode};
use crate::stream::{self, Place};

const AGENT: &str = "reporter";

/// The parts of a report around its sections.
struct ReportFrame {
    /// The text after each section.
    transitions: Vec<String>,
    notes: Vec<String>,
    summary: Result<TakenText<String>, AskFailure>,
    conclusion: Result<TakenText<String>, AskFailure>,
}

/// Puts the report together. In: report with the sections' reports, `current_outline`, language. Out: report,
/// `all_classified_contents`, `final_result` with the text and the charts of the sections. Failure: 212001 ends the
/// run. Without a model, transitions are left out and abstract and conclusion are notices.
///
/// Source: openJiuwen DeepSearch, `ReporterNode`.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn reporter(
    state: Snapshot<SearchContext>,
    cx: Context<Resources>,
) -> Result<Step<SearchContext>, NodeError> {
    let Some(report) = state.report.as_deref().filter(|report| !report.sub_reports.is_empty()) else {
        return Ok(fail(Notice::fatal(StatusCode::Report, "there are no sections to put together")));
    };
    let sections = &report.sub_reports;
    let title = state.current_outline.as_ref().map_or(report.report_task.as_str(), |outline| outline.title.as_str());
    let frame = match cx.resources().strategy(Slot::General) {
        Strategy::Free => Box::pin(free::frame(&state, &cx, title, sections)).await?,
        Strategy::Guided => guided::frame(&state, sections),
    };
    let (mut notices, mut written) = (Vec::new(), Vec::new());
    for (name, made) in [("abstract", frame.summary), ("conclusion", frame.conclusion)] {
        match made {
            Ok(text) => {
                let told = text.broken_off.map(|how| Notice::warning(StatusCode::Report, format!("the {name} {how}")));
                notices.extend(told);
                written.push(Some(text.value));
            }
            Err(failure) => {
                notices
                    .push(Notice::warning(StatusCode::Report, format!("the {name} could not be written: {failure}")));
                written.push(None);
            }
        }
    }
    let conclusion = written.pop().flatten();
    let summary = written.pop().flatten();
    let chapters = sections.iter().zip(frame.transitions).map(|(report, transition)| Chapter { report, transition });
    let parts = Parts { language: state.language, title, chapters: chapters.collect(), summary, conclusion };
    let (text, traces) = assemble(&parts);
    stream::emit_whole(&cx, AGENT, Place::default(), &text).await;
    let classified: Vec<_> = sections.iter().map(|section| section.content.classified_content.clone()).collect();
    let number = state.report_generated_num + 1;
    let made = Report {
        id: number.to_string(),
        report_task: title.to_owned(),
        report_template: state.report_template.clone(),
        report_content: text.clone(),
        all_classified_contents: classified.clone(),
        merged_trace_source_datas: traces,
        ..report.clone()
    };
    let charts = sections.iter().flat_map(|section| section.content.charts.iter().cloned()).collect();
    let result = FinalResult { response_content: text, chart_messages: charts, ..state.final_result.clone() };
    let update = SearchContext::update()
        .report(Some(made.into()))
        .all_classified_contents(classified)
        .report_generated_num(number)
        .final_result(result)
        .notices(notices)
        .notes(frame.notes)
        .spent(cx.resources().ledger.spent());
    Ok(update.into())
}
