//! Moves, new notes and deletions, with the links to the files and in the files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::Overlay;
use super::relink::{Relinked, Relinking, Relocation};
use crate::changes::After;
use crate::{Change, NotePath, Notes, VaultError};

/// The result of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Renamed {
    /// Where each file was, and where it is.
    pub moved: BTreeMap<NotePath, NotePath>,
    /// The rewritten links by the file they stand in; a moved one is named by its new path.
    pub relinked: BTreeMap<NotePath, Vec<Relinked>>,
    /// Files that could not be read, so that links in them, if any, are as they were.
    pub unread: Vec<NotePath>,
}

impl Renamed {
    /// How many links were rewritten.
    #[must_use]
    pub fn links(&self) -> usize {
        self.relinked.values().map(Vec::len).sum()
    }
}

/// Moves files. `folder` holds the path of a folder before and after, when the files are all files of the folder.
pub(super) fn moved(
    overlay: &mut Overlay,
    moves: &BTreeMap<NotePath, NotePath>,
    folder: Option<(String, String)>,
) -> Result<Renamed, VaultError> {
    let moves: BTreeMap<NotePath, NotePath> =
        moves.iter().filter(|(from, to)| from != to).map(|(from, to)| (from.clone(), to.clone())).collect();
    let links = overlay.links();
    let files = links.resolver();
    let mut taken = BTreeSet::new();
    for (from, to) in &moves {
        if from.is_note() {
            overlay.expect(from)?;
        } else if !files.contains(from) {
            return Err(VaultError::NoSuchNote { path: from.clone(), similar: Vec::new() });
        }
        if from.ending() != to.ending() {
            let reason = format!("it keeps its ending `.{}`; `{to}` has another", from.ending());
            return Err(VaultError::illegal_edit(from, reason));
        }
        overlay.check_new(to, Some(from))?;
        overlay.check_free(to, |path| !moves.contains_key(path))?;
        if moves.contains_key(to) || !taken.insert(to.key()) {
            return Err(VaultError::illegal_edit(to, "it is moved itself; move it elsewhere first"));
        }
    }
    let relocation = Relocation { before: files.clone(), moves, folder, ..Relocation::default() };
    let found = relocation.relink(overlay)?;
    let Relocation { moves, .. } = relocation;
    // Each of these steps can fail, so they change a copy; the copy replaces the overlay when all have succeeded.
    let mut next = overlay.clone();
    let mut contents = Vec::new();
    for (from, to) in &moves {
        let edit = found.edits.get(from);
        let text = match edit {
            Some(edit) => Some(Arc::from(edit.text.as_str())),
            None if from.is_note() => overlay.expect(from).map(|note| Some(note.shared_text()))?,
            None => None,
        };
        let content = match (text, overlay.changes.get(from)) {
            (Some(text), _) => {
                let before = overlay.written(from);
                After::Text(text, edit.map_or_else(|| before.to_vec(), |edit| edit.written(before, false)))
            }
            (None, Some(Change { after: Some(text), written, .. })) => After::Text(Arc::clone(text), written.clone()),
            (None, Some(Change { carried: Some(hash), .. })) => After::Carried(hash.clone()),
            _ => match overlay.vault.hash_at(from)? {
                Some(hash) => After::Carried(hash),
                None => return Err(VaultError::NoSuchNote { path: from.clone(), similar: Vec::new() }),
            },
        };
        let base = overlay.base_of(from);
        next.put(from, After::Gone)?;
        contents.push((to, content, base));
    }
    for (to, content, base) in contents {
        next.put(to, content)?;
        next.changes.set_base(to, base.as_deref());
    }
    take_edits(&mut next, overlay, &found, &moves)?;
    let relinked: BTreeSet<NotePath> = found.relinked.keys().cloned().collect();
    if let (1, Some((from, to))) = (moves.len(), moves.iter().next()) {
        next.changes.record_move(from, to, relinked);
        next.changes.settle();
    } else {
        for (from, to) in &moves {
            next.changes.record_move(from, to, BTreeSet::new());
        }
        let ends = moves.iter().flat_map(|(from, to)| [from.clone(), to.clone()]);
        next.changes.tie(relinked.into_iter().chain(ends).collect());
    }
    *overlay = next;
    Ok(Renamed { moved: moves, relinked: found.relinked, unread: found.unread })
}

