//! References for other programs.

use graphloom_retrieval::literature::{ArxivId, Author, Doi, Record, RecordKind, export};

fn record(title: &str, author: &str, year: u16) -> Record {
    let mut record = Record::new(title);
    record.authors.extend(Author::displayed(author));
    record.year = Some(year);
    record
}

fn shelf() -> Vec<Record> {
    let mut article = record("100% of {walks} & C# under \\alpha^2_i ~ $5", "Mara van der Berg", 2017);
    article.kind = RecordKind::Article;
    article.doi = Doi::parse("10.5555/Walks_(2017){a}");
    article.venue = Some("Journal of Walks & Runs".into());
    article.authors.extend(Author::group("Walk and Run Consortium"));
    article.authors.extend(Author::person(Some("Ann"), "Lee, Jr."));
    (article.volume, article.issue, article.pages) = (Some("4".into()), Some("2".into()), Some("11-29".into()));
    article.publisher = Some("Walk Press".into());
    article.retracted = true;
    let mut preprint = record("Walks über Gräben", "Jürgen Müller", 2016);
    preprint.kind = RecordKind::Preprint;
    preprint.arxiv = ArxivId::parse("1605.08386v2");
    preprint.abstract_text = Some("Short_text.".into());
    let mut nothing = Record::new("図書館");
    nothing.url = Some("https://example.org/a_b".into());
    let mut twin = record("Walks on ice", "Jürgen Müller", 2016);
    twin.kind = RecordKind::ConferencePaper;
    twin.venue = Some("Proceedings of Ice".into());
    [article, preprint, nothing, twin].map(Record::identified).to_vec()
}

#[test]
fn bibtex() {
    insta::assert_snapshot!(export::bibtex(&shelf()));
}

#[test]
fn csl_json() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&export::csl_json(&shelf())).unwrap());
}

#[test]
fn keys_are_unique_and_do_not_depend_on_the_order() {
    let shelf = shelf();
    let mut backwards: Vec<Record> = shelf.iter().rev().cloned().collect();
    let mut keys = export::keys(&backwards);
    keys.reverse();
    assert_eq!(keys, export::keys(&shelf));
    backwards.extend(shelf);
    let keys = export::keys(&backwards);
    let unique: std::collections::BTreeSet<&String> = keys.iter().collect();
    assert_eq!(unique.len(), 8);
    assert!(keys.iter().all(|key| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')), "{keys:?}");
    assert_eq!(export::bibtex(&[]), "");
}
