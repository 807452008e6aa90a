//! The index of a vault: what a refresh does again, and what recent and related notes are.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use graphloom_obsius::index::{IndexSummary, SearchField, SearchQuery, VaultIndex, related};
use graphloom_vault::{LinkIndex, NotePath, Overlay, Vault, VaultOptions};

struct TestVault {
    dir: tempfile::TempDir,
}

impl TestVault {
    fn new(notes: &[(&str, &str)]) -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap() };
        std::fs::create_dir(place.root()).unwrap();
        for (path, text) in notes {
            place.write(path, text, 3_600);
        }
        place
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("vault")
    }

    /// Writes a note that was changed so many seconds ago.
    fn write(&self, path: &str, text: &str, age: u64) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        let time = SystemTime::now() - Duration::from_secs(age);
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    }

    fn open(&self) -> (VaultIndex, Overlay) {
        let vault = Arc::new(Vault::open(self.root(), VaultOptions::default()).unwrap());
        let index = VaultIndex::open(Arc::clone(&vault), &self.dir.path().join("index")).unwrap();
        (index, Overlay::new(vault, Default::default()))
    }
}

fn found(index: &VaultIndex, overlay: &Overlay, text: &str) -> Vec<String> {
    let found = index.search(overlay, &SearchQuery::new(text, 10)).unwrap();
    found.into_iter().map(|hit| hit.path.to_string()).collect()
}

fn counts(summary: &IndexSummary) -> [usize; 5] {
    [summary.notes, summary.added, summary.updated, summary.removed, summary.unchanged]
}

#[test]
fn a_refresh_does_again_what_changed_and_no_more() {
    let place = TestVault::new(&[("a.md", "about apples"), ("b.md", "about bears"), ("c.md", "about cider")]);
    let (index, _) = place.open();
    assert_eq!(counts(&index.refresh().unwrap()), [3, 3, 0, 0, 0]);
    assert_eq!(counts(&index.refresh().unwrap()), [3, 0, 0, 0, 3]);
    place.write("a.md", "about apricots", 1_800);
    place.write("b.md", "about bears", 1_800);
    std::fs::remove_file(place.root().join("c.md")).unwrap();
    place.write("d.md", "about dates", 3_600);
    place.write(".obsidian/e.md", "about eels", 3_600);
    std::fs::write(place.root().join("f.md"), [0xff, 0xfe, 0x00, 0xd8]).unwrap();

    // Another process finds what this one kept.
    drop(index);
    let (index, overlay) = place.open();
    assert_eq!(found(&index, &overlay, "apples"), ["a.md"], "before a refresh it is what the last one found");
    let summary = index.refresh().unwrap();
    assert_eq!(counts(&summary), [3, 1, 1, 1, 1]);
    assert_eq!(summary.unread.len(), 1);
    assert!(summary.unread[0].path == "f.md" && summary.unread[0].reason.to_string().contains("UTF-8"), "{summary:?}");
    assert_eq!(found(&index, &overlay, "apricots"), ["a.md"]);
    for gone in ["apples", "cider", "eels"] {
        assert_eq!(found(&index, &overlay, gone), Vec::<String>::new(), "{gone}");
    }
}

#[test]
fn an_empty_vault_and_a_damaged_catalogue_are_no_trouble() {
    let place = TestVault::new(&[]);
    let (index, overlay) = place.open();
    assert_eq!(counts(&index.refresh().unwrap()), [0; 5]);
    assert!(found(&index, &overlay, "anything").is_empty());
    let mut overlay = overlay;
    overlay.create(&NotePath::parse("New.md").unwrap(), "The very first note.").unwrap();
    assert_eq!(found(&index, &overlay, "first note"), ["New.md"], "a change is found in an empty index");

    place.write("a.md", "about apples", 3_600);
    index.refresh().unwrap();
    std::fs::write(place.dir.path().join("index/notes.json"), "{\"format\": 1, \"entr").unwrap();
    let (index, overlay) = place.open();
    assert_eq!(counts(&index.refresh().unwrap()), [1, 1, 0, 0, 0]);
    assert_eq!(found(&index, &overlay, "apples"), ["a.md"]);
}

#[test]
fn a_change_stands_where_it_will_stand_when_it_is_written() {
    let notes: Vec<(String, String)> = (0..30)
        .map(|n| {
            (format!("n{n:02}.md"), format!("# Note {n}\n\nWord {} and the harbour {}.", "tide ".repeat(n % 7), n))
        })
        .collect();
    let all: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let whole = TestVault::new(&all);
    let (written, on_disk) = whole.open();
    written.refresh().unwrap();
    let part = TestVault::new(&all[..all.len() - 1]);
    let (index, mut overlay) = part.open();
    index.refresh().unwrap();
    let (path, text) = all[all.len() - 1];
    overlay.create(&NotePath::parse(path).unwrap(), text).unwrap();
    for query in ["tide", "harbour 29", "note word"] {
        assert_eq!(found(&index, &overlay, query), found(&written, &on_disk, query), "{query}");
    }
}

