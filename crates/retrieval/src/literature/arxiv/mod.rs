//! arXiv, `GET /api/query`.

mod atom;

use async_trait::async_trait;
use reqwest::Url;

use super::json::{data, is_link};
use super::text::{one_line, shortened};
use super::{ArxivId, Author, Doi, Fault, Found, Provenance, Query, Record, RecordKind, Source, compile};
use super::{Gateway, Reply};
use atom::Entry;

/// The part of an entry's id that marks an error, whatever the status.
const ERROR_MARK: &str = "/api/errors#";

/// arXiv: preprints of physics, mathematics, computer science and their neighbours, all free to read.
///
/// When no work has all words, it is asked once more for works with any of them, which is noted.
#[derive(Clone, Debug)]
pub struct Arxiv {
    gateway: Gateway,
    address: Url,
}

impl Arxiv {
    /// The host that arXiv serves programs from.
    pub const ADDRESS: &'static str = "https://export.arxiv.org";

    /// The name of the source.
    pub const NAME: &'static str = "arxiv";

    /// arXiv at `address` through `gateway`.
    #[must_use]
    pub fn new(gateway: Gateway, address: Url) -> Self {
        Self { gateway, address }
    }

    async fn ask(&self, query: &Query, parameters: &compile::Parameters) -> Result<Found, Fault> {
        let url = super::endpoint(&self.address, "api/query", parameters);
        let shown = query.to_string();
        let asked = self.gateway.ask(&url, |reply| read(reply, &shown)).await?;
        Ok(asked.value.after(asked.notes, &parameters[0].1, query.limit))
    }
}

#[async_trait]
impl Source for Arxiv {
    fn name(&self) -> &str {
        Self::NAME
    }

    async fn search(&self, query: &Query) -> Result<Found, Fault> {
        let strict = compile::arxiv(query, false).ok_or_else(super::nothing_to_ask)?;
        let found = self.ask(query, &strict).await?;
        let Some(loose) = compile::arxiv(query, true).filter(|loose| found.records.is_empty() && loose != &strict)
        else {
            return Ok(found);
        };
        let mut wider = self.ask(query, &loose).await?;
        wider.notes.push("no work has all words, so it was asked for works with any of them".to_owned());
        Ok(wider)
    }
}

fn read(reply: &Reply, query: &str) -> Result<Found, Fault> {
    let body = data(reply)?;
    let feed = match atom::feed(&body) {
        Ok(feed) => feed,
        Err(_) if reply.status >= 400 => return Err(super::refusal(reply.status, &shortened(&body, 160))),
        Err(reason) => return Err(Fault::Malformed { reason }),
    };
    if let Some(error) = feed.entries.iter().find(|entry| entry.id.contains(ERROR_MARK)) {
        return Err(super::refusal(reply.status, &shortened(&error.summary, 200)));
    }
    if reply.status != 200 {
        return Err(super::refusal(reply.status, "no reason given"));
    }
    super::collect(&feed.entries, feed.total, |entry, rank| record(entry, query, rank))
}

fn record(entry: &Entry, query: &str, rank: u32) -> Option<Record> {
    let title = one_line(&entry.title);
    if title.is_empty() {
        return None;
    }
    let mut record = Record::new(title);
    record.arxiv = ArxivId::parse(&entry.id);
    record.doi = Doi::parse(&entry.doi);
    record.authors = entry.authors.iter().filter_map(|name| Author::displayed(name)).collect();
    record.year =
        entry.published.get(..4).and_then(|year| year.parse().ok()).filter(|year| (1990..=2999).contains(year));
    record.venue = Some(one_line(&entry.journal)).filter(|journal| !journal.is_empty());
    record.abstract_text = Some(one_line(&entry.summary)).filter(|summary| !summary.is_empty());
    record.url = record.arxiv.as_ref().map(ArxivId::url);
    record.open_access =
        is_link(&entry.pdf).then(|| entry.pdf.clone()).or_else(|| record.arxiv.as_ref().map(ArxivId::pdf));
    record.kind = RecordKind::Preprint;
    let id = entry.id.rsplit_once("/abs/").map_or(entry.id.as_str(), |(_, id)| id);
    record.provenance = vec![Provenance::new(Arxiv::NAME, id, query, rank)];
    Some(record)
}
