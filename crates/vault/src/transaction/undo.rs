//! What a run changed in the end, and what it takes to give that back.

use std::collections::{BTreeMap, BTreeSet};

use super::execute::Ground;
use super::journal::{Cleared, End, Entry, Fate, Intent, Kind};
use super::plan::{Removal, Target};
use crate::changes::connected;
use crate::{ContentHash, Move, NotePath, Vault, VaultError};

/// What a run did to one note, all its applied changes taken together and what was undone taken away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Net {
    pub(super) before: Option<ContentHash>,
    pub(super) after: Option<ContentHash>,
    pub(super) trash: Vec<(String, ContentHash)>,
}

/// The effect of a run that is still there.
#[derive(Clone, Debug, Default)]
pub(super) struct Effect {
    pub(super) notes: BTreeMap<NotePath, Net>,
    pub(super) moves: Vec<Move>,
    pub(super) made: Vec<String>,
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
            let net = effect.notes.entry(op.path.clone()).or_insert_with(|| Net {
                before: op.before.clone(),
                after: None,
                trash: Vec::new(),
            });
            net.after = op.after.clone();
            if let (Fate::Trash(path), Some(hash)) = (&op.fate, &op.before) {
                net.trash.push((path.clone(), hash.clone()));
            }
        }
        if intent.kind == Kind::Apply {
            effect.undone.clear();
            effect.moves.extend(intent.moves.iter().cloned());
            effect
                .made
                .extend(intent.made.iter().filter(|folder| !effect.made.contains(folder)).cloned().collect::<Vec<_>>());
        }
    }
    effect.notes.retain(|_, net| net.before != net.after);
    effect.moves.retain(|moved| effect.notes.contains_key(&moved.from) || effect.notes.contains_key(&moved.to));
    effect
}

/// What undoing is to do, and what it must leave.
pub(super) struct Restoration {
    pub(super) targets: BTreeMap<NotePath, Target>,
    pub(super) refused: Vec<NotePath>,
    pub(super) moves: Vec<Move>,
    pub(super) cleared: Cleared,
}

/// A note that changed since is refused, and with it the notes tied to it by a move; unless forced.
pub(super) fn restoration(
    vault: &Vault,
    ground: &Ground<'_>,
    effect: &Effect,
    force: bool,
) -> Result<Restoration, VaultError> {
    let twin = |path: &NotePath| effect.notes.keys().filter(|other| other.key() == path.key()).count() > 1;
    let mut now = BTreeMap::new();
    for path in effect.notes.keys() {
        now.insert(path.clone(), ground.state(&vault.place(path), twin(path))?);
    }
    let changed = |path: &NotePath| effect.notes.get(path).is_some_and(|net| now.get(path) != Some(&net.after));
    let tied = effect.moves.iter().map(|moved| {
        let mut paths = moved.relinked.clone();
        paths.extend([moved.from.clone(), moved.to.clone()]);
        paths
    });
    let single = effect.notes.keys().map(|path| BTreeSet::from([path.clone()]));
    let mut refused = BTreeSet::new();
    if !force {
        for group in connected(tied.chain(single)) {
            if group.iter().any(&changed) {
                refused.extend(group.into_iter().filter(|path| effect.notes.contains_key(path)));
            }
        }
    }
    let mut found = Restoration {
        targets: BTreeMap::new(),
        refused: refused.iter().cloned().collect(),
        moves: effect.moves.clone(),
        cleared: Cleared { trash: Vec::new(), folders: effect.made.clone() },
    };
    for (path, net) in effect.notes.iter().filter(|(path, _)| !refused.contains(*path)) {
        let moved_to = effect.moves.iter().find(|moved| moved.from == *path).map(|moved| moved.to.as_str().to_owned());
        let needs = effect.moves.iter().find(|moved| moved.to == *path).map(|moved| moved.from.clone());
        found.cleared.trash.extend(net.trash.clone());
        let current = now.get(path).cloned().flatten();
        if current == net.before {
            continue;
        }
        let target = Target {
            before: current,
            after: net.before.as_ref().map(|hash| ground.kept(hash)).transpose()?,
            like: moved_to.or_else(|| net.trash.last().map(|(path, _)| path.clone())),
            removal: Removal::Drop { needs },
        };
        found.targets.insert(path.clone(), target);
    }
    Ok(found)
}
