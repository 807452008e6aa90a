//! Files stay the same files: inode, mode, other names and times.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, SystemTime};

use graphloom_vault::transaction::{self, UndoOptions};
use graphloom_vault::{Changes, VaultError};

use super::{TestVault, path};

const FILES: &[(&str, &str)] = &[
    ("Edited.md", "see [[Moved]] and [[Carried]]\n"),
    ("Moved.md", "by itself\n"),
    ("Carried.md", "[with](Moved.md) a relative link\n"),
    ("Deleted.md", "gone\n"),
];

/// What makes a file this file, apart from its bytes and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileIdentity {
    inode: u64,
    mode: u32,
    names: u64,
    born: Option<SystemTime>,
    changed: SystemTime,
}

fn identity(place: &TestVault, name: &str) -> FileIdentity {
    let found = fs::metadata(place.root().join(name)).unwrap();
    FileIdentity {
        inode: found.ino(),
        mode: found.mode(),
        names: found.nlink(),
        // Not every file system knows it.
        born: found.created().ok(),
        changed: found.modified().unwrap(),
    }
}

/// Files of an odd mode and of a certain age, one of them with a second name outside of the vault.
fn aged() -> (TestVault, tempfile::TempDir) {
    let place = TestVault::new(FILES);
    let outside = tempfile::tempdir_in(place.root().parent().unwrap()).unwrap();
    for (at, (name, _)) in FILES.iter().enumerate() {
        let file = place.root().join(name);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let age = Duration::from_secs(1000 * (at as u64 + 1));
        fs::File::options().write(true).open(&file).unwrap().set_modified(SystemTime::UNIX_EPOCH + age).unwrap();
    }
    fs::hard_link(place.root().join("Edited.md"), outside.path().join("other name")).unwrap();
    (place, outside)
}

fn changed(place: &TestVault) -> Changes {
    let mut overlay = place.overlay();
    overlay.rename(&path("Moved.md"), &path("sub/Moved on.md")).unwrap();
    overlay.rename(&path("Carried.md"), &path("sub/Carried on.md")).unwrap();
    overlay.delete(&path("Deleted.md")).unwrap();
    overlay.into_changes()
}

#[test]
fn a_note_that_is_changed_or_moved_stays_the_same_file_and_undo_gives_its_times_back() {
    let (place, outside) = aged();
    let before: Vec<FileIdentity> = FILES.iter().map(|(name, _)| identity(&place, name)).collect();
    transaction::apply(&place.vault, "run", &changed(&place)).unwrap();
    let edited = identity(&place, "Edited.md");
    assert_eq!(FileIdentity { changed: before[0].changed, ..edited.clone() }, before[0]);
    assert!(edited.changed > before[0].changed, "it says when it was changed");
    let other = fs::read_to_string(outside.path().join("other name")).unwrap();
    assert_eq!(other, "see [[Moved on]] and [[Carried on]]\n", "its other name has the new text");
    assert_eq!(identity(&place, "sub/Moved on.md"), before[1], "what only moves is as it was");
    let carried = identity(&place, "sub/Carried on.md");
    assert_eq!(FileIdentity { changed: before[2].changed, ..carried }, before[2]);
    assert_eq!(
        fs::read_to_string(place.root().join("sub/Carried on.md")).unwrap(),
        "[with](Moved%20on.md) a relative link\n"
    );
    assert_eq!(identity(&place, ".trash/Deleted.md"), before[3]);

    assert!(transaction::undo(&place.vault, "run", &UndoOptions::default()).unwrap().refused.is_empty());
    for (before, (name, text)) in before.iter().zip(FILES) {
        assert_eq!(fs::read_to_string(place.root().join(name)).unwrap(), *text);
        let now = identity(&place, name);
        if *name == "Deleted.md" {
            assert_eq!((now.mode, now.changed), (before.mode, before.changed));
        } else {
            assert_eq!(now, *before, "{name}");
        }
    }
}

#[test]
fn a_read_only_note_is_not_changed_and_not_removed_but_can_move() {
    for name in ["Edited.md", "Carried.md", "Deleted.md"] {
        let (place, _outside) = aged();
        fs::set_permissions(place.root().join(name), fs::Permissions::from_mode(0o444)).unwrap();
        let (before, changes) = (place.tree(), changed(&place));
        match transaction::apply(&place.vault, "run", &changes).unwrap_err() {
            VaultError::ReadOnly { paths } => assert_eq!(paths, [path(name)]),
            other => panic!("{other}"),
        }
        assert_eq!(place.tree(), before);
        let mut overlay = graphloom_vault::Overlay::new(std::sync::Arc::clone(&place.vault), changes);
        let conflicts = overlay.reconcile().unwrap().conflicts;
        assert_eq!((conflicts.len(), &conflicts[0].path), (1, &path(name)), "{conflicts:?}");
        assert!(conflicts[0].reason.contains("read-only"), "{conflicts:?}");
    }
    let (place, _outside) = aged();
    fs::set_permissions(place.root().join("Moved.md"), fs::Permissions::from_mode(0o444)).unwrap();
    transaction::apply(&place.vault, "run", &changed(&place)).unwrap();
    assert_eq!(identity(&place, "sub/Moved on.md").mode & 0o777, 0o444);
}

#[test]
fn two_names_of_one_file_that_become_different_notes_part() {
    let place = TestVault::new(&[("A.md", "same\n"), ("B.md", "same\n")]);
    fs::remove_file(place.root().join("B.md")).unwrap();
    fs::hard_link(place.root().join("A.md"), place.root().join("B.md")).unwrap();
    let mut overlay = place.overlay();
    overlay.append(&path("A.md"), "a").unwrap();
    overlay.append(&path("B.md"), "b").unwrap();
    transaction::apply(&place.vault, "run", overlay.changes()).unwrap();
    let text = |name: &str| fs::read_to_string(place.root().join(name)).unwrap();
    assert_eq!((text("A.md").as_str(), text("B.md").as_str()), ("same\na\n", "same\nb\n"));
    transaction::undo(&place.vault, "run", &UndoOptions::default()).unwrap();
    assert_eq!((text("A.md").as_str(), text("B.md").as_str()), ("same\n", "same\n"));
}
