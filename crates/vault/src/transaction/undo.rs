//! What a run changed in the end, and what it takes to give that back.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::execute::FileAccess;
use super::journal::{ChangeGroup, CleanUp, End, Entry, FileAction, Intent, Kind};
use super::plan::{Content, Removal, Target};
use crate::changes::connected;
use crate::{ContentHash, Move, NotePath, Vault, VaultError};

/// The sum of what a run did to one note, without what was undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NoteEffect {
    pub(super) before: Option<ContentHash>,
    pub(super) after: Option<ContentHash>,
    /// The name it had on disk, where its Unicode form was another.
    pub(super) disk: Option<String>,
    pub(super) trash: Vec<(String, ContentHash)>,
    /// When it was last changed before the run.
    pub(super) modified: Option<Duration>,
}

/// The effect of a run that is still there.
#[derive(Clone, Debug, Default)]
pub(super) struct Effect {
    pub(super) notes: BTreeMap<NotePath, NoteEffect>,
    pub(super) moves: Vec<Move>,
    pub(super) ties: Vec<BTreeSet<NotePath>>,
    pub(super) made: Vec<String>,
    /// Files that were carried as they are: where each is, and where it was.
    pub(super) carried: BTreeMap<NotePath, NotePath>,
    /// Notes that were given back since the run last applied.
    pub(super) undone: BTreeSet<NotePath>,
}

/// The finished intents, in order.
pub(super) fn finished(entries: &[Entry]) -> impl Iterator<Item = &Intent> {
    entries.iter().filter(|entry| entry.end == Some(End::Done)).filter_map(|entry| entry.intent.as_ref()?.as_ref().ok())
}

pub(super) fn effect_of(entries: &[Entry], run: &str) -> Effect {
    let mut effect = Effect::default();
    for intent in finished(entries).filter(|intent| intent.run == run) {
        for op in &intent.ops {
            if intent.kind == Kind::Undo {
                effect.notes.remove(&op.path);
                effect.undone.insert(op.path.clone());
                continue;
            }
            let note_effect = effect.notes.entry(op.path.clone()).or_insert_with(|| NoteEffect {
                before: op.before.clone(),
                after: None,
                disk: op.disk.clone(),
                trash: Vec::new(),
                modified: op.modified,
            });
            note_effect.after = op.after.clone();
            if let FileAction::Carry(from) = &op.action {
                let origin = effect.carried.remove(from).unwrap_or_else(|| from.clone());
                effect.carried.insert(op.path.clone(), origin);
            }
            if let (FileAction::Trash(path), Some(hash)) = (&op.action, &op.before) {
                note_effect.trash.push((path.clone(), hash.clone()));
            }
        }
        if intent.kind == Kind::Apply {
            effect.undone.clear();
            effect.moves.extend(intent.moves.iter().cloned());
            effect.ties.extend(intent.ties.iter().cloned());
            effect
                .made
                .extend(intent.made.iter().filter(|folder| !effect.made.contains(folder)).cloned().collect::<Vec<_>>());
        }
    }
    effect.notes.retain(|_, note_effect| note_effect.before != note_effect.after);
    let notes = &effect.notes;
    effect.carried.retain(|now, origin| notes.contains_key(now) && notes.contains_key(origin));
    effect.moves.retain(|moved| effect.notes.contains_key(&moved.from) || effect.notes.contains_key(&moved.to));
    effect
}

/// The plan of an undo: what it gives back, and what it must leave.
pub(super) struct Restoration {
    pub(super) targets: BTreeMap<NotePath, Target>,
    pub(super) refused: Vec<NotePath>,
    pub(super) bound: ChangeGroup,
    pub(super) cleared: CleanUp,
}

/// A note that changed since is refused, and with it the notes tied to it by a move; unless forced.
pub(super) fn restoration(
    vault: &Vault,
    access: &FileAccess<'_>,
    effect: &Effect,
    force: bool,
) -> Result<Restoration, VaultError> {
    let is_case_variant = |path: &NotePath| effect.notes.keys().filter(|other| other.key() == path.key()).count() > 1;
    let mut now = BTreeMap::new();
    for path in effect.notes.keys() {
        now.insert(path.clone(), access.state(&vault.place(path), is_case_variant(path))?);
    }
    let changed =
        |path: &NotePath| effect.notes.get(path).is_some_and(|note_effect| now.get(path) != Some(&note_effect.after));
    let tied = effect.moves.iter().map(|moved| {
        let mut paths = moved.relinked.clone();
        paths.extend([moved.from.clone(), moved.to.clone()]);
        paths
    });
    let single = effect.notes.keys().map(|path| BTreeSet::from([path.clone()]));
    let mut refused = BTreeSet::new();
    // Of a file that was carried there is no copy: without it nothing can be given back.
    let lost = |path: &NotePath| effect.carried.contains_key(path) && now.get(path).is_none_or(Option::is_none);
    let groups = connected(tied.chain(effect.ties.iter().cloned()).chain(single));
    for group in groups {
        if group.iter().any(lost) || (!force && group.iter().any(&changed)) {
            refused.extend(group.into_iter().filter(|path| effect.notes.contains_key(path)));
        }
    }
    let mut found = Restoration {
        targets: BTreeMap::new(),
        refused: refused.iter().cloned().collect(),
        bound: ChangeGroup { moves: effect.moves.clone(), ties: effect.ties.clone() },
        cleared: CleanUp { trash: Vec::new(), folders: effect.made.clone() },
    };
    for (path, note_effect) in effect.notes.iter().filter(|(path, _)| !refused.contains(*path)) {
        let moved_to = effect.moves.iter().find(|moved| moved.from == *path).map(|moved| moved.to.clone());
        let needs = effect.moves.iter().find(|moved| moved.to == *path).map(|moved| moved.from.clone());
        found.cleared.trash.extend(note_effect.trash.clone());
        let current = now.get(path).cloned().flatten();
        if current == note_effect.before {
            continue;
        }
        let target = Target {
            before: current,
            after: match (effect.carried.iter().find(|(_, origin)| *origin == path), &note_effect.before) {
                // Only its place was changed by the run, so only that is given back.
                (Some((at, _)), Some(hash)) => {
                    let hash = now.get(at).cloned().flatten().unwrap_or_else(|| hash.clone());
                    Some(Content::From(at.clone(), hash))
                }
                (_, Some(hash)) => Some(Content::Bytes(access.backup(hash)?)),
                (_, None) => None,
            },
            attributes_of: match &moved_to {
                Some(to) => Some(to.as_str().to_owned()),
                None => note_effect.trash.last().map(|(path, _)| path.clone()),
            },
            same: moved_to,
            modified: note_effect.modified,
            removal: Removal::Drop { needs },
            disk: note_effect.disk.clone(),
        };
        found.targets.insert(path.clone(), target);
    }
    Ok(found)
}
