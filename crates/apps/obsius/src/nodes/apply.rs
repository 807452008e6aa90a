//! Node `apply`: the approved changes are written to the vault, all or none.

use std::sync::Arc;

use graphloom_core_graph::{Context, NodeError, Shared, Snapshot};
use graphloom_vault::{Changes, Conflict, ContentHash, Overlay, Vault, VaultError, transaction};

use crate::desk::Resources;
use crate::keep::keep_newest;
use crate::phase::Decision;
use crate::state::{Applied, Failure, Review, WorkflowState, WorkflowStateUpdate};

/// How often files that change while they are written are looked at again.
const ATTEMPTS: usize = 3;

/// What became of the changes.
enum Written {
    /// They are in the vault, as these and with what is to be told.
    Done(Changes, Vec<String>),
    /// Nothing is written, because somebody edited the same lines.
    Refused(Vec<Conflict>),
}

/// State in: the approved changes. State out: what was applied, and the name that undoes it. Edits that others made
/// meanwhile stay; where they are on the same lines, nothing is written and the person is asked again. Where the disk is
/// full, nothing is written and the run ends with that error.
pub(crate) async fn apply(
    state: Snapshot<WorkflowState>,
    cx: Context<Resources>,
) -> Result<WorkflowStateUpdate, NodeError> {
    let run = transaction_name(&state.session.workflow_id);
    let keep = state.session.config.keep_backups;
    let (vault, changes, name) = (Arc::clone(&cx.resources().vault), state.changes.clone(), run.clone());
    let done = tokio::task::spawn_blocking(move || write(&vault, &changes, &name, keep)).await?;
    match done {
        Ok(Written::Done(changes, told)) => {
            let paths: Vec<String> = changes.iter().map(|(path, _)| path.to_string()).collect();
            Ok(WorkflowState::update().applied(Applied { run, paths }).changes(Shared::new(changes)).notes(told))
        }
        Ok(Written::Refused(conflicts)) => {
            let told = conflicts.iter().map(conflict_in_words).map(|line| format!("nothing is written: {line}"));
            let told: Vec<String> = told.collect();
            // To be asked again is no refusal.
            let rounds = state.review.rounds.saturating_sub(1);
            let review = Review { approved: false, conflicts, rounds, ..state.review.clone() };
            Ok(WorkflowState::update().review(review).notes(told))
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

fn write(vault: &Arc<Vault>, changes: &Changes, name: &str, keep: usize) -> Result<Written, VaultError> {
    // After a crash between writing and this task's commit, the transaction is there already.
    transaction::recover(vault)?;
    let is_applied =
        |known: &transaction::RunRecord| known.run == name && known.state == transaction::RunState::Applied;
    if transaction::runs(vault)?.iter().any(is_applied) {
        return Ok(Written::Done(changes.clone(), Vec::new()));
    }
    let mut attempt = 1;
    let (changes, reconciled) = loop {
        vault.refresh()?;
        let mut overlay = Overlay::new(Arc::clone(vault), changes.clone());
        let reconciled = overlay.reconcile()?;
        if !reconciled.conflicts.is_empty() {
            return Ok(Written::Refused(reconciled.conflicts));
        }
        match transaction::apply(vault, name, overlay.changes()) {
            Ok(_) => break (overlay.into_changes(), reconciled),
            Err(VaultError::Changed { .. }) if attempt < ATTEMPTS => attempt += 1,
            Err(error) => return Err(error),
        }
    };
    let mut told: Vec<String> = reconciled
        .merged
        .iter()
        .map(|path| format!("`{path}` was edited since the changes were shown; both edits are in it"))
        .collect();
    told.extend(reconciled.relinked.iter().map(|(path, links)| {
        format!("{} links in `{path}` were made since the changes were shown, and were rewritten too", links.len())
    }));
    match keep_newest(vault, keep) {
        Ok(kept) => told.extend(kept),
        // The changes are written, whether or not old backups can be removed.
        Err(error) => told.push(format!("backups of old runs could not be removed: {error}")),
    }
    Ok(Written::Done(changes, told))
}

/// A conflict as a person is told it.
pub(super) fn conflict_in_words(conflict: &Conflict) -> String {
    let lines: Vec<String> = conflict
        .lines
        .iter()
        .map(|(first, last)| if first == last { format!("line {first}") } else { format!("lines {first} to {last}") })
        .collect();
    let place = if lines.is_empty() { String::new() } else { format!(" ({})", lines.join(", ")) };
    format!("`{}`{place}: {}", conflict.path, conflict.reason)
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
