//! The same work from several answers becomes one record.

use super::text::folded;
use super::{Record, RecordKind};

/// Titles with fewer words, such as `Editorial`, need the author to tell works apart.
const TELLING_WORDS: usize = 4;

/// One record for each work, best first.
///
/// Two records are of one work when they have the same DOI, or the same arXiv id, or the same title in the same year or
/// the next by the same first author. Different DOIs are of different works, except those of a preprint and of its
/// publication. The published work's facts come first, and what it lacks comes from the others; all provenances are
/// kept. Records are ranked by [`Record::score`], then by citations.
#[must_use]
pub fn merge(records: impl IntoIterator<Item = Record>) -> Vec<Record> {
    let mut works: Vec<Work> = Vec::new();
    for record in records {
        let mut work = Work::of(record);
        // A record can show that two works were one, so it may join several.
        let mut index = 0;
        let mut place = None;
        while index < works.len() {
            if works[index].is_same(&work) {
                let known = works.remove(index);
                work = known.joined(work);
                place.get_or_insert(index);
            } else {
                index += 1;
            }
        }
        works.insert(place.unwrap_or(works.len()), work);
    }
    let mut records: Vec<Record> = works.into_iter().map(|work| work.record.identified()).collect();
    records.sort_by(|a, b| {
        b.score().total_cmp(&a.score()).then_with(|| b.cited_by.cmp(&a.cited_by)).then_with(|| a.id.cmp(&b.id))
    });
    records
}

/// A record with the forms that are compared.
struct Work {
    record: Record,
    title: String,
    author: Option<String>,
}

impl Work {
    fn of(mut record: Record) -> Self {
        // What arXiv registers says no more than its id, and must not stand against the publication's DOI.
        if let Some(arxiv) = record.doi.as_ref().and_then(super::Doi::arxiv) {
            record.arxiv.get_or_insert(arxiv);
        }
        let title = folded(&record.title);
        let author = record.authors.first().map(|author| folded(author.short())).filter(|author| !author.is_empty());
        Self { record, title, author }
    }

    fn is_same(&self, other: &Self) -> bool {
        let (a, b) = (&self.record, &other.record);
        let same = |one: bool, two: bool| one && two;
        if same(a.doi.is_some(), a.doi == b.doi) || same(a.arxiv.is_some(), a.arxiv == b.arxiv) {
            return true;
        }
        let differ = a.arxiv.is_some() && b.arxiv.is_some();
        if differ || self.title.is_empty() || self.title != other.title {
            return false;
        }
        let years_fit = match (a.year, b.year) {
            (Some(one), Some(two)) => one.abs_diff(two) <= 1,
            _ => true,
        };
        let telling = self.title.split(' ').count() >= TELLING_WORDS || !self.title.is_ascii();
        let authors_fit = match (&self.author, &other.author) {
            (Some(one), Some(two)) => one == two || last_word(one) == last_word(two),
            _ => telling,
        };
        let dois_fit = a.doi.is_none() || b.doi.is_none() || (telling && (is_preprint(a) != is_preprint(b)));
        years_fit && authors_fit && dois_fit
    }

    /// Both in one; the published one's facts come first.
    fn joined(self, other: Self) -> Self {
        let (first, second) =
            if is_preprint(&self.record) && !is_preprint(&other.record) { (other, self) } else { (self, other) };
        let mut record = first.record;
        let more = second.record;
        let preprint_doi = record.doi.as_ref().is_some_and(|doi| doi.arxiv().is_some());
        if preprint_doi && more.doi.is_some() {
            record.doi = more.doi;
        } else {
            record.doi = record.doi.or(more.doi);
        }
        record.arxiv = record.arxiv.or(more.arxiv);
        if record.authors.is_empty() {
            record.authors = more.authors;
        }
        record.year = record.year.or(more.year);
        record.venue = record.venue.or(more.venue);
        record.volume = record.volume.or(more.volume);
        record.issue = record.issue.or(more.issue);
        record.pages = record.pages.or(more.pages);
        record.publisher = record.publisher.or(more.publisher);
        record.abstract_text = record.abstract_text.or(more.abstract_text);
        record.url = record.url.or(more.url);
        record.open_access = record.open_access.or(more.open_access);
        record.cited_by = record.cited_by.max(more.cited_by);
        if record.kind == RecordKind::Other {
            record.kind = more.kind;
        }
        record.retracted |= more.retracted;
        record.provenance.extend(more.provenance);
        record.provenance.sort();
        record.provenance.dedup();
        Self { record, title: first.title, author: first.author.or(second.author) }
    }
}

fn last_word(name: &str) -> &str {
    name.rsplit(' ').next().unwrap_or(name)
}

fn is_preprint(record: &Record) -> bool {
    record.kind == RecordKind::Preprint || record.doi.as_ref().is_some_and(|doi| doi.arxiv().is_some())
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
