//! Node `complete`: what the run came to.

use graphloom_core_graph::{Context, NodeError, Snapshot};
use graphloom_vault::{ChangeKind, Note, NotePath, Overlay};

use super::visit::{Report, visit};
use crate::overlay_tools::diff_of;
use crate::phase::{Decision, Phase};
use crate::probe::find_note;
use crate::resources::Resources;
use crate::state::{RunOutcome, StopReason, WorkflowState, WorkflowStateUpdate};

/// State in: everything. State out: the outcome: whether the request was carried out, why the run ended, the answer and
/// citations in it that name no note. A limit is never a bare "complete".
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn complete(
    state: Snapshot<WorkflowState>,
    cx: Context<Resources>,
) -> Result<WorkflowStateUpdate, NodeError> {
    visit(Phase::Complete, state, cx, async |visit| {
        let state = &visit.state;
        let stop = state.end().unwrap_or(StopReason::Answered);
        let mut answer = state.answer.trim().to_owned();
        let summary = summary(visit.resources(), state);
        if !summary.is_empty() {
            answer = if answer.is_empty() { summary } else { format!("{answer}\n\n{summary}") };
        }
        if !stop.is_success() {
            answer = format!("{answer}\n\nNot complete: {}.", stop.text()).trim().to_owned();
        }
        let overlay = Overlay::new(std::sync::Arc::clone(&visit.resources().vault), (*state.changes).clone());
        let unknown = unknown_citations(&state.answer, &overlay);
        let notices = unknown.iter().map(|name| format!("the answer names `{name}`, and there is no such note"));
        let update = WorkflowState::update().notes(notices).outcome(RunOutcome {
            is_complete: stop.is_success(),
            confidence: if stop == StopReason::Answered { 1.0 } else { state.confidence },
            answer,
            unknown_citations: unknown.clone(),
            stop: stop.clone(),
        });
        // It leads nowhere; the decision stays what led here.
        let mut report = Report::new(Decision::TaskComplete, stop.text()).with(update);
        report.success = stop.is_success();
        Ok(report)
    })
    .await
}

/// What changed, a line for each note.
fn summary(resources: &Resources, state: &WorkflowState) -> String {
    if let Some(applied) = &state.applied {
        let lines: Vec<String> = state
            .changes
            .iter()
            .filter(|(path, _)| applied.paths.iter().any(|known| known == path.as_str()))
            .filter_map(|(path, change)| {
                Some(match change.kind() {
                    ChangeKind::Created => format!("created `{path}`"),
                    ChangeKind::Deleted => format!("`{path}` went to `.trash`"),
                    ChangeKind::Moved => {
                        let from = change.moved_from.as_ref().map_or("", NotePath::as_str);
                        format!("moved `{from}` to `{path}`")
                    }
                    ChangeKind::MovedAway => return None,
                    _ => format!("changed `{path}`"),
                })
            })
            .collect();
        return lines.join("\n");
    }
    let pending = diff_of(resources, &state.changes);
    pending.files.iter().map(graphloom_vault::FileDiff::headline).collect::<Vec<_>>().join("\n")
}

/// The links of an answer that name no note.
fn unknown_citations(answer: &str, notes: &Overlay) -> Vec<String> {
    let Ok(path) = NotePath::parse("answer.md") else { return Vec::new() };
    let mut unknown: Vec<String> = Note::parse(path, answer)
        .links()
        .iter()
        .map(|link| link.target.clone())
        .filter(|target| find_note(notes, target).is_none())
        .collect();
    unknown.dedup();
    unknown
}
