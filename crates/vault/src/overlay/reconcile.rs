//! Brings pending changes up to date with files that somebody else has edited.
//!
//! The links of the file on disk are rewritten for the moves, and the edits of the author of the changes are joined
//! into the file where nobody else edited the same lines. A change that cannot be joined is reported as a conflict and
//! stays as it is.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Overlay;
use super::merge3::merged;
use super::relink::{LinkTargets, Relinked, Relocation};
use super::rename::{caught_up, recorded_moves};
use crate::source::Source;
use crate::{Change, ContentHash, Note, NotePath, Notes, VaultError};

/// The result of bringing changes up to date with the files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Reconciled {
    /// Files whose change now starts from what they hold.
    pub merged: Vec<NotePath>,
    /// Links to moved files, made since in files that no change touches, that were rewritten.
    pub relinked: BTreeMap<NotePath, Vec<Relinked>>,
    /// Changes that cannot be joined with what somebody else did.
    pub conflicts: Vec<Conflict>,
}

/// A change that does not go together with what somebody else did to the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Conflict {
    /// The file, by the path it has in the changes.
    pub path: NotePath,
    /// The first and last line, counted from 1, of what both changed, as the file is now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<(usize, usize)>,
    /// What stands in the way, in words.
    pub reason: String,
}

impl Conflict {
    fn new(path: &NotePath, reason: impl Into<String>) -> Self {
        Self { path: path.clone(), lines: Vec::new(), reason: reason.into() }
    }
}

pub(super) fn reconciled(overlay: &mut Overlay) -> Result<Reconciled, VaultError> {
    let mut done = Reconciled::default();
    let mut next = overlay.clone();
    // The moves are the same for all files, so the link targets are computed once.
    let relocation = recorded_moves(overlay);
    let link_targets = relocation.link_targets(overlay);
    for (path, change) in overlay.changes.iter() {
        if is_refused(overlay, path, change)? {
            done.conflicts.push(Conflict::new(path, "it is read-only; allow writing to it, or leave it out"));
            continue;
        }
        let now = overlay.vault.hash_at(path)?;
        if now == change.before {
            continue;
        }
        match joined(overlay, &mut next, (&relocation, &link_targets), path, change, now) {
            Ok(()) => done.merged.push(path.clone()),
            Err(conflict) => done.conflicts.push(*conflict),
        }
    }
    next.changes.settle();
    if done.conflicts.is_empty() {
        match caught_up(&mut next) {
            Ok(late) => done.relinked = late.relinked,
            Err(VaultError::IllegalEdit { path, reason }) => done.conflicts.push(Conflict::new(&path, reason)),
            Err(error) => return Err(error),
        }
    }
    *overlay = next;
    Ok(done)
}

/// Whether the change would edit or remove a file that its owner has made read-only. A move without an edit is allowed.
fn is_refused(overlay: &Overlay, path: &NotePath, change: &Change) -> Result<bool, VaultError> {
    if change.before.is_none() || !overlay.vault.is_read_only(path)? {
        return Ok(false);
    }
    let place = change.moved_to.as_ref().and_then(|to| overlay.changes.get(to));
    Ok(place.is_none_or(|place| place.hash_after() != change.before))
}

type Joined = Result<(), Box<Conflict>>;

/// Makes the change of one file start from the content on disk, whose hash is `now`.
fn joined(
    overlay: &Overlay,
    next: &mut Overlay,
    moves: (&Relocation, &LinkTargets),
    path: &NotePath,
    change: &Change,
    now: Option<ContentHash>,
) -> Joined {
    let conflict = |reason: &str| Err(Box::new(Conflict::new(path, reason)));
    let Some(now) = now else {
        if change.moved_to.is_some() || change.is_there() {
            return conflict("it was deleted or moved since");
        }
        // The change deletes the file, and the file is gone already.
        next.changes.rebase(path, None);
        return Ok(());
    };
    if change.before.is_none() || change.moved_from.is_some() {
        let is_same = change.moved_from.is_none() && change.hash_after().as_ref() == Some(&now);
        if !is_same {
            return conflict("a file of this name was made since");
        }
        next.changes.rebase(path, Some(now));
        return Ok(());
    }
    let place = match (&change.moved_to, change.is_there()) {
        (Some(to), _) => to,
        (None, true) => path,
        (None, false) => return conflict("it is to be deleted, and was edited since"),
    };
    let Some(planned) = overlay.changes.get(place) else { return conflict("its other place is not known") };
    if planned.carried.is_some() {
        next.changes.rebase(path, Some(now.clone()));
        next.changes.carry(place, now);
        return Ok(());
    }
    let theirs = overlay.vault.text(path).ok().flatten();
    let Some(theirs) = theirs.filter(|text| ContentHash::of(text.as_bytes()) == now) else {
        return conflict("it is no text any more");
    };
    let base = planned.base().filter(|base| Some(ContentHash::of(base.as_bytes())) == change.before);
    let (Some(base), Some(ours)) = (base, &planned.after) else {
        return conflict("it was edited since, and what it was before is not known");
    };
    let relinked = |text: &str| with_links(moves, path, text);
    let (base, theirs_moved) = match (relinked(&base), relinked(&theirs)) {
        (Ok(base), Ok(theirs)) => (base, theirs),
        (_, Err(reason)) | (Err(reason), _) => return conflict(&reason),
    };
    let edit = merged(&base, ours, &theirs_moved).map_err(|clashes| {
        let lines = clashes.into_iter().map(|lines| (lines.start + 1, lines.end.max(lines.start + 1))).collect();
        let conflict = Conflict::new(path, "the same lines were edited since");
        Box::new(Conflict { lines, ..conflict })
    })?;
    let is_broken = |text: &str| Note::parse(path.clone(), text).frontmatter().problem().is_some();
    if path.is_note() && is_broken(&edit.text) && !is_broken(ours) && !is_broken(&theirs) {
        return conflict("its frontmatter was edited since, and both edits together cannot be read");
    }
    next.check_size(place, &edit.text).map_err(|error| Box::new(Conflict::new(path, error.to_string())))?;
    let written = edit.written(&planned.written, false);
    next.changes.rebase(path, Some(now));
    next.changes.rewrite(place, edit.text.into(), written, &theirs);
    Ok(())
}

/// The text of a file with its links rewritten for the moves; the error says in words why they cannot be rewritten.
fn with_links(
    (relocation, link_targets): (&Relocation, &LinkTargets),
    path: &NotePath,
    text: &str,
) -> Result<String, String> {
    let source = Source::read(path, Arc::from(text))?;
    match relocation.edit(link_targets, path, &source) {
        Ok(Some((edit, _))) => Ok(edit.text),
        Ok(None) => Ok(text.to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
