//! The files of a run: `report.md`, `report.html`, `final_result.json`, `run.json`.

use std::path::{Path, PathBuf};

use graphloom_cli::{ExitStatus, Failure, OutputArgs, Session, frame, runs as stored};
use graphloom_deepsearch::state::{FinalResult, StatementBasis, StatementMessage, Verdict};
use graphloom_deepsearch::{SearchContext, Stage, export};
use graphloom_llm::layers::Spent;
use serde_json::{Value, json};

use crate::open::{Opened, Run, origin_of};

/// Writes the files of a run that has ended, and tells where they are.
pub(crate) async fn deliver(
    output: &OutputArgs,
    session: &Session,
    opened: &Opened,
    thread: &Run,
    state: &SearchContext,
) -> Result<ExitStatus, Failure> {
    let result = state.result();
    let spent_out = is_cut_short(opened, state);
    let has_report = !result.response_content.trim().is_empty();
    let status = match state.fatal() {
        _ if spent_out => ExitStatus::BudgetSpent,
        Some(_) => ExitStatus::Failed,
        None => ExitStatus::Done,
    };
    let out = match origin_of(&state.request).out(output) {
        out if out.as_os_str().is_empty() => PathBuf::from(format!("{}-out", thread.id())),
        out => out,
    };
    let record = record(opened, thread, state, &result, status).await?;
    write(&out, state, &result, &record)?;
    session.progress.note(summary(&result, &record, &out));
    if state.fatal().is_none() && !state.unwritten.is_empty() {
        let sections: Vec<&str> = state.unwritten.iter().map(|section| section.section_id.as_str()).collect();
        session.progress.warn(format!(
            "no model wrote: {}; when one can be asked, `deepsearch resume {} --rewrite` does",
            sections.join(", "),
            thread.id()
        ));
    }
    let web = state.config.workflow_feedback_mode == graphloom_deepsearch::config::FeedbackMode::Web;
    if web && !session.progress.is_json() {
        // The messages on stdout hold the result already.
    } else if has_report || session.progress.is_json() {
        session.progress.result(status, &export::markdown(&result, state.language), &record)?;
    }
    match state.fatal() {
        Some(notice) if status == ExitStatus::Failed => Err(Failure::new(status, notice.to_string())),
        Some(notice) => {
            session.progress.warn(notice.to_string());
            Ok(status)
        }
        None => Ok(status),
    }
}

/// Whether the budget is used up, or was so small that something was left out.
fn is_cut_short(opened: &Opened, state: &SearchContext) -> bool {
    let resources = opened.runs.app().resources();
    !resources.has_left(Stage::Checking) || state.spent.or_later(resources.ledger.spent()).degraded > 0
}

/// What `run.json` says. `measured` holds what differs from run to run; all else is the same for the same answers.
async fn record(
    opened: &Opened,
    thread: &Run,
    state: &SearchContext,
    result: &FinalResult,
    status: ExitStatus,
) -> Result<Value, Failure> {
    let events = stored::events(&**opened.runs.checkpointer(), thread.id()).await?;
    let outline = state.current_outline.as_deref();
    let sections: Vec<Value> = outline
        .into_iter()
        .flat_map(|outline| &outline.sections)
        .map(|section| {
            let report = state
                .report
                .as_deref()
                .and_then(|report| report.sub_reports.iter().find(|sub_report| sub_report.section_id == section.id));
            let words = report.map_or(0, |report| report.content.text.split_whitespace().count());
            json!({
                "id": section.id, "title": section.title, "parents": section.parent_ids, "plans": section.plans.len(),
                "steps": section.plans.iter().map(|plan| plan.steps.len()).sum::<usize>(), "words": words,
                "documents": report.map_or(0, |report| report.content.classified_content.len()),
            })
        })
        .collect();
    let count = |verdict| result.citation_messages.data.iter().filter(|citation| citation.verdict == verdict).count();
    Ok(json!({
        "status": status.word(),
        "query": state.query,
        "language": state.language.as_str(),
        "title": outline.map(|outline| &outline.title),
        "sections": sections,
        "unwritten": state.unwritten.iter().map(|section| &section.section_id).collect::<Vec<_>>(),
        "words": result.response_content.split_whitespace().count(),
        "citations": {
            "supported": count(Verdict::Supported), "contradicted": count(Verdict::Contradicted),
            "not_found": count(Verdict::NotFound), "not_checked": count(Verdict::NotChecked),
        },
        "uncited": result.statement_messages.as_deref().map(uncited),
        "inferences": result.infer_messages.len(),
        "charts": result.chart_messages.len(),
        "notices": state.notices,
        "notes": state.notes,
        "engines": opened.engines,
        "models": opened.models.ids().into_iter().map(|(role, id)| (role, id.to_string()))
            .collect::<std::collections::BTreeMap<_, _>>(),
        "model_notes": opened.models.notes.all(),
        "config": *state.config,
        "measured": {
            "thread": thread.id(), "seconds": stored::seconds(&events), "spent": opened.models.ledger.spent(),
            "totals": opened.models.meter.totals(), "events": stored::problem_events(&events),
        },
    }))
}

