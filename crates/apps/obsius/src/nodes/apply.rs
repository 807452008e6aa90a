//! Node `apply`: the approved changes are written to the vault, all or none.

use std::sync::Arc;

use graphloom_core_graph::{Context, NodeError, Shared, Snapshot};
use graphloom_vault::{ContentHash, Overlay, VaultError, transaction};

use crate::desk::Resources;
use crate::phase::Decision;
use crate::state::{Applied, Failure, WorkflowState, WorkflowStateUpdate};

/// State in: the approved changes. State out: what was applied, and the name that undoes it. Where a note was changed
/// meanwhile, or the disk is full, nothing is written and the run ends with that error.
pub(crate) async fn apply(
    state: Snapshot<WorkflowState>,
    cx: Context<Resources>,
) -> Result<WorkflowStateUpdate, NodeError> {
    let run = transaction_name(&state.session.workflow_id);
    let (vault, changes, name) = (Arc::clone(&cx.resources().vault), state.changes.clone(), run.clone());
    let done = tokio::task::spawn_blocking(move || {
        // After a crash between writing and this task's commit, the transaction is there already.
        transaction::recover(&vault)?;
        let is_applied =
            |known: &transaction::RunRecord| known.run == name && known.state == transaction::RunState::Applied;
        let is_there = transaction::runs(&vault)?.iter().any(is_applied);
        if is_there {
            return Ok::<_, VaultError>(((*changes).clone(), Vec::new()));
        }
        // Links that were made since the changes were shown would lead nowhere after a move.
        vault.refresh()?;
        let mut overlay = Overlay::new(Arc::clone(&vault), (*changes).clone());
        let late = overlay.catch_up()?;
        transaction::apply(&vault, &name, overlay.changes())?;
        let told = late.relinked.iter().map(|(path, links)| {
            format!("{} links in `{path}` were made since the changes were shown, and were rewritten too", links.len())
        });
        Ok((overlay.into_changes(), told.collect()))
    })
    .await?;
    match done {
        Ok((changes, told)) => {
            let paths: Vec<String> = changes.iter().map(|(path, _)| path.to_string()).collect();
            Ok(WorkflowState::update().applied(Applied { run, paths }).changes(Shared::new(changes)).notes(told))
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
pub(crate) fn transaction_name(workflow: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !workflow.is_empty() && workflow.len() <= 100 && !workflow.starts_with('.') && workflow.chars().all(fits) {
        workflow.to_owned()
    } else {
        format!("run-{}", &ContentHash::of(workflow.as_bytes()).as_str()[..24])
    }
}
