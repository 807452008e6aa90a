//! What a search gives for which question.

use super::place::{TestCorpus, ids, path_of, paths, search};
use graphloom_retrieval::{Corpus, Hit, Search, SearchOptions};

fn library() -> TestCorpus {
    TestCorpus::new(&[
        ("wal.md", "# Write-ahead log\n\nA commit returns when the log was synced. Readers go on meanwhile."),
        ("lock.md", "# Locking\n\nA writer takes the reserved lock, so readers may go on until it commits."),
        ("power.md", "# Power failure\n\nAfter a power failure the hot journal is rolled back and nothing is lost."),
        ("ja.md", "# 先行書き込みログ\n\nトランザクションは電源が切れても失われません。ログは先に書かれます。"),
        ("de.md", "# Übersicht\n\nDie Änderungen gehören in das Protokoll."),
    ])
}

#[test]
fn natural_questions_find_their_document_first() {
    let corpus = library().ready();
    for (question, first) in [
        ("What happens when the power fails?", "power.md"),
        ("Which locks does a writer take?", "lock.md"),
        ("When does COMMIT return: is the log synced?", "wal.md"),
        ("電源が切れるとトランザクションはどうなりますか", "ja.md"),
        ("ログ", "ja.md"),
        ("änderungen", "de.md"),
        ("Anderungen", "de.md"),
    ] {
        assert_eq!(paths(&corpus, question).first().map(String::as_str), Some(first), "{question}");
    }
    assert_eq!(search(&corpus, "電源")[0].snippet, "トランザクションは電源が切れても失われません。");
}

#[test]
fn no_sign_in_a_question_has_a_meaning() {
    let corpus = library().ready();
    let plain = ids(&corpus, "power failure");
    for question in [
        "power AND failure",
        "+power -failure",
        "title:power failure^9",
        "\"power failure",
        "(power failure",
        "power* failure~2 [x TO",
        "power\\ failure\0\u{feff}",
        "power <failure> {}/*",
    ] {
        assert_eq!(ids(&corpus, question).first(), plain.first(), "{question}");
    }
    for nothing in ["", "   ", "?!*", "\u{1f600}", "zzzzz"] {
        assert!(search(&corpus, nothing).is_empty(), "{nothing:?}");
    }
    let long = "failure ".repeat(150_000);
    assert_eq!(ids(&corpus, &long).first(), plain.first());
    assert!(corpus.get("no such id").unwrap().is_none());
    assert!(corpus.get("").unwrap().is_none());
}

#[test]
fn limits_hold_and_equal_scores_are_ordered_by_id() {
    let files: Vec<(String, String)> = (0..40)
        .map(|n| (format!("f{n:02}.md"), format!("# H\n\n## A\n\nword n{n:02} x\n\n## B\n\nword m{n:02} x\n")))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let corpus = TestCorpus::new(&files).ready();
    let run = |limit, per_document| -> Vec<Hit> {
        corpus.search("word", &SearchOptions::with_limit(limit).per_document(per_document)).unwrap()
    };
    let all = run(1000, 9);
    assert_eq!(all.len(), 80);
    let mut sorted: Vec<&str> = all.iter().map(|hit| hit.evidence.id.as_str()).collect();
    assert!(all.windows(2).all(|pair| pair[0].score == pair[1].score));
    sorted.sort_unstable();
    assert_eq!(sorted, all.iter().map(|hit| hit.evidence.id.as_str()).collect::<Vec<_>>());
    assert_eq!(run(7, 9)[..], all[..7]);
    let single = run(30, 1);
    let mut documents: Vec<String> = single.iter().map(path_of).collect();
    documents.dedup();
    assert_eq!((single.len(), documents.len()), (30, 30));
    assert!(run(0, 1).is_empty() && run(1, 0).is_empty());
}

#[test]
fn a_big_corpus_gives_the_planted_passage() {
    let place = TestCorpus::new(&[]);
    for file in 0..300 {
        let text: String = (0..20)
            .map(|n| {
                format!("## Part {n}\n\nSubject {file} has the property {n} and many ordinary words beside it.\n\n")
            })
            .collect();
        place.write(&format!("d{}/f{file}.md", file % 7), format!("# File {file}\n\n{text}"));
    }
    place.write("d3/planted.md", "# Planted\n\nThe quetzal sleeps in the cloud forest.");
    let corpus = place.open();
    let report = corpus.refresh().unwrap();
    assert_eq!((report.documents, report.passages), (301, 6001));
    assert_eq!(paths(&corpus, "Where does the quetzal sleep?")[0], "d3/planted.md");
    let report = corpus.refresh().unwrap();
    assert_eq!((report.unchanged, report.added), (301, 0));
}

#[tokio::test]
async fn a_corpus_is_one_engine_among_others() {
    let place = library();
    let corpus: Corpus = place.ready();
    let engines: Vec<Box<dyn Search>> = vec![Box::new(corpus.clone())];
    for engine in &engines {
        assert_eq!(engine.engines(), ["local"]);
        let hits = engine.search("power failure", 1).await.hits;
        assert_eq!(hits.len(), 1);
        let json = serde_json::to_value(&hits[0].evidence).unwrap();
        assert_eq!(json["source"]["kind"], "local");
        assert_eq!(serde_json::from_value::<graphloom_retrieval::Evidence>(json).unwrap(), hits[0].evidence);
    }
}
