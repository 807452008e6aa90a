//! A refresh follows the folders, and ids follow the passages.

use super::place::{TestCorpus, ids, names, path_of, paths, search};
use graphloom_retrieval::{Corpus, CorpusOptions, IndexReport};

fn counts(report: &IndexReport) -> (usize, usize, usize, usize) {
    (report.added, report.updated, report.removed, report.unchanged)
}

#[test]
fn added_changed_and_deleted_files_are_followed() {
    let place = TestCorpus::new(&[("a.md", "The zebra runs."), ("sub/b.txt", "The giraffe eats.")]);
    let corpus = place.open();
    assert_eq!(counts(&corpus.refresh().unwrap()), (2, 0, 0, 0));
    assert_eq!(counts(&corpus.refresh().unwrap()), (0, 0, 0, 2));
    assert_eq!(paths(&corpus, "giraffe"), ["sub/b.txt"]);

    // The same length within the grain of time stamps.
    place.write("a.md", "The horse runs.");
    place.write("c.md", "An elephant drinks.");
    std::fs::remove_file(place.file("sub/b.txt")).unwrap();
    let report = corpus.refresh().unwrap();
    assert_eq!(counts(&report), (1, 1, 1, 0));
    assert_eq!((report.documents, report.passages), (2, 2));
    for (query, expected) in
        [("zebra", vec![]), ("giraffe", vec![]), ("horse", vec!["a.md"]), ("elephants", vec!["c.md"])]
    {
        assert_eq!(paths(&corpus, query), expected, "{query}");
    }

    // A new handle finds the same without reading anything again.
    let again = place.open();
    assert_eq!(paths(&again, "elephant"), ["c.md"]);
    assert_eq!(counts(&again.refresh().unwrap()), (0, 0, 0, 2));
    assert_eq!(names(&place.index()).iter().filter(|name| name.starts_with("files-")).count(), 1);
}

#[test]
fn a_touched_file_is_unchanged_and_an_old_stamp_is_trusted() {
    let place = TestCorpus::new(&[("a.md", "The zebra runs.")]);
    let corpus = place.ready();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let set = |time| std::fs::File::options().write(true).open(place.file("a.md")).unwrap().set_modified(time).unwrap();
    set(old);
    assert_eq!(counts(&corpus.refresh().unwrap()), (0, 0, 0, 1));
    // Same size, same old time stamp: not read. This is the documented price of not reading every file every time.
    place.write("a.md", "The horse runs.");
    set(old);
    assert_eq!(counts(&corpus.refresh().unwrap()), (0, 0, 0, 1));
    set(old + std::time::Duration::from_secs(1));
    assert_eq!(counts(&corpus.refresh().unwrap()), (0, 1, 0, 0));
    assert_eq!(paths(&corpus, "horse"), ["a.md"]);
}

#[test]
fn ids_stay_when_something_else_changes() {
    let text = "# Guide\n\n## One\n\nThe zebra runs.\n\n## Two\n\nThe giraffe eats.\n";
    let place = TestCorpus::new(&[("guide/animals.md", text)]);
    let corpus = place.ready();
    let before = ids(&corpus, "giraffe");
    assert_eq!(before.len(), 1);
    let (name, digits) = before[0].split_once('#').unwrap();
    assert_eq!(name, "guide-animals");
    assert!(digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));

    place.write("guide/animals.md", text.replace("zebra", "wild zebra of the plains"));
    place.write("another.md", "Something else.");
    corpus.refresh().unwrap();
    assert_eq!(ids(&corpus, "giraffe"), before);
    let zebra = corpus.get(&ids(&corpus, "zebra")[0]).unwrap().unwrap();
    assert_eq!(zebra.text, "The wild zebra of the plains runs.");

    // A new index in another place.
    let moved = TestCorpus::new(&[("guide/animals.md", text)]);
    assert_eq!(ids(&moved.ready(), "giraffe"), before);

    place.write("guide/animals.md", text.replace("giraffe", "tall giraffe"));
    corpus.refresh().unwrap();
    assert!(corpus.get(&before[0]).unwrap().is_none());
    assert_ne!(ids(&corpus, "giraffe"), before);
}

#[test]
fn most_ids_of_a_long_text_survive_an_insertion_at_its_beginning() {
    let paragraph =
        |n: usize| format!("Paragraph {n} tells of subject number {} in a sentence of some length.\n\n", n * n);
    let text: String = (0..400).map(paragraph).collect();
    let place = TestCorpus::new(&[("long.txt", &text)]);
    let corpus = place.ready();
    let all = |corpus: &Corpus| -> Vec<String> {
        let mut options = graphloom_retrieval::SearchOptions::with_limit(1000);
        options.per_document = 1000;
        corpus.search("paragraph", &options).unwrap().into_iter().map(|hit| hit.evidence.id).collect()
    };
    let before = all(&corpus);
    place.write("long.txt", format!("One new paragraph, with a few words.\n\n{text}"));
    corpus.refresh().unwrap();
    let after = all(&corpus);
    let kept = before.iter().filter(|id| after.contains(id)).count();
    assert!(before.len() > 20 && kept * 10 >= before.len() * 8, "{kept} of {}", before.len());
}

#[test]
fn files_belong_to_the_first_root_that_has_them() {
    let place = TestCorpus::new(&[("a.md", "The zebra runs."), ("sub/b.md", "The giraffe eats.")]);
    let roots = [place.file("sub"), place.docs()];
    let corpus = Corpus::open(&place.index(), &roots, CorpusOptions::default()).unwrap();
    assert_eq!(corpus.refresh().unwrap().documents, 2);
    assert_eq!(paths(&corpus, "giraffe"), ["b.md"]);
    assert_eq!(paths(&corpus, "zebra"), ["a.md"]);

    // Opened without a root, its documents are out of sight at once and gone after a refresh.
    let narrow = Corpus::open(&place.index(), &[place.file("sub")], CorpusOptions::default()).unwrap();
    assert!(paths(&narrow, "zebra").is_empty());
    assert_eq!(counts(&narrow.refresh().unwrap()), (0, 0, 1, 1));

    // A single file can be a root.
    let single = Corpus::open(&place.index(), &[place.file("a.md")], CorpusOptions::default()).unwrap();
    single.refresh().unwrap();
    assert_eq!(paths(&single, "zebra"), ["a.md"]);
    assert_eq!(search(&single, "zebra")[0].evidence.source.to_string(), place.file("a.md").display().to_string());
}

#[test]
fn the_same_text_in_two_files_is_given_once() {
    let text = "A sentence that is in both files about zebras.";
    let place =
        TestCorpus::new(&[("a.md", text), ("b.md", text), ("c.md", "Another one about zebras, longer than they.")]);
    let corpus = place.ready();
    let hits = search(&corpus, "zebras");
    assert_eq!(hits.len(), 2);
    let found: Vec<String> = hits.iter().map(path_of).collect();
    std::fs::remove_file(place.file(if found.contains(&"a.md".to_owned()) { "a.md" } else { "b.md" })).unwrap();
    corpus.refresh().unwrap();
    assert_eq!(search(&corpus, "zebras").len(), 2);
}

#[test]
fn repeated_passages_have_ids_of_their_own() {
    let place = TestCorpus::new(&[("a.md", "# A\n\n## X\n\nThe same words.\n\n## Y\n\nThe same words.\n")]);
    let report = place.open().refresh().unwrap();
    assert_eq!(report.passages, 2);
}
