//! The review of changes to a vault: the question to a person, what a verdict approves, and writing that.
//!
//! The nodes `review` and `apply` of [`graph()`](crate::graph()) are made of these three functions. A graph of one's own
//! puts them behind its own tools:
//!
//! ```
//! use std::sync::Arc;
//!
//! use graphloom_agents::Verdict;
//! use graphloom_obsius::review::{WriteOutcome, approved, question, write};
//! use graphloom_vault::{Changes, NotePath, Overlay, Vault, VaultOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = tempfile::tempdir()?;
//! # let root = place.path();
//! std::fs::write(root.join("Engine.md"), "# Engine\n")?;
//! let vault = Arc::new(Vault::open(root, VaultOptions::default())?);
//! let mut overlay = Overlay::new(Arc::clone(&vault), Changes::default());
//! overlay.append(&NotePath::parse("Engine.md")?, "It runs.\n")?;
//! let changes = overlay.into_changes();
//!
//! let asked = question(&vault, &changes);
//! assert_eq!(asked.items.len(), 1);
//! let changes = approved(&changes, &asked.decide(&Verdict::Approve)?);
//! let WriteOutcome::Done { .. } = write(&vault, &changes, "run-1", 5)? else { return Err("nobody edits these notes".into()) };
//! assert_eq!(std::fs::read_to_string(root.join("Engine.md"))?, "# Engine\nIt runs.\n");
//! # Ok(())
//! # }
//! ```

use std::sync::Arc;

use graphloom_agents::{ReviewItem, ReviewRequest, Reviewed};
use graphloom_vault::{Changes, Conflict, FileDiff, NotePath, Overlay, Vault, VaultError, diff, transaction};

use crate::backups::prune_backups;

/// How often files that change while they are written are looked at again.
const ATTEMPTS: usize = 3;

/// The outcome of changes that were to be written.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WriteOutcome {
    /// They are in the vault.
    Done {
        /// The changes as they were written, together with edits that others made meanwhile.
        changes: Changes,
        /// What is to be told of such edits, and of backups that could not be removed.
        told: Vec<String>,
    },
    /// Nothing is written, because somebody edited the same lines.
    Refused {
        /// Where.
        conflicts: Vec<Conflict>,
    },
}

/// The question about changes: one item for each group of them that only make sense together, with ids from `1` on.
pub fn question(vault: &Arc<Vault>, changes: &Changes) -> ReviewRequest {
    question_with(vault, changes, &[])
}

/// The same, where edits of others stand in the way of some changes.
pub(crate) fn question_with(vault: &Arc<Vault>, changes: &Changes, conflicts: &[Conflict]) -> ReviewRequest {
    let groups = changes.groups();
    let items = (1..).zip(&groups).map(|(number, group)| {
        let shown = diff(vault, &changes.only(group));
        let mut titles: Vec<String> = shown.files.iter().map(FileDiff::headline).collect();
        let conflicts = conflicts.iter().filter(|conflict| group.contains(&conflict.path));
        titles.extend(conflicts.map(|conflict| format!("conflict in {}", conflict_in_words(conflict))));
        ReviewItem { id: number.to_string(), title: titles.join("; "), diff: shown.to_string() }
    });
    let items: Vec<ReviewItem> = items.collect();
    let (added, removed) = diff(vault, changes).counts();
    let summary = format!("{} changes, {added} new lines, {removed} lines gone", items.len());
    ReviewRequest { summary, items }
}

/// The changes that a review of [`question`] approved: whole groups.
#[must_use]
pub fn approved(changes: &Changes, reviewed: &Reviewed) -> Changes {
    let groups = changes.groups();
    let numbered = (1..).zip(&groups);
    let paths: Vec<NotePath> = numbered
        .filter(|(number, _): &(u32, _)| reviewed.approved.contains(&number.to_string()))
        .flat_map(|(_, group)| group.iter().cloned())
        .collect();
    changes.only(&paths)
}

/// Writes changes to the vault, all or none, as the transaction `name`, and keeps the newest `keep` backups of older ones.
///
/// Edits that others made meanwhile stay. A transaction of this name that is already applied is not applied again, so that
/// a node which is run again after a crash writes once. It blocks.
///
/// # Errors
/// The vault cannot be read or written; nothing is written then.
pub fn write(vault: &Arc<Vault>, changes: &Changes, name: &str, keep: usize) -> Result<WriteOutcome, VaultError> {
    // After a crash between writing and the commit of the task that wrote, the transaction is there already.
    transaction::recover(vault)?;
    let is_applied =
        |known: &transaction::RunRecord| known.run == name && known.state == transaction::RunState::Applied;
    if transaction::runs(vault)?.iter().any(is_applied) {
        return Ok(WriteOutcome::Done { changes: changes.clone(), told: Vec::new() });
    }
    let mut attempt = 1;
    let (changes, reconciled) = loop {
        vault.refresh()?;
        let mut overlay = Overlay::new(Arc::clone(vault), changes.clone());
        let reconciled = overlay.reconcile()?;
        if !reconciled.conflicts.is_empty() {
            return Ok(WriteOutcome::Refused { conflicts: reconciled.conflicts });
        }
        match transaction::apply(vault, name, overlay.changes()) {
            Ok(_) => break (overlay.into_changes(), reconciled),
            Err(VaultError::Changed { .. }) if attempt < ATTEMPTS => attempt += 1,
            Err(error) => return Err(error),
        }
    };
    let mut notices: Vec<String> = reconciled
        .merged
        .iter()
        .map(|path| format!("`{path}` was edited since the changes were shown; both edits are in it"))
        .collect();
    notices.extend(reconciled.relinked.iter().map(|(path, links)| {
        format!("{} links in `{path}` were made since the changes were shown, and were rewritten too", links.len())
    }));
    match prune_backups(vault, keep) {
        Ok(notice) => notices.extend(notice),
        // The changes are written, whether or not old backups can be removed.
        Err(error) => notices.push(format!("backups of old runs could not be removed: {error}")),
    }
    Ok(WriteOutcome::Done { changes, told: notices })
}

/// A conflict as a person is told it.
pub(crate) fn conflict_in_words(conflict: &Conflict) -> String {
    let lines: Vec<String> = conflict
        .lines
        .iter()
        .map(|(first, last)| if first == last { format!("line {first}") } else { format!("lines {first} to {last}") })
        .collect();
    let place = if lines.is_empty() { String::new() } else { format!(" ({})", lines.join(", ")) };
    format!("`{}`{place}: {}", conflict.path, conflict.reason)
}
