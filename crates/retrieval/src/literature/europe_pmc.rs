//! Europe PMC, `GET /europepmc/webservices/rest/search`.

use async_trait::async_trait;
use reqwest::Url;
use serde_json::Value;

use super::json::{body, link_at, list_at, number_at, text_at, year_at};
use super::text::{plain, plain_abstract, shortened};
use super::{
    Author, Doi, Fault, Found, Gateway, Pmcid, Pmid, Provenance, Query, Record, RecordKind, Reply, Source, compile,
};

/// Europe PMC: all of PubMed and preprints of medicine and biology, with where a full text is open.
#[derive(Clone, Debug)]
pub struct EuropePmc {
    gateway: Gateway,
    address: Url,
}

impl EuropePmc {
    /// The host that Europe PMC serves programs from.
    pub const ADDRESS: &'static str = "https://www.ebi.ac.uk";

    /// The name of the source.
    pub const NAME: &'static str = "europepmc";

    /// Europe PMC at `address` through `gateway`.
    #[must_use]
    pub fn new(gateway: Gateway, address: Url) -> Self {
        Self { gateway, address }
    }
}

#[async_trait]
impl Source for EuropePmc {
    fn name(&self) -> &str {
        Self::NAME
    }

    async fn search(&self, query: &Query) -> Result<Found, Fault> {
        let parameters = compile::europe_pmc(query).ok_or_else(super::nothing_to_ask)?;
        let url = super::endpoint(&self.address, "europepmc/webservices/rest/search", &parameters);
        let shown = query.to_string();
        let asked = self.gateway.ask(&url, |reply| read(reply, &shown)).await?;
        Ok(asked.value.after(asked.notes, &parameters[0].1, query.limit))
    }
}

fn read(reply: &Reply, query: &str) -> Result<Found, Fault> {
    let body = body(reply)?;
    if let Some(reason) = ["/errMsg", "/message", "/error"].iter().find_map(|at| text_at(&body, at)) {
        return Err(super::refusal(reply.status, &shortened(&reason, 200)));
    }
    if reply.status != 200 {
        return Err(super::refusal(reply.status, "no reason given"));
    }
    let Some(items) = body.pointer("/resultList/result").and_then(Value::as_array) else {
        return Err(Fault::Malformed { reason: "there is no list `resultList.result`".to_owned() });
    };
    super::collect(items, number_at(&body, "/hitCount"), |item, rank| record(item, query, rank))
}

fn record(item: &Value, query: &str, rank: u32) -> Option<Record> {
    let title = text_at(item, "/title").map(|title| plain(&title));
    let title = title.map(|title| title.trim_end_matches('.').to_owned()).filter(|title| !title.is_empty())?;
    let mut record = Record::new(title);
    record.doi = text_at(item, "/doi").and_then(|doi| Doi::parse(&doi));
    record.arxiv = record.doi.as_ref().and_then(Doi::arxiv);
    record.pmid = text_at(item, "/pmid").and_then(|id| Pmid::parse(&id));
    record.pmcid = text_at(item, "/pmcid").and_then(|id| Pmcid::parse(&id));
    record.authors = list_at(item, "/authorList/author").iter().filter_map(author).collect();
    record.year = year_at(item, "/pubYear");
    record.venue = text_at(item, "/journalInfo/journal/title").map(|venue| plain(&venue));
    record.volume = text_at(item, "/journalInfo/volume");
    record.issue = text_at(item, "/journalInfo/issue");
    record.pages = text_at(item, "/pageInfo");
    record.abstract_text = text_at(item, "/abstractText").and_then(|text| plain_abstract(&text));
    record.url = record.doi.as_ref().map(Doi::url).or_else(|| record.pmid.map(Pmid::url));
    record.open_access = open_copy(item);
    record.cited_by = number_at(item, "/citedByCount");
    let kinds: Vec<String> =
        list_at(item, "/pubTypeList/pubType").iter().filter_map(|kind| text_at(kind, "")).collect();
    let has = |name: &str| kinds.iter().any(|kind| kind.eq_ignore_ascii_case(name));
    record.retracted = has("retracted publication");
    record.kind = match text_at(item, "/source").as_deref() {
        Some("PPR") => RecordKind::Preprint,
        Some("MED" | "PMC") => RecordKind::Article,
        _ if has("thesis") => RecordKind::Thesis,
        _ => RecordKind::Other,
    };
    let source = text_at(item, "/source").unwrap_or_default();
    let id = format!("{source}:{}", text_at(item, "/id").unwrap_or_default());
    record.provenance = vec![Provenance::new(EuropePmc::NAME, id, query, rank)];
    Some(record)
}

fn author(author: &Value) -> Option<Author> {
    if let Some(group) = text_at(author, "/collectiveName") {
        return Author::group(&group);
    }
    let given = ["/firstName", "/initials"].iter().find_map(|at| text_at(author, at));
    match text_at(author, "/lastName") {
        Some(family) => Author::person(given.as_deref(), &family),
        None => Author::displayed(&text_at(author, "/fullName")?),
    }
}

/// Where a copy is free to read: as HTML where there is one.
fn open_copy(item: &Value) -> Option<String> {
    let links = list_at(item, "/fullTextUrlList/fullTextUrl");
    let is_open = |link: &&Value| {
        matches!(text_at(link, "/availabilityCode").as_deref(), Some("OA" | "F"))
            || matches!(text_at(link, "/availability").as_deref(), Some("Open access" | "Free"))
    };
    let of_style = |style: &str| {
        let is_style = |link: &&Value| text_at(link, "/documentStyle").as_deref() == Some(style);
        links.iter().filter(is_open).find(is_style).and_then(|link| link_at(link, "/url"))
    };
    of_style("html").or_else(|| of_style("pdf"))
}
