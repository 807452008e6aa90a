//! BibTeX.

use std::fmt::Write as _;

use super::tex::{self, Part};
use crate::literature::{Author, Record, RecordKind};

/// The records as entries of a BibTeX file, in their order, with keys as [`keys`](super::keys) makes them.
///
/// Text is UTF-8; what TeX reads as a command is escaped, and titles keep their case. Mathematics in a title stays what it is,
/// and accents that are written in TeX become letters.
#[must_use]
pub fn bibtex(records: &[Record]) -> String {
    let entries: Vec<String> =
        records.iter().zip(super::keys(records)).map(|(record, key)| entry(record, &key)).collect();
    entries.join("\n")
}

fn entry(record: &Record, key: &str) -> String {
    let mut entry = format!("@{}{{{key},\n", entry_type(record));
    let mut field = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            // Writing to a string cannot fail.
            let _ = writeln!(entry, "  {name} = {{{value}}},");
        }
    };
    let escaped_field = |value: &Option<String>| value.as_deref().map(escaped);
    field("author", Some(record.authors.iter().map(name).collect::<Vec<_>>().join(" and ")));
    field("title", Some(format!("{{{}}}", title(&record.title))));
    field("year", record.year.map(|year| year.to_string()));
    let venue = match entry_type(record) {
        "article" => "journal",
        "inproceedings" | "incollection" => "booktitle",
        _ => "howpublished",
    };
    field(venue, escaped_field(&record.venue));
    field("volume", escaped_field(&record.volume));
    field("number", escaped_field(&record.issue));
    field("pages", record.pages.as_deref().map(|pages| escaped(pages).replace("--", "-").replace('-', "--")));
    let institution = if matches!(record.kind, RecordKind::Report) { "institution" } else { "publisher" };
    field(institution, escaped_field(&record.publisher));
    field("doi", record.doi.as_ref().map(|doi| verbatim(doi.as_str())));
    field("eprint", record.arxiv.as_ref().map(|id| verbatim(&id.to_string())));
    field("archiveprefix", record.arxiv.as_ref().map(|_| "arXiv".to_owned()));
    field("url", record.address().as_deref().map(verbatim));
    field("note", record.retracted.then(|| "Retracted".to_owned()));
    field("abstract", escaped_field(&record.abstract_text));
    entry.push_str("}\n");
    entry
}

fn entry_type(record: &Record) -> &'static str {
    match record.kind {
        RecordKind::Article => "article",
        RecordKind::ConferencePaper => "inproceedings",
        RecordKind::Book => "book",
        RecordKind::Chapter => "incollection",
        RecordKind::Thesis => "phdthesis",
        RecordKind::Report => "techreport",
        RecordKind::Preprint | RecordKind::Dataset | RecordKind::Other => "misc",
    }
}

/// A title, whose own TeX is kept where it is understood.
fn title(text: &str) -> String {
    let part = |part| match part {
        Part::Text(text) => escaped(&text),
        Part::Math(formula) => formula,
    };
    tex::parts(text).into_iter().map(part).collect()
}

/// A group stands in braces, so that BibTeX does not take it apart.
fn name(author: &Author) -> String {
    match (&author.family, &author.given) {
        (Some(family), Some(given)) => format!("{}, {}", part(family), part(given)),
        (Some(family), None) => format!("{{{}}}", escaped(family)),
        _ => format!("{{{}}}", escaped(&author.name)),
    }
}

/// A part of a name with a comma or the word that separates names is protected.
fn part(text: &str) -> String {
    let escaped = escaped(text);
    let split = text.contains(',') || text.split(' ').any(|word| word.eq_ignore_ascii_case("and"));
    if split { format!("{{{escaped}}}") } else { escaped }
}

/// Text that TeX shows as it is. BibTeX counts braces without looking at the backslash before them, so an unbalanced one
/// has to have another name.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\textbackslash{}"),
            '{' => out.push_str("\\textbraceleft{}"),
            '}' => out.push_str("\\textbraceright{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '$' | '&' | '#' | '%' | '_' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Fields that styles read without TeX: only what would end the field is encoded.
fn verbatim(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    text.replace('{', "%7B").replace('}', "%7D").replace('\\', "%5C")
}
