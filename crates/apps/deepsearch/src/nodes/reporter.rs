//! Puts the report together. In: report with the sections' reports, `current_outline`, language. Out: report,
//! `all_classified_contents`, `final_result` with the text and the charts of the sections.
//! Failure: 212001 ends the run. Without a model, transitions are left out and abstract and conclusion are notices.
//! Source: openJiuwen DeepSearch, `ReporterNode`.

use futures::stream::{self as futures_stream, StreamExt, TryStreamExt};
use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use serde_json::{Value, json};

use super::fail;
use crate::ask::{self, Ask, AskFailure};
use crate::report::{Chapter, Parts, assemble, fixed_abstract, fixed_conclusion};
use crate::resources::{Resources, Slot, Stage};
use crate::state::{FinalResult, Report, SearchContext, SubReport};
use crate::status::{Notice, StatusCode};
use crate::stream::{self, Place};

const AGENT: &str = "reporter";
/// Transitions that are asked for at the same time.
const AT_ONCE: usize = 4;
/// The most words of a transition.
const TRANSITION_WORDS: usize = 60;

pub(crate) async fn reporter(
    state: Snapshot<SearchContext>,
    cx: Context<Resources>,
) -> Result<Step<SearchContext>, NodeError> {
    let Some(report) = state.report.as_deref().filter(|report| !report.sub_reports.is_empty()) else {
        return Ok(fail(Notice::fatal(StatusCode::Report, "there are no sections to put together")));
    };
    let sections = &report.sub_reports;
    let title = state.current_outline.as_ref().map_or(report.report_task.as_str(), |outline| outline.title.as_str());
    let transitions = transitions(&state, &cx, sections);
    let (transitions, summary, conclusion) = if ask::is_constrained(cx.resources(), Slot::General) {
        let summary = fixed_abstract(state.language, sections);
        let conclusion = fixed_conclusion(state.language, &state.query, sections);
        (transitions.await, Ok(Ok(summary)), Ok(Ok(conclusion)))
    } else {
        let summary = part(&state, &cx, "report_abstract", title, sections);
        let conclusion = part(&state, &cx, "report_conclusion", title, sections);
        futures::join!(transitions, summary, conclusion)
    };
    let (transitions, notes) = transitions?;
    let (mut notices, mut written) = (Vec::new(), Vec::new());
    for (name, made) in [("abstract", summary?), ("conclusion", conclusion?)] {
        match made {
            Ok(text) => written.push(Some(text)),
            Err(failure) => {
                notices
                    .push(Notice::warning(StatusCode::Report, format!("the {name} could not be written: {failure}")));
                written.push(None);
            }
        }
    }
    let conclusion = written.pop().flatten();
    let summary = written.pop().flatten();
    let chapters = sections.iter().zip(transitions).map(|(report, transition)| Chapter { report, transition });
    let parts = Parts { language: state.language, title, chapters: chapters.collect(), summary, conclusion };
    let (text, traces) = assemble(&parts);
    stream::say(&cx, AGENT, Place::default(), &text).await;
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
        .notes(notes)
        .spent(cx.resources().ledger.spent());
    Ok(update.into())
}

/// A sentence from each section to the next; none after the last, none by small models, and none where a model fails, which
/// the notes tell.
async fn transitions(
    state: &SearchContext,
    cx: &Context<Resources>,
    sections: &[SubReport],
) -> Result<(Vec<String>, Vec<String>), NodeError> {
    let asks = sections.len().saturating_sub(1);
    if ask::is_constrained(cx.resources(), Slot::General) {
        return Ok((vec![String::new(); sections.len()], Vec::new()));
    }
    let made: Vec<(String, Option<String>)> = futures_stream::iter((0..asks).map(|at| async move {
        if !cx.resources().may_spend(Stage::Writing) {
            return Ok((String::new(), Some("a transition is missing: the budget of writing is spent".to_owned())));
        }
        let side = |report: &SubReport| json!({ "title": report.section_task, "summary": report.content.summary });
        let args = json!({
            "query": state.query, "language": state.language.as_str(),
            "previous": side(&sections[at]), "next": side(&sections[at + 1]),
        });
        let ask = Ask::new(format!("transition/{at}"), "generate_transition_sentence")
            .tries(state.config.report_max_generate_retry_num);
        let made = ask::text(cx, &ask, &args, |text| {
            let words = text.split_whitespace().count();
            if text.is_empty() || text.contains("\n\n") || text.starts_with('#') {
                Err("one paragraph without a heading is wanted".to_owned())
            } else if words > TRANSITION_WORDS {
                Err(format!("{words} words are too many; {TRANSITION_WORDS} are allowed"))
            } else {
                Ok(text.to_owned())
            }
        });
        Ok::<_, NodeError>(match made.await? {
            Ok(made) => (made, None),
            Err(failure) => (String::new(), Some(format!("a transition is missing: {failure}"))),
        })
    }))
    .buffered(AT_ONCE)
    .try_collect()
    .await?;
    let (mut made, notes): (Vec<String>, Vec<Option<String>>) = made.into_iter().unzip();
    made.resize(sections.len(), String::new());
    Ok((made, notes.into_iter().flatten().collect()))
}

/// Abstract or conclusion, by a model that writes.
async fn part(
    state: &SearchContext,
    cx: &Context<Resources>,
    name: &str,
    title: &str,
    sections: &[SubReport],
) -> Result<Result<String, AskFailure>, NodeError> {
    // The summaries say what the sections say; a section without one is given by its beginning.
    let shown: Vec<Value> = sections
        .iter()
        .map(|report| {
            let content = &report.content;
            let said = if content.summary.trim().is_empty() { &content.text } else { &content.summary };
            let said: String = said.chars().take(1_500).collect();
            json!({ "title": report.section_task, "summary": said })
        })
        .collect();
    let args = json!({
        "query": state.query, "language": state.language.as_str(), "title": title, "sections": shown,
    });
    let ask = Ask::new(name, name).tries(state.config.report_max_generate_retry_num);
    let made = ask::text(cx, &ask, &args, |text| match text.is_empty() {
        true => Err("the text is empty".to_owned()),
        false => Ok(text.to_owned()),
    });
    made.await
}
