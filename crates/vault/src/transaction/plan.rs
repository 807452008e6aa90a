//! From changes to operations.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::path::Path;

use super::execute::{Ground, Staged};
use super::journal::{Bound, Fate, Intent, Kind, Op, TRASH};
use crate::vault::reach;
use crate::{Changes, ContentHash, NotePath, Vault, VaultError};

/// The most bytes of a file name on the usual file systems.
const FILE_NAME_LIMIT: usize = 255;

/// Everything that must be durable before the first note is touched.
pub(super) struct Plan {
    pub(super) intent: Intent,
    pub(super) backups: Vec<(ContentHash, Vec<u8>)>,
    pub(super) staged: Vec<Staged>,
}

/// What one note is to become.
pub(super) struct Target {
    pub(super) before: Option<ContentHash>,
    pub(super) after: Option<Content>,
    /// Where the permissions of a new file come from.
    pub(super) like: Option<String>,
    pub(super) removal: Removal,
    /// The name on disk of a file that comes back, where its Unicode form is another.
    pub(super) disk: Option<String>,
}

/// What a file is to hold.
pub(super) enum Content {
    Bytes(Vec<u8>),
    /// The bytes with this hash that are at a path now.
    From(NotePath, ContentHash),
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
            after: match (&change.carried, &change.moved_from) {
                (Some(hash), Some(from)) => Some(Content::From(from.clone(), hash.clone())),
                _ => change.after.as_ref().map(|text| Content::Bytes(text.as_bytes().to_vec())),
            },
            like: change.moved_from.as_ref().map(|from| from.as_str().to_owned()),
            removal,
            disk: None,
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
    bound: Bound,
) -> Result<Plan, VaultError> {
    check_unchanged(vault, ground, targets)?;
    let twins = twins(targets);
    let carried = carried(targets, &twins);

    let mut taken = BTreeSet::new();
    let mut prepared: Vec<(Op, Option<Vec<u8>>, Option<Permissions>)> = Vec::new();
    let mut backups = Vec::new();
    for (path, target) in targets {
        let place = match (&target.before, &target.disk) {
            (None, Some(disk)) => disk.into(),
            _ => vault.place(path),
        };
        let (mut fate, needs) = match (&target.after, &target.removal) {
            (Some(_), _) => (Fate::Write, None),
            (None, Removal::Drop { needs }) => (Fate::Remove, needs.clone()),
            (None, Removal::Trash) => (Fate::Trash(free_in_trash(ground.root, path, &mut taken)?), None),
        };
        let mut needs = needs;
        if let Some(to) = carried.get(path) {
            (fate, needs) = (Fate::Leave, Some((*to).clone()));
        } else if let Some(before) = &target.before {
            backups.push((before.clone(), bytes_of(vault, path, before)?));
        }
        let (bytes, after) = match &target.after {
            None => (None, None),
            Some(Content::Bytes(bytes)) => (Some(bytes.clone()), Some(ContentHash::of(bytes))),
            Some(Content::From(from, hash)) if carried.get(from) == Some(&path) => {
                fate = Fate::Carry(from.clone());
                (None, Some(hash.clone()))
            }
            Some(Content::From(from, hash)) => (Some(bytes_of(vault, from, hash)?), Some(hash.clone())),
        };
        let model = if target.before.is_some() { Some(place.clone()) } else { target.like.as_ref().map(Into::into) };
        let like = model.and_then(|model| reach(ground.root, &model).ok().flatten()).map(|found| found.permissions());
        let disk = place.to_str().filter(|disk| *disk != path.as_str()).map(str::to_owned);
        let op = Op { path: path.clone(), disk, before: target.before.clone(), after, fate, needs };
        prepared.push((op, bytes, like));
    }
    backups.sort_by(|(a, _), (b, _)| a.cmp(b));
    backups.dedup_by(|(a, _), (b, _)| a == b);

    // Where two names differ in case only, the old one goes first: on some systems they are one file.
    prepared.sort_by_key(|(op, ..)| match &op.fate {
        Fate::Remove | Fate::Trash(_) if twins.contains(&op.path.key()) => 0,
        Fate::Write | Fate::Carry(_) => 1,
        Fate::Remove | Fate::Leave => 2,
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
    Ok(Plan { intent: Intent::new(run, kind, ops, bound, made), backups, staged })
}

/// The files that are carried as they are, from where to where: what comes to a free place and leaves the one it has. A
/// file whose name changes in case only is written anew, as both names may be one file.
fn carried<'a>(
    targets: &'a BTreeMap<NotePath, Target>,
    twins: &BTreeSet<String>,
) -> BTreeMap<&'a NotePath, &'a NotePath> {
    let mut found = BTreeMap::new();
    for (to, target) in targets {
        if let Some(Content::From(from, hash)) = &target.after
            && target.before.is_none()
            && !twins.contains(&to.key())
            && !twins.contains(&from.key())
            && targets.get(from).is_some_and(|origin| origin.after.is_none() && origin.before.as_ref() == Some(hash))
        {
            found.entry(from).or_insert(to);
        }
    }
    found
}

/// The bytes of a file, if they are those that are expected.
fn bytes_of(vault: &Vault, path: &NotePath, expected: &ContentHash) -> Result<Vec<u8>, VaultError> {
    let full = vault.file(path);
    let bytes = fs::read(&full).map_err(|error| VaultError::io("read", &full, error))?;
    if ContentHash::of(&bytes) == *expected {
        Ok(bytes)
    } else {
        Err(VaultError::Changed { paths: vec![path.clone()] })
    }
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
    let ending = &path.file_name()[path.name().len()..];
    let mut number = 1_u32;
    loop {
        let suffix = if number == 1 { ending.to_owned() } else { format!(" {number}{ending}") };
        let mut length = path.name().len().min(FILE_NAME_LIMIT - suffix.len());
        while !path.name().is_char_boundary(length) {
            length -= 1;
        }
        let candidate = format!("{TRASH}/{}{suffix}", &path.name()[..length]);
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
            Fate::Write | Fate::Carry(_) => place.as_path(),
            Fate::Trash(to) => Path::new(to.as_str()),
            Fate::Remove | Fate::Leave => continue,
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
