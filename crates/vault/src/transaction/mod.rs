//! Applying changes to a vault: all of them or none, and back again.
//!
//! Before a note is touched, `.obsius/` in the vault holds a backup of every note that changes, the new bytes, and an
//! intent that lists the operations, each durable (`fsync`) before the next. Then every note is written where it is, moved,
//! or moved to `.trash`, and stays the same file: its mode, its owner, its other names and when it was made are kept, and a
//! note that only moves keeps when it was changed. A file that its owner made read-only is not changed. A picture, or another
//! file that is no text, is never copied: it is moved as it is. Every operation is guarded by the hash of the file it was made
//! for.
//!
//! # After a crash
//! Without an intent nothing was touched, and the entry is removed. With one, what is left to do is done. Only when
//! new bytes are missing (a rollback was under way) everything is taken back instead. A note that somebody edited
//! meanwhile is neither completed nor taken back: it is left as it is and reported. [`apply`] and [`undo`] recover
//! first; [`recover`] does only that. Until then one note may be half written: its first bytes new, the others old. It is told
//! from an edit by both texts, which the journal holds. Where no space is left to write a note where it is, the copy that the
//! journal holds takes its place, as another file.
//!
//! # Undo
//! [`undo`] gives back the bytes of every note a run changed, and removes the folders and the files in `.trash` that
//! the run made. Each note again has the time it was last changed. A note that changed since is refused, and with it those tied to it by a
//! move; [`UndoOptions::force`] overrides that. An undo is a transaction like any other, and keeps what it replaces.
//!
//! # What this does not do
//! Two programs that write the same note in the same instant are not kept apart: the hash is checked right before the
//! rename, and between the two nothing can be. Backups are kept until [`forget`] removes them.

mod execute;
mod files;
mod forget;
mod journal;
mod lock;
mod place;
mod plan;
#[cfg(test)]
mod tests;
mod torn;
mod undo;

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Changes, NotePath, Vault, VaultError};
use execute::{FileAccess, Mode};
use files::{Disk, Files};
pub use forget::Forgotten;
use journal::{ChangeGroup, Entry, FileAction, Intent, Kind};

/// What applying did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Applied {
    /// The run it was done for.
    pub run: String,
    /// Notes that were made or have another text.
    pub written: Vec<NotePath>,
    /// Old places of moved notes.
    pub removed: Vec<NotePath>,
    /// Deleted notes and where they are now, from the vault's root.
    pub trashed: BTreeMap<NotePath, String>,
}

/// The outcome of a transaction that was not finished.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Recovered {
    /// The run it was done for; empty when nothing tells.
    pub run: String,
    /// What was done with it.
    pub outcome: RecoveryOutcome,
    /// Notes that somebody changed meanwhile, left as they are.
    pub left: Vec<NotePath>,
}

/// What was done with an unfinished transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecoveryOutcome {
    /// What was left to do was done.
    Completed,
    /// What had been done was taken back.
    RolledBack,
    /// No note had been touched.
    NeverBegan,
    /// Its journal cannot be read; nothing was done. The text says why.
    Damaged(String),
}

/// How to undo.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct UndoOptions {
    /// Also give back the bytes of notes that changed since; what they hold now is kept among the backups.
    pub force: bool,
}

impl UndoOptions {
    /// Sets [`force`](Self::force).
    #[must_use]
    pub fn force(mut self, force: bool) -> Self {
        self.force = force;
        self
    }
}

/// What undoing did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Undone {
    /// The run.
    pub run: String,
    /// Notes that are again as before the run.
    pub restored: Vec<NotePath>,
    /// Notes that changed since, and those tied to them by a move; they are as they were.
    pub refused: Vec<NotePath>,
}

/// A run that the journal knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RunRecord {
    /// The run.
    pub run: String,
    /// When it was last applied or undone, in milliseconds since 1970.
    pub at_ms: u64,
    /// What of it is there.
    pub state: RunState,
    /// The notes whose change is still there.
    pub notes: Vec<NotePath>,
}

/// What of a run's changes is in the vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunState {
    /// All of it.
    Applied,
    /// Some was undone, some had changed since.
    PartlyUndone,
    /// Nothing any more.
    Undone,
    /// Nothing: it was not finished, and taken back.
    RolledBack,
    /// A transaction was not finished; recovery will say.
    Unfinished,
}

