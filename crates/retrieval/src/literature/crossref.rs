//! Crossref, `GET /works`.

use async_trait::async_trait;
use reqwest::Url;
use serde_json::Value;

use super::json::{body, link_at, list_at, number_at, text_at, year_at};
use super::text::{plain, plain_abstract, shortened};
use super::{Author, Contact, Doi, Fault, Found, Provenance, Query, Record, RecordKind, Source, compile};
use super::{Gateway, Reply};

/// Crossref: what publishers deposit when they register a DOI.
///
/// It has no operators: it is asked for all words and ranks by them.
#[derive(Clone, Debug)]
pub struct Crossref {
    gateway: Gateway,
    address: Url,
    contact: Option<Contact>,
}

impl Crossref {
    /// The host that Crossref serves.
    pub const ADDRESS: &'static str = "https://api.crossref.org";

    /// The name of the source.
    pub const NAME: &'static str = "crossref";

    /// Crossref at `address` through `gateway`. With a contact address it answers from its polite pool.
    #[must_use]
    pub fn new(gateway: Gateway, address: Url, contact: Option<Contact>) -> Self {
        Self { gateway, address, contact }
    }
}

#[async_trait]
impl Source for Crossref {
    fn name(&self) -> &str {
        Self::NAME
    }

    async fn search(&self, query: &Query) -> Result<Found, Fault> {
        let contact = self.contact.as_ref().map(Contact::as_str);
        let parameters = compile::crossref(query, contact).ok_or_else(super::nothing_to_ask)?;
        let url = super::endpoint(&self.address, "works", &parameters);
        let shown = query.to_string();
        let asked = self.gateway.ask(&url, |reply| read(reply, &shown)).await?;
        let mut found = asked.value.after(asked.notes, &parameters[0].1, query.limit);
        if !query.groups.is_empty() {
            found.notes.push("it knows no alternatives, so it was asked for all words and ranked by them".to_owned());
        }
        Ok(found)
    }
}

fn read(reply: &Reply, query: &str) -> Result<Found, Fault> {
    let body = body(reply)?;
    if text_at(&body, "/status").is_some_and(|status| status != "ok") || reply.status != 200 {
        let message = ["/message/0/message", "/message/message", "/message"].iter().find_map(|at| text_at(&body, at));
        return Err(super::refusal(
            reply.status,
            &shortened(&message.unwrap_or_else(|| "no reason given".to_owned()), 200),
        ));
    }
    let Some(items) = body.pointer("/message/items").and_then(Value::as_array) else {
        return Err(Fault::Malformed { reason: "there is no list `message.items`".to_owned() });
    };
    super::collect(items, number_at(&body, "/message/total-results"), |item, rank| record(item, query, rank))
}

fn record(item: &Value, query: &str, rank: u32) -> Option<Record> {
    // Both are lists, mostly of one, and may be empty.
    let first = |name: &str| {
        let all = [format!("/{name}/0"), format!("/{name}")];
        all.iter().find_map(|at| text_at(item, at)).map(|text| plain(&text)).filter(|text| !text.is_empty())
    };
    let mut title = first("title")?;
    if let Some(subtitle) = first("subtitle")
        && !title.contains(&subtitle)
    {
        title = format!("{}: {subtitle}", title.trim_end_matches(':'));
    }
    let retracted = title.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("retracted"));
    let mut record = Record::new(title);
    record.doi = text_at(item, "/DOI").and_then(|doi| Doi::parse(&doi));
    record.arxiv = record.doi.as_ref().and_then(Doi::arxiv);
    record.authors = list_at(item, "/author").iter().filter_map(author).collect();
    record.year = ["issued", "published", "published-print", "published-online"]
        .iter()
        .find_map(|date| year_at(item, &format!("/{date}/date-parts/0/0")));
    record.venue = first("container-title");
    record.publisher = text_at(item, "/publisher").map(|name| plain(&name));
    record.volume = text_at(item, "/volume");
    record.issue = text_at(item, "/issue");
    record.pages = text_at(item, "/page");
    record.abstract_text = text_at(item, "/abstract").and_then(|jats| plain_abstract(&jats));
    record.url = link_at(item, "/URL");
    record.cited_by = number_at(item, "/is-referenced-by-count");
    record.kind = kind(text_at(item, "/type").as_deref().unwrap_or_default());
    record.retracted = retracted;
    let id = record.doi.as_ref().map(ToString::to_string).unwrap_or_default();
    record.provenance = vec![Provenance::new(Crossref::NAME, id, query, rank)];
    Some(record)
}

fn author(author: &Value) -> Option<Author> {
    match text_at(author, "/family") {
        Some(family) => Author::person(text_at(author, "/given").as_deref(), &family),
        None => Author::group(&["/name", "/given"].iter().find_map(|at| text_at(author, at))?),
    }
}

fn kind(name: &str) -> RecordKind {
    match name {
        "journal-article" => RecordKind::Article,
        "posted-content" => RecordKind::Preprint,
        "proceedings-article" => RecordKind::ConferencePaper,
        "book" | "monograph" | "edited-book" | "reference-book" => RecordKind::Book,
        "book-chapter" | "book-section" | "book-part" | "reference-entry" => RecordKind::Chapter,
        "dissertation" => RecordKind::Thesis,
        "report" | "report-component" => RecordKind::Report,
        "dataset" => RecordKind::Dataset,
        _ => RecordKind::Other,
    }
}
