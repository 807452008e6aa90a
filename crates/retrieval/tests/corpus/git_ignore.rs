//! What a `.gitignore` leaves out of a corpus.

use graphloom_retrieval::{Corpus, CorpusOptions};

use super::place::{TestCorpus, paths};

fn garden() -> TestCorpus {
    TestCorpus::new(&[
        (".gitignore", "/build/\n*.txt\n!keep.txt\n"),
        ("a.md", "The zebra runs."),
        ("drop.txt", "The zebra is text."),
        ("keep.txt", "The zebra is kept."),
        ("build/made.md", "The zebra was built."),
        ("sub/.gitignore", "*.md\n!*.txt\n"),
        ("sub/b.md", "The zebra sleeps."),
        ("sub/c.txt", "The zebra eats."),
        ("sub/build/d.html", "<p>The zebra is not at the top.</p>"),
        ("sub/picture.txt.png", "png"),
    ])
}

#[test]
fn its_files_and_folders_are_left_out_and_counted() {
    let place = garden();
    let corpus = place.open();
    let report = corpus.refresh().unwrap();
    // `build`, `drop.txt` and `sub/b.md`.
    assert_eq!((report.ignored, report.documents), (3, 4), "{report:?}");
    assert!(report.to_string().contains("3 left out by .gitignore"), "{report}");
    let mut found = paths(&corpus, "zebra");
    found.sort();
    assert_eq!(found, ["a.md", "keep.txt", "sub/build/d.html", "sub/c.txt"]);

    let mut options = CorpusOptions::default();
    options.git_ignore = false;
    let report = place.open_with(options).refresh().unwrap();
    assert_eq!((report.ignored, report.documents), (0, 7), "{report:?}");
}

#[test]
fn rules_above_the_corpus_count_inside_a_repository_only() {
    let place = garden();
    let open = || Corpus::open(&place.index(), &[place.file("sub")], CorpusOptions::default()).unwrap();
    std::fs::write(place.docs().join(".gitignore"), "*.html").unwrap();
    assert_eq!(open().refresh().unwrap().documents, 2);
    std::fs::create_dir(place.docs().join(".git")).unwrap();
    assert_eq!(open().refresh().unwrap().documents, 1);
    // A folder that is named is read, even if a rule leaves it out.
    std::fs::write(place.docs().join(".gitignore"), "/sub/").unwrap();
    assert_eq!(open().refresh().unwrap().documents, 2);
}