/// Applies changes: all of them, or none.
///
/// A run can apply more than once; undoing it gives back what was before the first.
///
/// ```
/// use std::sync::Arc;
/// use graphloom_vault::{NotePath, Overlay, Vault, VaultOptions, transaction};
///
/// # let place = tempfile::tempdir()?;
/// # let root = place.path();
/// let vault = Arc::new(Vault::open(root, VaultOptions::default())?);
/// let mut overlay = Overlay::new(Arc::clone(&vault), Default::default());
/// overlay.create(&NotePath::parse("New.md")?, "# New\n")?;
///
/// transaction::apply(&vault, "run-1", overlay.changes())?;
/// assert_eq!(std::fs::read_to_string(root.join("New.md"))?, "# New\n");
///
/// let undone = transaction::undo(&vault, "run-1", &transaction::UndoOptions::default())?;
/// assert_eq!(undone.restored.len(), 1);
/// assert!(!root.join("New.md").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`VaultError::Changed`] when a note is not what the change was made from, and [`VaultError::Unreachable`] when a
/// folder is a symbolic link: nothing was written. [`VaultError::NotApplied`] when the disk is full or refuses:
/// everything is as before. [`VaultError::Interrupted`] when that could not be ensured now: recovery will.
/// [`VaultError::Busy`], [`VaultError::IllegalRun`].
pub fn apply(vault: &Vault, run: &str, changes: &Changes) -> Result<Applied, VaultError> {
    apply_with(&Disk, vault, run, changes)
}

/// Finishes or takes back what a crash left unfinished. Writes nothing when there is nothing.
///
/// # Errors
/// [`VaultError::Busy`] when another process is applying; [`VaultError::Interrupted`] when the disk refuses.
pub fn recover(vault: &Vault) -> Result<Vec<Recovered>, VaultError> {
    recover_with(&Disk, vault)
}

/// Gives back what was before a run.
///
/// # Errors
/// [`VaultError::NoSuchRun`] when nothing of such a run is there to undo; [`VaultError::Damaged`] when a backup is not
/// whole; and those of [`apply`].
pub fn undo(vault: &Vault, run: &str, options: &UndoOptions) -> Result<Undone, VaultError> {
    undo_with(&Disk, vault, run, options)
}

/// Removes what is kept of runs: they can no longer be undone. No note changes. What is not finished is recovered first,
/// and names that the journal does not know are passed over.
///
/// # Errors
/// [`VaultError::Busy`], and what [`recover`] says; [`VaultError::Io`] when something cannot be removed, and then the rest
/// goes the next time.
pub fn forget(vault: &Vault, runs: &BTreeSet<String>) -> Result<Forgotten, VaultError> {
    forget::forget_with(&Disk, vault, runs)
}

/// The runs that the journal knows, in the order they were first applied.
///
/// # Errors
/// [`VaultError::Io`] when the journal cannot be listed.
pub fn runs(vault: &Vault) -> Result<Vec<RunRecord>, VaultError> {
    journal::check_home(vault.root())?;
    let entries = journal::entries(vault.root())?;
    let mut names: Vec<(&str, u64)> = Vec::new();
    for intent in entries.iter().filter_map(|entry| entry.intent.as_ref()?.as_ref().ok()) {
        match names.iter_mut().find(|(name, _)| *name == intent.run) {
            Some((_, at_ms)) => *at_ms = intent.at_ms,
            None => names.push((&intent.run, intent.at_ms)),
        }
    }
    Ok(names.into_iter().map(|(run, at_ms)| record(&entries, run, at_ms)).collect())
}

fn record(entries: &[Entry], run: &str, at_ms: u64) -> RunRecord {
    let of_run = |entry: &&Entry| matches!(&entry.intent, Some(Ok(intent)) if intent.run == run);
    let effect = undo::effect_of(entries, run);
    let unfinished = entries.iter().filter(of_run).any(|entry| entry.end.is_none());
    let finished = undo::finished(entries).any(|intent| intent.run == run);
    let state = match (unfinished, finished, effect.notes.is_empty(), effect.undone.is_empty()) {
        (true, ..) => RunState::Unfinished,
        (_, false, ..) => RunState::RolledBack,
        (_, _, true, _) => RunState::Undone,
        (_, _, false, true) => RunState::Applied,
        _ => RunState::PartlyUndone,
    };
    RunRecord { run: run.to_owned(), at_ms, state, notes: effect.notes.into_keys().collect() }
}

fn apply_with(files: &dyn Files, vault: &Vault, run: &str, changes: &Changes) -> Result<Applied, VaultError> {
    check_run(run)?;
    if changes.is_empty() {
        return Ok(Applied { run: run.to_owned(), ..Applied::default() });
    }
    let _lock = lock::lock(vault.root(), files)?;
    let access = FileAccess { root: vault.root(), files };
    recover_first(vault, &access)?;
    let bound = ChangeGroup { moves: changes.moves().to_vec(), ties: changes.ties().to_vec() };
    let plan = plan::plan(vault, &access, run, Kind::Apply, &plan::targets(changes), bound)?;
    let intent = commit(&access, plan)?;
    // The changes are made, whether or not the files can be listed again.
    let _ = vault.refresh();
    let mut applied = Applied { run: run.to_owned(), ..Applied::default() };
    for op in intent.ops {
        match op.action {
            FileAction::Write | FileAction::Rewrite | FileAction::Carry(_) | FileAction::Bring(_) => {
                applied.written.push(op.path);
            }
            FileAction::Remove | FileAction::Leave => applied.removed.push(op.path),
            FileAction::Trash(to) => {
                applied.trashed.insert(op.path, to);
            }
        }
    }
    Ok(applied)
}

