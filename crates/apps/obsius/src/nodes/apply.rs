//! Node `apply`: the approved changes are written to the vault, all or none.

use std::sync::Arc;

use graphloom_core_graph::{Context, NodeError, Shared, Snapshot};
use graphloom_vault::ContentHash;

use crate::phase::Decision;
use crate::resources::Resources;
use crate::review::{WriteOutcome, conflict_in_words, write};
use crate::state::{Applied, Failure, Review, WorkflowState, WorkflowStateUpdate};

/// State in: the approved changes. State out: what was applied, and the name that undoes it. Edits that others made
/// meanwhile stay; where they are on the same lines, nothing is written and the person is asked again. Where the disk is
/// full, nothing is written and the run ends with that error.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn apply(state: Snapshot<WorkflowState>, cx: Context<Resources>) -> Result<WorkflowStateUpdate, NodeError> {
    let run = transaction_name(&state.session.workflow_id);
    let keep = state.session.config.keep_backups;
    let (vault, changes, name) = (Arc::clone(&cx.resources().vault), state.changes.clone(), run.clone());
    let done = tokio::task::spawn_blocking(move || write(&vault, &changes, &name, keep)).await?;
    match done {
        Ok(WriteOutcome::Done { changes, told: notices }) => {
            let paths: Vec<String> = changes.iter().map(|(path, _)| path.to_string()).collect();
            Ok(WorkflowState::update().applied(Applied { run, paths }).changes(Shared::new(changes)).notes(notices))
        }
        Ok(WriteOutcome::Refused { conflicts }) => {
            let notices = conflicts.iter().map(conflict_in_words).map(|line| format!("nothing is written: {line}"));
            let notices: Vec<String> = notices.collect();
            // To be asked again is no refusal.
            let rounds = state.review.rounds.saturating_sub(1);
            let review = Review { approved: false, conflicts, rounds, ..state.review.clone() };
            Ok(WorkflowState::update().review(review).notes(notices))
        }
        Err(error) => {
            let failure = Failure::of(state.phases.current(), &NodeError::from(error));
            let mut result = state.result.clone();
            if let Some(result) = &mut result {
                result.decision = Some(Decision::Failed);
                result.success = false;
                result.message.clone_from(&failure.message);
            }
            let update = WorkflowState::update().failure(failure);
            Ok(match result {
                Some(result) => update.result(result),
                None => update,
            })
        }
    }
}

/// The name of a run's transaction: the run's own where the vault takes it, else made of its hash.
#[must_use]
pub fn transaction_name(workflow: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !workflow.is_empty() && workflow.len() <= 100 && !workflow.starts_with('.') && workflow.chars().all(fits) {
        workflow.to_owned()
    } else {
        format!("run-{}", &ContentHash::of(workflow.as_bytes()).as_str()[..24])
    }
}
