//! One work, as the sources describe it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::record_id::record_id;
use super::text::shortened;
use super::{ArxivId, Author, Doi, Pmcid, Pmid};
use crate::{Evidence, Source};

/// What kind of work a record describes. Sources disagree, so nothing but formatting should depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecordKind {
    /// An article in a journal.
    Article,
    /// A text before review, as at arXiv.
    Preprint,
    /// A paper in the proceedings of a conference.
    ConferencePaper,
    /// A whole book.
    Book,
    /// A chapter of a book.
    Chapter,
    /// A thesis.
    Thesis,
    /// A report of an institution.
    Report,
    /// A set of data.
    Dataset,
    /// Everything else, and what the source does not say.
    #[default]
    Other,
}

/// That one source had a work in one answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Provenance {
    /// The name of the source, such as `openalex`.
    pub source: String,
    /// The id of the work at the source.
    pub id: String,
    /// The question, as [`Query`](super::Query) shows it.
    pub query: String,
    /// The place in the answer, counted from 1.
    pub rank: u32,
}

impl Provenance {
    /// The work `id` in place `rank` of what `source` answered to `query`.
    #[must_use]
    pub fn new(source: impl Into<String>, id: impl Into<String>, query: impl Into<String>, rank: u32) -> Self {
        Self { source: source.into(), id: id.into(), query: query.into(), rank }
    }
}

/// What was read of an open copy of a work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct CopyText {
    /// The address of the copy. It may be of another version than the published one.
    pub url: String,
    /// Its paragraphs about the question. Text of others, under a licence of its own: never an instruction to a model.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// BLAKE3, in hexadecimal, of the whole copy as it came.
    pub content_hash: String,
}

impl CopyText {
    /// Paragraphs of the copy at `url`.
    #[must_use]
    pub fn new(url: impl Into<String>, text: impl Into<String>, content_hash: impl Into<String>) -> Self {
        Self { url: url.into(), text: text.into(), content_hash: content_hash.into() }
    }
}

/// One work: what a reference list, a reader of abstracts and a ranking need.
///
/// ```
/// use graphloom_retrieval::literature::{Author, Doi, Record};
///
/// let mut record = Record::new("The state of OA");
/// record.doi = Doi::parse("10.7717/peerj.4375");
/// record.authors.extend(Author::displayed("Heather Piwowar"));
/// record.year = Some(2018);
/// let record = record.identified();
/// assert!(record.id.starts_with("piwowar-state#"));
/// assert_eq!(record.reference(), "Piwowar 2018: The state of OA. https://doi.org/10.7717/peerj.4375");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Record {
    /// The short id that citations use, of the same form as that of [`Evidence`]. It comes from the DOI, or else the
    /// arXiv id, or else the number in PubMed, or else title, first author and year, so the same work has the same id in every run.
    pub id: String,
    /// The DOI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<Doi>,
    /// The id at arXiv.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arxiv: Option<ArxivId>,
    /// The number in PubMed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pmid: Option<Pmid>,
    /// The number of the full text in PubMed Central.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pmcid: Option<Pmcid>,
    /// The title as plain text in one line; never empty in what a source gives.
    pub title: String,
    /// The authors in their order.
    #[serde(default)]
    pub authors: Vec<Author>,
    /// The year of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<u16>,
    /// The journal, the proceedings or the book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// The volume.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// The issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// The pages, such as `12-19`, or the number of the article.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    /// The publisher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// The abstract as plain text in one line; of a document that one has oneself, the passages that were found. Text of
    /// others: never an instruction to a model.
    #[serde(default, rename = "abstract", skip_serializing_if = "Option::is_none")]
    pub abstract_text: Option<String>,
    /// Where a reader finds the work: an address of the web, or a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Where the full text is free to read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_access: Option<String>,
    /// What was read of an open copy; references and exports leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_text: Option<CopyText>,
    /// How often the work is cited, by the source that knows most citations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cited_by: Option<u64>,
    /// What kind of work it is.
    #[serde(default)]
    pub kind: RecordKind,
    /// Whether a source says that the work was retracted.
    #[serde(default)]
    pub retracted: bool,
    /// Which sources had it, for which question, in which place. Sources copy from each other, so several are no
    /// independent confirmation.
    #[serde(default)]
    pub provenance: Vec<Provenance>,
}

impl Record {
    /// A record with a title and nothing else; its id is made by [`identified`](Self::identified).
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// The record with the id that its other fields give it.
    #[must_use]
    pub fn identified(mut self) -> Self {
        self.id = record_id(&self);
        self
    }

    /// The names of the sources that had it, each once.
    #[must_use]
    pub fn sources(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.provenance.iter().map(|place| place.source.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The sum of `1 / (60 + rank)` over all places: reciprocal rank fusion, with the constant of Cormack, Clarke and
    /// Büttcher (2009). Larger is better.
    #[must_use]
    pub fn score(&self) -> f32 {
        // Ranks are small, so nothing is lost.
        self.provenance.iter().map(|place| 1.0 / (60.0 + place.rank as f32)).sum()
    }

    /// The first author and how many more there are, as `Piwowar et al.`.
    #[must_use]
    pub fn byline(&self) -> String {
        match self.authors.as_slice() {
            [] => "Anonymous".to_owned(),
            [one] => one.short().to_owned(),
            [one, two] => format!("{} and {}", one.short(), two.short()),
            [one, ..] => format!("{} et al.", one.short()),
        }
    }

    /// The best address of the work: of its DOI, of arXiv, or the one that a source gave.
    #[must_use]
    pub fn address(&self) -> Option<String> {
        let doi = self.doi.as_ref().map(Doi::url);
        doi.or_else(|| self.arxiv.as_ref().map(ArxivId::url)).or_else(|| self.url.clone())
    }

    /// One line for a list of references.
    #[must_use]
    pub fn reference(&self) -> String {
        let mut line = self.byline();
        if let Some(year) = self.year {
            line.push_str(&format!(" {year}"));
        }
        line.push_str(": ");
        line.push_str(self.title.trim_end_matches('.'));
        line.push('.');
        if let Some(venue) = &self.venue {
            line.push_str(&format!(" {}.", venue.trim_end_matches('.')));
        }
        if let Some(address) = self.address() {
            line.push_str(&format!(" {address}"));
        }
        if self.retracted {
            line.push_str(" (retracted)");
        }
        line
    }

    /// What is read of the work: the paragraphs of an open copy, else the abstract, else the title.
    #[must_use]
    pub fn readable(&self) -> &str {
        let copy = self.full_text.as_ref().map(|copy| copy.text.as_str()).filter(|text| !text.is_empty());
        copy.or(self.abstract_text.as_deref()).unwrap_or(&self.title)
    }

    /// What is [readable](Self::readable) as evidence that a text can cite.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        let source = Source::Literature {
            work: shortened(
                &format!("{} {}", self.byline(), self.year.map_or_else(String::new, |year| year.to_string())),
                80,
            ),
            url: self.address().unwrap_or_default(),
        };
        let mut evidence = Evidence::new(self.id.clone(), source, self.title.clone(), self.readable());
        if let Some(copy) = self.full_text.as_ref().filter(|copy| !copy.text.is_empty()) {
            evidence.copy = Some(copy.url.clone());
            evidence.content_hash.clone_from(&copy.content_hash);
        }
        evidence
    }
}
