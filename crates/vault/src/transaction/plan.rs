//! From changes to operations.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use super::execute::{FileAccess, Staged};
use super::files::FileAttributes;
use super::journal::{ChangeGroup, FileAction, Intent, Kind, Operation, TRASH, since_epoch, time_of};
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

/// The state that one file is to have.
pub(super) struct Target {
    pub(super) before: Option<ContentHash>,
    pub(super) after: Option<Content>,
    /// Where the permissions of a new file come from.
    pub(super) attributes_of: Option<String>,
    /// The file it is, at another path.
    pub(super) same: Option<NotePath>,
    /// When it is to have been changed last.
    pub(super) modified: Option<Duration>,
    pub(super) removal: Removal,
    /// The name on disk of a file that comes back, where its Unicode form is another.
    pub(super) disk: Option<String>,
}

/// The content that a file is to have.
pub(super) enum Content {
    Bytes(Vec<u8>),
    /// The bytes with this hash that are at a path now.
    From(NotePath, ContentHash),
}

/// How a note is removed.
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
            attributes_of: change.moved_from.as_ref().map(|from| from.as_str().to_owned()),
            same: change.moved_from.clone(),
            modified: None,
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
    access: &FileAccess<'_>,
    run: &str,
    kind: Kind,
    targets: &BTreeMap<NotePath, Target>,
    bound: ChangeGroup,
) -> Result<Plan, VaultError> {
    check_unchanged(vault, access, targets)?;
    let case_variants = case_variants(targets);
    let carried = carried(targets, &case_variants);
    check_writable(vault, targets, &carried)?;
    let hard_links = hard_links(vault, targets);

    let mut taken = BTreeSet::new();
    let mut prepared: Vec<(Operation, Option<Vec<u8>>, FileAttributes)> = Vec::new();
    let mut backups = Vec::new();
    for (path, target) in targets {
        let place = match (&target.before, &target.disk) {
            (None, Some(disk)) => disk.into(),
            _ => vault.place(path),
        };
        let (mut action, needs) = match (&target.after, &target.removal) {
            (Some(_), _)
                if target.before.is_some() && !case_variants.contains(&path.key()) && !hard_links.contains(path) =>
            {
                (FileAction::Rewrite, None)
            }
            (Some(_), _) => (FileAction::Write, None),
            (None, Removal::Drop { needs }) => (FileAction::Remove, needs.clone()),
            (None, Removal::Trash) => (FileAction::Trash(free_in_trash(access.root, path, &mut taken)?), None),
        };
        let mut needs = needs;
        if let Some(to) = carried.get(path) {
            (action, needs) = (FileAction::Leave, Some((*to).clone()));
        }
        // Of what is only carried no copy is kept.
        let is_carried =
            |to: &&NotePath| targets.get(*to).is_some_and(|to| matches!(to.after, Some(Content::From(..))));
        if let Some(before) = &target.before
            && !carried.get(path).is_some_and(is_carried)
        {
            backups.push((before.clone(), bytes_of(vault, path, before)?));
        }
        let (bytes, after) = match &target.after {
            None => (None, None),
            Some(Content::Bytes(bytes)) => {
                let after = ContentHash::of(bytes);
                let from = target.same.as_ref().filter(|from| carried.get(*from) == Some(&path));
                let is_same =
                    from.and_then(|from| targets.get(from)).is_some_and(|from| from.before.as_ref() == Some(&after));
                if let Some(from) = from {
                    action = FileAction::Bring(from.clone());
                }
                ((!is_same).then(|| bytes.clone()), Some(after))
            }
            Some(Content::From(from, hash)) if carried.get(from) == Some(&path) => {
                action = FileAction::Carry(from.clone());
                (None, Some(hash.clone()))
            }
            Some(Content::From(from, hash)) => (Some(bytes_of(vault, from, hash)?), Some(hash.clone())),
        };
        let model =
            if target.before.is_some() { Some(place.clone()) } else { target.attributes_of.as_ref().map(Into::into) };
        let found = model.and_then(|model| reach(access.root, &model).ok().flatten());
        let attributes = FileAttributes {
            permissions: found.as_ref().map(fs::Metadata::permissions),
            modified: time_of(target.modified),
        };
        let modified = found.filter(|_| target.before.is_some()).and_then(|found| found.modified().ok());
        let op = Operation {
            path: path.clone(),
            disk: place.to_str().filter(|disk| *disk != path.as_str()).map(str::to_owned),
            before: target.before.clone(),
            after,
            action,
            modified: modified.and_then(since_epoch),
            becomes: target.modified,
            needs,
        };
        prepared.push((op, bytes, attributes));
    }
    backups.sort_by(|(a, _), (b, _)| a.cmp(b));
    backups.dedup_by(|(a, _), (b, _)| a == b);

    // Where two names differ in case only, the old one goes first: on some systems they are one file.
    prepared.sort_by_key(|(op, ..)| match &op.action {
        FileAction::Remove | FileAction::Trash(_) if case_variants.contains(&op.path.key()) => 0,
        FileAction::Write | FileAction::Rewrite | FileAction::Carry(_) | FileAction::Bring(_) => 1,
        FileAction::Remove | FileAction::Leave => 2,
        FileAction::Trash(_) => 3,
    });
    let made = missing_folders(access.root, prepared.iter().map(|(op, ..)| op));
    let mut ops = Vec::new();
    let mut staged = Vec::new();
    for (number, (mut op, bytes, attributes)) in prepared.into_iter().enumerate() {
        if case_variants.contains(&op.path.key()) {
            op.needs = None;
        }
        staged.extend(bytes.map(|bytes| Staged { op: number, bytes, attributes }));
        ops.push(op);
    }
    Ok(Plan { intent: Intent::new(run, kind, ops, bound, made), backups, staged })
}