/// How many statements without a citation stand on what.
fn uncited(statements: &[StatementMessage]) -> Value {
    let count = |basis| statements.iter().filter(|one| one.basis == basis).count();
    json!({
        "derived": count(StatementBasis::Derived), "own": count(StatementBasis::Own),
        "contradicted": count(StatementBasis::Contradicted), "not_checked": count(StatementBasis::NotChecked),
    })
}

fn write(out: &Path, state: &SearchContext, result: &FinalResult, record: &Value) -> Result<(), Failure> {
    let pretty = |value: &Value| serde_json::to_string_pretty(value).map(|text| text + "\n");
    let mut files = vec![("final_result.json".to_owned(), pretty(&serde_json::to_value(result)?)?)];
    files.push(("run.json".to_owned(), pretty(record)?));
    if !result.response_content.trim().is_empty() {
        files.push(("report.md".to_owned(), export::markdown(result, state.language)));
        files.push(("report.html".to_owned(), export::html(result, state.language)));
    }
    if state.config.export_intermediate_results {
        if let Some(outline) = state.current_outline.as_deref() {
            files.push(("outline.json".to_owned(), pretty(&serde_json::to_value(outline)?)?));
        }
        for section in state.report.iter().flat_map(|report| &report.sub_reports) {
            files
                .push((format!("section-{}.md", section.section_id), format!("{}\n", section.content.text.trim_end())));
        }
    }
    Ok(frame::write(out, files)?)
}

/// One line on the result.
fn summary(result: &FinalResult, record: &Value, out: &Path) -> String {
    let citations = &record["citations"];
    let count = |key: &str| citations[key].as_u64().unwrap_or_default();
    let uncited = match record["uncited"].as_object() {
        Some(uncited) => {
            let count = |key: &str| uncited[key].as_u64().unwrap_or_default();
            let derived = count("derived");
            let own = count("own") + count("contradicted") + count("not_checked");
            format!(
                ", {} statements without one ({derived} rest on checked ones, {own} are the writer's own)",
                derived + own
            )
        }
        None => String::new(),
    };
    let spent: Spent = serde_json::from_value(record["measured"]["spent"].clone()).unwrap_or_default();
    let cost = spent.cost_text().map(|cost| format!(", {cost}")).unwrap_or_default();
    let notices = match record["notices"].as_array().map_or(0, Vec::len) {
        0 => String::new(),
        notices => format!(", {notices} notices in `run.json`"),
    };
    format!(
        "{}: {} words, {} citations ({} supported, {} contradicted, {} not found, {} not checked){uncited}, {} calls{cost}{notices}; written to `{}`",
        record["status"].as_str().unwrap_or_default(),
        record["words"],
        result.citation_messages.data.len(),
        count("supported"),
        count("contradicted"),
        count("not_found"),
        count("not_checked"),
        record["measured"]["spent"]["calls"],
        out.display()
    )
}
