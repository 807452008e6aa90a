//! Searching texts that are not written yet beside those that are.

use super::place::{TestCorpus, path_of};
use graphloom_retrieval::{Corpus, CorpusOptions, Hit, PendingDocument, SearchOptions};

const FILES: [(&str, &str); 4] = [
    ("wal.md", "# Write-ahead log\n\nA commit returns when the log was synced. Readers go on meanwhile."),
    ("lock.md", "# Locking\n\nA writer takes the reserved lock, so readers may go on until it commits."),
    ("power.md", "# Power failure\n\nAfter a power failure the hot journal is rolled back and nothing is lost."),
    ("ja.md", "# 先行書き込みログ\n\nトランザクションは電源が切れても失われません。ログは先に書かれます。"),
];

fn search(corpus: &Corpus, query: &str, keep: &dyn Fn(&str) -> bool, unwritten: &[PendingDocument<'_>]) -> Vec<Hit> {
    corpus.search_with(query, &SearchOptions::default(), keep, unwritten).unwrap()
}

#[test]
fn a_text_scores_the_same_written_or_not() {
    let whole = TestCorpus::new(&FILES).ready();
    for (path, text) in FILES {
        let others: Vec<(&str, &str)> = FILES.into_iter().filter(|(other, _)| *other != path).collect();
        let part = TestCorpus::new(&others).ready();
        for query in ["what happens to readers of the log", "power failure", "電源が切れる", "reserved lock"] {
            let expected = search(&whole, query, &|_| true, &[]);
            let found = search(&part, query, &|_| true, &[PendingDocument { path, text }]);
            let named = |hits: &[Hit]| hits.iter().map(|hit| (path_of(hit), hit.snippet.clone())).collect::<Vec<_>>();
            assert_eq!(named(&found), named(&expected), "{path}: {query}");
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found.score - expected.score).abs() < 1e-4, "{path}: {query}: {found:?} {expected:?}");
            }
        }
    }
}

#[test]
fn what_is_left_out_is_not_found_and_makes_room() {
    let corpus = TestCorpus::new(&FILES).ready();
    let found = search(&corpus, "readers", &|path| path != "wal.md", &[]);
    assert_eq!(found.iter().map(path_of).collect::<Vec<_>>(), ["lock.md"]);
    let one = SearchOptions::with_limit(1);
    for (_, hidden) in [("first", "wal.md"), ("second", "lock.md")] {
        let found = corpus.search_with("readers", &one, &|path| path != hidden, &[]).unwrap();
        assert_eq!(found.len(), 1, "a hit that is left out does not use up the limit");
    }
    let instead = PendingDocument { path: "wal.md", text: "# Write-ahead log\n\nIt has no audience." };
    let found = search(&corpus, "readers log", &|path| path != "wal.md", &[instead]);
    assert_eq!(found.iter().filter(|hit| path_of(hit) == "wal.md").count(), 1);
    assert!(found.iter().any(|hit| hit.snippet.contains("no audience")), "{found:?}");
}

#[test]
fn endings_and_ignored_folders_can_be_chosen() {
    let place =
        TestCorpus::new(&[("a.md", "alpha"), ("b.txt", "alpha"), ("target/c.md", "alpha"), ("old/d.md", "alpha")]);
    let mut options = CorpusOptions::default();
    options.endings = vec!["md".to_owned()];
    options.ignored_folders = vec!["old".to_owned()];
    let corpus = place.open_with(options);
    corpus.refresh().unwrap();
    let mut found: Vec<String> = corpus
        .search_with(
            "alpha",
            &SearchOptions::default(),
            &|_| true,
            &[PendingDocument { path: "new.md", text: "alpha too" }],
        )
        .unwrap()
        .iter()
        .map(path_of)
        .collect();
    found.sort();
    assert_eq!(found, ["a.md", "new.md"], "texts that are equal are given once");
    let report = corpus.refresh().unwrap();
    assert_eq!(report.documents, 2);
}
