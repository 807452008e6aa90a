//! From changes to operations.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::path::Path;

use super::execute::{Ground, Staged};
use super::journal::{Fate, Intent, Kind, Op, TRASH};
use crate::vault::reach;
use crate::{Changes, ContentHash, Move, NotePath, Vault, VaultError};

/// Everything that must be durable before the first note is touched.
pub(super) struct Plan {
    pub(super) intent: Intent,
    pub(super) backups: Vec<(ContentHash, Vec<u8>)>,
    pub(super) staged: Vec<Staged>,
}

/// What one note is to become.
pub(super) struct Target {
    pub(super) before: Option<ContentHash>,
    pub(super) after: Option<Vec<u8>>,
    /// Where the permissions of a new file come from.
    pub(super) like: Option<String>,
    pub(super) removal: Removal,
}

/// What removing a note means.
pub(super) enum Removal {
    Trash,
    /// For good: it is elsewhere, or was not there before the run.
    Drop {
        needs: Option<NotePath>,
    },
}

/// The targets of changes.
pub(super) fn targets(changes: &Changes) -> BTreeMap<NotePath, Target> {
    let target = |(path, change): (&NotePath, &crate::Change)| {
        let removal = match &change.moved_to {
            Some(to) => Removal::Drop { needs: Some(to.clone()) },
            None => Removal::Trash,
        };
        let target = Target {
            before: change.before.clone(),
            after: change.after.as_ref().map(|text| text.as_bytes().to_vec()),
            like: change.moved_from.as_ref().map(|from| from.as_str().to_owned()),
            removal,
        };
        (path.clone(), target)
    };
    changes.iter().map(target).collect()
}

/// Checks that every note is what it must be, and prepares the operations.
pub(super) fn plan(
    vault: &Vault,
    ground: &Ground<'_>,
    run: &str,
    kind: Kind,
    targets: &BTreeMap<NotePath, Target>,
    moves: Vec<Move>,
) -> Result<Plan, VaultError> {
    check_unchanged(vault, ground, targets)?;

    let mut taken = BTreeSet::new();
    let mut prepared: Vec<(Op, Option<Vec<u8>>, Option<Permissions>)> = Vec::new();
    let mut backups = Vec::new();
    for (path, target) in targets {
        let place = vault.place(path);
        let (fate, needs) = match (&target.after, &target.removal) {
            (Some(_), _) => (Fate::Write, None),
            (None, Removal::Drop { needs }) => (Fate::Remove, needs.clone()),
            (None, Removal::Trash) => (Fate::Trash(free_in_trash(ground.root, path, &mut taken)?), None),
        };
        if let Some(before) = &target.before {
            let full = ground.root.join(&place);
            let bytes = fs::read(&full).map_err(|error| VaultError::io("read", &full, error))?;
            if ContentHash::of(&bytes) != *before {
                return Err(VaultError::Changed { paths: vec![path.clone()] });
            }
            backups.push((before.clone(), bytes));
        }
        let model = if target.before.is_some() { Some(place.clone()) } else { target.like.as_ref().map(Into::into) };
        let like = model.and_then(|model| reach(ground.root, &model).ok().flatten()).map(|found| found.permissions());
        let disk = place.to_str().filter(|disk| *disk != path.as_str()).map(str::to_owned);
        let after = target.after.as_ref().map(|bytes| ContentHash::of(bytes));
        let op = Op { path: path.clone(), disk, before: target.before.clone(), after, fate, needs };
        prepared.push((op, target.after.clone(), like));
    }
    backups.sort_by(|(a, _), (b, _)| a.cmp(b));
    backups.dedup_by(|(a, _), (b, _)| a == b);

    let twins = twins(targets);
    // Where two names differ in case only, the old one goes first: on some systems they are one file.
    prepared.sort_by_key(|(op, ..)| match &op.fate {
        Fate::Remove | Fate::Trash(_) if twins.contains(&op.path.key()) => 0,
        Fate::Write => 1,
        Fate::Remove => 2,
        Fate::Trash(_) => 3,
    });
    let made = missing_folders(ground.root, prepared.iter().map(|(op, ..)| op));
    let mut ops = Vec::new();
    let mut staged = Vec::new();
    for (number, (mut op, bytes, like)) in prepared.into_iter().enumerate() {
        if twins.contains(&op.path.key()) {
            op.needs = None;
        }
        staged.extend(bytes.map(|bytes| Staged { op: number, bytes, like }));
        ops.push(op);
    }
    Ok(Plan { intent: Intent::new(run, kind, ops, moves, made), backups, staged })
}

fn twins(targets: &BTreeMap<NotePath, Target>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    targets.keys().map(NotePath::key).filter(|key| !seen.insert(key.clone())).collect()
}

fn check_unchanged(vault: &Vault, ground: &Ground<'_>, targets: &BTreeMap<NotePath, Target>) -> Result<(), VaultError> {
    let twins = twins(targets);
    let mut changed = Vec::new();
    for (path, target) in targets {
        let now = ground.state(&vault.place(path), twins.contains(&path.key()))?;
        if now != target.before {
            changed.push(path.clone());
        }
    }
    if changed.is_empty() { Ok(()) } else { Err(VaultError::Changed { paths: changed }) }
}

/// `.trash/Name.md`, or with a number when that is taken.
fn free_in_trash(root: &Path, path: &NotePath, taken: &mut BTreeSet<String>) -> Result<String, VaultError> {
    let mut number = 1_u32;
    loop {
        let name = if number == 1 { path.name().to_owned() } else { format!("{} {number}", path.name()) };
        let candidate = format!("{TRASH}/{name}.md");
        let is_free = match reach(root, Path::new(&candidate)) {
            Ok(found) => found.is_none(),
            // Something that is no file has the name.
            Err(VaultError::Unreachable { part, .. }) if part != TRASH => false,
            Err(error) => return Err(error),
        };
        if is_free && taken.insert(candidate.to_lowercase()) {
            return Ok(candidate);
        }
        number += 1;
    }
}

/// The folders that the operations need and that are not there, parents first.
fn missing_folders<'a>(root: &Path, ops: impl Iterator<Item = &'a Op>) -> Vec<String> {
    let mut missing = Vec::new();
    for op in ops {
        let place = op.place();
        let target = match &op.fate {
            Fate::Write => place.as_path(),
            Fate::Trash(to) => Path::new(to.as_str()),
            Fate::Remove => continue,
        };
        let mut above: Vec<&Path> = target.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty()).collect();
        above.reverse();
        for folder in above {
            let Some(text) = folder.to_str() else { continue };
            if !root.join(folder).is_dir() && !missing.iter().any(|known| known == text) {
                missing.push(text.to_owned());
            }
        }
    }
    missing
}
