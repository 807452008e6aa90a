//! Undoing the changes of a run.

use std::path::Path;
use std::sync::Arc;

use graphloom_cli::{ExitStatus, Failure, Session};
use graphloom_obsius::{WorkflowState, transaction_name};
use graphloom_vault::transaction::{self, RunRecord, RunState, UndoOptions, Undone};

use crate::args::VaultArgs;
use crate::open::{open_vault, runs};

/// Undoes the changes of a run. The journal of the vault knows what was written. The database may not know it: the run may
/// have been killed before the commit, or the database may be another one.
pub(crate) async fn undo(session: &Session, id: &str, force: bool, vault: &VaultArgs) -> Result<ExitStatus, Failure> {
    let known = runs(session).known(id).await?.map(|(_, found)| found.state);
    let root = known.as_ref().map_or_else(|| vault.or_here(), |state| vault.or_of(state));
    // An unfinished transaction is finished or rolled back first.
    let vault = open_vault(&root, session)?;
    let name = transaction_name(id);
    let records = transaction::runs(&vault)?;
    let record = records.iter().find(|record| record.run == name);
    if let Some(reason) = why_nothing(id, record, known.as_ref(), &records, &root) {
        return Err(Failure::new(ExitStatus::Usage, reason));
    }
    let undone = transaction::undo(&vault, &name, &UndoOptions::default().force(force))?;
    if known.is_some_and(|state| state.applied.is_none() && state.outcome.is_none()) {
        session
            .progress
            .note(format!("run `{id}` has not come to its end; `obsius resume {id}` would write its changes again"));
    }
    print_undone(session, &undone)
}

/// The reason why nothing can be undone; `None` when something can.
fn why_nothing(
    id: &str,
    record: Option<&RunRecord>,
    known: Option<&Arc<WorkflowState>>,
    records: &[RunRecord],
    root: &Path,
) -> Option<String> {
    match record.map(|record| record.state) {
        Some(RunState::Undone) => return Some(format!("run `{id}` is undone already")),
        Some(RunState::RolledBack) => {
            return Some(format!("what run `{id}` began to write was taken back, so nothing is undone"));
        }
        Some(_) => return None,
        None => {}
    }
    match known {
        Some(state) if state.applied.is_some() => Some(format!(
            "the vault `{}` has no backups of run `{id}` any more, so it cannot be undone; `obsius forget` removes backups, and \
             so does writing when there are more than `keep_backups`",
            root.display()
        )),
        Some(_) => Some(format!("run `{id}` has written nothing, so nothing is undone")),
        None => {
            let written: Vec<String> = records
                .iter()
                .filter(|record| matches!(record.state, RunState::Applied | RunState::PartlyUndone))
                .map(|record| format!("`{}`", record.run))
                .collect();
            let written = if written.is_empty() { "none".to_owned() } else { written.join(", ") };
            Some(format!(
                "there is no run `{id}` in this data directory, nor in the journal of the vault `{}`; the runs that can be \
                 undone there: {written}; `--vault DIR` names another vault",
                root.display()
            ))
        }
    }
}

/// Prints which notes were restored and which were left.
fn print_undone(session: &Session, undone: &Undone) -> Result<ExitStatus, Failure> {
    let named = |paths: &[graphloom_vault::NotePath]| {
        paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
    };
    let status = if undone.refused.is_empty() { ExitStatus::Done } else { ExitStatus::Failed };
    let mut text = format!("{} notes are as they were before: {}", undone.restored.len(), named(&undone.restored));
    if !undone.refused.is_empty() {
        text.push_str(&format!(
            "\nleft as they are, because they changed since: {}; `--force` gives them back too",
            named(&undone.refused)
        ));
    }
    session.progress.result(status, &text, undone)?;
    Ok(status)
}
