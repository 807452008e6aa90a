//! OpenAlex, `GET /works`.

use async_trait::async_trait;
use reqwest::Url;
use serde_json::Value;

use super::json::{body, link_at, list_at, number_at, text_at, year_at};
use super::text::{one_line, plain, shortened};
use super::{
    ApiKey, ArxivId, Author, Doi, Fault, Found, Pmcid, Pmid, Provenance, Query, Record, RecordKind, Source, compile,
};
use super::{Gateway, Reply};

/// The most words of an abstract that are put together.
const MOST_WORDS: usize = 5_000;

/// OpenAlex: some 250 million works of all fields, with citations and links to open copies.
///
/// A question costs a part of the day's budget, which a key of one's own raises.
#[derive(Clone, Debug)]
pub struct OpenAlex {
    gateway: Gateway,
    address: Url,
    key: Option<ApiKey>,
}

impl OpenAlex {
    /// The host that OpenAlex serves.
    pub const ADDRESS: &'static str = "https://api.openalex.org";

    /// The name of the source.
    pub const NAME: &'static str = "openalex";

    /// OpenAlex at `address` through `gateway`.
    #[must_use]
    pub fn new(gateway: Gateway, address: Url, key: Option<ApiKey>) -> Self {
        Self { gateway, address, key }
    }
}

#[async_trait]
impl Source for OpenAlex {
    fn name(&self) -> &str {
        Self::NAME
    }

    async fn search(&self, query: &Query) -> Result<Found, Fault> {
        let parameters = compile::openalex(query).ok_or_else(super::nothing_to_ask)?;
        let mut url = super::endpoint(&self.address, "works", &parameters);
        if let Some(key) = &self.key {
            url.query_pairs_mut().append_pair("api_key", key.reveal());
        }
        let shown = query.to_string();
        let asked = self.gateway.ask(&url, |reply| read(reply, &shown)).await;
        let asked = asked.map_err(|fault| super::without_key(fault, self.key.as_ref()))?;
        Ok(asked.value.after(asked.notes, &parameters[0].1, query.limit))
    }
}

fn read(reply: &Reply, query: &str) -> Result<Found, Fault> {
    let body = body(reply)?;
    if body.get("error").is_some_and(|error| !error.is_null()) {
        let reason = ["/message", "/error"].iter().find_map(|at| text_at(&body, at)).unwrap_or_default();
        return Err(super::refusal(reply.status, &shortened(&reason, 200)));
    }
    if reply.status != 200 {
        return Err(super::refusal(reply.status, "no reason given"));
    }
    let Some(items) = body.get("results").and_then(Value::as_array) else {
        return Err(Fault::Malformed { reason: "there is no list `results`".to_owned() });
    };
    super::collect(items, number_at(&body, "/meta/count"), |item, rank| record(item, query, rank))
}

fn record(item: &Value, query: &str, rank: u32) -> Option<Record> {
    let title = ["/title", "/display_name"]
        .iter()
        .find_map(|at| text_at(item, at))
        .map(|title| plain(&title))
        .filter(|title| !title.is_empty())?;
    let mut record = Record::new(title);
    record.doi = text_at(item, "/doi").and_then(|doi| Doi::parse(&doi));
    let addresses =
        ["/primary_location/landing_page_url", "/best_oa_location/landing_page_url", "/best_oa_location/pdf_url"];
    record.arxiv = record.doi.as_ref().and_then(Doi::arxiv).or_else(|| {
        addresses
            .iter()
            .filter_map(|at| text_at(item, at))
            .filter(|link| link.contains("arxiv.org/"))
            .find_map(|link| ArxivId::parse(&link))
    });
    record.pmid = text_at(item, "/ids/pmid").and_then(|id| Pmid::parse(&id));
    record.pmcid = text_at(item, "/ids/pmcid").and_then(|id| Pmcid::parse(&id));
    record.authors = list_at(item, "/authorships").iter().filter_map(author).collect();
    record.year = year_at(item, "/publication_year");
    record.venue = text_at(item, "/primary_location/source/display_name").map(|venue| plain(&venue));
    record.volume = text_at(item, "/biblio/volume");
    record.issue = text_at(item, "/biblio/issue");
    record.pages = pages(text_at(item, "/biblio/first_page"), text_at(item, "/biblio/last_page"));
    record.abstract_text = item.get("abstract_inverted_index").and_then(uninverted);
    record.url = addresses[..1].iter().find_map(|at| link_at(item, at)).or_else(|| link_at(item, "/id"));
    record.open_access = ["/best_oa_location/pdf_url", "/open_access/oa_url", "/best_oa_location/landing_page_url"]
        .iter()
        .find_map(|at| link_at(item, at));
    record.cited_by = number_at(item, "/cited_by_count");
    record.kind = kind(text_at(item, "/type").as_deref().unwrap_or_default());
    record.retracted = item.get("is_retracted").and_then(Value::as_bool).unwrap_or_default();
    let id = text_at(item, "/id").map(|id| id.rsplit('/').next().unwrap_or_default().to_owned()).unwrap_or_default();
    record.provenance = vec![Provenance::new(OpenAlex::NAME, id, query, rank)];
    Some(record)
}

fn author(authorship: &Value) -> Option<Author> {
    let name = ["/author/display_name", "/raw_author_name"].iter().find_map(|at| text_at(authorship, at))?;
    Author::displayed(&name)
}

fn pages(first: Option<String>, last: Option<String>) -> Option<String> {
    match (first, last) {
        (Some(first), Some(last)) if first != last => Some(format!("{first}-{last}")),
        (first, last) => first.or(last),
    }
}

/// The text of an abstract that came as words with their positions.
fn uninverted(index: &Value) -> Option<String> {
    let mut words: Vec<(u64, &str)> = Vec::new();
    for (word, positions) in index.as_object()? {
        let positions = positions.as_array().map_or(&[][..], Vec::as_slice);
        words.extend(
            positions.iter().filter_map(Value::as_u64).take(MOST_WORDS).map(|position| (position, word.as_str())),
        );
    }
    words.sort_by_key(|(position, _)| *position);
    words.truncate(MOST_WORDS);
    let text = one_line(&words.into_iter().map(|(_, word)| word).collect::<Vec<_>>().join(" "));
    let text = text.strip_prefix("Abstract ").unwrap_or(&text);
    (!text.is_empty()).then(|| text.to_owned())
}

fn kind(name: &str) -> RecordKind {
    match name {
        "article" | "review" | "letter" | "editorial" => RecordKind::Article,
        "preprint" => RecordKind::Preprint,
        "conference-paper" | "proceedings-article" => RecordKind::ConferencePaper,
        "book" => RecordKind::Book,
        "book-chapter" => RecordKind::Chapter,
        "dissertation" => RecordKind::Thesis,
        "report" => RecordKind::Report,
        "dataset" => RecordKind::Dataset,
        _ => RecordKind::Other,
    }
}
