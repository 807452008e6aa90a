//! Which records are of one work, case by case.

use proptest::prelude::*;

use super::super::Author;
use super::*;

/// Source, DOI, arXiv id, title, author, year.
type Row<'a> = (&'a str, &'a str, &'a str, &'a str, &'a str, u16);

fn record((source, doi, arxiv, title, author, year): Row<'_>) -> Record {
    let mut record = Record::new(title);
    record.doi = Doi::parse(doi);
    record.arxiv = ArxivId::parse(arxiv);
    record.authors.extend(Author::displayed(author));
    record.year = (year > 0).then_some(year);
    record.kind = if source == "arxiv" { RecordKind::Preprint } else { RecordKind::Article };
    record.provenance.push(Provenance::new(source, title, "q", 1));
    record
}

const LONG: &str = "Heat-bath random walks with Markov bases";

#[test]
fn works_are_told_apart_and_joined() {
    let cases: &[(&str, &[Row<'_>], usize)] = &[
        (
            "one DOI in two spellings",
            &[
                ("openalex", "https://doi.org/10.1000/A", "", "A", "Ann Lee", 2020),
                ("crossref", "10.1000/a", "", "Other", "", 0),
            ],
            1,
        ),
        (
            "two versions of a preprint",
            &[("arxiv", "", "1605.08386v1", "A", "", 0), ("openalex", "", "1605.08386v2", "B", "", 0)],
            1,
        ),
        (
            "arXiv's DOI is its id",
            &[("arxiv", "", "1605.08386v1", "A", "", 0), ("openalex", "10.48550/arXiv.1605.08386", "", "B", "", 0)],
            1,
        ),
        (
            "preprint and publication",
            &[
                ("arxiv", "", "1605.08386", LONG, "Caprice Stanley", 2016),
                ("crossref", "10.1137/x", "", "Heat‐Bath Random Walks with Markov Bases.", "C. Stanley", 2017),
            ],
            1,
        ),
        (
            "preprint with its own DOI",
            &[
                ("openalex", "10.48550/arXiv.1605.08386", "", LONG, "C Stanley", 2016),
                ("crossref", "10.1137/x", "", LONG, "C. Stanley", 2017),
            ],
            1,
        ),
        (
            "a third links two",
            &[
                ("crossref", "10.1137/x", "", "A", "", 0),
                ("openalex", "", "1605.08386", "B", "", 0),
                ("arxiv", "10.1137/x", "1605.08386", "C", "", 0),
            ],
            1,
        ),
        (
            "no author given",
            &[("openalex", "", "", LONG, "", 2016), ("crossref", "10.1137/x", "", LONG, "C. Stanley", 0)],
            1,
        ),
        (
            "years too far apart",
            &[("openalex", "", "", LONG, "C Stanley", 2014), ("crossref", "", "", LONG, "C Stanley", 2016)],
            2,
        ),
        (
            "another first author",
            &[("openalex", "", "", LONG, "C Stanley", 2016), ("crossref", "", "", LONG, "T Windisch", 2016)],
            2,
        ),
        (
            "two articles with a DOI each",
            &[
                ("openalex", "10.1000/a", "", LONG, "C Stanley", 2016),
                ("crossref", "10.1000/b", "", LONG, "C Stanley", 2016),
            ],
            2,
        ),
        (
            "editorials",
            &[("openalex", "10.1000/a", "", "Editorial", "", 2016), ("crossref", "", "", "Editorial", "", 2016)],
            2,
        ),
        (
            "two preprints of one title",
            &[
                ("arxiv", "", "1605.08386", LONG, "C Stanley", 2016),
                ("arxiv", "", "1605.08387", LONG, "C Stanley", 2016),
            ],
            2,
        ),
        ("titles without letters", &[("openalex", "", "", "???", "", 0), ("crossref", "", "", "!!!", "", 0)], 2),
        (
            "another script",
            &[("openalex", "", "", "図書館の歴史", "", 2020), ("crossref", "10.1000/a", "", "図書館の歴史", "", 2020)],
            1,
        ),
    ];
    for (what, rows, works) in cases {
        for rows in [rows.to_vec(), rows.iter().rev().copied().collect()] {
            let merged = merge(rows.iter().map(|row| record(*row)));
            assert_eq!(merged.len(), *works, "{what}");
            assert_eq!(merged.iter().map(|record| record.provenance.len()).sum::<usize>(), rows.len(), "{what}");
        }
    }
}

#[test]
fn the_publication_gives_the_facts_and_the_others_what_it_lacks() {
    let mut preprint = record(("arxiv", "", "1605.08386v1", LONG, "Caprice Stanley", 2016));
    preprint.abstract_text = Some("Graphs on lattice points.".into());
    preprint.open_access = Some("https://arxiv.org/pdf/1605.08386v1".into());
    preprint.cited_by = Some(2);
    let mut article = record(("crossref", "10.1137/X", "", LONG, "C. Stanley", 2017));
    article.venue = Some("A journal".into());
    article.cited_by = Some(5);
    let mut index = record(("openalex", "10.1137/x", "", LONG, "C. Stanley", 2017));
    index.retracted = true;
    let merged = merge([preprint.clone(), article.clone(), index.clone()]);
    assert_eq!(merge([index, preprint, article.clone()]), merged, "the order of the answers does not matter");
    let [one] = merged.as_slice() else { panic!("{merged:?}") };
    assert_eq!((one.year, one.kind, one.cited_by, one.retracted), (Some(2017), RecordKind::Article, Some(5), true));
    assert_eq!(one.abstract_text.as_deref(), Some("Graphs on lattice points."));
    assert_eq!(one.sources(), ["arxiv", "crossref", "openalex"]);
    assert_eq!(one.id, article.identified().id, "the id is that of the DOI");
    assert!(one.arxiv.is_some() && one.open_access.is_some());
}

#[test]
fn what_more_sources_put_first_is_first() {
    let place = |title: &str, source: &str, rank| {
        let mut one = record((source, "", "", title, "Ann Lee", 2020));
        one.provenance[0].rank = rank;
        one
    };
    let merged = merge([
        place("Only one source has this", "openalex", 1),
        place("Two sources have this one", "openalex", 3),
        place("Two sources have this one", "crossref", 2),
        place("Far down in one answer", "crossref", 9),
    ]);
    let titles: Vec<&str> = merged.iter().map(|record| record.title.as_str()).collect();
    assert_eq!(titles, ["Two sources have this one", "Only one source has this", "Far down in one answer"]);
}

fn any_record() -> impl Strategy<Value = Record> {
    let source = prop::sample::select(vec!["openalex", "arxiv", "crossref"]);
    let doi = prop::sample::select(vec!["", "10.1000/a", "10.1000/b", "10.48550/arxiv.1605.00001"]);
    let arxiv = prop::sample::select(vec!["", "1605.00001", "1605.00002"]);
    let title = prop::sample::select(vec![LONG, "Editorial", "A quite different title about nothing", ""]);
    let author = prop::sample::select(vec!["", "Ann Lee", "A. Lee", "Bo Chen"]);
    (source, doi, arxiv, title, author, 2019_u16..2022).prop_map(record)
}

proptest! {
    #[test]
    fn identifiers_are_unique_afterwards_and_nothing_is_lost(records in prop::collection::vec(any_record(), 0..12)) {
        let merged = merge(records.clone());
        let mut places: Vec<_> = records.iter().flat_map(|record| record.provenance.clone()).collect();
        places.sort();
        places.dedup();
        let mut merged_places: Vec<_> = merged.iter().flat_map(|record| record.provenance.clone()).collect();
        merged_places.sort();
        merged_places.dedup();
        prop_assert_eq!(merged_places, places);
        for record in &records {
            if let Some(doi) = record.doi.as_ref().filter(|doi| doi.arxiv().is_none()) {
                let holders = merged.iter().filter(|one| one.doi.as_ref() == Some(doi)).count();
                prop_assert!(holders <= 1, "{} works have {}", holders, doi);
            }
        }
        let again = merge(merged.clone());
        prop_assert!(again.len() <= merged.len());
    }
}
