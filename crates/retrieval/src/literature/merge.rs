//! The same work from several answers becomes one record.

use std::collections::BTreeSet;

use super::text::folded;
use super::{ArxivId, Doi, Pmid, Provenance, Record, RecordKind, SourceName};

/// Titles with fewer words, such as `Editorial`, need the author to tell works apart.
const TELLING_WORDS: usize = 4;

/// Whose facts of a work count first: what publishers deposit, what is curated, what is gathered, what is copied.
const PRECEDENCE: [SourceName; 7] = [
    SourceName::Crossref,
    SourceName::Pubmed,
    SourceName::OpenAlex,
    SourceName::Arxiv,
    SourceName::EuropePmc,
    SourceName::SemanticScholar,
    SourceName::Core,
];

/// One record for each work, best first.
///
/// Two records are of one work when they have the same DOI, the same arXiv id or the same number in PubMed, or the same title in the same year or
/// the next by the same first author. Different DOIs are of different works, except those of a preprint and of its
/// publication. The published work's facts come first, those of Crossref before those of others, and what it lacks
/// comes from the others; all provenances are kept. Records are ranked by [`Record::score`], then by citations.
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
    let mut records: Vec<Record> = works.into_iter().map(Work::record).collect();
    records.sort_by(|a, b| {
        b.score().total_cmp(&a.score()).then_with(|| b.cited_by.cmp(&a.cited_by)).then_with(|| a.id.cmp(&b.id))
    });
    records
}

/// The records of one work, and what other records are compared with.
struct Work {
    members: Vec<Record>,
    /// Those of all members but arXiv's own, which say no more than its ids and must not stand against a publication's.
    dois: BTreeSet<Doi>,
    arxivs: BTreeSet<ArxivId>,
    pmids: BTreeSet<Pmid>,
    title: String,
    author: Option<String>,
    year: Option<u16>,
    is_preprint: bool,
}

impl Work {
    fn of(record: Record) -> Self {
        let registered = record.doi.as_ref().and_then(Doi::arxiv);
        Self {
            dois: record.doi.iter().filter(|doi| doi.arxiv().is_none()).cloned().collect(),
            is_preprint: is_preprint(&record),
            arxivs: record.arxiv.clone().into_iter().chain(registered).collect(),
            pmids: record.pmid.into_iter().collect(),
            title: folded(&record.title),
            author: record.authors.first().map(|author| folded(author.short())).filter(|author| !author.is_empty()),
            year: record.year,
            members: vec![record],
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        let shares_id = !self.dois.is_disjoint(&other.dois)
            || !self.arxivs.is_disjoint(&other.arxivs)
            || !self.pmids.is_disjoint(&other.pmids);
        if shares_id {
            return true;
        }
        let two_preprints = !self.arxivs.is_empty() && !other.arxivs.is_empty();
        // A number in PubMed is of one work, so two of them are of two.
        let two_numbers = !self.pmids.is_empty() && !other.pmids.is_empty();
        if two_preprints || two_numbers || self.title.is_empty() || self.title != other.title {
            return false;
        }
        let years_fit = match (self.year, other.year) {
            (Some(one), Some(two)) => one.abs_diff(two) <= 1,
            _ => true,
        };
        // Scripts without spaces say much in one word.
        let telling = self.title.split(' ').count() >= TELLING_WORDS || !self.title.is_ascii();
        let authors_fit = match (&self.author, &other.author) {
            (Some(one), Some(two)) => one == two || last_word(one) == last_word(two),
            _ => telling,
        };
        let one_doi = self.dois.is_empty() || other.dois.is_empty();
        years_fit && authors_fit && (one_doi || (telling && self.is_preprint != other.is_preprint))
    }

    fn joined(mut self, mut other: Self) -> Self {
        self.members.append(&mut other.members);
        self.dois.append(&mut other.dois);
        self.arxivs.append(&mut other.arxivs);
        self.pmids.append(&mut other.pmids);
        Self {
            author: self.author.or(other.author),
            year: self.year.or(other.year),
            is_preprint: self.is_preprint && other.is_preprint,
            ..self
        }
    }

    /// One record: the published one's facts first, those that were registered with the DOI before all.
    fn record(mut self) -> Record {
        self.members.sort_by(|a, b| precedence(a).cmp(&precedence(b)));
        let mut members = self.members.into_iter();
        let first = members.next().unwrap_or_default();
        let mut record = members.fold(first, filled);
        record.provenance.sort();
        record.provenance.dedup();
        if record.doi.as_ref().is_none_or(|doi| doi.arxiv().is_some()) {
            record.doi = self.dois.pop_first().or(record.doi);
        }
        record.arxiv = record.arxiv.or_else(|| self.arxivs.pop_first());
        record.identified()
    }
}

/// Which record's facts count first; the provenance makes the order of the answers indifferent.
fn precedence(record: &Record) -> (bool, u8, &[Provenance]) {
    let sources = record.sources();
    let place = PRECEDENCE.iter().zip(0..).find(|(name, _)| sources.contains(&name.as_str()));
    (is_preprint(record), place.map_or(u8::MAX, |(_, place)| place), &record.provenance)
}

/// `record` with what it lacks from `more`.
fn filled(mut record: Record, more: Record) -> Record {
    record.doi = record.doi.or(more.doi);
    record.arxiv = record.arxiv.or(more.arxiv);
    record.pmid = record.pmid.or(more.pmid);
    record.pmcid = record.pmcid.or(more.pmcid);
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
    record.full_text = record.full_text.or(more.full_text);
    record.cited_by = record.cited_by.max(more.cited_by);
    if record.kind == RecordKind::Other {
        record.kind = more.kind;
    }
    record.retracted |= more.retracted;
    record.provenance.extend(more.provenance);
    record
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
