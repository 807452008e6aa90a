//! One record for one work, whichever queries and sources found it.

use super::documents::LOCAL;
use super::{Findings, Record};

/// The findings of several searches as one: every work once, best first, all reports in order.
///
/// Two records are of one work when they have the same DOI or the same arXiv id, or, where these do not tell, the same
/// id, or the same title in the same year or the next by authors that do not differ. Two files of the corpus are two
/// works. A work that is also in the corpus is read there, and cited by what the literature says of it. Records are
/// ranked by [`Record::score`], so that the best of every query come before the second best of any.
pub fn gathered(all: impl IntoIterator<Item = Findings>) -> Findings {
    let mut together = Findings::default();
    for findings in all {
        together.reports.extend(findings.reports);
        for record in findings.records {
            match together.records.iter_mut().find(|known| is_same(known, &record)) {
                Some(known) => join(known, record),
                None => together.records.push(record),
            }
        }
    }
    together.records.sort_by(|one, other| other.score().total_cmp(&one.score()));
    together
}

/// Whether two records are of one work, see [`gathered`].
pub(crate) fn is_same(one: &Record, other: &Record) -> bool {
    if let (Some(one), Some(other)) = (&one.doi, &other.doi) {
        return one == other;
    }
    if let (Some(one), Some(other)) = (&one.arxiv, &other.arxiv) {
        return one == other;
    }
    if !one.id.is_empty() && one.id == other.id {
        return true;
    }
    if is_local(one) && is_local(other) {
        return false;
    }
    let years_fit = one.year.zip(other.year).is_none_or(|(one, other)| one.abs_diff(other) <= 1);
    let author = |record: &Record| record.authors.first().map(|author| folded(author.short()));
    let authors_fit = author(one).zip(author(other)).is_none_or(|(one, other)| one == other);
    let title = folded(&one.title);
    !title.is_empty() && title == folded(&other.title) && years_fit && authors_fit
}

/// Letters and digits alone, in lower case.
fn folded(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn is_local(record: &Record) -> bool {
    !record.provenance.is_empty() && record.provenance.iter().all(|place| place.source == LOCAL)
}

/// `known` with what it lacks from `more`.
fn join(known: &mut Record, mut more: Record) {
    if is_local(known) && !is_local(&more) {
        std::mem::swap(known, &mut more);
    }
    // What one has oneself is read instead of an abstract.
    known.abstract_text = match is_local(&more) {
        true => more.abstract_text.or(known.abstract_text.take()),
        false => known.abstract_text.take().or(more.abstract_text),
    };
    if known.authors.is_empty() {
        known.authors = more.authors;
    }
    known.doi = known.doi.take().or(more.doi);
    known.arxiv = known.arxiv.take().or(more.arxiv);
    known.year = known.year.or(more.year);
    known.venue = known.venue.take().or(more.venue);
    known.url = known.url.take().or(more.url);
    known.open_access = known.open_access.take().or(more.open_access);
    known.full_text = known.full_text.take().or(more.full_text);
    known.cited_by = known.cited_by.max(more.cited_by);
    known.retracted |= more.retracted;
    for place in more.provenance {
        if !known.provenance.contains(&place) {
            known.provenance.push(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use graphloom_retrieval::literature::{Author, Doi};

    use super::*;
    use crate::research::Provenance;

    fn record(title: &str, source: &str, rank: u32) -> Record {
        let mut record = Record::new(title).identified();
        record.provenance = vec![Provenance::new(source, title, "q", rank)];
        record
    }

    fn with(mut record: Record, doi: &str, year: u16, author: &str) -> Record {
        record.doi = Doi::parse(doi);
        record.year = Some(year);
        record.authors = Author::displayed(author).into_iter().collect();
        record.identified()
    }

    fn together(records: Vec<Record>) -> Vec<Record> {
        let found = records.into_iter().map(|record| {
            let mut findings = Findings::default();
            findings.records = vec![record];
            findings
        });
        gathered(found).records
    }

    #[test]
    fn a_work_is_known_by_doi_or_by_title() {
        let a = || record("On the tides", "openalex", 1);
        for (one, other, works) in [
            (with(a(), "10.1000/a", 2020, "Ann Lee"), with(record("Tides!", "crossref", 1), "10.1000/A", 2024, ""), 1),
            (with(a(), "10.1000/a", 2020, "Ann Lee"), with(a(), "10.1000/b", 2020, "Ann Lee"), 2),
            (with(a(), "", 2020, "Ann Lee"), with(record("On the TIDES.", "arxiv", 1), "10.1000/b", 2021, "A. Lee"), 1),
            (with(a(), "", 2020, "Ann Lee"), with(record("On the tides.", "arxiv", 1), "", 2023, "Ann Lee"), 2),
            (with(a(), "", 2020, "Ann Lee"), with(record("On the tides!", "arxiv", 1), "", 2020, "Bo Ray"), 2),
        ] {
            assert_eq!(together(vec![one.clone(), other.clone()]).len(), works, "{one:?} {other:?}");
        }
    }

    #[test]
    fn a_work_of_the_corpus_is_read_there_and_cited_by_its_record() {
        let mut own = record("On the tides", LOCAL, 1);
        own.id = "papers-tides".to_owned();
        own.abstract_text = Some("The whole passage.".to_owned());
        own.url = Some("papers/tides.md".to_owned());
        let mut other = own.clone();
        (other.id, other.url) = ("papers-copy".to_owned(), Some("papers/copy.md".to_owned()));
        let mut work = with(record("On the tides", "openalex", 2), "10.1000/a", 2020, "Ann Lee");
        work.abstract_text = Some("Short.".to_owned());
        for order in [vec![own.clone(), work.clone()], vec![work.clone(), own.clone()]] {
            let found = together(order);
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].doi.as_ref().map(Doi::as_str), Some("10.1000/a"));
            assert_eq!(found[0].abstract_text.as_deref(), Some("The whole passage."));
            assert_eq!(found[0].sources(), [LOCAL, "openalex"]);
        }
        assert_eq!(together(vec![own, other]).len(), 2, "two files are two works");
    }

    #[test]
    fn the_best_of_every_query_come_first() {
        let found = together(vec![record("a", "x", 1), record("b", "x", 2), record("c", "x", 1), record("b", "y", 3)]);
        let titles: Vec<&str> = found.iter().map(|record| record.title.as_str()).collect();
        assert_eq!(titles, ["b", "a", "c"]);
    }
}
