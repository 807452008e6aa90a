//! Looking at runs.

use std::fmt::Write as _;

use graphloom_cli::{ExitStatus, Failure, Session, time_text};
use graphloom_core_graph::ThreadState;
use graphloom_obsius::state::ExecutedAction;
use graphloom_obsius::{WorkflowState, phase};
use serde_json::json;

use crate::open;
use crate::review;

/// Lists the runs.
pub(crate) async fn runs(session: &Session, of: Option<&str>) -> Result<ExitStatus, Failure> {
    let runs = open::runs(session);
    let mut listed = Vec::new();
    for run in runs.summaries().await? {
        let (_, ThreadState { state, .. }) = runs.find(&run.thread).await?;
        if of.is_some_and(|session| session != state.session.session_id) {
            continue;
        }
        // A run whose workflow failed came to its end as a graph.
        let status = if state.failure.is_some() { "failed".to_owned() } else { run.status.clone() };
        listed.push(json!({
            "run": run.thread, "status": status, "session": state.session.session_id, "phase": state.phases.current(),
            "request": state.session.original_request, "updated": run.updated,
            "stop": state.outcome.as_ref().map(|outcome| outcome.stop.text()),
            "applied": state.applied.is_some(),
        }));
    }
    let mut text = String::new();
    for run in &listed {
        let word = |key: &str| run[key].as_str().unwrap_or_default().to_owned();
        let request: String = word("request").chars().take(60).collect();
        let _ = writeln!(
            text,
            "{}  {}  {}  {}  {}  {request}",
            word("run"),
            word("status"),
            word("phase"),
            word("session"),
            time_text(run["updated"].as_u64().unwrap_or_default())
        );
    }
    runs.print_list(&text, &listed)
}

/// Shows a run; with `--json` its whole state.
pub(crate) async fn show(session: &Session, id: &str) -> Result<ExitStatus, Failure> {
    let (_, found) = open::runs(session).find(id).await?;
    let state = &found.state;
    let mut text = format!("{id}: {:?} {}\n{}\n", found.status, found.detail, state.session.original_request);
    describe(&mut text, state);
    if let Some(request) = review::pending(&found.questions) {
        let _ = writeln!(text, "\nwaits for a review:\n{}", review::shown(&request));
    }
    let value = json!({
        "run": id, "status": found.status, "detail": found.detail, "next": found.next,
        "checkpoint": found.checkpoint.as_ref().map(|row| row.number), "state": **state,
    });
    session.progress.result(ExitStatus::Done, &text, &value)?;
    Ok(ExitStatus::Done)
}

fn describe(text: &mut String, state: &WorkflowState) {
    let _ = writeln!(
        text,
        "session {}, vault {}, model {}",
        state.session.session_id, state.session.vault, state.session.model
    );
    let phases: Vec<String> =
        state
            .phases
            .visits()
            .iter()
            .map(|visit| {
                if visit.iteration > 0 {
                    format!("{}@{}", visit.phase, visit.iteration)
                } else {
                    visit.phase.to_string()
                }
            })
            .collect();
    let _ = writeln!(text, "phases {}", phases.join(" "));
    if let Some(plan) = &state.task_plan {
        let _ = writeln!(text, "\nplan ({:?}, complexity {})", plan.source, plan.estimated_complexity);
        for task in &plan.decomposed_tasks {
            let mark = if state.objectives.completed.contains(&task.id) { "x" } else { " " };
            let _ = writeln!(text, "  [{mark}] {}. {}", task.id, task.goal);
            for finding in state.objectives.evidence.iter().filter(|finding| finding.subtask == task.id) {
                let mark = if finding.holds { "holds" } else { "missing" };
                let _ = writeln!(text, "        {mark}: {}: {}", finding.criterion.text(), finding.evidence);
            }
        }
    }
    let _ = writeln!(text, "\nactions");
    for action in state.executed_actions.iter().map(ExecutedAction::line) {
        let _ = writeln!(text, "  {action}");
    }
    let metrics = &state.execution_metrics;
    let _ = writeln!(
        text,
        "\n{} iterations, confidence {:.2}, {} tools, {} errors, {} tokens, {} ms for models, {} ms for other work",
        state.iteration.number,
        state.confidence,
        metrics.tools_executed,
        metrics.errors_encountered,
        metrics.tokens_used,
        metrics.model_time,
        metrics.work_time
    );
    for action in &state.pending_actions.later {
        let _ = writeln!(text, "left: `{}`", action.tool);
    }
    for note in &state.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if let Some(failure) = &state.failure {
        let _ = writeln!(text, "failure: {}", failure.message);
    }
    if let Some(outcome) = &state.outcome {
        let _ = writeln!(text, "{}\n\n{}", outcome.stop.text(), outcome.answer);
    }
}

/// Draws the table of phases.
pub(crate) fn phases(session: &Session) -> Result<ExitStatus, Failure> {
    let drawn = phase::mermaid();
    session.progress.result(ExitStatus::Done, &drawn, &drawn)?;
    Ok(ExitStatus::Done)
}
