//! Whatever sources say of works, the file of references is one that other programs read whole.

use std::collections::BTreeMap;

use biblatex::ChunksExt;
use graphloom_retrieval::literature::{ArxivId, Author, Doi, Record, RecordKind, export};
use proptest::prelude::*;
use proptest::sample::select;
use serde::Deserialize;

/// An entry, as the third parser gives it.
#[derive(Deserialize)]
struct Entry {
    entry_key: String,
    fields: BTreeMap<String, String>,
}

/// The keys that each of three parsers finds.
fn keys_read(text: &str) -> [Vec<String>; 3] {
    let biblatex = biblatex::Bibliography::parse(text).unwrap_or_else(|error| panic!("biblatex: {error}\n{text}"));
    let library = bibtex_parser::parse(text).unwrap_or_else(|error| panic!("bibtex-parser: {error}\n{text}"));
    let serde: Result<Vec<Entry>, _> =
        serde_bibtex::de::Deserializer::from_str(text).into_iter_regular_entry().collect();
    let serde = serde.unwrap_or_else(|error| panic!("serde_bibtex: {error}\n{text}"));
    [
        biblatex.iter().map(|entry| entry.key.clone()).collect(),
        library.entries().iter().map(|entry| entry.key().to_owned()).collect(),
        serde.into_iter().map(|entry| entry.entry_key).collect(),
    ]
}

/// Text of any kind, and pieces that mean something to TeX.
fn text() -> impl Strategy<Value = String> {
    let hostile = select(vec![
        "{",
        "}",
        "\\",
        "\\{",
        "\"",
        "@",
        "@article{",
        "%",
        "#",
        "$x_1$",
        "$\\alpha$",
        "$\\frac{1}{2}$",
        "{\\'e}",
        "\\&",
        "\\v{c}",
        "$",
        "~",
        "^",
        "&",
        ",",
        "=",
        "and",
        "\n",
        "--",
        "図書",
        "\\textbackslash",
        "'",
        "`",
        "(",
        ")",
        " ",
    ]);
    let pieces = prop_oneof![4 => hostile.prop_map(str::to_owned), 2 => "[a-z]{1,6}", 1 => any::<String>()];
    prop::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
}

fn record() -> impl Strategy<Value = Record> {
    let kind = select(vec![
        RecordKind::Article,
        RecordKind::Preprint,
        RecordKind::ConferencePaper,
        RecordKind::Book,
        RecordKind::Thesis,
        RecordKind::Report,
        RecordKind::Other,
    ]);
    let texts = prop::collection::vec(text(), 8);
    (kind, texts, prop::collection::vec(text(), 0..3), prop::option::of(0_u16..3000)).prop_map(
        |(kind, texts, authors, year)| {
            let [title, venue, publisher, about, pages, volume, place, number] =
                <[String; 8]>::try_from(texts).unwrap();
            let mut record = Record::new(title);
            record.kind = kind;
            record.year = year;
            record.authors.extend(authors.iter().filter_map(|name| Author::displayed(name)));
            record.doi = Doi::parse(&format!("10.1000/{place}"));
            record.arxiv = ArxivId::parse(&place);
            (record.venue, record.publisher, record.abstract_text) = (Some(venue), Some(publisher), Some(about));
            (record.pages, record.volume, record.issue) = (Some(pages), Some(volume), Some(number));
            record.url = Some(place);
            record.identified()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn three_parsers_find_every_record_whatever_it_holds(records in prop::collection::vec(record(), 1..6)) {
        let keys = export::keys(&records);
        for read in keys_read(&export::bibtex(&records)) {
            prop_assert_eq!(&read, &keys);
        }
    }
}

/// The titles that each of the parsers finds; the first one also reads the TeX in them.
fn titles_read(text: &str) -> [Vec<String>; 3] {
    let biblatex = biblatex::Bibliography::parse(text).unwrap();
    let library = bibtex_parser::parse(text).unwrap();
    let serde: Result<Vec<Entry>, _> =
        serde_bibtex::de::Deserializer::from_str(text).into_iter_regular_entry().collect();
    [
        biblatex.iter().map(|entry| entry.title().unwrap().format_verbatim()).collect(),
        library.entries().iter().map(|entry| entry.get("title").unwrap().to_owned()).collect(),
        serde.unwrap().into_iter().map(|entry| entry.fields["title"].clone()).collect(),
    ]
}

#[test]
fn tex_in_a_title_comes_back_as_what_it_means() {
    for (title, written, meant) in [
        ("An $\\alpha$-stable law", "{An $\\alpha$-stable law}", "An $\\alpha$-stable law"),
        ("Poincar{\\'e} \\& G\\\"odel", "{Poincaré \\& Gödel}", "Poincaré & Gödel"),
        ("What $5 buy & $10 do not", "{What \\$5 buy \\& \\$10 do not}", "What $5 buy & $10 do not"),
    ] {
        let [read, library, serde] = titles_read(&export::bibtex(&[Record::new(title).identified()]));
        assert_eq!(read, [meant], "{title}");
        for raw in [library, serde] {
            assert_eq!(
                raw.concat().trim_start_matches('{').trim_end_matches('}'),
                &written[1..written.len() - 1],
                "{title}"
            );
        }
    }
}

#[test]
fn one_brace_loses_no_entry() {
    let titles = ["Sets {x | x in A", "Ends with }", "A backslash \\", "Plain"];
    let records: Vec<Record> = titles.iter().map(|title| Record::new(*title).identified()).collect();
    for read in keys_read(&export::bibtex(&records)) {
        assert_eq!(read.len(), titles.len());
    }
}
