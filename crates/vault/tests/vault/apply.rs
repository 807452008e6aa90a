//! Applying, undoing, and what stands in the way.

use std::fs;

use graphloom_vault::transaction::{self, RunState, UndoOptions};
use graphloom_vault::{Changes, NotePath, Notes, VaultError};
use serde_json::json;

use super::{TestVault, path};

const FILES: &[(&str, &str)] = &[
    ("A.md", "\u{feff}---\r\nk: 1\r\n---\r\n[[B]]"),
    ("B.md", "see [[A]]\n"),
    ("C.md", "gone\n"),
    ("dir/D.md", "[b](../B.md)\n"),
    ("i.png", "x"),
];

/// Every kind of change at once.
fn changed(place: &TestVault) -> Changes {
    let mut overlay = place.overlay();
    overlay.set_frontmatter(&path("A.md"), "k", json!(2)).unwrap();
    overlay.rename(&path("B.md"), &path("new/folder/E.md")).unwrap();
    overlay.delete(&path("C.md")).unwrap();
    overlay.create(&path("other/F.md"), "# F\n").unwrap();
    overlay.into_changes()
}

#[test]
fn applied_as_shown_and_undone_to_identical_bytes() {
    let place = TestVault::new(FILES);
    let before = place.tree();
    let changes = changed(&place);
    assert_eq!(place.tree(), before, "pending changes touch nothing");

    let applied = transaction::apply(&place.vault, "run-1", &changes).unwrap();
    assert_eq!(applied.removed, [path("B.md")]);
    assert_eq!(applied.trashed[&path("C.md")], ".trash/C.md");
    let text = |name: &str| fs::read_to_string(place.root().join(name)).unwrap();
    assert_eq!(text("A.md"), "\u{feff}---\r\nk: 2\r\n---\r\n[[E]]");
    assert_eq!(text("new/folder/E.md"), "see [[A]]\n");
    assert_eq!(text("dir/D.md"), "[b](../new/folder/E.md)\n");
    assert_eq!(text(".trash/C.md"), "gone\n");
    assert!(!place.root().join("B.md").exists() && !place.root().join("C.md").exists());
    assert_eq!(place.vault.paths().len(), 4, "the vault lists its notes again");

    let runs = transaction::runs(&place.vault).unwrap();
    assert_eq!((runs.len(), runs[0].run.as_str(), runs[0].state), (1, "run-1", RunState::Applied));
    assert_eq!(runs[0].notes.len(), 6);

    let undone = transaction::undo(&place.vault, "run-1", &UndoOptions::default()).unwrap();
    assert_eq!((undone.restored.len(), undone.refused.len()), (6, 0));
    assert_eq!(place.tree(), before);
    assert_eq!(transaction::runs(&place.vault).unwrap()[0].state, RunState::Undone);
    match transaction::undo(&place.vault, "run-1", &UndoOptions::default()).unwrap_err() {
        VaultError::NoSuchRun { known, .. } => assert!(known.is_empty()),
        other => panic!("{other}"),
    }
}

#[test]
fn changes_survive_being_stored() {
    let place = TestVault::new(FILES);
    let changes = changed(&place);
    let stored = serde_json::to_string(&changes).unwrap();
    let read: Changes = serde_json::from_str(&stored).unwrap();
    assert_eq!(read, changes);
    transaction::apply(&place.vault, "run", &read).unwrap();
    assert!(serde_json::from_str::<Changes>(&stored.replace("A.md", "../A.md")).is_err());
    assert!(schemars::schema_for!(Changes).as_object().is_some());
}

#[test]
fn a_note_edited_meanwhile_stops_everything() {
    for (name, text) in
        [("A.md", Some("mine")), ("C.md", None), ("other/F.md", Some("mine")), ("dir/D.md", Some("mine"))]
    {
        let place = TestVault::new(FILES);
        let changes = changed(&place);
        let file = place.root().join(name);
        match text {
            Some(text) => {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(&file, text).unwrap();
            }
            None => fs::remove_file(&file).unwrap(),
        }
        let before = place.tree();
        match transaction::apply(&place.vault, "run", &changes).unwrap_err() {
            VaultError::Changed { paths } => assert_eq!(paths, [path(name)]),
            other => panic!("{other}"),
        }
        assert_eq!(place.tree(), before, "{name}");
        assert!(graphloom_vault::diff(&place.vault, &changes).files.iter().any(|file| file.outdated), "{name}");
    }
}

