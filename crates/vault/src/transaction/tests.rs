//! Stopping at every file operation, and a disk that is full.

mod faulty;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use proptest::prelude::*;

use super::files::{Disk, Files};
use super::*;
use crate::{Notes, Overlay, VaultOptions};
use faulty::{Failure, Faulty};

/// Everything in a vault but its journal: files with their bytes, folders with `None`.
type Tree = BTreeMap<String, Option<Vec<u8>>>;

fn tree(root: &Path) -> Tree {
    let entries = walkdir::WalkDir::new(root).min_depth(1).into_iter().map(Result::unwrap);
    entries
        .filter_map(|entry| {
            let path = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            let bytes = entry.file_type().is_file().then(|| fs::read(entry.path()).unwrap());
            (!path.starts_with(journal::HOME)).then_some((path, bytes))
        })
        .collect()
}

/// When each file of a vault was changed.
fn times(root: &Path) -> BTreeMap<String, SystemTime> {
    let named = tree(root).into_iter().filter(|(_, bytes)| bytes.is_some()).map(|(path, _)| path);
    named.map(|path| (path.clone(), fs::metadata(root.join(&path)).unwrap().modified().unwrap())).collect()
}

fn fill(root: &Path, tree: &Tree) {
    for (path, bytes) in tree {
        match bytes {
            None => fs::create_dir_all(root.join(path)).unwrap(),
            Some(bytes) => {
                fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
                fs::write(root.join(path), bytes).unwrap();
                let long_ago = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 + path.len() as u64);
                Disk.touch(&root.join(path), long_ago).unwrap();
            }
        }
    }
}

fn open(root: &Path) -> Arc<Vault> {
    Arc::new(Vault::open(root, VaultOptions::default()).unwrap())
}

/// One edit of a random script; one that is refused is left out.
#[derive(Clone, Debug)]
enum Edit {
    Create(usize, String),
    Append(usize, String),
    Rename(usize, usize),
    Merge(usize, usize),
    Delete(usize),
    Key(usize, i32),
}

const NAMES: &[&str] =
    &["A.md", "B.md", "a.md", "sub/A.md", "sub/C.md", "new/deep/D.md", "日本/ノート.md", "image.png", "new/b.png"];

fn make(overlay: &mut Overlay, edit: &Edit) {
    let path = |at: &usize| NotePath::of_file(NAMES[*at % NAMES.len()]).unwrap();
    let _ = match edit {
        Edit::Create(at, text) => overlay.create(&path(at), text).map(|_| ()),
        Edit::Append(at, text) => overlay.append(&path(at), text),
        Edit::Rename(from, to) => overlay.rename(&path(from), &path(to)).map(|_| ()),
        Edit::Merge(from, into) => overlay.merge(&path(from), &path(into)).map(|_| ()),
        Edit::Delete(at) => overlay.delete(&path(at)),
        Edit::Key(at, value) => overlay.set_frontmatter(&path(at), "key", serde_json::json!(value)),
    };
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("plain\n".to_owned()),
        Just("[[A]] and [[sub/C|c]]\r\nx ![[image.png]]".to_owned()),
        Just("---\nkey: 1 # c\n---\n[d](new/deep/D.md)\n".to_owned()),
        Just("\u{feff}[[ノート]]".to_owned()),
        Just(String::new()),
        "[a-c \n]{0,12}",
    ]
}

fn vault_tree() -> impl Strategy<Value = Tree> {
    proptest::collection::btree_map(0..NAMES.len(), text(), 1..5).prop_map(|notes| {
        let of_notes = notes.into_iter().filter(|(at, _)| NAMES[*at].ends_with(".md"));
        let mut tree: Tree = of_notes.map(|(at, text)| (NAMES[at].to_owned(), Some(text.into_bytes()))).collect();
        tree.insert("image.png".to_owned(), Some(vec![0, 255, 1]));
        tree
    })
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let at = || 0..NAMES.len();
    let edit = prop_oneof![
        (at(), text()).prop_map(|(at, text)| Edit::Create(at, text)),
        (at(), text()).prop_map(|(at, text)| Edit::Append(at, text)),
        (at(), at()).prop_map(|(from, to)| Edit::Rename(from, to)),
        (at(), at()).prop_map(|(from, into)| Edit::Merge(from, into)),
        at().prop_map(Edit::Delete),
        (at(), 0..3).prop_map(|(at, value)| Edit::Key(at, value)),
    ];
    proptest::collection::vec(edit, 1..7)
}

