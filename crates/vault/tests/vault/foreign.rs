//! Files that somebody edits between the changes and their writing.

use std::fs;
use std::sync::Arc;

use graphloom_vault::{Changes, NotePath, Notes, Overlay, Vault, VaultOptions, transaction};
use proptest::prelude::*;

use super::{TestVault, path};

/// Notes of five lines: the author of the changes edits the first and what comes after the last, others the middle.
const NAMES: &[&str] = &["A.md", "B.md", "sub/C.md", "sub/deep/D.md"];

/// Where they can be moved.
const PLACES: &[&str] = &["E.md", "sub/F.md", "other/A2.md", "new/deep/G.md"];

/// A line with links in several forms.
fn line() -> impl Strategy<Value = String> {
    let link = prop_oneof![
        (0..NAMES.len())
            .prop_map(|at| format!("[[{}]]", NAMES[at].rsplit('/').next().unwrap().trim_end_matches(".md"))),
        (0..NAMES.len()).prop_map(|at| format!("![[{}#part|x]]", NAMES[at].trim_end_matches(".md"))),
        (0..NAMES.len()).prop_map(|at| format!("[t](/{})", NAMES[at])),
        Just("[[to come]]".to_owned()),
        Just("words".to_owned()),
    ];
    proptest::collection::vec(link, 1..4).prop_map(|parts| parts.join(" and "))
}

fn note(middle: &str) -> String {
    format!("head\nsecond\n{middle}\nfourth\nlast\n")
}

/// What the author of the changes does; what cannot be done is left out.
fn plan(vault: &Arc<Vault>, moves: &[(usize, usize)], edits: &[(usize, bool)]) -> Changes {
    let mut overlay = Overlay::new(Arc::clone(vault), Changes::default());
    for (from, to) in moves {
        let _ = overlay.rename(&path(NAMES[*from]), &path(PLACES[*to]));
    }
    for (at, end) in edits {
        let place = overlay.paths().into_iter().nth(at % overlay.paths().len()).unwrap();
        let _ = if *end { overlay.append(&place, "added") } else { overlay.replace_text(&place, "head", "HEAD", 1) };
    }
    overlay.into_changes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn changes_made_before_an_edit_of_other_lines_are_those_made_after_it(
        before in proptest::collection::vec(line(), NAMES.len()),
        after in proptest::collection::vec(proptest::option::of(line()), NAMES.len()),
        moves in proptest::collection::vec((0..NAMES.len(), 0..PLACES.len()), 0..3),
        edits in proptest::collection::vec((0..NAMES.len(), any::<bool>()), 0..4),
    ) {
        let texts: Vec<String> = before.iter().map(|middle| note(middle)).collect();
        let files: Vec<(&str, &str)> = NAMES.iter().copied().zip(texts.iter().map(String::as_str)).collect();
        let (meanwhile, first) = (TestVault::new(&files), TestVault::new(&files));
        let edit = |place: &TestVault| {
            for (name, middle) in NAMES.iter().zip(&after) {
                if let Some(middle) = middle {
                    fs::write(place.root().join(name), note(middle)).unwrap();
                }
            }
        };
        // Planned, then edited, then written; and edited, then planned and written.
        let changes = plan(&meanwhile.vault, &moves, &edits);
        edit(&meanwhile);
        let vault = Arc::new(Vault::open(meanwhile.root(), VaultOptions::default()).unwrap());
        let stored: Changes = serde_json::from_str(&serde_json::to_string(&changes).unwrap()).unwrap();
        let mut overlay = Overlay::new(Arc::clone(&vault), stored);
        let done = overlay.reconcile().unwrap();
        prop_assert!(done.conflicts.is_empty(), "{:?}", done);
        transaction::apply(&vault, "run", overlay.changes()).unwrap();

        edit(&first);
        let vault = Arc::new(Vault::open(first.root(), VaultOptions::default()).unwrap());
        transaction::apply(&vault, "run", &plan(&vault, &moves, &edits)).unwrap();
        prop_assert_eq!(meanwhile.tree(), first.tree());
    }
}