fn undo_with(files: &dyn Files, vault: &Vault, run: &str, options: &UndoOptions) -> Result<Undone, VaultError> {
    check_run(run)?;
    let no_such_run = |entries: &[Entry]| {
        let mut known: Vec<String> = undo::finished(entries).map(|intent| intent.run.clone()).collect();
        known.sort();
        known.dedup();
        known.retain(|run| !undo::effect_of(entries, run).notes.is_empty());
        VaultError::NoSuchRun { run: run.to_owned(), known }
    };
    if !journal::journal_dir(vault.root()).is_dir() {
        return Err(no_such_run(&[]));
    }
    let _lock = lock::lock(vault.root(), files)?;
    let access = FileAccess { root: vault.root(), files };
    recover_first(vault, &access)?;
    let entries = journal::entries(vault.root())?;
    let effect = undo::effect_of(&entries, run);
    if effect.notes.is_empty() {
        return Err(no_such_run(&entries));
    }
    let found = undo::restoration(vault, &access, &effect, options.force)?;
    let restored: Vec<NotePath> = found.targets.keys().cloned().collect();
    if !restored.is_empty() {
        let mut plan = plan::plan(vault, &access, run, Kind::Undo, &found.targets, found.bound)?;
        plan.intent.cleared = found.cleared;
        commit(&access, plan)?;
        let _ = vault.refresh();
    }
    Ok(Undone { run: run.to_owned(), restored, refused: found.refused })
}

fn recover_with(files: &dyn Files, vault: &Vault) -> Result<Vec<Recovered>, VaultError> {
    journal::check_home(vault.root())?;
    if journal::entries(vault.root())?.iter().all(|entry| entry.end.is_some()) {
        return Ok(Vec::new());
    }
    let _lock = lock::lock(vault.root(), files)?;
    let recovered = recover_entries(&FileAccess { root: vault.root(), files })?;
    vault.refresh()?;
    Ok(recovered)
}

/// Makes the plan durable and carries it out; on failure takes it back.
fn commit(access: &FileAccess<'_>, plan: plan::Plan) -> Result<Intent, VaultError> {
    let run = plan.intent.run.clone();
    let not_applied = |source: VaultError| VaultError::NotApplied { run: run.clone(), source: Box::new(source) };
    let number = journal::next_number(&journal::entries(access.root)?);
    let dir = access.begin(number, &plan.intent, &plan.backups, &plan.staged).map_err(not_applied)?;
    let carried_out = access.roll_forward(&dir, &plan.intent, Mode::Apply);
    match carried_out {
        Ok(_) => match access.finish(&dir, &plan.intent) {
            Ok(()) => Ok(plan.intent),
            // Every note is as it is to be; only the mark is missing, and recovery writes it.
            Err(source) => Err(VaultError::Interrupted { run, source: Box::new(source) }),
        },
        Err(cause) => match access.roll_back(&dir, &plan.intent) {
            Ok(_) => match cause {
                VaultError::Changed { .. } => Err(cause),
                cause => Err(not_applied(cause)),
            },
            Err(_) => Err(VaultError::Interrupted { run, source: Box::new(cause) }),
        },
    }
}

fn recover_first(vault: &Vault, access: &FileAccess<'_>) -> Result<(), VaultError> {
    if recover_entries(access)?.is_empty() { Ok(()) } else { vault.refresh() }
}

fn recover_entries(access: &FileAccess<'_>) -> Result<Vec<Recovered>, VaultError> {
    let unfinished = journal::entries(access.root)?.into_iter().filter(|entry| entry.end.is_none());
    unfinished.map(|entry| recover_entry(access, entry)).collect()
}

fn recover_entry(access: &FileAccess<'_>, entry: Entry) -> Result<Recovered, VaultError> {
    let intent = match entry.intent {
        None => {
            access.clear_entry(&entry.dir, true)?;
            return Ok(Recovered { run: String::new(), outcome: RecoveryOutcome::NeverBegan, left: Vec::new() });
        }
        Some(Err(error)) => {
            let outcome = RecoveryOutcome::Damaged(error.to_string());
            return Ok(Recovered { run: String::new(), outcome, left: Vec::new() });
        }
        Some(Ok(intent)) => intent,
    };
    let interrupted = |source| VaultError::Interrupted { run: intent.run.clone(), source: Box::new(source) };
    let (outcome, left) = if access.can_complete(&entry.dir, &intent) {
        let left = access.roll_forward(&entry.dir, &intent, Mode::Recover).map_err(interrupted)?;
        access.finish(&entry.dir, &intent).map_err(interrupted)?;
        (RecoveryOutcome::Completed, left)
    } else {
        (RecoveryOutcome::RolledBack, access.roll_back(&entry.dir, &intent).map_err(interrupted)?)
    };
    Ok(Recovered { run: intent.run, outcome, left })
}

fn check_run(run: &str) -> Result<(), VaultError> {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if run.is_empty() || run.len() > 100 || run.starts_with('.') || !run.chars().all(legal) {
        return Err(VaultError::IllegalRun { run: run.chars().take(100).collect() });
    }
    Ok(())
}