/// The changes of a script, and the tree they are to lead to.
fn prepared(before: &Tree, edits: &[Edit]) -> (Changes, Tree, usize) {
    let place = tempfile::tempdir().unwrap();
    fill(place.path(), before);
    let vault = open(place.path());
    let mut overlay = Overlay::new(Arc::clone(&vault), Changes::default());
    for edit in edits {
        make(&mut overlay, edit);
    }
    let counting = Faulty::new(usize::MAX, Failure::DiesBefore);
    apply_with(&counting, &vault, "run", overlay.changes()).unwrap();
    // What is on disk is what the overlay showed.
    let fresh = open(place.path());
    assert_eq!(fresh.paths(), overlay.paths());
    assert_eq!(fresh.attachments(), overlay.attachments());
    for path in fresh.paths() {
        assert_eq!(fresh.expect(&path).unwrap().text(), overlay.expect(&path).unwrap().text());
    }
    (overlay.into_changes(), tree(place.path()), counting.done.get())
}

/// Only notes and the trash: folders may be left over by a crash, and are gone after an undo.
fn files(tree: &Tree) -> Tree {
    tree.iter().filter(|(_, bytes)| bytes.is_some()).map(|(path, bytes)| (path.clone(), bytes.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn stopped_anywhere_an_apply_is_all_or_nothing(before in vault_tree(), edits in edits()) {
        let (changes, after, steps) = prepared(&before, &edits);
        for at in 0..steps {
            for failure in [Failure::DiesBefore, Failure::DiesWithin] {
                let place = tempfile::tempdir().unwrap();
                fill(place.path(), &before);
                let (start, times_before) = (tree(place.path()), times(place.path()));
                // The last operations clear the journal, and their failure is none.
                let died = apply_with(&Faulty::new(at, failure), &open(place.path()), "run", &changes);
                let vault = open(place.path());
                let recovered = recover(&vault).unwrap();
                prop_assert!(recovered.iter().all(|entry| entry.left.is_empty()), "{recovered:?}");
                let now = files(&tree(place.path()));
                if now != files(&start) {
                    prop_assert_eq!(&now, &files(&after), "{:?} at {} ({:?})", failure, at, died);
                    undo(&vault, "run", &UndoOptions::default()).unwrap();
                }
                prop_assert_eq!(tree(place.path()), start, "{:?} at {} ({:?})", failure, at, died);
                prop_assert_eq!(times(place.path()), times_before, "{:?} at {}", failure, at);
                prop_assert!(recover(&vault).unwrap().is_empty());
            }
        }
    }

    #[test]
    fn stopped_anywhere_an_undo_is_all_or_nothing(before in vault_tree(), edits in edits()) {
        let (changes, after, _) = prepared(&before, &edits);
        if changes.is_empty() {
            return Ok(());
        }
        for at in 0..usize::MAX {
            let place = tempfile::tempdir().unwrap();
            fill(place.path(), &before);
            let (start, times_before) = (tree(place.path()), times(place.path()));
            apply_with(&Faulty::new(usize::MAX, Failure::DiesBefore), &open(place.path()), "run", &changes).unwrap();
            let faulty = Faulty::new(at, Failure::DiesWithin);
            let _ = undo_with(&faulty, &open(place.path()), "run", &UndoOptions::default());
            let vault = open(place.path());
            recover(&vault).unwrap();
            if files(&tree(place.path())) == files(&after) {
                undo(&vault, "run", &UndoOptions::default()).unwrap();
            }
            prop_assert_eq!(tree(place.path()), start, "at {}", at);
            prop_assert_eq!(times(place.path()), times_before, "at {}", at);
            if faulty.done.get() <= at {
                break;
            }
        }
    }

    #[test]
    fn on_a_full_disk_nothing_changes(before in vault_tree(), edits in edits()) {
        let (changes, _, steps) = prepared(&before, &edits);
        for at in 0..steps {
            let place = tempfile::tempdir().unwrap();
            fill(place.path(), &before);
            let start = tree(place.path());
            let vault = open(place.path());
            match apply_with(&Faulty::new(at, Failure::Full), &vault, "run", &changes) {
                // All that needs space came before.
                Ok(_) => {}
                Err(error) => {
                    prop_assert!(error.is_disk_full(), "{error}");
                    prop_assert!(!matches!(error, VaultError::Interrupted { .. }), "{error}");
                    prop_assert_eq!(tree(place.path()), start, "full at {}", at);
                    apply(&vault, "run", &changes).unwrap();
                }
            }
        }
    }
}

#[test]
fn stopped_anywhere_forgetting_leaves_other_runs_whole_and_no_false_undo() {
    for at in 0..1000 {
        let (place, before, changes) = two_notes();
        let vault = open(place.path());
        apply(&vault, "first", &changes).unwrap();
        let mut overlay = Overlay::new(Arc::clone(&vault), Changes::default());
        make(&mut overlay, &Edit::Append(0, "and more\n".to_owned()));
        apply(&vault, "second", overlay.changes()).unwrap();
        let mut overlay = Overlay::new(Arc::clone(&vault), Changes::default());
        make(&mut overlay, &Edit::Append(1, "and more\n".to_owned()));
        apply(&vault, "first", overlay.changes()).unwrap();
        let written = tree(place.path());

        let first = BTreeSet::from(["first".to_owned()]);
        let faulty = Faulty::new(at, Failure::DiesBefore);
        let died = forget::forget_with(&faulty, &vault, &first).is_err();
        assert!(recover(&vault).unwrap().is_empty(), "nothing of it looks unfinished");
        assert_eq!(tree(place.path()), written, "no note changes");
        // What is left of the run, if it does not fit, is refused.
        if let Ok(undone) = undo(&vault, "first", &UndoOptions::default()) {
            for path in undone.restored {
                let place = path.as_str().to_owned();
                assert_eq!(tree(vault.root())[&place], before[&place], "at {at}: never a state between");
            }
        }
        undo(&vault, "second", &UndoOptions::default()).unwrap();
        forget(&vault, &first).unwrap();
        assert!(runs(&vault).unwrap().iter().all(|run| run.run == "second"), "at {at}");
        if !died {
            assert!(at > 8, "{at}");
            return;
        }
    }
    panic!("it never ends");
}

/// A vault with two notes, and changes to both.
fn two_notes() -> (tempfile::TempDir, Tree, Changes) {
    let place = tempfile::tempdir().unwrap();
    let before: Tree = [("A.md", "one [[B]]\n"), ("B.md", "two\n")]
        .map(|(path, text)| (path.to_owned(), Some(text.as_bytes().to_vec())))
        .into();
    fill(place.path(), &before);
    let mut overlay = Overlay::new(open(place.path()), Changes::default());
    make(&mut overlay, &Edit::Append(0, "more\n".to_owned()));
    make(&mut overlay, &Edit::Append(1, "more\n".to_owned()));
    (place, before, overlay.into_changes())
}

/// Stops an apply right after the first of two notes was replaced.
fn stopped_half_way(place: &Path, before: &Tree, changes: &Changes) {
    for at in 0..1000 {
        let _ = apply_with(&Faulty::new(at, Failure::DiesWithin), &open(place), "run", changes);
        let now = tree(place);
        if now["A.md"] != before["A.md"] {
            assert_eq!(now["B.md"], before["B.md"]);
            return;
        }
        fs::remove_dir_all(place.join(".obsius")).unwrap();
    }
    panic!("no operation changes the first note alone");
}

#[test]
fn a_note_edited_after_the_crash_is_left_and_reported() {
    let (place, before, changes) = two_notes();
    stopped_half_way(place.path(), &before, &changes);
    fs::write(place.path().join("B.md"), "mine").unwrap();

    let recovered = recover(&open(place.path())).unwrap();
    assert_eq!(recovered[0].outcome, RecoveryOutcome::Completed);
    assert_eq!(recovered[0].left, [NotePath::parse("B.md").unwrap()]);
    assert_eq!(fs::read_to_string(place.path().join("A.md")).unwrap(), "one [[B]]\nmore\n");
    assert_eq!(fs::read_to_string(place.path().join("B.md")).unwrap(), "mine");
}

#[test]
fn without_the_new_bytes_recovery_takes_back() {
    let (place, before, changes) = two_notes();
    stopped_half_way(place.path(), &before, &changes);
    let staged = fs::read_dir(place.path().join(".obsius/journal/000001")).unwrap().flatten();
    for item in staged.filter(|item| item.file_name().to_str().unwrap().starts_with("new-")) {
        fs::write(item.path(), "torn").unwrap();
    }
    let recovered = recover(&open(place.path())).unwrap();
    assert_eq!(recovered[0].outcome, RecoveryOutcome::RolledBack);
    assert_eq!(tree(place.path()), before);
    assert_eq!(runs(&open(place.path())).unwrap()[0].state, RunState::RolledBack);
}

#[test]
fn the_next_apply_recovers_first() {
    let (place, before, changes) = two_notes();
    stopped_half_way(place.path(), &before, &changes);
    let vault = open(place.path());
    assert_eq!(runs(&vault).unwrap()[0].state, RunState::Unfinished);
    // What it was to change is changed by the recovery, so the same changes no longer fit.
    assert!(matches!(apply(&vault, "again", &changes), Err(VaultError::Changed { .. })));
    assert_eq!(fs::read_to_string(place.path().join("B.md")).unwrap(), "two\nmore\n");
    assert_eq!(runs(&vault).unwrap()[0].state, RunState::Applied);
}

#[test]
fn a_forged_journal_touches_nothing_outside() {
    let (place, before, changes) = two_notes();
    stopped_half_way(place.path(), &before, &changes);
    let intent = place.path().join(".obsius/journal/000001/intent");
    let honest = fs::read_to_string(&intent).unwrap();
    for (what, with) in [
        ("\"B.md\"", "\"../B.md\""),
        ("\"made\":[]", "\"made\":[\"../x\"]"),
        ("\"rewrite\"", "{\"trash\":\"../x.md\"}"),
    ] {
        assert!(honest.contains(what), "{honest}");
        fs::write(&intent, honest.replacen(what, with, 1)).unwrap();
        let half = tree(place.path());
        let recovered = recover(&open(place.path())).unwrap();
        assert!(matches!(recovered[0].outcome, RecoveryOutcome::Damaged(_)), "{what}: {recovered:?}");
        assert_eq!(tree(place.path()), half);
    }
    fs::write(&intent, honest).unwrap();
    assert_eq!(recover(&open(place.path())).unwrap()[0].outcome, RecoveryOutcome::Completed);
}

#[test]
fn a_picture_is_moved_as_it_is_and_comes_back_even_when_it_changed() {
    let place = tempfile::tempdir().unwrap();
    let before: Tree = [("a/p.png", vec![0, 255, 7]), ("N.md", b"![[p.png]]".to_vec())]
        .map(|(path, bytes)| (path.to_owned(), Some(bytes)))
        .into();
    fill(place.path(), &before);
    let start = tree(place.path());
    let vault = open(place.path());
    let mut overlay = Overlay::new(Arc::clone(&vault), Changes::default());
    let (from, to) = (NotePath::of_file("a/p.png").unwrap(), NotePath::of_file("b/q.png").unwrap());
    overlay.rename(&from, &to).unwrap();
    let applied = apply(&vault, "run", overlay.changes()).unwrap();
    assert_eq!((applied.written, applied.removed), (vec![NotePath::of_file("N.md").unwrap(), to], vec![from]));
    assert_eq!(fs::read_dir(place.path().join(".obsius/blobs")).unwrap().count(), 1, "only the note is kept");
    assert_eq!(fs::read(place.path().join("b/q.png")).unwrap(), [0, 255, 7]);
    assert_eq!(fs::read(place.path().join("N.md")).unwrap(), b"![[q.png]]");
    // It is not taken back unasked when somebody painted over it, and what was painted stays.
    fs::write(place.path().join("b/q.png"), "painted").unwrap();
    assert_eq!(undo(&vault, "run", &UndoOptions::default()).unwrap().refused.len(), 3);
    assert!(undo(&vault, "run", &UndoOptions::default().force(true)).unwrap().refused.is_empty());
    let expected = start.into_iter().chain([("a/p.png".to_owned(), Some(b"painted".to_vec()))]).collect::<Tree>();
    assert_eq!(tree(place.path()), expected);
}

#[test]
fn only_one_applies_at_a_time() {
    let (place, _, changes) = two_notes();
    let vault = open(place.path());
    let held = lock::lock(vault.root(), &Disk).unwrap();
    assert!(matches!(apply(&vault, "run", &changes), Err(VaultError::Busy { .. })));
    drop(held);
    apply(&vault, "run", &changes).unwrap();
}
