//! Semantic Scholar, `GET /graph/v1/paper/search`.

use async_trait::async_trait;
use reqwest::Url;
use serde_json::Value;

use super::json::{body, link_at, list_at, number_at, text_at, year_at};
use super::text::{plain, plain_abstract, shortened};
use super::{
    ApiKey, ArxivId, Author, Doi, Fault, Found, Gateway, Pmcid, Pmid, Provenance, Query, Record, RecordKind, Reply,
    Request, Source, compile,
};

/// Semantic Scholar: some 200 million works of all fields, with citations.
///
/// It has no operators: it is asked for all words and ranks by them. Without a key all programs share its pool, which is
/// often spent.
#[derive(Clone, Debug)]
pub struct SemanticScholar {
    gateway: Gateway,
    address: Url,
    key: Option<ApiKey>,
}

impl SemanticScholar {
    /// The host that Semantic Scholar serves.
    pub const ADDRESS: &'static str = "https://api.semanticscholar.org";

    /// The name of the source.
    pub const NAME: &'static str = "semanticscholar";

    /// Semantic Scholar at `address` through `gateway`.
    #[must_use]
    pub fn new(gateway: Gateway, address: Url, key: Option<ApiKey>) -> Self {
        Self { gateway, address, key }
    }
}

#[async_trait]
impl Source for SemanticScholar {
    fn name(&self) -> &str {
        Self::NAME
    }

    async fn search(&self, query: &Query) -> Result<Found, Fault> {
        let parameters = compile::semantic_scholar(query).ok_or_else(super::nothing_to_ask)?;
        let url = super::endpoint(&self.address, "graph/v1/paper/search", &parameters);
        let mut request = Request::get(url);
        if let Some(key) = &self.key {
            request = request.secret("x-api-key", key.reveal());
        }
        let shown = query.to_string();
        let asked = self.gateway.send(&request, |reply| read(reply, &shown)).await;
        let asked = asked.map_err(|fault| super::without_key(fault, self.key.as_ref()))?;
        let mut found = asked.value.after(asked.notes, &parameters[0].1, query.limit);
        if !query.groups.is_empty() {
            found.notes.push("it knows no alternatives, so it was asked for all words and ranked by them".to_owned());
        }
        Ok(found)
    }
}

fn read(reply: &Reply, query: &str) -> Result<Found, Fault> {
    let body = body(reply)?;
    if let Some(reason) = ["/error", "/message"].iter().find_map(|at| text_at(&body, at)) {
        return Err(super::refusal(reply.status, &shortened(&reason, 200)));
    }
    if reply.status != 200 {
        return Err(super::refusal(reply.status, "no reason given"));
    }
    let total = number_at(&body, "/total");
    let items = match body.get("data") {
        Some(Value::Array(items)) => items.as_slice(),
        // Without a work the answer has no part `data`.
        None if total == Some(0) => &[],
        _ => return Err(Fault::Malformed { reason: "there is no list `data`".to_owned() }),
    };
    super::collect(items, total, |item, rank| record(item, query, rank))
}

fn record(item: &Value, query: &str, rank: u32) -> Option<Record> {
    let title = text_at(item, "/title").map(|title| plain(&title)).filter(|title| !title.is_empty())?;
    let mut record = Record::new(title);
    record.doi = text_at(item, "/externalIds/DOI").and_then(|doi| Doi::parse(&doi));
    let arxiv = text_at(item, "/externalIds/ArXiv").and_then(|id| ArxivId::parse(&id));
    record.arxiv = arxiv.or_else(|| record.doi.as_ref().and_then(Doi::arxiv));
    record.pmid = text_at(item, "/externalIds/PubMed").and_then(|id| Pmid::parse(&id));
    record.pmcid = text_at(item, "/externalIds/PubMedCentral").and_then(|id| Pmcid::parse(&id));
    let author = |author: &Value| Author::displayed(&text_at(author, "/name")?);
    record.authors = list_at(item, "/authors").iter().filter_map(author).collect();
    record.year = year_at(item, "/year");
    record.venue = ["/journal/name", "/venue"].iter().find_map(|at| text_at(item, at)).map(|venue| plain(&venue));
    record.volume = text_at(item, "/journal/volume");
    record.pages = text_at(item, "/journal/pages");
    record.abstract_text = text_at(item, "/abstract").and_then(|text| plain_abstract(&text));
    record.url = link_at(item, "/url");
    record.open_access = link_at(item, "/openAccessPdf/url");
    record.cited_by = number_at(item, "/citationCount");
    let kinds: Vec<String> = list_at(item, "/publicationTypes").iter().filter_map(|kind| text_at(kind, "")).collect();
    record.kind = kind(&kinds, record.doi.is_none() && record.arxiv.is_some());
    let id = text_at(item, "/paperId").unwrap_or_default();
    record.provenance = vec![Provenance::new(SemanticScholar::NAME, id, query, rank)];
    Some(record)
}

fn kind(names: &[String], is_preprint: bool) -> RecordKind {
    let has = |name: &str| names.iter().any(|given| given == name);
    if is_preprint {
        RecordKind::Preprint
    } else if has("Conference") {
        RecordKind::ConferencePaper
    } else if has("JournalArticle") || has("Review") {
        RecordKind::Article
    } else if has("BookSection") {
        RecordKind::Chapter
    } else if has("Book") {
        RecordKind::Book
    } else if has("Dataset") {
        RecordKind::Dataset
    } else {
        RecordKind::Other
    }
}