#[test]
fn recent_notes_are_ordered_by_time_with_changes_first() {
    let place = TestVault::new(&[("x/old.md", "old"), ("x/older.md", "older"), ("y/new.md", "new")]);
    place.write("x/older.md", "older", 7_200);
    place.write("y/new.md", "new", 60);
    let (index, mut overlay) = place.open();
    index.refresh().unwrap();
    let recent = |overlay: &Overlay, folder| -> Vec<String> {
        index.recent(overlay, folder, 3).into_iter().map(|hit| hit.path.to_string()).collect()
    };
    assert_eq!(recent(&overlay, None), ["y/new.md", "x/old.md", "x/older.md"]);
    overlay.append(&NotePath::parse("x/older.md").unwrap(), "more").unwrap();
    assert_eq!(recent(&overlay, None), ["x/older.md", "y/new.md", "x/old.md"]);
    assert_eq!(recent(&overlay, Some("X")), ["x/older.md", "x/old.md"]);
}

#[test]
fn related_notes_are_linked_first_then_alike() {
    let place = TestVault::new(&[
        ("hub.md", "[[leaf]] and [[shared]]. #topic"),
        ("leaf.md", "A leaf."),
        ("shared.md", "Shared."),
        ("cousin.md", "Also [[shared]]."),
        ("fan.md", "See [[hub]]."),
        ("tagged.md", "Alike. #Topic"),
        ("stranger.md", "Nothing in common."),
    ]);
    let (index, overlay) = place.open();
    index.refresh().unwrap();
    let links = LinkIndex::build(&overlay);
    let hits = related(&overlay, &links, &NotePath::parse("hub.md").unwrap(), 10);
    let paths: Vec<&str> = hits.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(paths, ["fan.md", "leaf.md", "shared.md", "cousin.md", "tagged.md"]);
}

#[test]
fn fields_and_folders_narrow_a_search() {
    let place = TestVault::new(&[
        ("Trees.md", "About oaks."),
        ("a/Oaks.md", "About trees. #wood/hard"),
        ("b/oaks and elms.md", "About woods."),
    ]);
    let (index, overlay) = place.open();
    index.refresh().unwrap();
    for (text, field, folder, expected) in [
        ("oaks", SearchField::Title, None, vec!["a/Oaks.md", "b/oaks and elms.md"]),
        ("oaks", SearchField::Content, None, vec!["Trees.md", "a/Oaks.md"]),
        ("oaks", SearchField::All, Some("b"), vec!["b/oaks and elms.md"]),
        ("wood", SearchField::Tags, None, vec!["a/Oaks.md"]),
        ("oaks", SearchField::All, Some("c"), vec![]),
    ] {
        let mut query = SearchQuery::new(text, 10).in_field(field);
        query.folder = folder.map(str::to_owned);
        let mut found: Vec<String> =
            index.search(&overlay, &query).unwrap().into_iter().map(|hit| hit.path.to_string()).collect();
        if field == SearchField::Content {
            // The full-text index also knows the titles that a passage stands under.
            found.retain(|path| expected.contains(&path.as_str()));
            found.sort();
        }
        assert_eq!(found, expected, "{text} {field:?} {folder:?}");
    }
}

#[test]
fn an_index_is_not_made_in_a_foreign_directory() {
    let place = TestVault::new(&[("a.md", "text")]);
    let foreign: &Path = &place.dir.path().join("index/passages");
    std::fs::create_dir_all(foreign).unwrap();
    std::fs::write(foreign.join("letter.txt"), "dear").unwrap();
    let vault = Arc::new(Vault::open(place.root(), VaultOptions::default()).unwrap());
    let error = VaultIndex::open(vault, &place.dir.path().join("index")).unwrap_err().to_string();
    assert!(error.contains("passages"), "{error}");
    assert_eq!(std::fs::read_to_string(foreign.join("letter.txt")).unwrap(), "dear");
}

#[test]
fn pages_show_every_note_that_fits_once_and_say_whether_there_are_more() {
    let notes: Vec<(String, String)> = (0..95)
        .map(|n| {
            // Some fit by their title, some by a tag, some by their text, some not at all.
            let tag = if n % 5 == 0 { "---\ntags: [tea]\n---\n" } else { "" };
            let title = if n % 3 == 0 { format!("Tea {n}.md") } else { format!("n{n}.md") };
            let text = if n % 7 == 0 {
                format!("about coffee {n}")
            } else {
                format!("{}about tea {n}", "some words ".repeat(n % 9))
            };
            (title, format!("{tag}{text}"))
        })
        .collect();
    let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let place = TestVault::new(&notes);
    let (index, overlay) = place.open();
    index.refresh().unwrap();
    let whole = index.page(&overlay, &SearchQuery::new("tea", 200)).unwrap();
    assert!(!whole.more && whole.found.len() > 80, "{}", whole.found.len());
    let whole: Vec<NotePath> = whole.found.into_iter().map(|hit| hit.path).collect();
    for size in [1, 7, 10, 50] {
        let mut paged: Vec<NotePath> = Vec::new();
        loop {
            let query = SearchQuery::new("tea", size).from_offset(paged.len());
            let page = index.page(&overlay, &query).unwrap();
            paged.extend(page.found.into_iter().map(|hit| hit.path));
            assert_eq!(page.more, paged.len() < whole.len(), "{size}: {}", paged.len());
            if !page.more {
                break;
            }
        }
        assert_eq!(paged, whole, "{size}");
    }
}