/// The files that stay the same file at another path, from where to where: what comes to a free place and leaves the
/// one it has. A file whose name changes in case only is written anew, as both names may be one file.
fn carried<'a>(
    targets: &'a BTreeMap<NotePath, Target>,
    case_variants: &BTreeSet<String>,
) -> BTreeMap<&'a NotePath, &'a NotePath> {
    let mut found = BTreeMap::new();
    for (to, target) in targets {
        let (from, hash) = match &target.after {
            Some(Content::From(from, hash)) => (Some(from), Some(hash)),
            Some(Content::Bytes(_)) => (target.same.as_ref(), None),
            None => continue,
        };
        let leaves = |origin: &Target| {
            let is_expected = hash.is_none_or(|hash| origin.before.as_ref() == Some(hash));
            origin.after.is_none() && origin.before.is_some() && is_expected
        };
        if let Some(from) = from
            && target.before.is_none()
            && !case_variants.contains(&to.key())
            && !case_variants.contains(&from.key())
            && targets.get(from).is_some_and(leaves)
        {
            found.entry(from).or_insert(to);
        }
    }
    found
}

/// Refuses to change or remove a file that its owner has made read-only. It may be given another path.
fn check_writable(
    vault: &Vault,
    targets: &BTreeMap<NotePath, Target>,
    carried: &BTreeMap<&NotePath, &NotePath>,
) -> Result<(), VaultError> {
    let mut refused = Vec::new();
    for (path, target) in targets.iter().filter(|(_, target)| target.before.is_some()) {
        let stays = match carried.get(path).and_then(|to| targets.get(*to)).and_then(|to| to.after.as_ref()) {
            Some(Content::From(..)) => true,
            Some(Content::Bytes(bytes)) => Some(&ContentHash::of(bytes)) == target.before.as_ref(),
            None => false,
        };
        if !stays && vault.is_read_only(path)? {
            refused.push(path.clone());
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(VaultError::ReadOnly { paths: refused }) }
}

/// Files that are one file under several names and are to become different ones.
#[cfg(unix)]
fn hard_links(vault: &Vault, targets: &BTreeMap<NotePath, Target>) -> BTreeSet<NotePath> {
    use std::os::unix::fs::MetadataExt;

    let mut files: BTreeMap<(u64, u64), Vec<(&NotePath, Option<ContentHash>)>> = BTreeMap::new();
    for (path, target) in targets.iter().filter(|(_, target)| target.before.is_some()) {
        let found = reach(vault.root(), &vault.place(path)).ok().flatten().filter(|found| found.nlink() > 1);
        if let (Some(found), Some(Content::Bytes(bytes))) = (found, &target.after) {
            files.entry((found.dev(), found.ino())).or_default().push((path, Some(ContentHash::of(bytes))));
        }
    }
    let differ = |names: &&Vec<(&NotePath, Option<ContentHash>)>| names.iter().any(|(_, after)| *after != names[0].1);
    files.values().filter(differ).flatten().map(|(path, _)| (*path).clone()).collect()
}

#[cfg(not(unix))]
fn hard_links(_vault: &Vault, _targets: &BTreeMap<NotePath, Target>) -> BTreeSet<NotePath> {
    BTreeSet::new()
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

fn case_variants(targets: &BTreeMap<NotePath, Target>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    targets.keys().map(NotePath::key).filter(|key| !seen.insert(key.clone())).collect()
}

fn check_unchanged(
    vault: &Vault,
    access: &FileAccess<'_>,
    targets: &BTreeMap<NotePath, Target>,
) -> Result<(), VaultError> {
    let case_variants = case_variants(targets);
    let mut changed = Vec::new();
    for (path, target) in targets {
        let now = access.state(&vault.place(path), case_variants.contains(&path.key()))?;
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
fn missing_folders<'a>(root: &Path, ops: impl Iterator<Item = &'a Operation>) -> Vec<String> {
    let mut missing = Vec::new();
    for op in ops {
        let place = op.place();
        let target = match &op.action {
            FileAction::Write | FileAction::Carry(_) | FileAction::Bring(_) => place.as_path(),
            FileAction::Trash(to) => Path::new(to.as_str()),
            FileAction::Rewrite | FileAction::Remove | FileAction::Leave => continue,
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