/// Moves every file of a folder.
pub(super) fn folder(overlay: &mut Overlay, from: &str, to: &str) -> Result<Renamed, VaultError> {
    let inside = format!("{from}/");
    let mut moves = BTreeMap::new();
    let links = overlay.links();
    for path in links.resolver().below(from).filter(|path| path.as_str().starts_with(&inside)).cloned() {
        let rest = &path.as_str()[inside.len()..];
        let target = if to.is_empty() { rest.to_owned() } else { format!("{to}/{rest}") };
        let target = NotePath::of_file(&target)?;
        moves.insert(path, target);
    }
    if from.is_empty() || moves.is_empty() {
        return Err(VaultError::illegal_path(from, "no file is in such a folder"));
    }
    if to == from || to.starts_with(&inside) {
        return Err(VaultError::illegal_path(to, "a folder cannot be moved into itself"));
    }
    moved(overlay, &moves, Some((from.to_owned(), to.to_owned())))
}

/// Makes a note. A link that led elsewhere before and would lead to the new note is rewritten.
pub(super) fn created(overlay: &mut Overlay, path: &NotePath, text: &str) -> Result<Renamed, VaultError> {
    let relocation =
        Relocation { before: overlay.links().resolver().clone(), fresh: Some(path.clone()), ..Relocation::default() };
    let found = relocation.relink(overlay)?;
    let mut next = overlay.clone();
    let whole = std::iter::once(0..text.len()).filter(|range| !range.is_empty());
    next.put(path, After::Text(Arc::from(text), whole.collect()))?;
    finish(next, overlay, found, [path.clone()])
}

/// Rewrites links to a deleted note so that they lead to another note.
pub(super) fn redirected(overlay: &mut Overlay, gone: &NotePath, to: &NotePath) -> Result<Renamed, VaultError> {
    overlay.expect(to)?;
    let mut relocation = Relocation { before: overlay.links().resolver().clone(), ..Relocation::default() };
    relocation.before.insert(gone);
    relocation.moves.insert(gone.clone(), to.clone());
    let found = relocation.relink(overlay)?;
    let mut next = overlay.clone();
    next.changes.redirect(gone, to);
    finish(next, overlay, found, [gone.clone(), to.clone()])
}

/// Rewrites links to moved files in files that are new or changed since the moves.
pub(super) fn caught_up(overlay: &mut Overlay) -> Result<Renamed, VaultError> {
    let relocation = recorded_moves(overlay);
    if relocation.moves.is_empty() {
        return Ok(Renamed::default());
    }
    let found = relocation.relink(overlay)?;
    let tied: Vec<NotePath> =
        if found.edits.is_empty() { Vec::new() } else { relocation.moves.values().cloned().collect() };
    finish(overlay.clone(), overlay, found, tied)
}

/// The moves and the redirected links that the changes record.
pub(super) fn recorded_moves(overlay: &Overlay) -> Relocation {
    let ends = overlay.changes.moves().iter().map(|moved| (moved.from.clone(), moved.to.clone()));
    let led = overlay.changes.redirects().iter().map(|(gone, to)| (gone.clone(), to.clone()));
    let on_disk = overlay.vault.links();
    Relocation {
        before: on_disk.resolver().clone(),
        moves: ends.chain(led).collect(),
        is_made: true,
        ..Relocation::default()
    }
}

/// The files whose links led to a deleted note.
pub(super) fn linking(overlay: &Overlay, gone: &NotePath) -> Vec<NotePath> {
    let mut relocation = Relocation { before: overlay.links().resolver().clone(), ..Relocation::default() };
    relocation.before.insert(gone);
    relocation.moves.insert(gone.clone(), gone.clone());
    relocation.linking(overlay)
}

/// Applies rewritten links to the overlay, and ties the changes that must be applied together.
pub(super) fn finish(
    mut next: Overlay,
    overlay: &mut Overlay,
    found: Relinking,
    tied: impl IntoIterator<Item = NotePath>,
) -> Result<Renamed, VaultError> {
    take_edits(&mut next, overlay, &found, &BTreeMap::new())?;
    next.changes.tie(found.relinked.keys().cloned().chain(tied).collect());
    *overlay = next;
    Ok(Renamed { moved: BTreeMap::new(), relinked: found.relinked, unread: found.unread })
}

/// Applies the rewritten links of the files that are not moved.
fn take_edits(
    next: &mut Overlay,
    before: &Overlay,
    found: &Relinking,
    moved: &BTreeMap<NotePath, NotePath>,
) -> Result<(), VaultError> {
    for (path, edit) in found.edits.iter().filter(|(path, _)| !moved.contains_key(*path)) {
        next.check_size(path, &edit.text)?;
        let written = edit.written(before.written(path), false);
        next.put(path, After::Text(Arc::from(edit.text.as_str()), written))?;
    }
    Ok(())
}