#[test]
fn a_note_that_was_the_same_length_at_the_same_time_is_still_seen_as_changed() {
    let place = TestVault::new(&[("A.md", "aaaa")]);
    let file = place.root().join("A.md");
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let touch = || fs::File::options().write(true).open(&file).unwrap().set_modified(old).unwrap();
    touch();
    let mut overlay = place.overlay();
    overlay.append(&path("A.md"), "b").unwrap();
    fs::write(&file, "zzzz").unwrap();
    touch();
    assert!(matches!(transaction::apply(&place.vault, "run", overlay.changes()), Err(VaultError::Changed { .. })));
    assert_eq!(fs::read_to_string(&file).unwrap(), "zzzz");
    assert_eq!(place.vault.expect(&path("A.md")).unwrap().text(), "zzzz");
}

#[test]
fn undo_leaves_what_changed_since_and_what_is_tied_to_it() {
    let place = TestVault::new(FILES);
    let before = place.tree();
    transaction::apply(&place.vault, "run", &changed(&place)).unwrap();
    fs::write(place.root().join("new/folder/E.md"), "edited since").unwrap();

    let undone = transaction::undo(&place.vault, "run", &UndoOptions::default()).unwrap();
    assert_eq!(undone.refused, [path("A.md"), path("B.md"), path("dir/D.md"), path("new/folder/E.md")]);
    assert_eq!(undone.restored, [path("C.md"), path("other/F.md")]);
    assert_eq!(fs::read_to_string(place.root().join("new/folder/E.md")).unwrap(), "edited since");
    assert!(!place.root().join("B.md").exists());
    assert_eq!(transaction::runs(&place.vault).unwrap()[0].state, RunState::PartlyUndone);

    let forced = transaction::undo(&place.vault, "run", &UndoOptions::default().force(true)).unwrap();
    assert_eq!((forced.restored.len(), forced.refused.len()), (4, 0));
    assert_eq!(place.tree(), before);
}

#[test]
fn a_run_that_applied_twice_is_undone_as_one() {
    let place = TestVault::new(FILES);
    let before = place.tree();
    transaction::apply(&place.vault, "run", &changed(&place)).unwrap();
    let mut second = place.overlay();
    second.append(&path("other/F.md"), "more").unwrap();
    second.rename(&path("new/folder/E.md"), &path("Last.md")).unwrap();
    second.create(&path("C.md"), "another C").unwrap();
    second.delete(&path("A.md")).unwrap();
    transaction::apply(&place.vault, "run", second.changes()).unwrap();
    let mut other = place.overlay();
    other.create(&path("Z.md"), "z").unwrap();
    transaction::apply(&place.vault, "other", other.changes()).unwrap();

    let undone = transaction::undo(&place.vault, "run", &UndoOptions::default()).unwrap();
    assert!(undone.refused.is_empty(), "{undone:?}");
    let mut expected = before;
    expected.insert("Z.md".to_owned(), Some(b"z".to_vec()));
    assert_eq!(place.tree(), expected);
    // After an undo the run can apply again.
    transaction::apply(&place.vault, "run", &changed(&place)).unwrap();
    let states: Vec<RunState> = transaction::runs(&place.vault).unwrap().iter().map(|run| run.state).collect();
    assert_eq!(states, [RunState::Applied, RunState::Applied]);
}

#[test]
fn the_trash_never_loses_a_note() {
    let place = TestVault::new(&[("C.md", "1"), ("x/C.md", "2"), (".trash/c.md", "old"), (".trash/C 2.md", "older")]);
    let mut overlay = place.overlay();
    overlay.delete(&path("C.md")).unwrap();
    overlay.delete(&path("x/C.md")).unwrap();
    let applied = transaction::apply(&place.vault, "run", overlay.changes()).unwrap();
    assert_eq!(applied.trashed.len(), 2);
    for (note, to) in &applied.trashed {
        let expected = if note.folder().is_empty() { "1" } else { "2" };
        assert_eq!(fs::read_to_string(place.root().join(to)).unwrap(), expected);
    }
    assert_eq!(fs::read_to_string(place.root().join(".trash/c.md")).unwrap(), "old");
    assert_eq!(fs::read_to_string(place.root().join(".trash/C 2.md")).unwrap(), "older");
}

