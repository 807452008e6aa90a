//! Looking at runs.

use std::fmt::Write as _;

use graphloom_cli::{ExitStatus, Failure, Session, time_text};
use graphloom_core_graph::checkpoint::HistoryFilter;
use graphloom_deepsearch::SearchContext;
use serde_json::json;

use crate::open::runs;

/// Shows a run.
pub(crate) async fn show(session: &Session, id: &str) -> Result<ExitStatus, Failure> {
    let (run, found) = runs(session).find(id).await?;
    let state = &*found.state;
    let mut text = format!("{id}: {:?} {}\n{}\n", found.status, found.detail, state.request.query);
    describe(&mut text, state);
    for row in run.history(&HistoryFilter::default()).await?.iter().rev() {
        let time = time_text(row.time);
        let _ = writeln!(text, "checkpoint {:>4}  step {:>4}  {time}  {:?}", row.number, row.step, row.source);
    }
    for question in found.questions.iter() {
        let _ = writeln!(text, "waits with `{}`: {}", question.key, serde_json::to_string_pretty(&question.payload)?);
    }
    let value =
        json!({ "run": id, "status": found.status, "detail": found.detail, "next": found.next, "state": state });
    session.progress.result(ExitStatus::Done, &text, &value)?;
    Ok(ExitStatus::Done)
}

fn describe(text: &mut String, state: &SearchContext) {
    if let Some(outline) = state.current_outline.as_deref() {
        let _ = writeln!(text, "\n{} (outline {})", outline.title, outline.id);
        for section in &outline.sections {
            let parents = match section.parent_ids.join(", ") {
                parents if parents.is_empty() => String::new(),
                parents => format!(" (builds on {parents})"),
            };
            let _ = writeln!(text, "  {}. {}{parents}", section.id, section.title);
            for step in section.plans.iter().flat_map(|plan| &plan.steps) {
                let mark = if step.step_result.is_some() { "x" } else { " " };
                let found: usize = step.retrieval_queries.iter().map(|query| query.doc_infos.len()).sum();
                let _ = writeln!(text, "    [{mark}] {} {} ({found} documents)", step.id, step.title);
            }
        }
    }
    let result = state.result();
    for line in result.warning_info.lines() {
        let _ = writeln!(text, "warning: {line}");
    }
    for line in result.exception_info.lines() {
        let _ = writeln!(text, "failure: {line}");
    }
    for note in &state.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text.push('\n');
}
