//! CORE, `POST /v3/search/works`.

use async_trait::async_trait;
use reqwest::Url;
use serde_json::{Value, json};

use super::json::{body, link_at, list_at, number_at, text_at, year_at};
use super::text::{plain, plain_abstract, shortened};
use super::{
    ApiKey, ArxivId, Author, Doi, Fault, Found, Gateway, Pmid, Provenance, Query, Record, RecordKind, Reply, Request,
    Source, compile,
};

/// CORE: open copies in repositories, with where each can be read.
#[derive(Clone, Debug)]
pub struct Core {
    gateway: Gateway,
    address: Url,
    key: Option<ApiKey>,
}

impl Core {
    /// The host that CORE serves.
    pub const ADDRESS: &'static str = "https://api.core.ac.uk";

    /// The name of the source.
    pub const NAME: &'static str = "core";

    /// CORE at `address` through `gateway`.
    #[must_use]
    pub fn new(gateway: Gateway, address: Url, key: Option<ApiKey>) -> Self {
        Self { gateway, address, key }
    }
}

#[async_trait]
impl Source for Core {
    fn name(&self) -> &str {
        Self::NAME
    }

    async fn search(&self, query: &Query) -> Result<Found, Fault> {
        let (asked_for, limit) = compile::core(query).ok_or_else(super::nothing_to_ask)?;
        let url = super::endpoint(&self.address, "v3/search/works", &Vec::new());
        // Full texts are left out of lists, which would be very long.
        let body = json!({ "q": asked_for, "limit": limit, "offset": 0, "exclude": ["fullText"] });
        let mut request = Request::post(url, body);
        if let Some(key) = &self.key {
            request = request.secret("authorization", &format!("Bearer {}", key.reveal()));
        }
        let shown = query.to_string();
        let asked = self.gateway.send(&request, |reply| read(reply, &shown)).await;
        let asked = asked.map_err(|fault| super::without_key(fault, self.key.as_ref()))?;
        Ok(asked.value.after(asked.notes, &asked_for, query.limit))
    }
}

fn read(reply: &Reply, query: &str) -> Result<Found, Fault> {
    let body = body(reply)?;
    if reply.status != 200 || body.get("results").is_none() {
        let reason = ["/message", "/error", "/detail"].iter().find_map(|at| text_at(&body, at));
        match reason {
            Some(reason) => return Err(super::refusal(reply.status, &shortened(&reason, 200))),
            None if reply.status != 200 => return Err(super::refusal(reply.status, "no reason given")),
            None => {}
        }
    }
    let Some(items) = body.get("results").and_then(Value::as_array) else {
        return Err(Fault::Malformed { reason: "there is no list `results`".to_owned() });
    };
    super::collect(items, number_at(&body, "/totalHits"), |item, rank| record(item, query, rank))
}

fn record(item: &Value, query: &str, rank: u32) -> Option<Record> {
    let title = text_at(item, "/title").map(|title| plain(&title)).filter(|title| !title.is_empty())?;
    let mut record = Record::new(title);
    record.doi = text_at(item, "/doi").and_then(|doi| Doi::parse(&doi));
    let arxiv = text_at(item, "/arxivId").and_then(|id| ArxivId::parse(&id));
    record.arxiv = arxiv.or_else(|| record.doi.as_ref().and_then(Doi::arxiv));
    record.pmid = text_at(item, "/pubmedId").and_then(|id| Pmid::parse(&id));
    let author = |author: &Value| Author::displayed(&text_at(author, "/name")?);
    record.authors = list_at(item, "/authors").iter().filter_map(author).collect();
    record.year = year_at(item, "/yearPublished");
    record.venue = text_at(item, "/journals/0/title").map(|venue| plain(&venue)).filter(|venue| !venue.is_empty());
    record.publisher = text_at(item, "/publisher").map(|name| plain(&name)).filter(|name| !name.is_empty());
    record.abstract_text = text_at(item, "/abstract").and_then(|text| plain_abstract(&text));
    let links = list_at(item, "/links");
    let link = |kind: &str| {
        let is_kind = |link: &&Value| text_at(link, "/type").as_deref() == Some(kind);
        links.iter().find(is_kind).and_then(|link| link_at(link, "/url"))
    };
    record.url = link("display");
    record.open_access =
        link_at(item, "/downloadUrl").or_else(|| link("download")).or_else(|| link_at(item, "/sourceFulltextUrls/0"));
    record.cited_by = number_at(item, "/citationCount");
    record.kind = match text_at(item, "/documentType").as_deref() {
        Some("thesis") => RecordKind::Thesis,
        _ => RecordKind::Other,
    };
    let id = text_at(item, "/id").unwrap_or_default();
    record.provenance = vec![Provenance::new(Core::NAME, id, query, rank)];
    Some(record)
}