#[test]
fn a_part_of_the_changes_can_be_applied() {
    let place = TestVault::new(FILES);
    let changes = changed(&place);
    let part = changes.only([&path("C.md"), &path("other/F.md")]);
    let applied = transaction::apply(&place.vault, "run", &part).unwrap();
    assert_eq!((applied.written.len(), applied.trashed.len(), applied.removed.len()), (1, 1, 0));
    assert!(place.root().join("B.md").exists());
}

#[test]
fn a_damaged_backup_is_told_and_nothing_is_given_back() {
    let place = TestVault::new(FILES);
    transaction::apply(&place.vault, "run", &changed(&place)).unwrap();
    let blobs = place.root().join(".obsius/blobs");
    let blob = fs::read_dir(&blobs).unwrap().next().unwrap().unwrap().path();
    fs::write(blob, "rotten").unwrap();
    let before = place.tree();
    assert!(matches!(transaction::undo(&place.vault, "run", &UndoOptions::default()), Err(VaultError::Damaged { .. })));
    assert_eq!(place.tree(), before);
}

#[test]
fn names_of_runs_are_checked_and_nothing_is_written_for_nothing() {
    let place = TestVault::new(FILES);
    for run in ["", "../x", "a/b", ".hidden", "a b"] {
        assert!(matches!(
            transaction::apply(&place.vault, run, &Changes::default()),
            Err(VaultError::IllegalRun { .. })
        ));
    }
    transaction::apply(&place.vault, "run", &Changes::default()).unwrap();
    assert!(transaction::recover(&place.vault).unwrap().is_empty());
    assert!(transaction::runs(&place.vault).unwrap().is_empty());
    assert!(matches!(
        transaction::undo(&place.vault, "run", &UndoOptions::default()),
        Err(VaultError::NoSuchRun { .. })
    ));
    assert!(!place.root().join(".obsius").exists());
}

#[test]
fn changes_that_an_earlier_version_stored_are_read_and_applied() {
    let place = TestVault::new(&[("A.md", "a\n")]);
    let stored = json!({"files": {"B.md": {"before": null, "after": "see [[A]]\n"}}});
    let changes: Changes = serde_json::from_value(stored).unwrap();
    transaction::apply(&place.vault, "run", &changes).unwrap();
    assert_eq!(fs::read_to_string(place.root().join("B.md")).unwrap(), "see [[A]]\n");
    assert!(changes.get(&path("B.md")).unwrap().written.is_empty(), "nothing of it is mended");
}

#[test]
fn what_was_moved_into_a_folder_moves_on_with_it() {
    let place = TestVault::new(&[("a/p.png", "picture"), ("a/N.md", "![[p.png]]"), ("b/Z.md", "z"), ("b/A.md", "a")]);
    let mut overlay = place.overlay();
    for (from, to) in [("a/p.png", "b/q.png"), ("a/N.md", "b/M.md")] {
        overlay.rename(&NotePath::of_file(from).unwrap(), &NotePath::of_file(to).unwrap()).unwrap();
    }
    overlay.rename_folder("b", "c/d").unwrap();
    assert_eq!(overlay.changes().moves().len(), 4, "{:?}", overlay.changes().moves());
    transaction::apply(&place.vault, "run", overlay.changes()).unwrap();
    let paths: Vec<String> = place.tree().into_keys().collect();
    let text = |path: &str| fs::read_to_string(place.root().join(path)).unwrap();
    assert_eq!((text("c/d/q.png").as_str(), text("c/d/M.md").as_str()), ("picture", "![[q.png]]"), "{paths:?}");
    assert!(!place.root().join(".trash").exists(), "{paths:?}");
}
