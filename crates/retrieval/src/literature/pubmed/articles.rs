//! The works of `efetch`, in the form of PubMed's own document type.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::super::text::{entity, one_line};
use super::super::xml::attribute;
use super::super::{Author, Doi, Pmcid, Pmid, Record, RecordKind};

/// The most elements inside each other; works have some ten.
const DEEPEST: usize = 200;

/// Reads all works that have a title. The error says what does not fit.
pub(super) fn read(text: &str) -> Result<Vec<Record>, String> {
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    reader.config_mut().allow_dangling_amp = true;
    let mut records = Vec::new();
    let mut article = Article::default();
    let mut open: Vec<Open> = Vec::new();
    let mut content = String::new();
    let mut was_set = false;
    loop {
        match reader.read_event().map_err(|error| format!("no XML: {error}"))? {
            Event::Start(start) => {
                // The names of all that are open are looked at with each.
                if open.len() >= DEEPEST {
                    return Err(format!("its elements are nested more than {DEEPEST} deep"));
                }
                let name = start.local_name().as_ref().to_owned();
                if open.is_empty() {
                    if name != "PubmedArticleSet" || was_set {
                        return Err(format!("`{name}` stands where a set of articles was expected"));
                    }
                    was_set = true;
                }
                if open.len() == 1 {
                    article = Article::default();
                }
                let kind = ["EIdType", "IdType", "Label"].iter().find_map(|key| attribute(&start, key));
                open.push(Open { name, kind: kind.unwrap_or_default(), from: content.len() });
                if path(&open).ends_with("/AuthorList/Author") {
                    article.authors.push(Name::default());
                }
            }
            Event::Empty(start) => was_set |= open.is_empty() && start.local_name().as_ref() == "PubmedArticleSet",
            Event::End(_) => {
                let Some(closed) = open.last() else { continue };
                let said = one_line(&content[closed.from..]);
                article.take(&path(&open), &closed.kind, said);
                // What stands inside of a title is a part of it.
                if open.len() <= 2 {
                    content.truncate(closed.from);
                } else if is_block(&closed.name) {
                    content.push(' ');
                }
                open.pop();
                if open.len() == 1 {
                    records.extend(std::mem::take(&mut article).record());
                }
            }
            Event::Text(text) => content.push_str(&text.xml10_content()),
            Event::CData(text) => content.push_str(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let name = reference.xml10_content();
                content.push(entity(&name).ok_or_else(|| format!("the entity `{name}` is unknown"))?);
            }
            // Every answer names its document type; entities of its own could grow without bound.
            Event::DocType(kind) if kind.xml10_content().contains('[') => {
                return Err("it declares entities, which are not read".to_owned());
            }
            Event::DocType(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            Event::Eof if !open.is_empty() => return Err("the XML is cut short".to_owned()),
            Event::Eof if !was_set => return Err("there is no set of articles".to_owned()),
            Event::Eof => return Ok(records),
        }
    }
}

struct Open {
    name: String,
    kind: String,
    from: usize,
}

/// The names of the open elements below the set.
fn path(open: &[Open]) -> String {
    open.iter().skip(1).map(|open| open.name.as_str()).collect::<Vec<_>>().join("/")
}

fn is_block(name: &str) -> bool {
    !matches!(name, "i" | "b" | "u" | "sup" | "sub" | "math" | "mi" | "mn" | "mo" | "mrow" | "msub" | "msup")
}

/// One work as it is read.
#[derive(Default)]
struct Article {
    title: String,
    pmid: Option<Pmid>,
    pmcid: Option<Pmcid>,
    doi: Option<Doi>,
    authors: Vec<Name>,
    year: Option<u16>,
    venue: String,
    volume: String,
    issue: String,
    pages: String,
    abstract_parts: Vec<String>,
    kinds: Vec<String>,
    is_book: bool,
}

#[derive(Default)]
struct Name {
    family: String,
    given: String,
    group: String,
}

impl Article {
    /// Takes up what an element says.
    fn take(&mut self, path: &str, kind: &str, said: String) {
        let Some((of, rest)) = path.split_once('/') else { return };
        self.is_book = of == "PubmedBookArticle";
        let author = self.authors.last_mut();
        match rest {
            "MedlineCitation/PMID" | "BookDocument/PMID" => self.pmid = Pmid::parse(&said),
            "MedlineCitation/Article/ArticleTitle" | "BookDocument/ArticleTitle" => self.title = said,
            "BookDocument/Book/BookTitle" if self.venue.is_empty() => self.venue = said,
            "MedlineCitation/Article/Journal/Title" => self.venue = said,
            "MedlineCitation/Article/Journal/JournalIssue/Volume" => self.volume = said,
            "MedlineCitation/Article/Journal/JournalIssue/Issue" => self.issue = said,
            "MedlineCitation/Article/Journal/JournalIssue/PubDate/Year"
            | "MedlineCitation/Article/Journal/JournalIssue/PubDate/MedlineDate"
            | "BookDocument/Book/PubDate/Year" => {
                let year = said.get(..4).and_then(|year| year.parse().ok());
                self.year = self.year.or(year.filter(|year| (1000..=2999).contains(year)));
            }
            "MedlineCitation/Article/Pagination/MedlinePgn" => self.pages = said,
            "MedlineCitation/Article/ELocationID" if kind == "doi" => {
                self.doi = self.doi.take().or_else(|| Doi::parse(&said));
            }
            "PubmedData/ArticleIdList/ArticleId" | "PubmedBookData/ArticleIdList/ArticleId" => match kind {
                "doi" => self.doi = self.doi.take().or_else(|| Doi::parse(&said)),
                "pmc" => self.pmcid = self.pmcid.or_else(|| Pmcid::parse(&said)),
                _ => {}
            },
            "MedlineCitation/Article/Abstract/AbstractText" | "BookDocument/Abstract/AbstractText"
                if !said.is_empty() =>
            {
                self.abstract_parts.push(if kind.is_empty() { said } else { format!("{kind}: {said}") });
            }
            "MedlineCitation/Article/PublicationTypeList/PublicationType" => self.kinds.push(said),
            _ if rest.contains("AuthorList/Author/") => {
                let Some(author) = author else { return };
                match rest.rsplit('/').next() {
                    Some("LastName") => author.family = said,
                    Some("ForeName") => author.given = said,
                    Some("Initials") if author.given.is_empty() => author.given = said,
                    Some("CollectiveName") => author.group = said,
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// The work, when it has a title.
    fn record(self) -> Option<Record> {
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        // A title in another language stands in brackets.
        let title = self.title.trim_end_matches('.').trim_start_matches('[').trim_end_matches(']');
        let title = title.trim_end_matches('.').to_owned();
        let title = if title.is_empty() { self.venue.clone() } else { title };
        let mut record = Record::new(some(title)?);
        (record.pmid, record.pmcid, record.doi) = (self.pmid, self.pmcid, self.doi);
        let names = self.authors.into_iter().filter_map(|name| match name.group.is_empty() {
            true => Author::person(some(name.given).as_deref(), &name.family),
            false => Author::group(&name.group),
        });
        record.authors = names.collect();
        record.year = self.year;
        record.venue = some(self.venue);
        (record.volume, record.issue, record.pages) = (some(self.volume), some(self.issue), some(self.pages));
        record.abstract_text = some(self.abstract_parts.join(" "));
        record.url = record.pmid.map(Pmid::url);
        let has = |name: &str| self.kinds.iter().any(|kind| kind == name);
        record.retracted = has("Retracted Publication");
        record.kind = match () {
            () if self.is_book => RecordKind::Chapter,
            () if has("Preprint") => RecordKind::Preprint,
            () => RecordKind::Article,
        };
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_whole_set_is_refused_with_a_reason() {
        for (text, reason) in [
            ("", "there is no set"),
            ("<rss></rss>", "`rss` stands"),
            ("<PubmedArticleSet><PubmedArticle>", "cut short"),
            ("<!DOCTYPE a [<!ENTITY b \"bb\">]><PubmedArticleSet>&b;</PubmedArticleSet>", "declares entities"),
            ("<PubmedArticleSet>&bomb;</PubmedArticleSet>", "the entity `bomb`"),
            (&format!("<PubmedArticleSet>{}", "<i>".repeat(199) + "<q></q>"), "more than 200 deep"),
            (&format!("<PubmedArticleSet>{}", "<i>".repeat(199)), "cut short"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
        assert_eq!(read("<PubmedArticleSet></PubmedArticleSet>").unwrap(), []);
        assert_eq!(read("<PubmedArticleSet/>").unwrap(), []);
    }

    #[test]
    fn the_ids_of_references_are_none_of_the_work() {
        let text = "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>7</PMID><Article>\
            <ArticleTitle>On CO<sub>2</sub> &amp; <i>E. coli</i>.</ArticleTitle></Article></MedlineCitation>\
            <PubmedData><ReferenceList><Reference><ArticleIdList><ArticleId IdType='doi'>10.1000/other</ArticleId>\
            </ArticleIdList></Reference></ReferenceList><ArticleIdList><ArticleId IdType='pubmed'>7</ArticleId>\
            <ArticleId IdType='pmc'>PMC9</ArticleId></ArticleIdList></PubmedData></PubmedArticle></PubmedArticleSet>";
        let records = read(text).unwrap();
        assert_eq!(records[0].title, "On CO2 & E. coli");
        assert_eq!((records[0].pmid, records[0].pmcid, &records[0].doi), (Pmid::parse("7"), Pmcid::parse("9"), &None));
    }
}
