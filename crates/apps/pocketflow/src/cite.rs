//! The marks of a proposal and what they stand for.

use std::collections::BTreeMap;

use graphloom_text::{BracketedNumbers, bracketed_numbers};

use crate::research::Record;
use crate::session::{Proposal, Reference, Section};

/// The note on marks without a record.
const UNKNOWN: &str = "Marks that name no record were taken out: ";
/// The note on a text without marks.
const NONE: &str = "The text cites none of the records that were read.";

/// Resolves the marks of sections: numbers of records are counted anew in the order of their first use, numbers of no
/// record are taken out and noted.
pub(crate) fn cite(title: String, sections: Vec<Section>, records: &BTreeMap<usize, &Record>) -> Proposal {
    let mut numbers: BTreeMap<usize, u32> = BTreeMap::new();
    let mut references: Vec<Reference> = Vec::new();
    let mut unknown: Vec<String> = Vec::new();
    let mut resolve = |mark: u64| -> Option<u32> {
        let named = usize::try_from(mark).ok().and_then(|number| Some((number, *records.get(&number)?)));
        let Some((at, record)) = named else {
            unknown.push(format!("[{mark}]"));
            return None;
        };
        let next = u32::try_from(references.len()).unwrap_or(u32::MAX).saturating_add(1);
        let number = *numbers.entry(at).or_insert(next);
        if number == next {
            references.push(Reference { number, record: record.clone() });
        }
        Some(number)
    };
    let sections: Vec<Section> = sections
        .into_iter()
        .map(|section| Section { text: marks(&section.text, &mut resolve), heading: section.heading })
        .collect();
    let mut notes = Vec::new();
    if !unknown.is_empty() {
        notes.push(format!("{UNKNOWN}{}.", unknown.join(", ")));
    }
    if references.is_empty() && !records.is_empty() {
        notes.push(NONE.to_owned());
    }
    Proposal { title, sections, references, notes, sources: Vec::new() }
}

/// A proposal whose sections were edited, cited again: a reference without a mark goes, and so does a mark without a
/// reference. Its numbers are those of its own references.
pub(crate) fn cite_again(edited: Proposal) -> Proposal {
    let records: BTreeMap<usize, &Record> =
        edited.references.iter().map(|one| (one.number as usize, &one.record)).collect();
    let mut cited = cite(edited.title.clone(), edited.sections.clone(), &records);
    let earlier = edited.notes.into_iter().filter(|note| !note.starts_with(UNKNOWN) && note != NONE);
    cited.notes.extend(earlier);
    cited.sources = edited.sources;
    cited
}

/// Replaces every `[1]`, `[1, 2]` or `[1-3]` of a text.
fn marks(text: &str, resolve: &mut impl FnMut(u64) -> Option<u32>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for BracketedNumbers { range, numbers } in bracketed_numbers(text) {
        let before = &text[from..range.start];
        let resolved: Vec<String> =
            numbers.into_iter().filter_map(&mut *resolve).map(|number| format!("[{number}]")).collect();
        out.push_str(if resolved.is_empty() { before.trim_end_matches(' ') } else { before });
        out.push_str(&resolved.concat());
        from = range.end;
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(id: &str) -> Record {
        let mut record = Record::new(id);
        record.id = id.to_owned();
        record
    }

    fn section(text: &str) -> Section {
        Section { heading: "H".to_owned(), text: text.to_owned() }
    }

    fn cited(texts: &[&str]) -> Proposal {
        let records = ["a", "b", "c"].map(record);
        let sections = texts.iter().map(|text| section(text)).collect();
        cite("T".to_owned(), sections, &(1..).zip(&records).collect())
    }

    fn references(proposal: &Proposal) -> Vec<(u32, &str)> {
        proposal.references.iter().map(|one| (one.number, one.record.id.as_str())).collect()
    }

    #[test]
    fn citations_resolve_or_go() {
        let proposal = cited(&["Known [3]. Also [1, 3] and [9].", "See [note] and [1] [x."]);
        let texts: Vec<&str> = proposal.sections.iter().map(|section| section.text.as_str()).collect();
        assert_eq!(texts, ["Known [1]. Also [2][1] and.", "See [note] and [2] [x."]);
        assert_eq!(references(&proposal), [(1, "c"), (2, "a")]);
        assert_eq!(proposal.notes, ["Marks that name no record were taken out: [9]."]);
        assert_eq!(cited(&["All of them [1-3]."]).sections[0].text, "All of them [1][2][3].");
    }

    #[test]
    fn an_edited_proposal_is_cited_again() {
        let mut proposal = cited(&["Known [3].", "Also [1]."]);
        proposal.sources = vec!["One gave three records.".to_owned()];
        proposal.notes.push("A note of before.".to_owned());
        proposal.sections = vec![section("Only [2] is left, and [9].")];
        let proposal = cite_again(proposal);
        assert_eq!(proposal.sections[0].text, "Only [1] is left, and.");
        assert_eq!(references(&proposal), [(1, "a")]);
        assert_eq!(proposal.notes, ["Marks that name no record were taken out: [9].", "A note of before."]);
        assert_eq!(proposal.sources.len(), 1);
        let mut bare = proposal;
        bare.sections = vec![section("Nothing is cited.")];
        assert_eq!(cite_again(bare).notes, ["The text cites none of the records that were read.", "A note of before."]);
    }
}