#[test]
fn links_made_meanwhile_to_a_merged_note_lead_to_where_its_text_is() {
    let place = TestVault::new(&[
        ("Gone.md", "text\n"),
        ("Into.md", "home\n"),
        ("Links.md", "[[Gone]]\nmiddle\n"),
        ("Twice.md", "more\n"),
    ]);
    let mut overlay = place.overlay();
    overlay.merge(&path("Twice.md"), &path("Gone.md")).unwrap();
    overlay.merge(&path("Gone.md"), &path("Into.md")).unwrap();
    overlay.rename(&path("Into.md"), &path("sub/Home.md")).unwrap();
    fs::write(place.root().join("Links.md"), "First [[Gone|x]].\nmiddle [[Twice]]\n").unwrap();
    fs::write(place.root().join("Late.md"), "see [[Gone]] and [t](Twice.md)\n").unwrap();
    place.vault.refresh().unwrap();
    let stored: Changes = serde_json::from_str(&serde_json::to_string(overlay.changes()).unwrap()).unwrap();
    let mut overlay = Overlay::new(Arc::clone(&place.vault), stored);
    let done = overlay.reconcile().unwrap();
    assert!(done.conflicts.is_empty(), "{done:?}");
    transaction::apply(&place.vault, "run", overlay.changes()).unwrap();
    let text = |name: &str| fs::read_to_string(place.root().join(name)).unwrap();
    assert_eq!(text("Links.md"), "First [[Home|x]].\nmiddle [[Home]]\n");
    assert_eq!(text("Late.md"), "see [[Home]] and [t](sub/Home.md)\n");
    assert_eq!(text("sub/Home.md"), "home\ntext\nmore\n");
}

/// One conflict of each kind, told for the note it is about; all else stays to be written.
#[test]
fn what_cannot_be_joined_is_told() {
    for (act, name, told, lines) in [
        (Some("one\nTWO\nthree\n"), "Edited.md", "the same lines were edited since", vec![(2, 2)]),
        (None, "Edited.md", "deleted or moved since", vec![]),
        (Some("more\n"), "Deleted.md", "to be deleted, and was edited since", vec![]),
        (None, "Moved.md", "deleted or moved since", vec![]),
        (Some("other\n"), "New.md", "a file of this name was made since", vec![]),
        (Some("other\n"), "To.md", "a file of this name was made since", vec![]),
    ] {
        let place =
            TestVault::new(&[("Edited.md", "one\ntwo\nthree\n"), ("Deleted.md", "gone\n"), ("Moved.md", "moved\n")]);
        let mut overlay = place.overlay();
        overlay.replace_text(&path("Edited.md"), "two", "2", 1).unwrap();
        overlay.delete(&path("Deleted.md")).unwrap();
        overlay.rename(&path("Moved.md"), &path("To.md")).unwrap();
        overlay.create(&path("New.md"), "new\n").unwrap();
        let file = place.root().join(name);
        match act {
            Some(text) => fs::write(&file, text).unwrap(),
            None => fs::remove_file(&file).unwrap(),
        }
        place.vault.refresh().unwrap();
        let done = overlay.reconcile().unwrap();
        let [conflict] = done.conflicts.as_slice() else { panic!("{name}: {done:?}") };
        assert_eq!((&conflict.path, &conflict.lines), (&path(name), &lines), "{done:?}");
        assert!(conflict.reason.contains(told), "{done:?}");
        let others: Vec<NotePath> = overlay.changes().groups().into_iter().flatten().collect();
        let others = others.iter().filter(|other| **other != conflict.path && !(name == "To.md" || name == "Moved.md"));
        transaction::apply(&place.vault, "run", &overlay.changes().only(others)).unwrap();
    }
}

#[test]
fn what_somebody_did_as_well_is_no_conflict() {
    let place = TestVault::new(&[("A.md", "one\n"), ("B.md", "two\n")]);
    let mut overlay = place.overlay();
    overlay.replace_text(&path("A.md"), "one", "1", 1).unwrap();
    overlay.delete(&path("B.md")).unwrap();
    overlay.create(&path("C.md"), "new\n").unwrap();
    fs::write(place.root().join("A.md"), "1\n").unwrap();
    fs::remove_file(place.root().join("B.md")).unwrap();
    fs::write(place.root().join("C.md"), "new\n").unwrap();
    place.vault.refresh().unwrap();
    assert!(overlay.reconcile().unwrap().conflicts.is_empty());
    assert!(overlay.changes().is_empty());
}

/// Changes that an earlier version stored say what a note was by its hash alone: they can still be written, and an edit since
/// is told.
#[test]
fn changes_without_the_text_they_were_made_from_are_read() {
    let place = TestVault::new(&[("A.md", "one\ntwo\n")]);
    let mut overlay = place.overlay();
    overlay.append(&path("A.md"), "three").unwrap();
    let mut stored = serde_json::to_value(overlay.changes()).unwrap();
    assert!(stored["files"]["A.md"].as_object_mut().unwrap().remove("was").is_some());
    let changes: Changes = serde_json::from_value(stored).unwrap();
    let mut overlay = Overlay::new(Arc::clone(&place.vault), changes.clone());
    assert!(overlay.reconcile().unwrap().conflicts.is_empty());
    fs::write(place.root().join("A.md"), "ONE\ntwo\n").unwrap();
    let mut overlay = Overlay::new(Arc::clone(&place.vault), changes);
    assert!(overlay.reconcile().unwrap().conflicts[0].reason.contains("is not known"));
}
